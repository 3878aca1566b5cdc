//! Confined runs of commands: which folder is the tree, what is hidden, where layers are.
//!
//! `aish-confine` holds the command; here is what it is told, from the environment and the configuration.

pub mod facts;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aish_confine::{Layer, Limits, Mechanism, Network, Plan, State, clean, secrets};

use crate::base::Base;
use crate::failure::chain;

/// The hidden command that becomes the launcher.
pub const LAUNCHER: &str = "__confine";

/// What the launcher is told to say what works here.
pub const PROBE: &str = "--probe";

/// Caches of builds and downloads below the home folder, which have a layer too.
const CACHES: &[&str] = &[
    ".cache",
    ".cargo/registry",
    ".cargo/git",
    ".npm",
    ".pnpm-store",
    ".local/share/pnpm",
    "go/pkg",
    ".gradle/caches",
    ".m2/repository",
];

/// What confined runs of one start have in common.
pub struct Confinement {
    layers: PathBuf,
    folder: PathBuf,
    roots: Vec<(PathBuf, bool)>,
    hidden: Vec<PathBuf>,
    environment: Vec<(OsString, OsString)>,
}

/// A layer, and the command that runs in it.
pub struct Prepared {
    /// The layer.
    pub layer: Layer,
    /// The launcher with its arguments and the cleaned environment.
    pub command: Command,
}

impl Confinement {
    /// Works out what is confined around the working folder.
    ///
    /// # Errors
    /// In words for the person: there is no folder for layers, or the working folder is gone.
    pub fn of(base: &Base) -> Result<Self, String> {
        let layers = layers(base).ok_or("HOME is not set, so that there is no folder for layers")?;
        let folder =
            std::fs::canonicalize(&base.folder).map_err(|error| format!("{}: {error}", base.folder.display()))?;
        let home = base.paths.home.as_deref().and_then(|home| std::fs::canonicalize(home).ok());
        let mut roots: Vec<(PathBuf, bool)> =
            tree(&folder, home.as_deref()).into_iter().map(|path| (path, false)).collect();
        let caches = CACHES.iter().filter_map(|path| std::fs::canonicalize(home.as_ref()?.join(path)).ok());
        // A cache in the tree is part of it, and a tree in a cache is covered by its own layer.
        let caches = caches.filter(|path| path.is_dir() && !roots.iter().any(|(root, _)| path.starts_with(root)));
        let caches: Vec<(PathBuf, bool)> =
            caches.filter(|path| !layers.starts_with(path)).map(|path| (path, true)).collect();
        roots.extend(caches);
        let mut hidden = secrets(home.as_deref());
        let own =
            [base.paths.state.clone(), base.paths.config.as_ref().and_then(|file| file.parent()).map(Path::to_owned)];
        hidden.extend(own.into_iter().flatten().filter_map(|path| std::fs::canonicalize(path).ok()));
        let environment = std::env::vars_os().filter(|(_, value)| !base.secrets.are_in(&value.to_string_lossy()));
        Ok(Self { layers, folder, roots, hidden, environment: clean(environment, &[], &[]) })
    }

    /// The tree; none where the folder is in none, as right in the home folder.
    pub fn tree(&self) -> Option<&Path> {
        self.roots.iter().find(|(_, cache)| !cache).map(|(path, _)| path.as_path())
    }

    /// Makes a layer and the command that runs words in it.
    ///
    /// # Errors
    /// In words for the person.
    pub fn prepare(&self, words: &[OsString], network: Network, terminal: bool) -> Result<Prepared, String> {
        let shown = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>();
        let shown = shell_words::join(shown.iter().map(AsRef::as_ref));
        let layer = Layer::create(&self.layers, &shown, None, &self.roots).map_err(|error| chain(&error))?;
        let mut plan = Plan::new(Mechanism::Namespaces, &self.folder, words.to_vec());
        plan.roots = layer.roots();
        plan.hidden.clone_from(&self.hidden);
        plan.network = network;
        plan.terminal = terminal;
        plan.limits = Limits::default();
        plan.report = Some(layer.report_path());
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg(LAUNCHER).args(plan.to_arguments()).env_clear().envs(self.environment.iter().cloned());
        Ok(Prepared { layer, command })
    }
}

/// Says what commands are confined by here, for `aish doctor`: whether that could be found out, and the words.
pub fn say() -> (bool, String) {
    // A trial needs a process with one thread.
    let output = std::env::current_exe().and_then(|program| Command::new(program).args([LAUNCHER, PROBE]).output());
    let said = match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => return (false, format!("cannot be tried: {error}")),
    };
    let mut lines = said.lines();
    let mechanism = lines.next().unwrap_or_default();
    let missing = lines.map(|line| format!("; {line}")).collect::<String>();
    match mechanism {
        "namespaces" => (true, "name spaces and layers: `aish try` runs commands apart".to_owned()),
        "landlock" => {
            (true, format!("Landlock alone: commands can be kept to reading, and `aish try` does not work{missing}"))
        }
        _ => (true, format!("nothing works here, and `aish try` neither{missing}")),
    }
}

