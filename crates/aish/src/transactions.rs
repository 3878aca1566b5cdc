//! Commands of the model as transactions: each runs in a layer, and what it changed is kept or dropped when it is known.
//!
//! Order: [`Transactions::hold`] says before the gate decides what can hold a command; [`Transactions::run`] runs an
//! approved one in its layer; the driver takes the layer ([`Transactions::take`]), asks where it must, and keeps or drops
//! it; [`shown`] keeps what it changed for `:diff`.

mod exposed;
pub mod shown;
mod signing;
mod started;
mod waiting;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aish_confine::{Dotenv, Layer, Mechanism, Report, State};
use aish_safety::{Analysis, Hold, Shell, Surroundings, Verdict};
use aish_shell::ShellState;
use aish_types::CallId;
use tokio::sync::OnceCell;

use self::waiting::WaitingLauncher;
use crate::base::Base;
use crate::confinement::{self, Ground};

/// What confined runs of this session share.
pub struct Transactions {
    ground: Mutex<Ground>,
    mechanism: OnceCell<Mechanism>,
    held: Mutex<HashMap<CallId, Held>>,
    /// Trees over which no layer could be made: commands there run as where none work at all.
    unable: Mutex<HashSet<PathBuf>>,
    waiting: WaitingLauncher,
}

/// A layer whose command has ended and which is neither kept nor dropped.
pub struct Held {
    /// The layer.
    pub layer: Layer,
    /// How the run ended.
    pub report: Report,
    /// Whether it reached other hosts: what it fetched is kept in the caches then.
    pub network: bool,
}

impl Held {
    /// Says whether its changes are in no tree.
    pub fn is_open(&self) -> bool {
        matches!(self.layer.state(), Ok(State::Open))
    }
}

/// The shell that a command is apart from.
pub struct Beside<'a> {
    /// Its program.
    pub program: &'a str,
    /// Its folder.
    pub folder: &'a Path,
    /// What it has; none where it does not say.
    pub state: Option<&'a ShellState>,
}

impl Transactions {
    /// Makes them of the configuration.
    pub fn of(base: &Base) -> Arc<Self> {
        Arc::new(Self {
            ground: Mutex::new(Ground::of(base)),
            mechanism: OnceCell::new(),
            held: Mutex::default(),
            unable: Mutex::default(),
            waiting: WaitingLauncher::default(),
        })
    }

    /// Lets a configuration hold from now on.
    pub fn follow(&self, base: &Base) {
        *self.ground.lock().unwrap_or_else(PoisonError::into_inner) = Ground::of(base);
    }

    /// Returns what the configuration says.
    pub fn ground(&self) -> Ground {
        self.ground.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says what can hold a command here.
    pub async fn hold(&self, command: &str, analysis: &Analysis, surroundings: &Surroundings, shell: Shell) -> Hold {
        let folder = surroundings.folder.clone().unwrap_or_else(|| "/".to_owned());
        let tree = self.ground().tree(Path::new(&folder));
        let mechanism = self.mechanism().await;
        let works = mechanism == Mechanism::Namespaces && !self.is_unable(tree.as_deref());
        let root = tree.clone();
        let tree = tree.map(|tree| tree.display().to_string());
        // The tree is known without links, and so is the folder then.
        let real = std::fs::canonicalize(&folder).ok().map(|path| path.display().to_string());
        let around = Surroundings { folder: real.or(Some(folder)), ..surroundings.clone() };
        let hold = aish_safety::hold(command, analysis, tree.as_deref(), &around, shell);
        let exposed = || {
            let folder = around.folder.as_deref().unwrap_or("/");
            exposed::why(&analysis.reads, Path::new(folder), self.ground().at(Path::new(folder), Dotenv::Locked))
        };
        match hold {
            Hold::Shell => match entered(command, Path::new(around.folder.as_deref().unwrap_or("/"))) {
                Some(there) if root.is_none_or(|root| !is_plain_folder(&there, &root)) => {
                    Hold::Open("your shell would be in another repository there, whose settings git obeys".to_owned())
                }
                Some(_) | None => Hold::Shell,
            },
            // Outside a layer it could read what is hidden in one.
            Hold::Clean if works && exposed().is_some() => Hold::Layer,
            Hold::Layer if works && self.signs(analysis, &around).await => {
                Hold::Open("it signs with your key, which is hidden in a layer".to_owned())
            }
            hold if works => {
                if hold == Hold::Layer {
                    self.waiting.prepare();
                }
                hold
            }
            Hold::Nothing
            | Hold::Layer
            | Hold::Network(_)
            | Hold::Clean
            | Hold::Reading
            | Hold::Edits
            | Hold::Exposed(_)
            | Hold::Open(_) => match mechanism {
                _ if analysis.judgement.verdict != Verdict::Allow => Hold::Nothing,
                Mechanism::Namespaces | Mechanism::Landlock => Hold::Reading,
                Mechanism::Bare => exposed().map_or(Hold::Nothing, Hold::Exposed),
            },
        }
    }

    /// Says whether a command of git signs, by its words and the settings in force.
    async fn signs(&self, analysis: &Analysis, around: &Surroundings) -> bool {
        if !analysis.parts.iter().any(|part| part.text.contains("git")) {
            return false;
        }
        signing::signs(&analysis.parts, Path::new(around.folder.as_deref().unwrap_or("/"))).await
    }

    /// Says whether layers work here.
    pub async fn works(&self) -> bool {
        self.mechanism().await == Mechanism::Namespaces
    }

    /// Returns what holds commands here.
    async fn mechanism(&self) -> Mechanism {
        let find = || async {
            let found = tokio::task::spawn_blocking(confinement::available).await;
            // What cannot be tried holds nothing.
            found.ok().and_then(Result::ok).map_or(Mechanism::Bare, |available| available.mechanism)
        };
        *self.mechanism.get_or_init(find).await
    }

    fn is_unable(&self, tree: Option<&Path>) -> bool {
        tree.is_some_and(|tree| self.unable.lock().unwrap_or_else(PoisonError::into_inner).contains(tree))
    }

    fn note_unable(&self, folder: &Path) {
        if let Some(tree) = self.ground().tree(folder) {
            self.unable.lock().unwrap_or_else(PoisonError::into_inner).insert(tree);
        }
    }

    /// Takes the layer of a call that has run.
    pub fn take(&self, call: &CallId) -> Option<Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(call)
    }

