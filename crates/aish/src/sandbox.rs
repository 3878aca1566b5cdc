//! Which sandbox the shells that aish starts for the model run in.
//!
//! Layers come first (`transactions`). Where they do not work, or folders are named that are written to for good, `auto`
//! takes Landlock, else none and says so; `required` refuses to go on without one; `off` looks for none. The launcher is this program itself (`aish __sandbox`), which becomes the shell inside.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aish_process::sandbox::{Bounds, works};
use aish_types::Stopped;

use crate::base::Base;
use crate::config::section::SandboxMode;
use crate::failure::Failure;
use crate::project::project_root;
use crate::transactions::Transactions;

/// The variable by which a live shell tells the launcher its folder.
pub const EXCHANGE: &str = "AISH_SHELL_FOLDER";

/// A sandbox that works here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landlock {
    /// What it allows.
    pub bounds: Bounds,
}

/// What was found when a sandbox was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxChoice {
    /// Each command runs in a layer of its own, which is kept or dropped at its end.
    Layers {
        /// Whether commands reach the network.
        network: bool,
    },
    /// One is in force.
    Sandbox(Landlock),
    /// None is looked for: `sandbox.mode = "off"`.
    Off,
    /// None works here; why, in words.
    None(String),
}

impl SandboxChoice {
    /// Tells it in one line, for the gate and `aish doctor`.
    pub fn say(&self) -> String {
        match self {
            Self::Layers { network } => {
                let network = if *network { "network" } else { "no network" };
                format!("sandbox: each command in a layer over the tree, {network}")
            }
            Self::Sandbox(chosen) => chosen.say(),
            Self::Off => "sandbox: off".to_owned(),
            Self::None(why) => format!("sandbox: none works here ({why})"),
        }
    }

    /// Returns the layers that commands run in, and whether they reach the network; `None` where there are no layers.
    pub fn layers(&self, transactions: &Arc<Transactions>) -> Option<(Arc<Transactions>, bool)> {
        match self {
            Self::Layers { network } => Some((Arc::clone(transactions), *network)),
            Self::Sandbox(_) | Self::Off | Self::None(_) => None,
        }
    }

    /// Returns the sandbox that is in force.
    pub const fn chosen(&self) -> Option<&Landlock> {
        match self {
            Self::Sandbox(chosen) => Some(chosen),
            Self::Layers { .. } | Self::Off | Self::None(_) => None,
        }
    }
}

impl Landlock {
    /// Tells what is in force.
    pub fn say(&self) -> String {
        let folders: Vec<String> = self.bounds.writable.iter().map(|path| path.display().to_string()).collect();
        let network = if self.bounds.network { "network" } else { "no network" };
        format!("sandbox: landlock, writes below {} alone, {network}", folders.join(", "))
    }

    /// Returns the words of the launcher.
    ///
    /// # Errors
    /// When this program cannot tell its own path.
    pub fn launcher(&self) -> std::io::Result<Vec<OsString>> {
        let mut words: Vec<OsString> = vec![std::env::current_exe()?.into(), "__sandbox".into()];
        for folder in &self.bounds.writable {
            words.extend(["--write".into(), folder.into()]);
        }
        for path in &self.bounds.protected {
            words.extend(["--protect".into(), path.into()]);
        }
        if self.bounds.network {
            words.push("--network".into());
        }
        words.push("--".into());
        Ok(words)
    }
}

/// Looks for a sandbox as the configuration wants it, for commands in a folder: layers come first where they work.
///
/// # Errors
/// In words, when `sandbox.mode = "required"` and none works.
pub fn find(base: &Base, folder: &Path, layers: bool) -> Result<SandboxChoice, Failure> {
    let section = &base.config.sandbox;
    // Folders that are named are written to for good, as their owner wants it.
    if layers && section.mode != SandboxMode::Off && section.write.is_empty() {
        return Ok(SandboxChoice::Layers { network: section.network });
    }
    find_by(base, folder, works)
}

fn find_by(
    base: &Base,
    folder: &Path,
    works: impl Fn() -> Result<(), aish_process::sandbox::SandboxError>,
) -> Result<SandboxChoice, Failure> {
    let section = &base.config.sandbox;
    if section.mode == SandboxMode::Off {
        return Ok(SandboxChoice::Off);
    }
    let why = match works() {
        Ok(()) => return Ok(SandboxChoice::Sandbox(Landlock { bounds: bounds(base, folder) })),
        Err(error) => error.to_string(),
    };
    if section.mode == SandboxMode::Required {
        return Err(Failure::config(format!("sandbox.mode is \"required\" and no sandbox works here: {why}")));
    }
    Ok(SandboxChoice::None(why))
}