/// Returns the folder of layers; none where there is no folder for state.
fn layers(base: &Base) -> Option<PathBuf> {
    base.paths.state.as_ref().map(|state| state.join("layers"))
}

/// Lists the layers that were kept, the oldest first, after completing what was cut and forgetting what is too old, of
/// runs that are over, or over the bound of what undo keeps.
///
/// `say` is told of every keeping that was cut and what became of it.
pub fn kept(base: &Base, say: &mut dyn FnMut(&str)) -> Vec<Layer> {
    let Some(folder) = layers(base) else { return Vec::new() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let keep = Duration::from_secs(base.config.undo.keep_days.saturating_mul(24 * 60 * 60));
    let mut kept = Vec::new();
    for layer in Layer::all(&folder) {
        let state = match layer.state() {
            Ok(State::Keeping | State::TakingBack) if !is_running(layer.about.process) => {
                let done = layer.recover();
                say(&match &done {
                    Ok(state) => format!("a change that was cut is {} now: {}", state.as_str(), layer.about.command),
                    Err(error) => format!("a change that was cut cannot be completed: {}", chain(error)),
                });
                done.unwrap_or(State::Keeping)
            }
            Ok(state) => state,
            Err(_) => continue,
        };
        let age = now.saturating_sub(Duration::from_millis(layer.about.time_ms));
        let over = match state {
            State::Open => !is_running(layer.about.process),
            State::Kept | State::TakenBack => age > keep,
            State::Keeping | State::TakingBack => false,
        };
        if over {
            let _ = layer.discard();
        } else if state == State::Kept {
            kept.push(layer);
        }
    }
    let mut bytes = 0_u64;
    let mut fits = |layer: &Layer| {
        bytes = bytes.saturating_add(layer.size().0);
        bytes <= base.config.undo.max_bytes
    };
    let first = kept.iter().rposition(|layer| !fits(layer)).map_or(0, |position| position + 1);
    // The newest stays, however large: its way back was promised a moment ago.
    for layer in kept.drain(..first.min(kept.len().saturating_sub(1))) {
        let _ = layer.discard();
    }
    kept
}

fn is_running(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

/// Returns the tree around a folder: the root of the git work tree, else the folder itself, with the folder of the
/// repository where that lies elsewhere. Nothing for `/`, the home folder and what contains it.
pub fn tree(folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let is_too_large = |path: &Path| path.parent().is_none() || home.is_some_and(|home| home.starts_with(path));
    let git = folder.ancestors().take_while(|path| !is_too_large(path)).find(|path| path.join(".git").exists());
    let Some(root) = git.or_else(|| (!is_too_large(folder)).then_some(folder)) else { return Vec::new() };
    let mut roots = vec![root.to_owned()];
    let elsewhere = repository(root).filter(|path| !path.starts_with(root) && !is_too_large(path));
    roots.extend(elsewhere);
    roots
}

/// Returns the folder of the repository of a linked work tree or a submodule, whose `.git` is a file that names it.
fn repository(root: &Path) -> Option<PathBuf> {
    let file = root.join(".git");
    let text = std::fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file() && meta.len() < 4096);
    let text = text.then(|| std::fs::read_to_string(&file).ok())??;
    let named = root.join(text.lines().next()?.strip_prefix("gitdir:")?.trim());
    let named = std::fs::canonicalize(named).ok()?;
    // A linked work tree has a folder of its own inside the common one, which a commit writes to as well.
    let common = std::fs::read_to_string(named.join("commondir")).ok();
    let common = common.and_then(|text| std::fs::canonicalize(named.join(text.trim())).ok());
    let found = common.unwrap_or(named);
    // Only what looks like a repository: the file could name any folder.
    (found.join("HEAD").is_file() && found.join("objects").is_dir()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_the_work_tree_and_never_the_home_folder() {
        let folder = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(folder.path()).unwrap();
        let at = |path: &str| home.join(path);
        for path in ["work/.git/objects", "work/sub/deep", "plain/deep", "linked", "work/.git/worktrees/linked", "evil"]
        {
            std::fs::create_dir_all(at(path)).unwrap();
        }
        std::fs::write(at("work/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(at("linked/.git"), format!("gitdir: {}\n", at("work/.git/worktrees/linked").display())).unwrap();
        std::fs::write(at("work/.git/worktrees/linked/commondir"), "../..\n").unwrap();
        std::fs::write(at("evil/.git"), format!("gitdir: {}\n", at("plain").display())).unwrap();
        let of = |path: &str| tree(&at(path), Some(&home));
        assert_eq!(of("work/sub/deep"), [at("work")]);
        assert_eq!(of("plain/deep"), [at("plain/deep")]);
        assert_eq!(of("linked"), [at("linked"), at("work/.git")]);
        assert_eq!(of("evil"), [at("evil")], "what is no repository is not opened for writing");
        assert_eq!(tree(&home, Some(&home)), Vec::<PathBuf>::new());
        assert_eq!(tree(home.parent().unwrap(), Some(&home)), Vec::<PathBuf>::new());
        assert_eq!(tree(Path::new("/"), None), Vec::<PathBuf>::new());
    }
}
