//! How the shell is put together. Nothing here waits for a shell, a server or a database.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::Duration;

use aish_mcp::client::{Ports, ServerOptions};
use aish_safety::Approver;
use aish_shell::{Rc, UserTerminal};
use aish_term::frame::Frames;
use aish_term::{Capabilities, EditorError, EditorOptions, LineEditor, PromptView, Reach, Reading, Theme};
use aish_tools::Registry;
use aish_types::SessionId;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::editor::{self, Pasted, editor_options};
use super::ending::Signals;
use super::jobs::JobOutput;
use super::known::{Names, exported, surroundings};
use super::models::{self, PendingSearch};
use super::resumed::resume;
use super::shown::first_prompt;
use super::{NextLine, Repl, approver};
use crate::arguments::{SharedFlags, ShellFlags};
use crate::base::Base;
use crate::completion::{self, Completer};
use crate::conversation::{Conversation, Setup};
use crate::display::{capabilities, theme};
use crate::driver::CommandEnvironment;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::line_history::LineHistory;
use crate::live::Live;
use crate::memory::heard::Heard;
use crate::models::ModelSet;
use crate::norris::log::RunLog;
use crate::plugins::{self, Plugins};
use crate::servers::news::{CallNews, News};
use crate::servers::person::Forms;
use crate::servers::writer::Sampling;
use crate::servers::{self, Servers, SignInWords};
use crate::session::{self, KeptLog, ResumedSession};
use crate::settling::Apart;
use crate::shell_switch::Switch;
use crate::shell_tool::ShellTool;
use crate::surface::text::{TextSurface, Verbosity};
use crate::toolset;
use crate::transactions::Transactions;

/// How long the rest waits for the first prompt to be drawn; terminals that are far away answer later.
const DRAWN: Duration = Duration::from_millis(20);

/// What is drawn on, and how.
pub struct Screen {
    /// Where turns are shown.
    pub surface: TextSurface,
    /// What standard error can show.
    pub err: Capabilities,
    pub(super) theme: Theme,
    /// The terminal is drawn on, so that keys that come meanwhile would be drawn in between.
    pub(super) drawn: bool,
    /// Whether the terminal is told where prompts are, the folder, and what runs.
    pub(super) marks: bool,
}

/// What the start leaves to be done behind the first prompt.
pub(super) struct Starting {
    /// Servers whose lines are shown before they are started.
    pub(super) unseen: Vec<(String, ServerOptions)>,
    /// The search for models, where the first prompt did not wait for it.
    pub(super) looking: Option<PendingSearch>,
    /// The signals that end the shell, listened to before the first prompt.
    pub(super) signals: Option<Signals>,
    /// The first line, whose prompt is drawn already.
    pub(super) reading: Option<Reading>,
    /// Reads the shell's names after its start-up files.
    pub(super) files: Option<JoinHandle<()>>,
    /// Told when start-up files, or jobs, show a line without an end.
    pub(super) asks: Arc<Notify>,
    /// Told when the start-up files have left the folder that the first prompt shows.
    pub(super) gone: Arc<Notify>,
}

/// What the tools outside this process are reached over.
struct Outside {
    servers: Servers,
    plugins: Option<Plugins>,
    news: Arc<CallNews>,
    sampling: Arc<Sampling>,
}

/// What the first prompt is drawn with.
struct Front {
    screen: Screen,
    live: Arc<Live>,
    transactions: Arc<Transactions>,
    /// What is said above the prompt.
    notices: Vec<String>,
    resumed: Option<ResumedSession>,
    session: SessionId,
    history: Arc<LineHistory>,
    registry: Arc<Registry>,
    names: Names,
    editor: Arc<LineEditor>,
    pasted: Pasted,
}

