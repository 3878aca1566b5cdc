//! The live shell of this run: started when it is first needed or in the background, watched by a person or by nobody.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_process::Captured;
use aish_safety::Surroundings;
use aish_shell::{
    AtExit, Attending, ChangedModes, CommandResult, Ending, Options, Rc, Shell, ShellError, ShellEvent, Snapshot,
    UserTerminal, Wanted,
};
use aish_term::frame::Frames;
use aish_tools::RunContext;
use aish_types::{BoxFuture, CallId, visible};
use tokio::sync::{Mutex as AsyncMutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use crate::base::Base;
use crate::failure::Failure;
use crate::secrets::Secrets;
use crate::settling::Apart;
use crate::shell_tool::{CommandRunner, Ran, Way};
use crate::transactions::Transactions;

/// The status of a command that SIGINT ended.
const BY_INTERRUPT: i32 = 130;

/// How many rows of the terminal a command takes that nobody was asked about.
const UNASKED_ROWS: usize = 20;

/// Ctrl-D.
const END: u8 = 4;

/// How many outputs are kept whose ends are not on the screen.
const MOST_FOLDED: usize = 16;

/// What is remembered between commands.
#[derive(Debug, Clone, Default)]
pub struct Remembered {
    /// The shell's folder, which is what every relative path of the person and the model means; this process stays where
    /// it was started.
    pub folder: Option<PathBuf>,
    /// The exit code of the last command.
    pub status: i32,
    /// What was typed while a command ran and that it did not read.
    pub typed_ahead: String,
    /// The shell has exited because the person told it to.
    pub exited: bool,
    /// How many jobs run or are stopped.
    pub jobs: usize,
    /// How long the last command ran.
    pub took: Duration,
    /// The last command that the person typed.
    pub last: Option<Executed>,
    /// What commands of the last turn showed whose ends are not on the screen, oldest first.
    pub folded: Vec<Executed>,
    /// Commands for the next question, oldest first.
    pub pending: Vec<Executed>,
}

/// One command that ran, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// The command line.
    pub command: String,
    /// Its exit code.
    pub status: i32,
    /// What it showed, clean.
    pub output: String,
}

mod apart;

/// Who is told what happens outside commands.
type Listener = Arc<dyn Fn(ShellEvent) + Send + Sync>;

/// Writes a command as it stands behind a prompt, whole, each line in a line.
fn echoed(command: &str) -> String {
    let marks = std::iter::once("$ ").chain(std::iter::repeat("> "));
    marks.zip(command.lines()).map(|(mark, line)| format!("{mark}{}\n", visible(line))).collect()
}

/// The live shell.
pub struct Live {
    options: Options,
    terminal: Option<Arc<UserTerminal>>,
    /// Draws how commands of the model failed; `None` where nobody watches.
    frames: Option<Frames>,
    /// Learns the values of the shell's variables with a secret's name.
    secrets: Arc<Secrets>,
    shell: AsyncMutex<Option<Arc<Shell>>>,
    listener: Mutex<Option<Listener>>,
    remembered: Mutex<Remembered>,
    /// Held from where an unasked command is shown until it has run, so that its output stands below it.
    showing: AsyncMutex<()>,
    /// The layers that commands of the model run in; `None` where they run in this shell.
    transactions: Option<Arc<Transactions>>,
    /// What the shell was before a command ran apart, and what the command's own became.
    apart: Mutex<HashMap<CallId, apart::Between>>,
}

impl Live {
    /// Makes a shell that nobody watches; it starts with its first command.
    pub fn headless(program: &str, secrets: &Arc<Secrets>) -> Self {
        let options = Options { program: vec![program.into()], ..Options::headless() };
        Self::new(options, None, secrets)
    }

