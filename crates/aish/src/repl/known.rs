//! What the live shell knows by name, for routing and for judging.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_route::PriorTurn;
use aish_safety::Surroundings;
use aish_shell::Snapshot;
use aish_tools::Registry;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Repl;
use crate::base::Base;
use crate::completion::Vocabulary;
use crate::live::Live;
use crate::names::PathNames;
use crate::servers;

/// What the shell knows by name, kept fresh after each command.
pub type Known = Arc<Mutex<Snapshot>>;

/// What came right before the next line; the editor's colours follow it.
pub(super) type SharedPriorTurn = Arc<Mutex<PriorTurn>>;

/// The names that lines are routed by and completed from.
pub(super) struct Names {
    /// What the shell knows.
    pub(super) known: Known,
    /// What aish knows: models, tools, servers.
    pub(super) vocabulary: Arc<Vocabulary>,
    /// Asks the shell for its names.
    pub(super) refreshing: Option<JoinHandle<()>>,
    /// What the next line may be an answer to.
    pub(super) prior_turn: SharedPriorTurn,
}

impl Names {
    /// Knows nothing of the shell yet; the tools are those of a registry.
    pub(super) fn over(registry: &Arc<Registry>) -> Self {
        Self {
            known: Known::default(),
            vocabulary: Arc::new(Vocabulary::new(Arc::clone(registry))),
            refreshing: None,
            prior_turn: SharedPriorTurn::default(),
        }
    }
}

/// How long start-up files may keep a line waiting without a word.
const SIGN: Duration = Duration::from_millis(400);

/// How long a line waits for start-up files.
const START_UP: Duration = Duration::from_secs(10);

/// Returns the value of a variable that the live shell exported when it was asked last.
pub(super) fn exported(known: &Known, name: &str) -> Option<String> {
    known.lock().unwrap_or_else(PoisonError::into_inner).environment.get(name).cloned()
}

impl Repl {
    /// Returns what a variable is for programs that are started here: what the live shell exports, or what aish was given.
    pub fn variable(&self, name: &str) -> Option<String> {
        exported(&self.names.known, name).or_else(|| self.base.variable(name))
    }

    /// Says whether Ctrl-C at the prompt is the business of a trap of the person's.
    pub(super) fn traps_interrupt(&self) -> bool {
        self.names.known.lock().unwrap_or_else(PoisonError::into_inner).traps_interrupt
    }

    /// Starts the live shell behind the first prompt, and asks it for its names once its start-up files are read.
    pub(super) fn read_start_up(&mut self) {
        let (live, known) = (Arc::clone(&self.live), Arc::clone(&self.names.known));
        let gone = Arc::clone(&self.starting.gone);
        self.starting.files = Some(tokio::spawn(async move {
            tokio::time::sleep(servers::BEHIND_THE_PROMPT).await;
            if let Some(snapshot) = live.snapshot().await {
                if live.starts_in(&snapshot.cwd) {
                    gone.notify_one();
                }
                *known.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
            }
        }));
    }

    /// Says whether the start-up files are not read yet.
    pub(super) fn is_starting(&self) -> bool {
        self.starting.files.as_ref().is_some_and(|task| !task.is_finished())
    }

    /// Gives the terminal to start-up files that ask for something, until they are read: what is typed is theirs then, and
    /// neither shown nor taken for a question.
    pub(super) async fn attend_start_up(&mut self) {
        self.editor.release().await;
        self.show_waiting();
        let _attending = self.live.attend().await;
        if let Some(task) = &mut self.starting.files {
            let _ = task.await;
        }
        self.starting.files = None;
        self.show_waiting();
    }

    /// Waits until the start-up files are read, where they were not; false where nothing is known that was not before.
    /// Ctrl-C and time end the waiting, not the reading.
    pub(super) async fn start_up_is_read(&mut self) -> bool {
        let Some(mut task) = self.starting.files.take() else { return false };
        let _silent = self.silence();
        let interrupt = self.interrupts.arm();
        if timeout(SIGN, &mut task).await.is_err() {
            self.say("waiting for the shell's start-up files; Ctrl-C goes on without them");
            tokio::select! {
                _ = &mut task => {}
                () = self.starting.asks.notified() => {
                    let _attending = self.live.attend().await;
                    let _ = (&mut task).await;
                }
                () = interrupt.cancelled() => {}
                () = tokio::time::sleep(START_UP) => {}
            }
            if !task.is_finished() {
                self.starting.files = Some(task);
            }
        }
        self.show_waiting();
        true
    }

    /// Asks the live shell for its names while the next prompt is drawn and the person types.
    pub(super) fn refresh_names(&mut self) {
        let (live, known) = (Arc::clone(&self.live), Arc::clone(&self.names.known));
        self.names.refreshing = Some(tokio::spawn(async move {
            if let Some(snapshot) = live.snapshot().await {
                *known.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
            }
        }));
    }

    /// Waits for the names that were asked for last.
    pub(super) async fn names_are_fresh(&mut self) {
        if let Some(task) = self.names.refreshing.take() {
            let _ = task.await;
        }
    }

    /// Returns the names that lines are routed by.
    pub fn names(&self) -> PathNames {
        names(&self.names.known, &self.base)
    }

    /// Returns what the next line may be an answer to.
    pub fn prior_turn(&self) -> PriorTurn {
        *self.names.prior_turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the next line may be an answer to.
    pub fn set_prior_turn(&self, prior_turn: PriorTurn) {
        *self.names.prior_turn.lock().unwrap_or_else(PoisonError::into_inner) = prior_turn;
    }
}

/// Returns what reads the surroundings of a command: the live shell's folder, its aliases and what it exports.
pub(super) fn surroundings(
    base: &Base,
    live: &Arc<Live>,
    known: &Known,
) -> Arc<dyn Fn() -> Surroundings + Send + Sync> {
    let (around, known) = (live.surroundings(base), Arc::clone(known));
    Arc::new(move || {
        let snapshot = known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut around = around();
        Arc::make_mut(&mut around.exported).extend(snapshot.environment.keys().cloned());
        Surroundings { aliases: snapshot.aliases.clone(), ..around }
    })
}

/// Returns the names of a snapshot, over the programs of its PATH.
fn names(known: &Known, base: &Base) -> PathNames {
    let snapshot = known.lock().unwrap_or_else(PoisonError::into_inner);
    let path = snapshot.environment.get("PATH").cloned().or_else(|| base.variable("PATH")).unwrap_or_default();
    let folder = if snapshot.cwd.as_os_str().is_empty() { base.folder.clone() } else { snapshot.cwd.clone() };
    let own = snapshot.aliases.keys().chain(&snapshot.functions).chain(&snapshot.builtins).cloned();
    PathNames::new(&path, &folder).with_shell_names(own)
}