impl Repl {
    /// Puts the shell together.
    ///
    /// # Errors
    /// When there is no terminal or the line editor cannot start.
    pub async fn start(base: Base, shared: &SharedFlags, flags: &ShellFlags) -> Result<Self, Failure> {
        let mut front = Front::open(&base, shared, flags)?;
        let (found, looking) = models::find(&base, shared.model.as_deref()).await;
        let jobs = JobOutput::new(front.editor.printer());
        let asks = jobs.unended();
        front.live.listen(move |event| jobs.take(&event));
        front.names.vocabulary.set_models(found.places.keys().cloned());
        let (signals, reading) = front.draw(&base, &found).await?;
        // A file is made to see: the disk may take its time.
        front.notices.extend(base.paths.state_fault());
        let tools =
            toolset::fill(&base, &front.registry, Arc::new(base.memory()), Some(Arc::new(toolset::files(&base))));
        front.notices.extend(tools);
        let interrupts = interrupts(&front.editor)?;
        let approver: Arc<dyn Approver> = Arc::new(approver(&front.editor, &interrupts));
        let runner = Arc::new(Switch::new(Arc::clone(&front.live) as Arc<_>));
        ShellTool::add_to(&front.registry, &(Arc::clone(&runner) as Arc<_>), 0);
        let runs = RunLog::new(&base, &front.session);
        let outside = Outside::start(&base, &front.registry, &approver, &front.editor);
        front.notices.extend(outside.servers.faults);
        let setup = front.setup(&base, approver, &runner, outside.news);
        let mut conversation = Conversation::new(&base, found, setup);
        conversation.driver.asker.asks_beside = true;
        conversation.open_sampling(&base, outside.sampling);
        if let Some(resumed) = front.resumed {
            conversation.go_on(resumed);
        }
        conversation.notices.splice(0..0, front.notices);
        Ok(Self {
            base,
            conversation,
            editor: front.editor,
            live: front.live,
            servers: outside.servers.pool,
            plugins: outside.plugins,
            history: front.history,
            screen: front.screen,
            interrupts,
            runs,
            runner,
            names: front.names,
            starting: Starting {
                unseen: outside.servers.waiting,
                looking,
                signals: Some(signals),
                reading,
                files: None,
                asks,
                gone: Arc::default(),
            },
            next: NextLine { pasted: front.pasted, ..NextLine::default() },
            heard: Heard::default(),
            answered: false,
            last_outcome: None,
        })
    }
}

impl Front {
    /// Starts the live shell and the line editor, whose thread makes ready what draws while the models are found.
    fn open(base: &Base, shared: &SharedFlags, flags: &ShellFlags) -> Result<Self, Failure> {
        let mut screen = Screen::of(base, shared, flags);
        let (live, Apart { transactions, .. }) = live(base, flags, &screen)?;
        let mut notices: Vec<String> = base.shell_fault().into_iter().collect();
        let resumed = resume(base, flags, &mut notices);
        let session = resumed.as_ref().map_or_else(|| session::new_id(&base.clock), |resumed| resumed.id.clone());
        let store = Arc::clone(&base.store);
        let history =
            Arc::new(LineHistory::new(store, Arc::clone(&base.secrets), session.to_string(), base.config.history.size));
        let registry = Arc::new(Registry::default());
        let names = Names::over(&registry);
        let (mut options, pasted) = options(base, flags, &history, &names, &mut screen);
        options.completer = Some(Box::new(completer(base, &live, &names)));
        let editor = Arc::new(LineEditor::start(options)?);
        Ok(Self { screen, live, transactions, notices, resumed, session, history, registry, names, editor, pasted })
    }

    /// Listens to signals, and draws the first prompt while the rest is put together, unless there is something to be said above it.
    async fn draw(&self, base: &Base, found: &ModelSet) -> Result<(Signals, Option<Reading>), Failure> {
        let is_quiet =
            self.resumed.is_none() && self.notices.is_empty() && found.notices.is_empty() && base.faults().is_empty();
        let view = match self.screen.drawn && is_quiet {
            true => first_prompt(base, &self.live, &self.screen.theme, self.screen.err, found.default.as_deref()),
            false => None,
        };
        let signals = Signals::listen(self.editor.pauses())?;
        let reading = match view {
            Some(view) => Some(begun(&self.editor, view).await?),
            None => None,
        };
        Ok((signals, reading))
    }

    /// Says what the conversation is made of. Its commands run by `runner`, beside the live shell.
    fn setup(&self, base: &Base, approver: Arc<dyn Approver>, runner: &Arc<Switch>, news: Arc<CallNews>) -> Setup {
        Setup {
            approver,
            log: Box::new(KeptLog::of(base, &self.session)),
            session: self.session.clone(),
            registry: Arc::clone(&self.registry),
            offer_tools: true,
            commands: true,
            news,
            environment: CommandEnvironment::beside(
                surroundings(base, &self.live, &self.names.known),
                Apart { transactions: Arc::clone(&self.transactions), runner: Arc::clone(runner) as Arc<_> },
            ),
        }
    }
}

