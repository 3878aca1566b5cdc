//! The shell's loop: read a line, send it its way, show what comes of it.

mod earlier;
mod editor;
mod ending;
mod entered;
mod expansion;
mod first_start;
mod jobs;
mod known;
mod models;
mod outward;
mod question;
mod resumed;
mod shown;
mod warm_up;

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aish_mcp::client::{Ports, ServerOptions, ServerPool};
use aish_route::{Line, Route, corrected, decide, parse_line};
use aish_safety::Approver;
use aish_shell::{ChangedModes, UserTerminal};
use aish_term::{Capabilities, EditorError, Input, LineEditor, Reach, Reading, TerminalApprover, Theme};
use aish_tools::Registry;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::arguments::{SharedFlags, ShellFlags};
use crate::base::Base;
use crate::completion::{self, Completer, Vocabulary};
use crate::conversation::{Conversation, Setup};
use crate::display::{capabilities, theme};
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::line_history::LineHistory;
use crate::live::Live;
use crate::memory::heard::Heard;
use crate::meta;
use crate::norris::log::RunLog;
use crate::plugins::{self, Plugins};
use crate::servers::news::{CallNews, News};
use crate::servers::person::Forms;
use crate::servers::writer::Sampling;
use crate::servers::{self, Servers, SignInWords};
use crate::session::{self, KeptLog};
use crate::settling::Apart;
use crate::shell_switch::Switch;
use crate::shell_tool::ShellTool;
use crate::surface::text::{TextSurface, Thoughts, Verbosity};
use crate::toolset;
use crate::transactions::Transactions;
pub use editor::inputrc;
use editor::{Pasted, editor_options};
use ending::Signals;
use entered::unprompted;
use jobs::JobOutput;
pub use known::Known;
use known::surroundings;
use resumed::resume;
use shown::first_prompt;
use warm_up::at_rest;

/// Bash's status of a command that it did not find.
const NOT_FOUND: i32 = 127;

/// How long the editor may take to give the terminal back.
const GIVEN_BACK: Duration = Duration::from_millis(500);

/// The running shell.
pub struct Repl {
    /// Environment and configuration.
    pub base: Base,
    /// Driver and transcript.
    pub conversation: Conversation,
    /// The line editor.
    pub editor: Arc<LineEditor>,
    /// The live bash.
    pub live: Arc<Live>,
    /// The MCP servers.
    pub servers: ServerPool,
    /// The plugins on the bus.
    pub plugins: Option<Plugins>,
    /// The line history.
    pub history: Arc<LineHistory>,
    /// Where turns are shown.
    pub surface: TextSurface,
    /// What standard error can show.
    pub err: Capabilities,
    /// Who is stopped by Ctrl-C.
    pub interrupts: Interrupts,
    /// Servers whose lines are shown before they are started.
    waiting: Vec<(String, ServerOptions)>,
    /// What goes along with the next question.
    attached: Vec<String>,
    /// What autonomous runs of this session did.
    pub runs: RunLog,
    /// The shell that proposed commands go to.
    pub runner: Arc<Switch>,
    theme: Theme,
    /// The terminal is drawn on, so that keys that come meanwhile would be drawn in between.
    drawn: bool,
    known: Known,
    vocabulary: Arc<Vocabulary>,
    looking: Option<models::Looking>,
    /// They are listened to from before the first prompt on.
    signals: Option<Signals>,
    /// The first line, whose prompt is drawn already.
    reading: Option<Reading>,
    refreshing: Option<JoinHandle<()>>,
    /// Reads the shell's names after its start-up files.
    start_up: Option<JoinHandle<()>>,
    /// Told when start-up files, or jobs, show a line without an end.
    asks: Arc<Notify>,
    /// What was pasted since the last question.
    pasted: Pasted,
    /// What the next prompt offers on its empty line.
    suggestion: Option<String>,
    /// What stands in the next line, to be edited.
    prefilled: Option<String>,
    /// Whether the terminal is told where prompts are, the folder, and what runs.
    marks: bool,
    heard: Heard,
    /// Whether a model has answered since code was given back last.
    answered: bool,
}

/// Whether the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Read another line.
    Go,
    /// End with this code.
    End(ExitCode),
}

/// Why no further line is read, but for the person's own wish.
enum Ended {
    BySignal(ExitCode),
    ByFault(EditorError),
}

