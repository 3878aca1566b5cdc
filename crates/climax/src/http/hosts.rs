//! Which token may go where: what somebody confirmed when an API was imported, kept outside of every config.
//!
//! A config can be edited, and another one can name the same variable: neither sends a token anywhere new.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file below climax's state folder.
const FILE: &str = "hosts.json";

/// Bytes that the file may have.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Confirmed origins by the variable that holds the token.
#[derive(Debug, Clone)]
pub struct Hosts {
    path: Option<PathBuf>,
}

type Known = BTreeMap<String, BTreeSet<String>>;

impl Hosts {
    /// Names the file in climax's state folder; without one nothing is confirmed.
    pub fn new(state: Option<&Path>) -> Self {
        Self { path: state.map(|folder| folder.join(FILE)) }
    }

    /// Says whether the token in this variable may go to this origin. A file that cannot be read, or that somebody else may have
    /// written, confirms nothing.
    pub fn holds(&self, env: &str, origin: &str) -> bool {
        self.read().is_ok_and(|known| known.get(env).is_some_and(|origins| origins.contains(origin)))
    }

    /// Notes that somebody confirmed an origin for the token in this variable.
    ///
    /// # Errors
    /// In words, when it cannot be kept.
    pub fn confirm(&self, env: &str, origin: &str) -> Result<(), String> {
        let path = self.path.as_ref().ok_or("there is no folder for it: set HOME or XDG_STATE_HOME")?;
        let mut known = self.read()?;
        if !known.entry(env.to_owned()).or_default().insert(origin.to_owned()) {
            return Ok(());
        }
        let bytes = serde_json::to_vec_pretty(&known).map_err(|error| error.to_string())?;
        aish_journal::replace(path, &bytes).map_err(|error| error.to_string())
    }

    fn read(&self) -> Result<Known, String> {
        let Some(path) = &self.path else { return Ok(Known::new()) };
        let unusable = |why: String| format!("{} cannot be read: {why}; mend it or remove it", path.display());
        match aish_journal::read_own(path, MAX_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Known::new()),
            Err(error) => Err(unusable(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_confirmed_for_one_origin() {
        let folder = tempfile::tempdir().unwrap();
        let hosts = Hosts::new(Some(folder.path()));
        assert!(!hosts.holds("A", "https://a.example"));
        hosts.confirm("A", "https://a.example").unwrap();
        hosts.confirm("A", "https://a.example:8443").unwrap();
        assert!(hosts.holds("A", "https://a.example") && hosts.holds("A", "https://a.example:8443"));
        for (env, origin) in [("B", "https://a.example"), ("A", "http://a.example"), ("A", "https://b.example")] {
            assert!(!hosts.holds(env, origin), "{env} {origin}");
        }
        let open = |mode| {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(folder.path().join(FILE), mode).unwrap();
        };
        open(0o622);
        assert!(!hosts.holds("A", "https://a.example"), "others may have written it");
        assert!(hosts.confirm("A", "https://c.example").unwrap_err().contains("somebody else"));
        open(0o600);
        assert!(hosts.holds("A", "https://a.example"));
        std::fs::write(folder.path().join(FILE), "no json").unwrap();
        assert!(!hosts.holds("A", "https://a.example"));
        assert!(hosts.confirm("A", "https://c.example").unwrap_err().contains("mend it"), "nothing is lost");
        assert!(!Hosts::new(None).holds("A", "https://a.example") && Hosts::new(None).confirm("A", "x").is_err());
    }
}