impl Screen {
    fn of(base: &Base, shared: &SharedFlags, flags: &ShellFlags) -> Self {
        let (mut out, mut err) = capabilities(base, shared);
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
        let theme = theme(base);
        let surface = TextSurface::new(theme.clone(), out, err, Verbosity::Normal, base.config.ui.markdown)
            .with_live_commands()
            .with_thoughts(base.config.ui.reasoning);
        Self { surface, err, theme, drawn: false, marks: false }
    }
}

impl Outside {
    /// Starts the servers and the plugins; what they say is shown above the prompt.
    fn start(base: &Base, registry: &Arc<Registry>, approver: &Arc<dyn Approver>, editor: &Arc<LineEditor>) -> Self {
        let news: Arc<CallNews> = Arc::default();
        let printer = editor.printer();
        let sink = News::new(Arc::clone(&news), move |line: String| printer.say(&line));
        let sampling = Arc::new(Sampling::default());
        let ports = Ports {
            person: Some(Arc::new(Forms(Arc::clone(approver)))),
            writer: Some(Arc::clone(&sampling) as _),
            ..servers::telling(Arc::new(sink))
        };
        let servers = servers::start(base, registry, ports, SignInWords::Shell);
        let printer = editor.printer();
        let plugins = plugins::start(base, registry, move |line| printer.say(&line));
        Self { servers, plugins, news, sampling }
    }
}

/// Makes the live shell at the person's terminal; it starts with its first command.
fn live(base: &Base, flags: &ShellFlags, screen: &Screen) -> Result<(Arc<Live>, Apart), Failure> {
    let terminal = Arc::new(UserTerminal::standard()?);
    let rc = if base.config.shell.rc && !flags.norc { Rc::User } else { Rc::Skip };
    let frames = Frames::new(screen.theme.clone(), screen.err);
    Ok(Live::interactive(&base.config.shell.program, rc, terminal, frames, &base.secrets).with_layers(base))
}

/// Makes the editor's options, all but what completes; settles what the screen is drawn with.
fn options(
    base: &Base,
    flags: &ShellFlags,
    history: &Arc<LineHistory>,
    names: &Names,
    screen: &mut Screen,
) -> (EditorOptions, Pasted) {
    let mut options = editor_options(base, screen.err, &screen.theme, history, names);
    if flags.plain {
        options.reach = Reach::Plain;
    }
    screen.drawn = options.reach == Reach::Full && io::stderr().is_terminal();
    // The console of the kernel prints what it does not know.
    screen.marks = screen.drawn && base.config.ui.marks && base.variable("TERM").is_none_or(|term| term != "linux");
    options.marks = screen.marks;
    let clock = base.clock.clone();
    options.now_ms = Arc::new(move || clock.millis());
    let (known, given) = (Arc::clone(&names.known), Arc::clone(&options.exported));
    options.exported = Arc::new(move |name| exported(&known, name).or_else(|| given(name)));
    options.home = base.paths.home.as_ref().map(|home| home.display().to_string());
    let pasted = editor::listen_to_pastes(&mut options);
    (options, pasted)
}

/// Begins to read the first line, and waits until its prompt is drawn: drawing and the rest of the start at once are slower
/// than one behind the other, as the threads share processors, and pages are mapped for both.
async fn begun(editor: &LineEditor, view: PromptView) -> Result<Reading, EditorError> {
    let reading = editor.begin(view)?;
    let _ = tokio::time::timeout(DRAWN, editor.drawn()).await;
    Ok(reading)
}

/// Makes what completes the words of a line.
fn completer(base: &Base, live: &Arc<Live>, names: &Names) -> Completer {
    let runtime = tokio::runtime::Handle::current();
    let shows_help = completion::judged(base.policy(), surroundings(base, live, &names.known));
    Completer::new(Arc::clone(live), Arc::clone(&names.known), runtime, Arc::clone(&names.vocabulary), shows_help)
}

/// Listens to Ctrl-C, which also ends what the editor reads.
fn interrupts(editor: &Arc<LineEditor>) -> io::Result<Interrupts> {
    let reader = Arc::downgrade(editor);
    Interrupts::listen(move || {
        if let Some(editor) = reader.upgrade() {
            editor.interrupt();
        }
    })
}