fn bounds(base: &Base, folder: &Path) -> Bounds {
    let section = &base.config.sandbox;
    let mut writable: Vec<PathBuf> = if section.write.is_empty() {
        vec![project_root(folder).unwrap_or(folder).to_owned(), std::env::temp_dir(), PathBuf::from("/tmp")]
    } else {
        section.write.iter().map(|path| written(path, base.paths.home.as_deref(), folder)).collect()
    };
    writable.dedup();
    let protected = base.protected().into_iter().map(PathBuf::from).collect();
    Bounds { writable, protected, exchange: None, network: section.network }
}

/// Fills the home folder in; a relative path is seen from the folder.
fn written(path: &str, home: Option<&Path>, folder: &Path) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => folder.join(path),
    }
}

/// Words of programs that ran into a wall, and what the wall may be.
const HINTS: &[(&str, &str)] = &[
    ("read-only file system", "writing"),
    ("permission denied", "writing"),
    ("operation not permitted", "writing"),
    ("network is unreachable", "the network"),
    ("temporary failure in name resolution", "the network"),
    ("could not resolve host", "the network"),
    ("name or service not known", "the network"),
    ("network unreachable", "the network"),
];

/// Says what of a failed command the sandbox may have stopped.
pub fn suspicion(status: i32, output: &str, chosen: &Landlock) -> Option<Stopped> {
    if status == 0 {
        return None;
    }
    let hinted = |line: &str| {
        let lower = line.to_lowercase();
        let meant = |what: &str| what != "the network" || !chosen.bounds.network;
        HINTS.iter().find(|(words, what)| lower.contains(words) && meant(what)).map(|(_, what)| *what)
    };
    let (line, what) = output.lines().find_map(|line| Some((line, hinted(line)?)))?;
    let sandbox = chosen.say();
    let what = format!("{what} may have been stopped by the sandbox ({})", sandbox.trim_start_matches("sandbox: "));
    Some(Stopped { what, said: line.trim().to_owned(), network: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_sandbox_may_have_stopped_is_said_and_nothing_else() {
        let mut chosen = Landlock { bounds: Bounds { writable: vec!["/work".into()], ..Bounds::default() } };
        let found = suspicion(1, "trying\n touch: cannot touch '/x': Read-only file system\nmore", &chosen).unwrap();
        assert_eq!(found.said, "touch: cannot touch '/x': Read-only file system");
        assert_eq!(
            found.what,
            "writing may have been stopped by the sandbox (landlock, writes below /work alone, no network)"
        );
        let found = suspicion(6, "curl: (6) Could not resolve host: example.org", &chosen).unwrap();
        assert!(found.what.starts_with("the network"));
        assert_eq!(suspicion(0, "Permission denied", &chosen), None);
        assert_eq!(suspicion(1, "assertion failed", &chosen), None);
        chosen.bounds.network = true;
        assert_eq!(suspicion(6, "Could not resolve host", &chosen), None);
    }

    #[test]
    fn the_mode_decides_what_a_missing_sandbox_means() {
        use aish_process::sandbox::SandboxError;
        let none = || Err(SandboxError::Landlock("an old kernel".to_owned()));
        let mut base = Base::load(&crate::arguments::SharedFlags::default());
        let mut find = |mode, one: bool| {
            base.config.sandbox.mode = mode;
            if one { find_by(&base, Path::new("/work"), || Ok(())) } else { find_by(&base, Path::new("/work"), none) }
        };
        let why = find(SandboxMode::Required, false).unwrap_err().to_string();
        assert!(why.contains("required") && why.contains("an old kernel"), "{why}");
        let found = find(SandboxMode::Auto, false).unwrap();
        assert!(found.chosen().is_none() && found.say().contains("none works here"));
        assert_eq!(find(SandboxMode::Off, true), Ok(SandboxChoice::Off));
        for mode in [SandboxMode::Auto, SandboxMode::Required] {
            let Ok(SandboxChoice::Sandbox(chosen)) = find(mode, true) else { panic!("one works") };
            assert!(!chosen.bounds.network);
            assert!(chosen.bounds.writable.contains(&PathBuf::from("/work")));
        }
    }

    #[test]
    fn folders_are_filled_in() {
        let at = |path: &str| written(path, Some(Path::new("/home/ana")), Path::new("/work")).display().to_string();
        assert_eq!([at("~/x"), at("sub"), at("/srv")], ["/home/ana/x", "/work/sub", "/srv"]);
    }
}
