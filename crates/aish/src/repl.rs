//! The shell's loop: read a line, send it its way, show what comes of it.

mod editor;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_mcp::client::{Ports, ServerOptions, ServerPool};
use aish_route::{Line, Route, decide, parse_line};
use aish_safety::{Approver, Mode, Surroundings};
use aish_shell::{ShellEvent, Snapshot, UserTerminal};
use aish_term::{Capabilities, Input, LineEditor, TerminalApprover, Theme};
use aish_turn::{Event, Outcome};
use tokio::task::JoinHandle;

use crate::arguments::{SharedFlags, ShellFlags};
use crate::command::ask::{capabilities, theme};
use crate::completion::{Completer, Vocabulary};
use crate::exit::ExitCode;
use crate::interrupts::Interrupts;
use crate::line_history::LineHistory;
use crate::live::{Executed, Live};
use crate::memory::extract;
use crate::memory::heard::Heard;
use crate::meta;
use crate::names::PathNames;
use crate::norris::log::RunLog;
use crate::plugins::{self, Plugins};
use crate::project::Project;
use crate::prompt::{self, PromptFacts};
use crate::search::find_models;
use crate::servers::news::{CallNews, News};
use crate::servers::person::Forms;
use crate::servers::writer::Sampling;
use crate::servers::{self, Servers, SignInWords};
use crate::session;
use crate::shell_switch::Switch;
use crate::shell_tool::ShellTool;
use crate::surface::text::{TextSurface, Verbosity};
use crate::surface::{Shown, Surface};
use crate::wiring::{Base, Conversation, Setup};
use editor::editor_options;

/// By when the first prompt is drawn; nobody types before.
const PROMPT_DRAWN: Duration = Duration::from_millis(60);

/// How long most servers take from their start until their tools are known.
const SERVERS_KNOWN: Duration = Duration::from_secs(2);

/// What the shell knows by name, kept fresh after each command.
pub type Known = Arc<Mutex<Snapshot>>;

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
    known: Known,
    refreshing: Option<JoinHandle<()>>,
    heard: Heard,
}

/// Whether the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Read another line.
    Go,
    /// End with this code.
    End(ExitCode),
}