impl Repl {
    /// Puts the shell together; nothing here waits for a shell, a server or a database.
    ///
    /// # Errors
    /// When there is no terminal or the line editor cannot start.
    pub async fn start(base: Base, shared: &SharedFlags, flags: &ShellFlags) -> Result<Self, Failure> {
        let (mut out, mut err) = capabilities(&base, shared);
        if flags.plain {
            let plain = |seen: Capabilities| Capabilities {
                rows_end: seen.rows_end,
                width: seen.width,
                height: seen.height,
                unicode: seen.unicode,
                ..Capabilities::plain()
            };
            (out, err) = (plain(out), plain(err));
        }
        let theme = theme(&base);
        let terminal = Arc::new(UserTerminal::standard()?);
        let rc = base.config.shell.rc && !flags.norc;
        let transactions = Transactions::of(&base);
        let live = Live::interactive(&base.config.shell.program, rc, terminal);
        let live = Arc::new(live.with_transactions(Arc::clone(&transactions)));
        let mut notices: Vec<String> = base.paths.state_fault().into_iter().collect();
        let resumed = resume(&base, flags, &mut notices);
        let session = resumed.as_ref().map_or_else(|| session::new_id(&base.clock), |resumed| resumed.id.clone());
        let store = Arc::clone(&base.store);
        let history =
            Arc::new(LineHistory::new(store, Arc::clone(&base.secrets), session.to_string(), base.config.history.size));
        let known: Known = Arc::default();
        let mut options = editor_options(&base, err, &theme, &history, &known);
        if flags.plain {
            options.reach = Reach::Plain;
        }
        let (found, looking) = models::find(&base, shared.model.as_deref()).await;
        let registry = Arc::new(Registry::default());
        let vocabulary = Arc::new(Vocabulary::new(Arc::clone(&registry)));
        let runtime = tokio::runtime::Handle::current();
        let shows_help = completion::judged(base.policy(), surroundings(&base, &live, &known));
        let completer =
            Completer::new(Arc::clone(&live), Arc::clone(&known), runtime, Arc::clone(&vocabulary), shows_help);
        let drawn = options.reach == Reach::Full && io::stderr().is_terminal();
        options.completer = Some(Box::new(completer));
        let pasted = editor::listen_to_pastes(&mut options);
        // The console of the kernel prints what it does not know.
        let marks = drawn && base.config.ui.marks && base.variable("TERM").is_none_or(|term| term != "linux");
        options.marks = marks;
        let clock = base.clock.clone();
        options.now_ms = Arc::new(move || clock.millis());
        let editor = Arc::new(LineEditor::start(options)?);
        let jobs = JobOutput::new(editor.printer());
        let asks = jobs.unended();
        live.listen(move |event| jobs.take(&event));
        vocabulary.set_models(found.places.keys().cloned());
        // Drawn while the rest is put together, unless there is something to be said above it.
        let is_quiet = resumed.is_none() && notices.is_empty() && found.notices.is_empty() && base.faults().is_empty();
        let first = match drawn && is_quiet {
            true => first_prompt(&base, &live, &theme, err, found.default.as_deref()),
            false => None,
        };
        let signals = Signals::listen(editor.pauses())?;
        let reading = first.map(|view| editor.begin(view)).transpose()?;
        notices.extend(toolset::fill(&base, &registry, Arc::new(base.memory()), Some(Arc::new(toolset::files(&base)))));
        let reader = Arc::downgrade(&editor);
        let interrupts = Interrupts::listen(move || {
            if let Some(editor) = reader.upgrade() {
                editor.interrupt();
            }
        })?;
        let approver: Arc<dyn Approver> = Arc::new(approver(&editor, &interrupts));
        let news: Arc<CallNews> = Arc::default();
        let runner = Arc::new(Switch::new(Arc::clone(&live) as Arc<_>));
        ShellTool::add_to(&registry, &(Arc::clone(&runner) as Arc<_>), 0);
        let runs = RunLog::new(&base, &session);
        let printer = editor.printer();
        let sink = News::new(Arc::clone(&news), move |line: String| printer.say(&line));
        let sampling = Arc::new(Sampling::default());
        let ports = Ports {
            person: Some(Arc::new(Forms(Arc::clone(&approver)))),
            writer: Some(Arc::clone(&sampling) as _),
            ..servers::telling(Arc::new(sink))
        };
        let Servers { pool: servers, waiting, faults } = servers::start(&base, &registry, ports, SignInWords::Shell);
        notices.extend(faults);
        let printer = editor.printer();
        let plugins = plugins::start(&base, &registry, move |line| printer.say(&line));
        let setup = Setup {
            approver,
            log: Box::new(KeptLog::of(&base, &session)),
            session,
            registry,
            offer_tools: true,
            commands: true,
            news,
            surroundings: surroundings(&base, &live, &known),
            apart: Some(Apart { transactions, runner: Arc::clone(&runner) as Arc<_> }),
        };
        let mut conversation = Conversation::new(&base, found, setup);
        conversation.driver.asker.asks_beside = true;
        conversation.open_sampling(&base, sampling);
        if let Some(resumed) = resumed {
            conversation.go_on(resumed);
        }
        conversation.notices.splice(0..0, notices);
        let surface = TextSurface::new(theme.clone(), out, err, Verbosity::Normal, base.config.ui.markdown)
            .with_live_commands()
            .with_thoughts(Thoughts::named(&base.config.ui.reasoning));
        Ok(Self {
            base,
            conversation,
            editor,
            live,
            servers,
            waiting,
            plugins,
            history,
            surface,
            err,
            interrupts,
            attached: Vec::new(),
            runs,
            runner,
            theme,
            drawn,
            known,
            vocabulary,
            looking,
            signals: Some(signals),
            reading,
            refreshing: None,
            start_up: None,
            asks,
            pasted,
            suggestion: None,
            prefilled: None,
            marks,
            heard: Heard::default(),
            answered: false,
        })
    }

