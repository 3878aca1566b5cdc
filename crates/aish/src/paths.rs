//! Where files are kept, by the XDG base directory specification. No HOME is no fault.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use aish_journal::TrustFile;

/// The folders of this run; none where there is no home and no override.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// `$XDG_STATE_HOME/aish`.
    pub state: Option<PathBuf>,
    /// `$XDG_DATA_HOME/aish`.
    pub data: Option<PathBuf>,
    /// The configuration file.
    pub config: Option<PathBuf>,
    /// The home folder.
    pub home: Option<PathBuf>,
}

impl Paths {
    /// Works the folders out from the environment.
    pub fn from_environment(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let home = variable("HOME").filter(|home| Path::new(home).is_absolute()).map(PathBuf::from);
        let base = |name: &str, below_home: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .or_else(|| home.as_ref().map(|home| home.join(below_home)))
                .map(|base| base.join("aish"))
        };
        Self {
            state: base("XDG_STATE_HOME", ".local/state"),
            data: base("XDG_DATA_HOME", ".local/share"),
            config: crate::config::user_path(variable),
            home: home.clone(),
        }
    }

    /// Returns the path of a file of the state; where there is no home, one that is not there and that nobody can make, not even
    /// root.
    pub fn in_state(&self, name: &str) -> PathBuf {
        self.state.clone().unwrap_or_else(|| PathBuf::from("/proc/HOME-is-not-set")).join(name)
    }

    /// Returns which files of projects are trusted.
    pub fn trust(&self) -> TrustFile {
        TrustFile::new(self.in_state("trust.json"))
    }

    /// Says why nothing can be kept, by making the state folder and writing a file into it; none where it can.
    pub fn state_fault(&self) -> Option<String> {
        let Some(folder) = &self.state else {
            return Some("HOME is not set; history and sessions are not kept".to_owned());
        };
        let why = writable(folder).err()?;
        Some(format!("{} cannot be written ({why}); history and sessions are not kept", folder.display()))
    }

    /// Files and folders that nothing but a person may change.
    pub fn protected(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        paths.extend(self.state.iter().map(|path| path.display().to_string()));
        paths.extend(self.config.iter().filter_map(|path| path.parent()).map(|path| path.display().to_string()));
        if let Ok(executable) = std::env::current_exe() {
            paths.push(executable.display().to_string());
        }
        paths
    }
}

/// Makes a folder, and those above it that are missing, for its owner alone.
pub fn make_private(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn writable(folder: &Path) -> io::Result<()> {
    make_private(folder)?;
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    // A full disk takes a name, and no byte.
    let written = std::fs::write(&probe, b"\n");
    written.and(std::fs::remove_file(&probe)).inspect_err(|_| drop(std::fs::remove_file(&probe)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_home_nothing_is_written_anywhere() {
        let path = Paths::default().in_state("trust.json");
        let made = make_private(path.parent().unwrap());
        assert!(made.is_err() && std::fs::write(&path, "").is_err(), "{}", path.display());
        assert_eq!(std::fs::read(&path).unwrap_err().kind(), io::ErrorKind::NotFound, "and nothing is kept there");
    }

    #[test]
    fn xdg_wins_and_no_home_is_no_fault() {
        let set = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        let paths = Paths::from_environment(&set(&[("HOME", "/home/a"), ("XDG_STATE_HOME", "/s")]));
        assert_eq!(paths.state, Some(PathBuf::from("/s/aish")));
        assert_eq!(paths.data, Some(PathBuf::from("/home/a/.local/share/aish")));
        assert_eq!(paths.config, Some(PathBuf::from("/home/a/.config/aish/config.toml")));
        assert_eq!(Paths::from_environment(&set(&[])), Paths::default());
        // Nothing is read from the folder that aish was started in, or written there.
        for home in ["", "relative", "."] {
            let paths = Paths::from_environment(&|name| {
                matches!(name, "HOME" | "XDG_CONFIG_HOME" | "XDG_DATA_HOME" | "XDG_STATE_HOME").then(|| home.to_owned())
            });
            assert_eq!(paths, Paths::default(), "{home:?}");
        }
    }
}