    /// Makes the shell that a person works in.
    pub fn interactive(
        program: &str,
        rc: Rc,
        terminal: Arc<UserTerminal>,
        frames: Frames,
        secrets: &Arc<Secrets>,
    ) -> Self {
        let options = Options { program: vec![program.into()], rc, size: terminal.size(), ..Options::interactive() };
        Self { frames: Some(frames), ..Self::new(options, Some(terminal), secrets) }
    }

    /// Makes the shell of an autonomous run, in a folder; it starts with its first command.
    pub fn of_run(options: Options, folder: PathBuf, secrets: &Arc<Secrets>) -> Self {
        let live = Self::new(options, None, secrets);
        live.lock().folder = Some(folder);
        live
    }

    fn new(options: Options, terminal: Option<Arc<UserTerminal>>, secrets: &Arc<Secrets>) -> Self {
        let names = Arc::clone(secrets);
        let options = Options { wanted: Wanted::by(move |name| names.are_named(name)), ..options };
        let remembered = Remembered { folder: std::env::current_dir().ok(), ..Remembered::default() };
        Self {
            options,
            terminal,
            frames: None,
            secrets: Arc::clone(secrets),
            shell: AsyncMutex::new(None),
            listener: Mutex::new(None),
            remembered: Mutex::new(remembered),
            showing: AsyncMutex::new(()),
            transactions: None,
            apart: Mutex::default(),
        }
    }

    /// Lets the commands of the model run apart; returns the shell, and where they do.
    pub fn with_layers(self, base: &Base) -> (Arc<Self>, Apart) {
        let transactions = Transactions::of(base);
        let live = Arc::new(self.with_transactions(Arc::clone(&transactions)));
        let runner = Arc::clone(&live) as Arc<_>;
        (live, Apart { transactions, runner })
    }

    /// Lets the commands of the model run apart, over these layers.
    #[must_use]
    pub fn with_transactions(mut self, transactions: Arc<Transactions>) -> Self {
        self.transactions = Some(transactions);
        self
    }