    /// Holds the layer of a call that has run until it is taken.
    pub fn put(&self, call: CallId, held: Held) {
        let before = self.held.lock().unwrap_or_else(PoisonError::into_inner).insert(call, held);
        if let Some(before) = before {
            let _ = before.layer.discard();
        }
    }
}

/// Returns the folder that a line goes to which changes the live shell, without links in its path; none where it stays, or
/// there is no such folder.
fn entered(command: &str, folder: &Path) -> Option<PathBuf> {
    let there = command.trim().strip_prefix("cd ")?.trim();
    std::fs::canonicalize(folder.join(there)).ok()
}

/// Says whether a folder is in a tree, and in no repository that is a part of it under a name of its own: a clone may bring
/// such a one, and the person's prompt runs git wherever the shell is. Both are without links in their paths.
pub fn is_plain_folder(folder: &Path, tree: &Path) -> bool {
    let Ok(below) = folder.strip_prefix(tree) else { return false };
    below
        .ancestors()
        .filter(|part| !part.as_os_str().is_empty())
        .all(|part| part.starts_with(".git") || !aish_confine::is_repository(&tree.join(part)))
}

impl Drop for Transactions {
    fn drop(&mut self) {
        self.waiting.end();
        // What nobody decided on is in no tree, and stays out.
        let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner).drain();
        for (_, held) in held.filter(|(_, held)| held.is_open()) {
            let _ = held.layer.discard();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_in_a_tree_is_no_plain_folder() {
        let folder = tempfile::tempdir().unwrap();
        let tree = std::fs::canonicalize(folder.path()).unwrap();
        for name in [".git/objects", ".git/refs", "src/deep", "fixtures/bare/objects", "fixtures/bare/refs"] {
            std::fs::create_dir_all(tree.join(name)).unwrap();
        }
        for name in [".git/HEAD", "fixtures/bare/HEAD"] {
            std::fs::write(tree.join(name), "ref: refs/heads/main\n").unwrap();
        }
        for name in ["", "src/deep", "fixtures", ".git", ".git/refs"] {
            assert!(is_plain_folder(&tree.join(name), &tree), "{name}");
        }
        for name in ["fixtures/bare", "fixtures/bare/refs"] {
            assert!(!is_plain_folder(&tree.join(name), &tree), "{name}");
        }
        assert!(!is_plain_folder(&tree, &tree.join("src")));
        assert_eq!(entered("cd  src/deep ", &tree), Some(tree.join("src/deep")));
        assert_eq!((entered("x=1", &tree), entered("cd gone", &tree)), (None, None));
    }
}
