//! Where the tools for files work: in the tree around a folder, with the secrets and the guarded places of this machine.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use aish_confine::is_dotenv;
use aish_safety::{PolicyRules, Surroundings, Verdict, analyse};
use aish_tools::builtin::FilePlaces;

use crate::base::Base;
use crate::confinement::is_settings_file;

/// The places of one start.
pub struct ProjectFiles {
    home: Option<PathBuf>,
    /// The trees that are worked in.
    open: Vec<PathBuf>,
    state: Option<PathBuf>,
    config: Option<PathBuf>,
    /// Looked up at the first need.
    hidden: OnceLock<Vec<PathBuf>>,
}

impl ProjectFiles {
    /// Takes the places from the environment.
    pub fn of(base: &Base) -> Self {
        let home = base.paths.home.as_deref().and_then(|home| std::fs::canonicalize(home).ok());
        let config = base.paths.config.as_ref().and_then(|file| file.parent()).map(Path::to_owned);
        let folder = std::fs::canonicalize(&base.folder).ok();
        let open = folder.map(|folder| aish_confine::tree(&folder, home.as_deref())).unwrap_or_default();
        Self { home, open, state: base.paths.state.clone(), config, hidden: OnceLock::new() }
    }

    fn hidden(&self) -> &[PathBuf] {
        self.hidden.get_or_init(|| {
            let own = [&self.state, &self.config].into_iter().flatten();
            let mut hidden = aish_confine::secrets(self.home.as_deref(), &self.open);
            hidden.extend(own.filter_map(|path| std::fs::canonicalize(path).ok()));
            hidden
        })
    }
}

impl FilePlaces for ProjectFiles {
    fn tree(&self, folder: &Path) -> Option<PathBuf> {
        aish_confine::tree(folder, self.home.as_deref()).into_iter().next()
    }

    fn is_hidden(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_dotenv(&name) || self.hidden().iter().any(|hidden| path.starts_with(hidden)) {
            return true;
        }
        // What a command would be asked about for reading it is asked about here.
        let home = self.home.as_ref().map(|home| home.display().to_string());
        let surroundings = Surroundings { home, folder: Some("/".to_owned()), ..Surroundings::default() };
        let command = format!("cat -- '{}'", path.to_string_lossy().replace('\'', r"'\''"));
        analyse(&command, &surroundings, &PolicyRules::default()).judgement.verdict > Verdict::Allow
    }

    fn guarded(&self, root: &Path, below: &Path, old: &str, new: &str) -> Option<&'static str> {
        aish_confine::guarded(root, self.home.as_deref(), below, old, new).or_else(|| {
            let name = below.file_name()?.to_str()?;
            is_settings_file(name).then_some("programs take settings from it")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_place_and_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(home.join(".config/gh")).unwrap();
        let places = ProjectFiles {
            home: Some(home.clone()),
            open: Vec::new(),
            state: None,
            config: None,
            hidden: OnceLock::new(),
        };
        for path in [
            "p/.env",
            "p/.env.local",
            "p/id_rsa",
            ".config/gh/hosts.yml",
            "p/server.key",
            "p/it's/.npmrc",
            "p/vault.token",
        ] {
            assert!(places.is_hidden(&home.join(path)), "{path}");
        }
        for path in ["p/.env.example", "p/main.rs", "p/it's/a.txt", "p/key.rs"] {
            assert!(!places.is_hidden(&home.join(path)), "{path}");
        }
        assert!(places.guarded(&home, Path::new(".git/hooks/pre-commit"), "", "x").is_some());
        assert!(places.guarded(&home, Path::new("AGENTS.md"), "", "x").is_some());
        assert_eq!(places.guarded(&home, Path::new("src/main.rs"), "", "x"), None);
        assert_eq!(places.tree(&home), None);
    }
}
