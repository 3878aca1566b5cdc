//! What confined runs from one folder have in common: the tree, caches, secrets, the environment.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::dotenv;
use crate::environment;
use crate::folders;
use crate::guard;
use crate::hidden;
use crate::in_tree;
use crate::layer::{Layer, LayerError};
use crate::mounts::Mounts;
use crate::plan::{Mechanism, Plan};
use crate::secret_settings::identity;
use crate::settings::{Dotenv, Settings};
use crate::tree::tree;

/// Who asks for a run, and from where.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'a> {
    /// The working folder.
    pub folder: &'a Path,
    /// The home folder, where one is known.
    pub home: Option<&'a Path>,
    /// The caller's own folders (configuration, state), which seem empty inside.
    pub own: &'a [PathBuf],
    /// Where its layers are.
    pub layers: &'a Path,
}

/// What confined runs from one folder have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    folder: PathBuf,
    home: Option<PathBuf>,
    layers: PathBuf,
    /// The caller's own folders, of which some may not be there yet.
    own: Vec<PathBuf>,
    roots: Vec<(PathBuf, bool)>,
    hidden: Vec<PathBuf>,
    locked: Vec<PathBuf>,
    veiled: Vec<PathBuf>,
    dotenv: Dotenv,
    keep_variables: Vec<String>,
    /// Variables that say what the hidden settings of git do.
    identity: Vec<(OsString, OsString)>,
}

impl Surroundings {
    /// Looks around a folder. It reads folders, files of settings in the home folder, once as long as they stay as they are, and the
    /// index of git where a tree has a `.env`.
    ///
    /// # Errors
    /// When the working folder is gone, or the tree has more entries than can be looked through for secrets.
    pub fn of(caller: &Caller<'_>, settings: &Settings) -> io::Result<Self> {
        let folder = fs::canonicalize(caller.folder)?;
        let home = caller.home.and_then(|home| fs::canonicalize(home).ok());
        let trees = tree(&folder, home.as_deref());
        let resolve = |text: &String| resolve(text, home.as_deref(), trees.first());
        let is_too_large =
            |path: &Path| path.parent().is_none() || home.as_ref().is_some_and(|home| home.starts_with(path));
        let caches = settings.caches.iter().filter_map(resolve).filter_map(|path| fs::canonicalize(path).ok());
        // A cache in the tree is part of it; one around the tree or the layers would put a layer over another.
        let caches: Vec<PathBuf> = caches
            .filter(|path| path.is_dir() && !is_too_large(path) && !caller.layers.starts_with(path))
            .filter(|path| !trees.iter().any(|root| path.starts_with(root)))
            .collect();
        let mut hidden = hidden::places(home.as_deref(), &trees, std::env::vars_os());
        for path in settings.hidden.iter().filter_map(resolve) {
            hidden::add(&path, &mut hidden);
        }
        hidden.extend(caller.own.iter().filter_map(|path| fs::canonicalize(path).ok()));
        let (mut locked, mut veiled) = (Vec::new(), Vec::new());
        if settings.dotenv == Dotenv::Locked {
            for root in &trees {
                let mut found = in_tree::look(root, home.as_deref(), folders::memory(caller.layers, root).as_deref())?;
                found.add_other_names(root, &hidden)?;
                locked.extend(found.closed);
                hidden.extend(found.empty);
                veiled.extend(found.settings);
            }
        }
        let kept = hidden::kept(home.as_deref(), &trees);
        let mounts = Mounts::read();
        mounts.add_others(&mut hidden, &kept);
        mounts.add_others(&mut locked, &kept);
        // Beside its layer a tree would show what the layer has a version of.
        let mut besides = veiled.clone();
        mounts.add_others(&mut besides, &kept);
        locked.extend(besides.into_iter().filter(|path| !veiled.contains(path)));
        hidden.sort();
        hidden.dedup();
        // What lies in something hidden is hidden with it.
        hidden.dedup_by(|later, earlier| later.starts_with(&*earlier));
        locked.retain(|path| !hidden.iter().any(|secret| path.starts_with(secret)));
        let of_git = [".gitconfig", ".config/git/config"]
            .iter()
            .filter_map(|file| fs::canonicalize(home.as_ref()?.join(file)).ok());
        let identity = of_git.filter(|file| hidden.contains(file)).flat_map(|file| identity(&file)).collect();
        let roots = trees.into_iter().map(|path| (path, false)).chain(caches.into_iter().map(|path| (path, true)));
        Ok(Self {
            folder,
            home,
            layers: caller.layers.to_owned(),
            own: caller.own.to_vec(),
            roots: roots.collect(),
            hidden,
            locked,
            veiled,
            dotenv: settings.dotenv,
            keep_variables: settings.keep_variables.clone(),
            identity,
        })
    }