    /// Reads and runs lines until the person ends it.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub async fn run(&mut self) -> Result<ExitCode, Failure> {
        let mut notices = self.base.faults();
        notices.append(&mut self.conversation.notices);
        self.say_first(notices);
        let waiting = std::mem::take(&mut self.waiting);
        self.say_first(waiting.iter().map(|(line, _)| line.clone()));
        servers::start_shown(&self.base, &self.servers, &self.conversation.driver.asker.registry, waiting);
        let mut signals = match self.signals.take() {
            Some(signals) => signals,
            None => Signals::listen(self.editor.pauses())?,
        };
        self.read_start_up();
        let warmed = self.warm_up();
        let ended = self.read_and_run(&mut signals).await;
        let code = match ended {
            Ok(code) => {
                self.remember().await;
                code
            }
            Err(Ended::BySignal(code)) => {
                let _ = tokio::time::timeout(GIVEN_BACK, self.editor.release()).await;
                code
            }
            Err(Ended::ByFault(error)) => return Err(error.into()),
        };
        warmed.abort();
        self.servers.close().await;
        if let Some(plugins) = self.plugins.take() {
            plugins.close().await;
        }
        self.names_are_fresh().await;
        self.live.close().await;
        Ok(code)
    }

    async fn read_and_run(&mut self, signals: &mut Signals) -> Result<ExitCode, Ended> {
        let mut warned = false;
        loop {
            let reading = match self.reading.take() {
                Some(reading) => reading,
                None => {
                    let mut view = self.prompt().await;
                    view.initial = self.live.take_typed_ahead();
                    if view.initial.is_empty() {
                        view.initial = self.prefilled.take().unwrap_or_default();
                    }
                    view.suggestion = self.suggestion.take();
                    self.tell_folder();
                    self.editor.begin(view).map_err(Ended::ByFault)?
                }
            };
            let (asks, is_starting) = (Arc::clone(&self.asks), self.is_starting());
            let input = tokio::select! {
                biased;
                code = signals.ended() => return Err(Ended::BySignal(code)),
                () = asks.notified(), if is_starting => None,
                input = at_rest(&mut self.answered, reading.line()) => Some(input.map_err(Ended::ByFault)?),
            };
            let Some(input) = input else {
                tokio::select! {
                    code = signals.ended() => return Err(Ended::BySignal(code)),
                    () = self.attend_start_up() => continue,
                }
            };
            match input {
                Input::Line(line) => {
                    warned = false;
                    let interrupts = self.interrupts.clone();
                    let flow = signals.unless_ended(self.line(&line.text, line.flipped), &interrupts).await;
                    match flow.map_err(Ended::BySignal)? {
                        Flow::Go => {}
                        Flow::End(code) => return Ok(code),
                    }
                }
                Input::Interrupted => {
                    self.names_are_fresh().await;
                    if self.traps_interrupt() {
                        self.live.interrupt_at_prompt().await;
                    }
                }
                Input::HostCommand(_) => {}
                Input::EndOfInput => {
                    let jobs = if warned { Vec::new() } else { self.live.jobs().await };
                    if jobs.is_empty() {
                        return Ok(ExitCode::Ok);
                    }
                    warned = true;
                    for job in &jobs {
                        self.say(job);
                    }
                    self.say("they end with aish; Ctrl-D once more ends both");
                }
            }
        }
    }

    /// Sends one line its way.
    pub async fn line(&mut self, text: &str, flipped: bool) -> Flow {
        self.show_waiting();
        self.names_are_fresh().await;
        // A blank before a line keeps it out of the history.
        let typed = text.trim_end();
        let expanded = match self.expanded(&unprompted(typed)) {
            Ok(expanded) => expanded,
            Err(missing) => {
                self.complain(&format!("{missing}: event not found"));
                return Flow::Go;
            }
        };
        let typed = expanded.as_str();
        let trimmed = typed.trim_start();
        let line = match parse_line(trimmed) {
            Line::Empty => return Flow::Go,
            Line::Shell(command) => return self.command(typed, command).await,
            Line::Question(question) => return self.question(typed, question).await,
            Line::Meta(name, rest) => {
                self.history.add(typed, &self.folder(), "meta", None, None);
                self.models_are_known().await;
                return meta::run(self, name, rest).await;
            }
            Line::Plain(line) => line,
        };
        let mut decision = decide(line, &self.names());
        // A word that is unknown now may be an alias or a function of the start-up files.
        if decision.route != Route::Shell && self.start_up_is_read().await {
            decision = decide(line, &self.names());
        }
        let route = match (decision.route, flipped) {
            (route, false) => route,
            (Route::Shell | Route::Ask, true) => Route::Ai,
            (Route::Ai, true) => Route::Shell,
        };
        match route {
            Route::Shell => self.command(typed, trimmed).await,
            Route::Ai => self.question(typed, trimmed).await,
            Route::Ask if !self.base.config.route.ask => self.command(typed, trimmed).await,
            Route::Ask => self.unsure(typed, &decision.reason).await,
        }
    }

    async fn unsure(&mut self, typed: &str, reason: &str) -> Flow {
        let label = format!("[aish] a command or a question? {reason}\n[s]hell  [a]i  [c]ancel? ");
        match self.editor.choose(&label, &['s', 'a', 'c']).await {
            Some('s') => self.command(typed, typed.trim_start()).await,
            Some('a') => self.question(typed, typed.trim_start()).await,
            Some(_) | None => Flow::Go,
        }
    }

    /// Runs a command line in the live shell; `typed` is what the history keeps.
    pub async fn command(&mut self, typed: &str, command: &str) -> Flow {
        let folder = self.folder();
        let started = Instant::now();
        // A secret that is typed stands in no history, bash's own included.
        let hidden = typed.starts_with([' ', '\t']) || self.base.secrets.are_in(command);
        self.tell_start(command);
        let result = self.live.run_typed(command, hidden, &self.editor.take_behind()).await;
        match result {
            Ok(result) => {
                // Bash says whether its HISTCONTROL and HISTIGNORE keep it.
                let typed = if result.kept { typed } else { " " };
                self.history.add(typed, &folder, "shell", Some(result.status), Some(started.elapsed()));
                self.tell_end(result.status, started.elapsed());
                if result.ending == aish_shell::Ending::Exited {
                    return Flow::End(ExitCode::Of(u8::try_from(result.status).unwrap_or(1)));
                }
                if result.status == NOT_FOUND
                    && let Some(meant) = corrected(command, &self.names())
                {
                    self.say(&format!("did you mean `{meant}`?"));
                    self.suggestion = Some(meant);
                }
                self.refresh_names();
            }
            Err(error) => {
                self.history.add(typed, &folder, "shell", None, None);
                self.complain(&crate::failure::chain(&error));
            }
        }
        Flow::Go
    }

    /// Puts a command into the next line, where the person edits it and runs it or not.
    pub fn prefill(&mut self, command: String) {
        self.prefilled = Some(command);
    }

    /// Keeps keys out of what is being shown; they wait for the next prompt. A question to the person shows its own.
    pub fn silence(&self) -> Option<ChangedModes> {
        self.drawn.then(|| self.live.silence()).flatten()
    }

    /// Returns the shell's folder.
    pub fn folder(&self) -> String {
        self.live.remembered().folder.unwrap_or_else(|| PathBuf::from("/")).display().to_string()
    }
}

/// Asks at the terminal; Ctrl-C at a question ends the turn that it belongs to, as Ctrl-C does elsewhere in it.
pub fn approver(editor: &Arc<LineEditor>, interrupts: &Interrupts) -> TerminalApprover {
    let interrupts = interrupts.clone();
    TerminalApprover::new(Arc::clone(editor), move || interrupts.interrupt())
}
