//! Where the tools for files work: in the tree around a folder, with the secrets and the guarded places of this machine.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use aish_confine::{SecretFiles, has_names, is_dotenv, is_in_dotenv, may_be_in_dotenv};
use aish_safety::is_asked_about;
use aish_tools::builtin::FilePlaces;

use crate::base::Base;
use crate::confinement::{is_settings_file, layers};

/// The most names at the end of a path that stand together in the list of settings.
const TAIL: usize = 4;

/// The places of one start.
pub struct ProjectFiles {
    home: Option<PathBuf>,
    /// The trees that are worked in.
    open: Vec<PathBuf>,
    state: Option<PathBuf>,
    config: Option<PathBuf>,
    /// Looked up at the first need: a search asks about each file.
    hidden: OnceLock<HashSet<PathBuf>>,
    layers: Option<PathBuf>,
    secret: SecretFiles,
}

impl ProjectFiles {
    /// Takes the places from the environment.
    pub fn of(base: &Base) -> Self {
        let home = base.paths.home.as_deref().and_then(|home| std::fs::canonicalize(home).ok());
        let config = base.paths.config.as_ref().and_then(|file| file.parent()).map(Path::to_owned);
        let folder = std::fs::canonicalize(&base.folder).ok();
        let open = folder.map(|folder| aish_confine::tree(&folder, home.as_deref())).unwrap_or_default();
        let (state, layers) = (base.paths.state.clone(), layers(base));
        Self { home, open, state, config, hidden: OnceLock::new(), layers, secret: SecretFiles::default() }
    }

    /// Says whether a file is a secret by the folder in a tree that it lies in, or by another name that it has there.
    fn is_secret_in_tree(&self, path: &Path) -> bool {
        // A search asks about each file, and nearly none needs more than this.
        if !has_names(path) && !may_be_in_dotenv(path) {
            return false;
        }
        let around = path.parent().and_then(|folder| self.tree(folder));
        let mut roots = self.open.iter().filter(|root| path.starts_with(root)).chain(&around);
        let (home, layers) = (self.home.as_deref(), self.layers.as_deref());
        roots.any(|root| {
            is_in_dotenv(path, root) || self.secret.has_such_a_name(path, root, home, layers, self.hidden())
        })
    }

    fn hidden(&self) -> &HashSet<PathBuf> {
        self.hidden.get_or_init(|| {
            let own = [&self.state, &self.config].into_iter().flatten();
            let secrets = aish_confine::secrets(self.home.as_deref(), &self.open);
            secrets.into_iter().chain(own.filter_map(|path| std::fs::canonicalize(path).ok())).collect()
        })
    }
}

/// Says whether programs take settings from a file, by its name alone or with folders around it, or from all in a folder
/// around it.
fn holds_settings(file: &Path) -> bool {
    file.ancestors().any(|named| {
        let mut tails =
            named.ancestors().skip(1).take(TAIL).filter_map(|above| named.strip_prefix(above).ok()?.to_str());
        tails.any(|tail| (named == file || tail.contains('/')) && is_settings_file(tail))
    })
}

impl FilePlaces for ProjectFiles {
    fn tree(&self, folder: &Path) -> Option<PathBuf> {
        aish_confine::tree(folder, self.home.as_deref()).into_iter().next()
    }

    fn is_hidden(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hidden = self.hidden();
        // What a command would be asked about for reading it is asked about here.
        is_dotenv(&name)
            || path.ancestors().any(|above| hidden.contains(above))
            || is_asked_about(&path.to_string_lossy(), self.home.as_deref().and_then(Path::to_str))
            || self.is_secret_in_tree(path)
    }

    fn guarded(&self, root: &Path, below: &Path, old: &str, new: &str) -> Option<&'static str> {
        aish_confine::guarded(root, self.home.as_deref(), below, old, new)
            .or_else(|| holds_settings(below).then_some("programs take settings from it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(home: &Path) -> ProjectFiles {
        ProjectFiles {
            home: Some(home.to_owned()),
            open: Vec::new(),
            state: None,
            config: None,
            hidden: OnceLock::new(),
            layers: None,
            secret: SecretFiles::default(),
        }
    }

    #[test]
    fn another_name_of_a_secret_is_told_as_its_own_is() {
        let folder = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(home.join("p/.git")).unwrap();
        std::fs::create_dir_all(home.join("p/deep")).unwrap();
        std::fs::create_dir_all(home.join(".ssh")).unwrap();
        for path in ["p/.env", "p/main.rs", ".ssh/id_x"] {
            std::fs::write(home.join(path), "x").unwrap();
        }
        for (file, name) in
            [("p/.env", "p/deep/notes.txt"), ("p/main.rs", "p/deep/copy.rs"), (".ssh/id_x", "p/deep/x.txt")]
        {
            std::fs::hard_link(home.join(file), home.join(name)).unwrap();
        }
        let places = places(&home);
        assert!(places.is_hidden(&home.join("p/deep/notes.txt")) && places.is_hidden(&home.join("p/deep/x.txt")));
        assert!(!places.is_hidden(&home.join("p/deep/copy.rs")) && !places.is_hidden(&home.join("p/main.rs")));
    }

    #[test]
    fn what_lies_in_a_folder_called_as_a_secret_is_told_by_what_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(folder.path()).unwrap();
        for path in ["p/.git", "p/pk/.env", "p/.env.d"] {
            std::fs::create_dir_all(home.join(path)).unwrap();
        }
        for (path, text) in [("p/pk/.env/production", "API_TOKEN=a1B2c3D4e5\n"), ("p/.env.d/a", "COLOUR=1\n")] {
            std::fs::write(home.join(path), text).unwrap();
        }
        let places = places(&home);
        assert!(places.is_hidden(&home.join("p/pk/.env/production")) && !places.is_hidden(&home.join("p/.env.d/a")));
    }

    #[test]
    fn secrets_are_told_by_place_and_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(home.join(".config/gh")).unwrap();
        let places = places(&home);
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
        // Names with the folders around them, and all in such a folder.
        for path in ["Gemfile", "mise/config.toml", "a/mise/conf.d/x.toml", "gradle/gradle-daemon-jvm.properties"] {
            assert!(places.guarded(&home, Path::new(path), "", "x").is_some(), "{path}");
        }
        for path in ["src/main.rs", "src/config.toml", "conf.d/x.toml", "mise/README.md"] {
            assert_eq!(places.guarded(&home, Path::new(path), "", "x"), None, "{path}");
        }
        assert_eq!(places.tree(&home), None);
    }
}
