//! The shell's loop: read a line, send it its way, show what comes of it.

mod earlier;
mod editor;
mod ending;
mod entered;
mod expansion;
mod first_start;
mod forgotten;
mod jobs;
mod known;
mod models;
mod outward;
mod question;
mod resumed;
mod shown;
mod start;
mod warm_up;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aish_mcp::client::ServerPool;
use aish_route::{Line, PriorTurn, Route, corrected, decide_after, parse_line};
use aish_shell::ChangedModes;
use aish_term::{EditorError, Input, LineEditor, Reading, TerminalApprover};
use aish_turn::Outcome;

use crate::base::Base;
use crate::conversation::Conversation;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::line_history::LineHistory;
use crate::live::Live;
use crate::memory::heard::Heard;
use crate::meta;
use crate::norris::log::RunLog;
use crate::plugins::Plugins;
use crate::secrets::look;
use crate::servers;
use crate::shell_switch::Switch;
use editor::Pasted;
pub use editor::{inputrc, take_keys};
use ending::Signals;
use entered::unprompted;
pub use known::Known;
use known::Names;
pub use start::Screen;
use start::Starting;
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
    /// What is drawn on.
    pub screen: Screen,
    /// Who is stopped by Ctrl-C.
    pub interrupts: Interrupts,
    /// What autonomous runs of this session did.
    pub runs: RunLog,
    /// The shell that proposed commands go to.
    pub runner: Arc<Switch>,
    names: Names,
    starting: Starting,
    next: NextLine,
    heard: Heard,
    /// Whether a model has answered since code was given back last.
    answered: bool,
    /// How the last question ended.
    pub last_outcome: Option<Outcome>,
}

/// What waits for the next line, or goes along with the next question.
#[derive(Default)]
struct NextLine {
    /// Texts that go along with the next question.
    attached: Vec<String>,
    /// What was pasted since the last question.
    pasted: Pasted,
    /// What the next prompt offers on its empty line.
    suggestion: Option<String>,
    /// What stands in the next line, to be edited.
    prefilled: Option<String>,
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
    /// Reads and runs lines until the person ends it.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub async fn run(&mut self) -> Result<ExitCode, Failure> {
        let mut notices = self.base.faults();
        notices.append(&mut self.conversation.notices);
        self.say_first(notices);
        let waiting = std::mem::take(&mut self.starting.unseen);
        self.say_first(waiting.iter().map(|(line, _)| line.clone()));
        servers::start_shown(&self.base, &self.servers, &self.conversation.driver.asker.registry, waiting);
        let mut signals = match self.starting.signals.take() {
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
            let reading = match self.starting.reading.take() {
                Some(reading) => reading,
                None => self.begin_line().await.map_err(Ended::ByFault)?,
            };
            let (asks, is_starting) = (Arc::clone(&self.starting.asks), self.is_starting());
            let gone = Arc::clone(&self.starting.gone);
            let input = tokio::select! {
                biased;
                code = signals.ended() => return Err(Ended::BySignal(code)),
                () = asks.notified(), if is_starting => None,
                input = at_rest(&mut self.answered, reading.line()) => Some(input.map_err(Ended::ByFault)?),
                // The prompt shows another folder than the start-up files went to; what was typed stands in the next one.
                () = gone.notified() => {
                    self.editor.release().await;
                    continue;
                }
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
                    self.say("what still runs ends with aish; Ctrl-D once more ends it all");
                }
            }
        }
    }

    /// Draws the prompt and begins to read a line.
    async fn begin_line(&mut self) -> Result<Reading, EditorError> {
        self.tell_job_news().await;
        if let Some(warning) = self.base.store.take_warning() {
            self.complain(&warning);
        }
        // This prompt shows where the start-up files went.
        let _ = tokio::time::timeout(Duration::ZERO, self.starting.gone.notified()).await;
        let mut view = self.prompt().await;
        view.initial = self.live.take_typed_ahead();
        if view.initial.is_empty() {
            view.initial = self.next.prefilled.take().unwrap_or_default();
        }
        view.suggestion = self.next.suggestion.take();
        self.tell_folder();
        self.editor.begin(view)
    }

    /// Sends one line its way.
    pub async fn line(&mut self, text: &str, flipped: bool) -> Flow {
        self.show_waiting();
        self.names_are_fresh().await;
        // A blank before a line keeps it out of the history.
        let typed = text.trim_end();
        let expanded = match self.expanded(&unprompted(typed)).await {
            Ok(Some(expanded)) => expanded,
            Ok(None) => return Flow::Go,
            Err(error) => {
                self.complain(&crate::failure::chain(&error));
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
                // A line that speaks of lines that are to go, or of a secret that is not kept, is not kept itself.
                let speaks = name == "history" && !rest.is_empty() || name == "memory" && look::of(rest).is_some();
                if !speaks {
                    self.history.add(typed, &self.folder(), "meta", None, None);
                }
                self.models_are_known().await;
                return meta::run(self, name, rest).await;
            }
            Line::Plain(line) => line,
        };
        let mut decision = decide_after(self.prior_turn(), line, &self.names());
        // A word that is unknown now may be an alias or a function of the start-up files.
        if decision.route != Route::Shell && self.start_up_is_read().await {
            decision = decide_after(self.prior_turn(), line, &self.names());
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
        self.set_prior_turn(PriorTurn::Other);
        let folder = self.folder();
        let started = Instant::now();
        // A secret that is typed stands in no history, bash's own included; one that the line sets is known from now on.
        let sets_secret = self.base.secrets.learn_assigned(command);
        let hidden = typed.starts_with([' ', '\t']) || sets_secret || self.base.secrets.are_in(command);
        let listed = self.listed_before(command).await;
        self.tell_start(command);
        let result = self.live.run_typed(command, hidden, &self.editor.take_behind()).await;
        match result {
            Ok(result) => {
                // Bash says whether its HISTCONTROL and HISTIGNORE keep it.
                let typed = if result.kept && !hidden { typed } else { " " };
                self.history.add(typed, &folder, "shell", Some(result.status), Some(started.elapsed()));
                self.tell_end(result.status, started.elapsed());
                if let Some((forgets, before)) = listed.filter(|_| result.status == 0) {
                    self.forget_with_bash(forgets, &before).await;
                }
                if result.ending == aish_shell::Ending::Exited {
                    return Flow::End(ExitCode::Of(u8::try_from(result.status).unwrap_or(1)));
                }
                if result.status == NOT_FOUND {
                    self.tell_meant(command);
                }
                self.refresh_names();
            }
            Err(error) => {
                self.history.add(if hidden { " " } else { typed }, &folder, "shell", None, None);
                self.complain(&crate::failure::chain(&error));
            }
        }
        Flow::Go
    }

    /// Says what a command that was not found was probably meant for, and offers it by the next prompt.
    fn tell_meant(&mut self, command: &str) {
        let told = match meta::in_our_form(self, command) {
            Some(ours) => Some((format!("in aish that is `{ours}`; `:help` lists what else there is"), ours)),
            None => corrected(command, &self.names()).map(|meant| (format!("did you mean `{meant}`?"), meant)),
        };
        if let Some((text, meant)) = told {
            self.say(&text);
            self.next.suggestion = Some(meant);
        }
    }

    /// Puts a command into the next line, where the person edits it and runs it or not.
    pub fn prefill(&mut self, command: String) {
        self.next.prefilled = Some(command);
    }

    /// Keeps keys out of what is being shown; they wait for the next prompt. A question to the person shows its own.
    pub fn silence(&self) -> Option<ChangedModes> {
        self.screen.drawn.then(|| self.live.silence()).flatten()
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