    /// Forgets, below a folder of layers, what was remembered of trees that are gone.
    pub fn forget(layers: &Path) {
        folders::forget(layers);
    }

    /// The working folder, without links in it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The tree; none where the folder is in none, as right in the home folder.
    pub fn tree(&self) -> Option<&Path> {
        self.roots.iter().find(|(_, cache)| !cache).map(|(path, _)| path.as_path())
    }

    /// Files of secret settings in the tree that cannot be read.
    pub fn locked(&self) -> &[PathBuf] {
        &self.locked
    }

    /// Says whether a file, without links in its path, is hidden from confined runs, is locked, or is one of secret
    /// settings wherever it lies.
    pub fn hides(&self, file: &Path) -> bool {
        self.hidden.iter().chain(&self.locked).any(|path| file.starts_with(path))
            || file.file_name().is_some_and(|name| {
                dotenv::is_dotenv(&name.to_string_lossy()) && !self.roots.iter().any(|(root, _)| file.starts_with(root))
            })
    }

    /// Returns the variables that a run may have. `is_secret` knows values that are secrets whatever they are called.
    pub fn variables<I>(&self, variables: I, is_secret: impl Fn(&str) -> bool) -> Vec<(OsString, OsString)>
    where
        I: IntoIterator<Item = (OsString, OsString)>,
    {
        let keep = |name: &OsString| self.keep_variables.iter().any(|known| name == known.as_str());
        let known = variables.into_iter().filter(|(name, value)| keep(name) || !is_secret(&value.to_string_lossy()));
        let mut left = environment::clean(known, &[], &self.keep_variables);
        let of_git = self.identity.iter().filter(|(name, _)| !left.iter().any(|(known, _)| known == name));
        let of_git: Vec<_> = of_git.cloned().collect();
        left.extend(of_git);
        left
    }

    /// Makes a layer over the tree and the caches, in which settings of the tree's repositories have no secrets where files of
    /// secret settings are locked.
    ///
    /// # Errors
    /// When it cannot be made, as for lack of room.
    pub fn layer(&self, command: &str, session: Option<&str>) -> Result<Layer, LayerError> {
        let layer = Layer::create(&self.layers, command, session, &self.roots)?;
        if self.dotenv == Dotenv::Locked
            && let Err(why) = layer.veil(&self.veiled)
        {
            let _ = layer.discard();
            return Err(why);
        }
        if let Some(tree) = self.tree() {
            guard::look_ahead(tree, self.home.as_deref());
        }
        Ok(layer)
    }

    /// Plans a run in a layer. The caller sets network, terminal and limits where they differ from none and the defaults.
    pub fn plan(&self, layer: &Layer, words: Vec<OsString>) -> Plan {
        let mut plan = self.plan_without_layer(Mechanism::Namespaces, words);
        // The tree is seen through its layer.
        plan.shown.clear();
        plan.roots = layer.roots();
        // The tree is there as a root; shown besides, it would lie over its own layer.
        plan.shown.clear();
        plan.report = Some(layer.report_path());
        plan
    }

    /// Plans a run by a mechanism that has no layers; the tree can be read.
    pub fn plan_without_layer(&self, mechanism: Mechanism, words: Vec<OsString>) -> Plan {
        let mut plan = Plan::new(mechanism, &self.folder, words);
        plan.hidden.clone_from(&self.hidden);
        // The layer of the first run may have made the folder that it lies in.
        let own = self.own.iter().filter_map(|path| fs::canonicalize(path).ok());
        plan.hidden.extend(own.filter(|path| !self.hidden.iter().any(|secret| path.starts_with(secret))));
        plan.locked.clone_from(&self.locked);
        plan.shown = self.roots.iter().filter(|(_, cache)| !cache).map(|(path, _)| path.clone()).collect();
        plan
    }
}