    /// Starts the shell if it does not run; returns at once, the start goes on in the background.
    pub async fn start(&self) -> Arc<Shell> {
        let mut running = self.shell.lock().await;
        if let Some(shell) = running.as_ref() {
            return Arc::clone(shell);
        }
        // One that exited is followed by one where it was.
        let folder = self.lock().folder.clone();
        let mut shell = Shell::start(Options { cwd: folder, ..self.options.clone() });
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Some(mut events), Some(listener)) = (shell.take_events(), listener) {
            // Ends with the shell.
            tokio::spawn(async move {
                while let Some(event) = events.recv().await {
                    listener(event);
                }
            });
        }
        let shell = Arc::new(shell);
        *running = Some(Arc::clone(&shell));
        shell
    }

    /// Lets the person's terminal show no keys until the value is dropped.
    pub fn silence(&self) -> Option<ChangedModes> {
        self.terminal.as_ref()?.silent().ok()
    }

    /// Gives the person's terminal to start-up files that ask for something.
    pub async fn attend(&self) -> Option<Attending> {
        let shell = self.shell.lock().await.clone()?;
        Some(shell.attend(self.terminal.as_ref()?))
    }

    /// Tells somebody what happens outside commands, at once, from the next start of the shell on.
    pub fn listen(&self, listener: impl Fn(ShellEvent) + Send + Sync + 'static) {
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(listener));
    }

    /// Returns what is remembered.
    pub fn remembered(&self) -> Remembered {
        self.lock().clone()
    }

    /// Returns what reads the surroundings of commands in this shell: what is known at the start, and its folder by then.
    pub fn surroundings(self: &Arc<Self>, base: &Base) -> Arc<dyn Fn() -> Surroundings + Send + Sync> {
        let (fixed, start, live) = (base.surroundings_anywhere(), base.folder.clone(), Arc::clone(self));
        Arc::new(move || {
            let folder = live.remembered().folder.unwrap_or_else(|| start.clone()).display().to_string();
            Surroundings { brought: aish_tools::brought(&folder), folder: Some(folder), ..fixed.clone() }
        })
    }

    /// Notes where the commands of a run are by now, which run apart from this shell.
    pub fn go_to(&self, folder: PathBuf) {
        self.lock().folder = Some(folder);
    }

    /// Shows a command that nobody was asked about, where a person watches; its output stands below it until the value is
    /// dropped.
    async fn show_unasked(&self, command: &str) -> MutexGuard<'_, ()> {
        let showing = self.showing.lock().await;
        if self.terminal.is_some() {
            let mut err = std::io::stderr().lock();
            // A terminal that went away is noticed by the command.
            let _ = err.write_all(echoed(command).as_bytes()).and_then(|()| err.flush());
        }
        showing
    }

    /// Takes what was typed ahead.
    pub fn take_typed_ahead(&self) -> String {
        std::mem::take(&mut self.lock().typed_ahead)
    }

    /// Takes the commands for the next question.
    pub fn take_pending(&self) -> Vec<Executed> {
        std::mem::take(&mut self.lock().pending)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a snapshot of the shell's names, if it is at its prompt by then.
    pub async fn snapshot(&self) -> Option<Snapshot> {
        let shell = self.start().await;
        let snapshot = shell.snapshot().await.ok()?;
        self.secrets.learn(snapshot.told.0.iter().map(String::as_str));
        Some(snapshot)
    }

    /// Takes the folder in which the start-up files left the shell, and says whether it is another one than was known.
    pub fn starts_in(&self, folder: &Path) -> bool {
        let mut remembered = self.lock();
        // A name of it that goes over links is another one too.
        let goes = folder.is_absolute() && remembered.folder.as_deref() != Some(folder);
        if goes {
            remembered.folder = Some(folder.to_owned());
        }
        goes
    }

    /// Tells of jobs what bash tells of them before a prompt, a line each; nothing where none was known to run.
    pub async fn job_news(&self) -> Vec<String> {
        if self.lock().jobs == 0 {
            return Vec::new();
        }
        let Some(shell) = self.shell.lock().await.clone() else { return Vec::new() };
        let asked = tokio::time::timeout(Duration::from_secs(1), shell.job_news()).await;
        let Ok(Ok((news, left))) = asked else { return Vec::new() };
        self.lock().jobs = left;
        news
    }

    /// Lists the jobs that run or are stopped; none where the shell does not answer within a second.
    pub async fn jobs(&self) -> Vec<String> {
        let Some(shell) = self.shell.lock().await.clone() else { return Vec::new() };
        tokio::time::timeout(Duration::from_secs(1), shell.jobs()).await.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// Lists the lines of bash's own history, oldest first; none where the shell does not answer.
    pub async fn history_list(&self) -> Vec<String> {
        let shell = self.start().await;
        shell.history_list().await.unwrap_or_default()
    }

    /// Has bash expand what a line says of its history; `None` where it has no such event.
    ///
    /// # Errors
    /// When there is no shell, or it does not answer.
    pub async fn expand_history(&self, line: &str) -> Result<Option<String>, ShellError> {
        self.start().await.expand_history(line).await
    }

    /// Returns the value of a variable of the shell; none where it is not set, or the shell does not answer.
    pub async fn value_of(&self, name: &str) -> Option<String> {
        self.start().await.value_of(name).await.ok().flatten()
    }

    /// Expands the person's own prompt; `None` where `PS1` is empty or the shell does not answer in time.
    pub async fn ps1(&self) -> Option<String> {
        let status = self.lock().status;
        let shell = self.start().await;
        let expanded = tokio::time::timeout(Duration::from_secs(2), shell.prompt(status)).await;
        expanded.ok()?.ok().filter(|prompt| !prompt.is_empty())
    }

    /// Has the shell do what the person's `trap … INT` says.
    pub async fn interrupt_at_prompt(&self) {
        // A blank keeps it out of the history; what the trap does to the shell stays.
        let _ = self.run_in(" \\builtin kill -s INT \"$$\"", self.watched(unbounded(), None)).await;
    }

    /// Returns what bash's programmable completion says for a line and a cursor in bytes.
    pub async fn complete(&self, line: &str, cursor: usize) -> Vec<aish_shell::Completion> {
        let shell = self.start().await;
        shell.complete(line, cursor).await.unwrap_or_default()
    }

    /// Runs a command that the person typed; a hidden one stays out of the shell's history. `keys` were typed behind it.
    ///
    /// # Errors
    /// When there is no shell to run it.
    pub async fn run_typed(&self, command: &str, hidden: bool, keys: &str) -> Result<CommandResult, ShellError> {
        let blank = if hidden { " " } else { "" };
        let line = format!("{blank}{command}");
        // Enter is a carriage return at a terminal.
        let keys = keys.replace('\n', "\r").into_bytes();
        let surroundings = aish_shell::Surroundings { keys, ..self.watched(unbounded(), None) };
        let result = self.run_in(&line, surroundings).await?;
        let mut remembered = self.lock();
        remembered.exited = result.ending == Ending::Exited;
        let executed = Executed {
            command: command.to_owned(),
            status: result.status,
            output: if result.full_screen { "(a full-screen program)".to_owned() } else { result.output.clean_text() },
        };
        remembered.last = Some(executed.clone());
        remembered.pending.push(Executed { command: aish_types::mask_named(command), ..executed });
        Ok(result)
    }

    /// Returns what a command at the person's terminal runs with.
    fn watched(&self, bounds: RunContext, rows: Option<usize>) -> aish_shell::Surroundings {
        let timeout = (bounds.timeout_ms > 0).then(|| Duration::from_millis(bounds.timeout_ms));
        let (terminal, cancel) = (self.terminal.clone(), bounds.cancel);
        aish_shell::Surroundings { terminal, cancel, timeout, rows, ..aish_shell::Surroundings::default() }
    }

    async fn run_in(&self, command: &str, surroundings: aish_shell::Surroundings) -> Result<CommandResult, ShellError> {
        let shell = self.start().await;
        let ends = surroundings.keys.contains(&END);
        // Start-up files that are not read yet come first, and may ask for something.
        let _attending = surroundings.terminal.as_ref().map(|terminal| shell.attend(terminal));
        let result = shell.run(command, surroundings).await?;
        self.secrets.learn(result.told.0.iter().map(String::as_str));
        let mut remembered = self.lock();
        remembered.folder = Some(result.cwd.clone());
        remembered.status = result.status;
        remembered.jobs = result.jobs;
        remembered.took = result.duration;
        let ahead = String::from_utf8_lossy(&result.type_ahead);
        // The terminal of a program tells of an end that it did not read by a NUL.
        remembered.typed_ahead.push_str(&if ends { ahead.replace('\0', "\u{4}") } else { ahead.replace('\u{4}', "") });
        drop(remembered);
        Ok(result)
    }

    /// Ends the line that a command left open on the screen, as what is shown next would stand behind it or over it.
    fn end_line(&self, output: &Captured, is_elsewhere: bool) {
        if self.terminal.is_some() && aish_shell::ends_in_line(output, is_elsewhere) {
            let mut err = std::io::stderr().lock();
            let _ = err.write_all(b"\n").and_then(|()| err.flush());
        }
    }

    /// Says how much of an output is not on the screen, behind the sign that stands there, and keeps it to be shown.
    fn tell_folded(&self, command: &str, lines: usize, status: i32, output: &Captured) {
        if lines == 0 {
            return;
        }
        let word = if lines == 1 { "line" } else { "lines" };
        let told = format!("{lines} more {word}; Alt-O shows all of it\n");
        // A terminal that went away is noticed by the next command.
        let _ = std::io::stderr().lock().write_all(told.as_bytes());
        let mut remembered = self.lock();
        if remembered.folded.len() >= MOST_FOLDED {
            remembered.folded.remove(0);
        }
        remembered.folded.push(Executed { command: command.to_owned(), status, output: output.clean_text() });
    }

    /// Says below what a command of the model showed that it failed: a failure without an output looks like a success.
    fn tell_failure(&self, status: i32, ending: Ending, took: Duration) {
        let has_failed = match ending {
            Ending::Completed | Ending::TimedOut => status != 0 && status != BY_INTERRUPT,
            // Who stops the turn says so, and so does what watches the shell.
            Ending::Cancelled | Ending::Exited | Ending::Died(_) => false,
        };
        if let Some(frames) = self.frames.as_ref().filter(|_| has_failed) {
            let line = frames.exec_failed(status, took);
            // A terminal that went away is noticed by the next command.
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
        }
    }

    /// Takes what commands showed whose ends are not on the screen.
    pub fn take_folded(&self) -> Vec<Executed> {
        std::mem::take(&mut self.lock().folded)
    }

    /// Runs a command that the model proposed in the shell itself.
    async fn run_proposed(&self, command: &str, bounds: RunContext, rows: Option<usize>) -> Result<Ran, Failure> {
        let timeout_ms = bounds.timeout_ms;
        // Only a person ends aish: a proposed `exit` ends the shell alone.
        let surroundings = aish_shell::Surroundings { at_exit: AtExit::StartsAgain, ..self.watched(bounds, rows) };
        let result = self.run_in(command, surroundings).await?;
        self.end_line(&result.output, result.full_screen || result.folded > 0);
        self.tell_folded(command, result.folded, result.status, &result.output);
        self.tell_failure(result.status, result.ending, result.duration);
        // The terminal's Ctrl-C goes to the command, and only its end tells of it; who handles it goes on.
        let by_person = self.terminal.is_some() && result.ending == Ending::Completed && result.status == BY_INTERRUPT;
        let ending = ending_words(result.ending, timeout_ms).or_else(|| by_person.then(interrupted));
        Ok(Ran { by_person, ..Ran::of(result.status, &result.output, ending) })
    }

    /// Ends the shell, and waits until nothing of it is left.
    pub async fn close(&self) {
        let shell = self.shell.lock().await.take();
        if let Some(shell) = shell.and_then(Arc::into_inner) {
            shell.stop().await;
        }
    }
}

/// The bounds of what nothing but the person ends.
fn unbounded() -> RunContext {
    RunContext { cancel: CancellationToken::new(), timeout_ms: 0 }
}

fn interrupted() -> String {
    "interrupted".to_owned()
}

/// Tells how a command ended, where it did not end by itself.
pub fn ending_words(ending: Ending, timeout_ms: u64) -> Option<String> {
    match ending {
        Ending::Completed => None,
        Ending::Cancelled => Some(interrupted()),
        Ending::TimedOut => Some(format!("timed out after {} s", timeout_ms / 1000)),
        Ending::Exited => Some("the shell exited".to_owned()),
        Ending::Died(_) => Some("the shell ended and was started again".to_owned()),
    }
}

impl CommandRunner for Live {
    fn run<'a>(&'a self, command: &'a str, way: Way<'a>, bounds: RunContext) -> BoxFuture<'a, Result<Ran, Failure>> {
        match way {
            Way::Asked | Way::Outside => Box::pin(self.run_proposed(command, bounds, None)),
            Way::Unasked => Box::pin(async move {
                let _showing = self.show_unasked(command).await;
                self.run_proposed(command, bounds, Some(UNASKED_ROWS)).await
            }),
            Way::Apart(order) => Box::pin(apart::run(self, command, order, bounds)),
        }
    }

    fn come_back<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, Option<String>> {
        Box::pin(apart::come_back(self, call))
    }
}