impl Repl {
    /// Puts the shell together; nothing here waits for a shell, a server or a database.
    ///
    /// # Errors
    /// When there is no terminal or the line editor cannot start.
    pub async fn start(base: Base, shared: &SharedFlags, flags: &ShellFlags) -> anyhow::Result<Self> {
        let (out, err) = capabilities(&base, shared);
        let theme = theme(&base);
        let terminal = Arc::new(UserTerminal::standard()?);
        let rc = base.config.shell.rc && !flags.norc;
        let live = Arc::new(Live::interactive(&base.config.shell.program, rc, terminal));
        live.start().await;
        let mut notices: Vec<String> = base.paths.state_fault().into_iter().collect();
        let resumed = resume(&base, flags, &mut notices);
        let session = resumed.as_ref().map_or_else(|| session::new_id(&base.clock), |resumed| resumed.id.clone());
        let store = Arc::clone(&base.store);
        let history =
            Arc::new(LineHistory::new(store, Arc::clone(&base.secrets), session.to_string(), base.config.history.size));
        let known: Known = Arc::default();
        let mut options = editor_options(&base, err, &theme, &history, &known);
        let (registry, faults) = base.registry();
        notices.extend(faults);
        let vocabulary = Arc::new(Vocabulary::new(Arc::clone(&registry)));
        let runtime = tokio::runtime::Handle::current();
        let completer = Completer::new(Arc::clone(&live), Arc::clone(&known), runtime, Arc::clone(&vocabulary));
        options.completer = Some(Box::new(completer));
        let editor = Arc::new(LineEditor::start(options)?);
        let interrupts = Interrupts::listen();
        let approver: Arc<dyn Approver> = Arc::new(TerminalApprover::new(Arc::clone(&editor)));
        let news: Arc<CallNews> = Arc::default();
        let runner = Arc::new(Switch::new(Arc::clone(&live) as Arc<_>));
        ShellTool::add_to(&registry, &(Arc::clone(&runner) as Arc<_>), 0);
        let runs = RunLog::new(&base, &session);
        let printer = editor.printer();
        let sink = News::new(Arc::clone(&news), move |line: String| printer.print(&format!("[aish] {line}")));
        let sampling = Arc::new(Sampling::default());
        let ports = Ports {
            person: Some(Arc::new(Forms(Arc::clone(&approver)))),
            writer: Some(Arc::clone(&sampling) as _),
            ..servers::telling(Arc::new(sink))
        };
        let Servers { pool: servers, waiting, faults } = servers::start(&base, &registry, ports, SignInWords::Shell);
        notices.extend(faults);
        let printer = editor.printer();
        let plugins = plugins::start(&base, &registry, move |line| printer.print(&format!("[aish] {line}")));
        let found = find_models(&base, shared.model.as_deref()).await;
        vocabulary.set_models(found.places.keys().cloned());
        let gate = base.gate(Arc::clone(&approver), Mode::Interactive);
        let setup = Setup {
            approver,
            mode: Mode::Interactive,
            log: Box::new(base.session_log(&session)),
            session,
            registry,
            offer_tools: true,
            commands: true,
            news,
            surroundings: surroundings(&base, &live, &known),
        };
        let mut conversation = base.conversation(found, setup);
        conversation.open_sampling(sampling, gate);
        if let Some(resumed) = resumed {
            conversation.go_on(resumed);
        }
        conversation.notices.splice(0..0, notices);
        let surface =
            TextSurface::new(theme.clone(), out, err, Verbosity::Normal, base.config.ui.markdown).with_live_commands();
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
            known,
            refreshing: None,
            heard: Heard::default(),
        })
    }

    /// Reads and runs lines until the person ends it.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub async fn run(&mut self) -> anyhow::Result<ExitCode> {
        for notice in self.base.faults().into_iter().chain(std::mem::take(&mut self.conversation.notices)) {
            self.say(&notice);
        }
        let waiting = std::mem::take(&mut self.waiting);
        for (line, _) in &waiting {
            self.say(line);
        }
        servers::start_shown(&self.base, &self.servers, &self.conversation.driver.asker.registry, waiting);
        let warmed = self.warm_up();
        let code = loop {
            self.show_events();
            let mut view = self.prompt();
            view.initial = self.live.take_typed_ahead();
            match self.editor.read(view).await? {
                Input::Line(line) => match self.line(&line.text, line.flipped).await {
                    Flow::Go => {}
                    Flow::End(code) => break code,
                },
                Input::Interrupted | Input::HostCommand(_) => {}
                Input::EndOfInput => break ExitCode::Ok,
            }
        };
        self.remember().await;
        warmed.abort();
        self.servers.close().await;
        if let Some(plugins) = self.plugins.take() {
            plugins.close().await;
        }
        self.names_are_fresh().await;
        self.live.close().await;
        Ok(code)
    }

    /// Keeps what this session leaves to remember; Ctrl-C and a slow model end it.
    async fn remember(&mut self) {
        let fast = self.conversation.driver.asker.fast_model();
        let small = self.conversation.found_places.get(fast).is_none_or(|place| place.small);
        if !(self.base.config.memory.enabled && self.base.config.memory.auto && self.heard.is_telling()) || small {
            return;
        }
        self.say("looking for facts to remember (Ctrl-C skips it)");
        let cancel = self.interrupts.arm();
        let found = extract::ask(&self.conversation.driver.asker.broker, &self.heard, extract::PATIENCE, &cancel).await;
        let folder = PathBuf::from(self.folder());
        for line in extract::keep(&self.base, &self.conversation.driver.session, &folder, found) {
            self.say(&line);
        }
    }

    /// Opens the history once the prompt stands, so that the first key does not wait for it, and gives back what only the
    /// start needed.
    fn warm_up(&self) -> JoinHandle<()> {
        let history = Arc::clone(&self.history);
        tokio::spawn(async move {
            tokio::time::sleep(PROMPT_DRAWN).await;
            let _ = tokio::task::spawn_blocking(move || history.newest(1)).await;
            aish_process::release_code();
            // By then servers have told their tools.
            tokio::time::sleep(SERVERS_KNOWN).await;
            aish_process::release_code();
        })
    }

    /// Sends one line its way.
    pub async fn line(&mut self, text: &str, flipped: bool) -> Flow {
        self.names_are_fresh().await;
        let trimmed = text.trim();
        let decision = match parse_line(trimmed) {
            Line::Empty => return Flow::Go,
            Line::Shell(command) => return self.command(trimmed, command).await,
            Line::Question(question) => return self.question(trimmed, question).await,
            Line::Meta(name, rest) => {
                self.history.add(trimmed, &self.folder(), "meta", None, None);
                return meta::run(self, name, rest).await;
            }
            Line::Plain(line) => decide(line, &self.names()),
        };
        let route = match (decision.route, flipped) {
            (route, false) => route,
            (Route::Shell | Route::Ask, true) => Route::Ai,
            (Route::Ai, true) => Route::Shell,
        };
        match route {
            Route::Shell => self.command(trimmed, trimmed).await,
            Route::Ai => self.question(trimmed, trimmed).await,
            Route::Ask if !self.base.config.route.ask => self.command(trimmed, trimmed).await,
            Route::Ask => self.unsure(trimmed, &decision.reason).await,
        }
    }

    async fn unsure(&mut self, line: &str, reason: &str) -> Flow {
        self.say(&format!("a command or a question? {reason}"));
        match self.editor.choose("[s]hell  [a]i  [c]ancel? ", &['s', 'a', 'c']).await {
            Some('s') => self.command(line, line).await,
            Some('a') => self.question(line, line).await,
            Some(_) | None => Flow::Go,
        }
    }

    async fn command(&mut self, typed: &str, command: &str) -> Flow {
        let folder = self.folder();
        let started = Instant::now();
        let result = self.live.run_typed(command).await;
        match result {
            Ok(result) => {
                self.history.add(typed, &folder, "shell", Some(result.status), Some(started.elapsed()));
                if result.ending == aish_shell::Ending::Exited {
                    return Flow::End(ExitCode::Of(u8::try_from(result.status).unwrap_or(1)));
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

    /// Puts a text before the next question.
    pub fn attach(&mut self, text: String) {
        self.attached.push(text);
    }

    /// Asks the model, as the person's question; `typed` is what the person typed.
    pub async fn ask(&mut self, typed: &str, question: &str) {
        // What the shell does next is told by its state.
        let _ = self.question(typed, question).await;
    }

    async fn question(&mut self, typed: &str, question: &str) -> Flow {
        self.history.add(typed, &self.folder(), "ai", None, None);
        self.follow_project();
        let attached: String = self.attached.drain(..).map(|text| text + "\n\n").collect();
        let question = &(attached + question);
        let pending = self.live.take_pending();
        let text = if self.base.config.shell.output_to_model {
            with_output(question, &pending, self.base.config.shell.output_bytes)
        } else {
            question.to_owned()
        };
        let folder = PathBuf::from(self.folder());
        // What a command showed is no question: it would find facts that nobody asked for.
        let text = self.base.with_memories(&text, question, &folder, self.conversation.turn.transcript());
        let interrupt = self.interrupts.arm();
        let blocks = std::mem::take(&mut self.conversation.attached);
        let asked = Event::Asked { text, blocks };
        let Conversation { driver, turn, .. } = &mut self.conversation;
        let outcome = driver.play(turn, asked, &mut self.surface, &interrupt).await;
        if outcome == Outcome::Interrupted {
            self.say("interrupted");
        }
        if outcome == Outcome::Failed {
            self.heard.failed();
        } else {
            let question = self.base.secrets.redact(question);
            self.heard.add(&question, self.conversation.turn.transcript());
        }
        if self.live.remembered().exited {
            return Flow::End(ExitCode::Ok);
        }
        self.refresh_names();
        Flow::Go
    }

    /// Reads the project's files again: they may have changed, and the person may have gone elsewhere.
    pub fn follow_project(&mut self) -> Project {
        let project = self.base.project_at(std::path::Path::new(&self.folder()));
        for notice in self.conversation.follow(&project) {
            self.say(&notice);
        }
        project
    }

    /// Asks the live shell for its names while the next prompt is drawn and the person types.
    fn refresh_names(&mut self) {
        let (live, known) = (Arc::clone(&self.live), Arc::clone(&self.known));
        self.refreshing = Some(tokio::spawn(async move {
            if let Some(snapshot) = live.snapshot().await {
                *known.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
            }
        }));
    }

    /// Waits for the names that were asked for last.
    async fn names_are_fresh(&mut self) {
        if let Some(task) = self.refreshing.take() {
            let _ = task.await;
        }
    }

    /// Returns the names that lines are routed by.
    pub fn names(&self) -> PathNames {
        names(&self.known, &self.base)
    }

    /// Returns the shell's folder.
    pub fn folder(&self) -> String {
        self.live.remembered().folder.unwrap_or_else(|| PathBuf::from("/")).display().to_string()
    }

    /// Returns the estimated tokens of the context.
    pub fn context_tokens(&self) -> u64 {
        let turn = &self.conversation.turn;
        let mut budget = turn.budget().clone();
        if budget.system_tokens == 0 {
            budget.system_tokens = turn.transcript().system_text().len() as u64 / 4;
        }
        budget.estimate(turn.transcript())
    }

    fn prompt(&self) -> aish_term::PromptView {
        let remembered = self.live.remembered();
        let folder = self.folder();
        let facts = PromptFacts {
            git: prompt::branch(std::path::Path::new(&folder)),
            folder,
            home: self.base.paths.home.as_ref().map(|home| home.display().to_string()),
            status: remembered.status,
            model: self.conversation.driver.asker.model.clone(),
            ctx_used: self.context_tokens(),
            cost: self.conversation.driver.asker.ledger.spent().to_string(),
        };
        let template = self.base.config.ui.prompt.as_deref().unwrap_or(prompt::TEMPLATE);
        prompt::view(template, &facts, &self.theme, self.err.unicode)
    }

    fn show_events(&mut self) {
        for event in self.live.events() {
            match event {
                ShellEvent::Output(bytes) => {
                    // From the person's own shell: jobs in the background, rc files.
                    let mut err = std::io::stderr().lock();
                    let _ = err.write_all(&bytes);
                    let _ = err.flush();
                }
                ShellEvent::Restarted { cause, .. } => self.say(&format!("{cause}; a new shell was started")),
            }
        }
    }

    /// Shows a status line.
    pub fn say(&mut self, text: &str) {
        self.surface.show(Shown::Notice(text), self.base.started.elapsed());
    }

    /// Shows a failure.
    pub fn complain(&mut self, text: &str) {
        self.surface.show(Shown::Error(text), self.base.started.elapsed());
    }

    /// Prints a line of an answer to a meta command.
    pub fn print(&self, text: &str) {
        crate::run::print(&aish_types::sanitize(text));
    }
}

/// Opens the session that `--resume` names; one that cannot be opened is said.
fn resume(base: &Base, flags: &ShellFlags, notices: &mut Vec<String>) -> Option<session::Resumed> {
    match session::found::open(base, flags.resume.as_deref()?) {
        Ok((resumed, said)) => {
            notices.extend(said);
            Some(resumed)
        }
        Err(why) => {
            notices.push(format!("{why}; a new session was started"));
            None
        }
    }
}

fn surroundings(base: &Base, live: &Arc<Live>, known: &Known) -> Arc<dyn Fn() -> Surroundings + Send + Sync> {
    let fixed = base.surroundings();
    let (live, known) = (Arc::clone(live), Arc::clone(known));
    Arc::new(move || {
        let snapshot = known.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = live.remembered().folder.map(|folder| folder.display().to_string());
        Surroundings {
            folder: folder.or_else(|| fixed.folder.clone()),
            aliases: snapshot.aliases.clone(),
            ..fixed.clone()
        }
    })
}

fn names(known: &Known, base: &Base) -> PathNames {
    let snapshot = known.lock().unwrap_or_else(PoisonError::into_inner);
    let path = snapshot.environment.get("PATH").cloned().or_else(|| base.variable("PATH")).unwrap_or_default();
    let folder = if snapshot.cwd.as_os_str().is_empty() { base.folder.clone() } else { snapshot.cwd.clone() };
    let own = snapshot.aliases.keys().chain(&snapshot.functions).chain(&snapshot.builtins).cloned();
    PathNames::new(&path, &folder).with_shell_names(own)
}

/// Puts the last commands with their exit codes and outputs before a question, head and tail of them in `limit` bytes.
fn with_output(question: &str, pending: &[Executed], limit: usize) -> String {
    if pending.is_empty() {
        return question.to_owned();
    }
    let each = limit / pending.len().max(1);
    let mut text = String::new();
    for executed in pending {
        let output = aish_types::head_and_tail(executed.output.trim_end(), each);
        text.push_str(&format!("[exec: {}]\n{}\n[exit code: {}]\n\n", executed.command, output.text, executed.status));
    }
    text + question
}