/// Returns the path that a setting means; none where it lies below a folder that is not there.
fn resolve(text: &String, home: Option<&Path>, tree: Option<&PathBuf>) -> Option<PathBuf> {
    match text.strip_prefix("~/") {
        Some(rest) => Some(home?.join(rest)),
        None if Path::new(text).is_absolute() => Some(text.into()),
        None => Some(tree?.join(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_add_what_is_hidden_kept_and_cached() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for path in ["work/.git", "work/keys", "work/cache", ".ssh", "vault/in", "store", "state/layers"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        for path in [".ssh/id", "work/.env", "work/keys/a.pem", "work/keys/b.txt", "vault/in/x"] {
            fs::write(home.join(path), "x").unwrap();
        }
        let own = [home.join("state")];
        let (at, layers) = (home.join("work/keys"), home.join("state/layers"));
        let caller = Caller { folder: &at, home: Some(&home), own: &own, layers: &layers };
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let mut settings = Settings {
            hidden: words(&["~/vault", "~/vault/in/x", "keys/*.pem", "/nowhere"]),
            keep_variables: words(&["API_KEY"]),
            caches: words(&["~/store", "~", "~/", "/", "work/cache", "~/state", "~/missing", "cache"]),
            ..Settings::default()
        };
        let found = Surroundings::of(&caller, &settings).unwrap();
        assert_eq!(found.tree(), Some(home.join("work").as_path()));
        assert_eq!(found.roots, [(home.join("work"), false), (home.join("store"), true)]);
        let below: Vec<_> = found.hidden.iter().filter_map(|path| path.strip_prefix(&home).ok()?.to_str()).collect();
        assert_eq!(below, [".ssh/id", "state", "vault", "work/keys/a.pem"]);
        assert_eq!(found.locked(), [home.join("work/.env")]);
        let variables = [("API_KEY", "a"), ("OTHER_KEY", "a"), ("NOTE", "hush"), ("LANG", "C")];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let left = found.variables(variables, |value| value == "hush");
        assert_eq!(left.iter().map(|(name, _)| name.to_str().unwrap()).collect::<Vec<_>>(), ["API_KEY", "LANG"]);
        settings.dotenv = Dotenv::Readable;
        assert_eq!(Surroundings::of(&caller, &settings).unwrap().locked(), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn the_folder_of_layers_is_hidden_though_the_first_layer_makes_it() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(home.join("work/.git")).unwrap();
        let (at, state) = (home.join("work"), home.join(".local/state/aish"));
        let (own, layers) = ([state.clone()], state.join("layers"));
        let caller = Caller { folder: &at, home: Some(&home), own: &own, layers: &layers };
        for _ in 0..2 {
            let found = Surroundings::of(&caller, &Settings::default()).unwrap();
            let layer = found.layer("x", None).unwrap();
            let plan = found.plan(&layer, vec!["true".into()]);
            assert_eq!(plan.hidden.iter().filter(|path| **path == state).count(), 1);
            layer.discard().unwrap();
        }
    }

    #[test]
    fn settings_that_hold_a_secret_are_hidden_and_who_commits_is_still_known() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for path in [".config/app", ".config/other", ".config/mine/.git", "layers"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        let secret = "token = a1B2c3D4e5\n";
        for file in [".config/app/settings.yml", ".config/mine/app.toml", ".apprc"] {
            fs::write(home.join(file), secret).unwrap();
        }
        fs::write(home.join(".config/other/settings.yml"), "colour = 1\n").unwrap();
        fs::write(home.join(".gitconfig"), "[user]\n\tname = Ana\n[http]\n\textraheader = Token: x\n").unwrap();
        let (at, layers) = (home.join(".config/mine"), home.join("layers"));
        let caller = Caller { folder: &at, home: Some(&home), own: &[], layers: &layers };
        let look = || Surroundings::of(&caller, &Settings::default()).unwrap();
        let below = |found: &Surroundings| -> Vec<String> {
            let below = found.hidden.iter().filter_map(|path| path.strip_prefix(&home).ok());
            below.map(|path| path.display().to_string()).collect()
        };
        let found = look();
        // What is worked in may speak of secrets.
        assert_eq!(below(&found), [".apprc", ".config/app/settings.yml"]);
        assert!(found.variables([], |_| false).is_empty());
        fs::write(home.join(".gitconfig"), "[user]\n\tname = Ana\n[x]\n\ttoken = a1B2c3D4e5\n").unwrap();
        let found = look();
        assert_eq!(below(&found), [".apprc", ".config/app/settings.yml", ".gitconfig"]);
        let known = [("GIT_AUTHOR_NAME".into(), "Eve".into())];
        let expected = [("GIT_AUTHOR_NAME".into(), "Eve".into()), ("GIT_COMMITTER_NAME".into(), "Ana".into())];
        assert_eq!(found.variables(known, |_| false), expected);
    }
}
