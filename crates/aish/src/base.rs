//! What every command starts from: environment, folders, configuration, project, clock, secrets and the database.
//!
//! Data alone. Each feature opens itself from it (`KeptLog::of`, `Ledger::of`, `UndoKeeper::open`); what is put together of
//! several is in [`crate::conversation`] and [`crate::toolset`].

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use aish_journal::{AuditFile, PinFile, WallClock, read_whole};
use aish_safety::{Approval, Policy, Surroundings};
use aish_store::Store;

use crate::arguments::SharedFlags;
use crate::config::diagnostic::{About, Diagnostic, Severity};
use crate::config::section::{ApprovalMode, Config};
use crate::paths::Paths;
use crate::project::Project;
use crate::secrets::Secrets;

/// Variables whose values hold for every command of a session; others may have been set anew since aish started.
const STEADY: &[&str] = &["HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// Bytes of a configuration's file; nothing of a longer one is used.
const LONGEST_CONFIG: u64 = 1 << 20;

/// What every command starts from.
#[derive(Clone)]
pub struct Base {
    /// The environment.
    pub variables: Vec<(String, String)>,
    /// The folders.
    pub paths: Paths,
    /// The configuration.
    pub config: Config,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// The whole of it, for `aish config show`.
    pub loaded: crate::config::Loaded,
    /// The configuration's file, there or not.
    pub config_path: Option<PathBuf>,
    /// The working folder.
    pub folder: PathBuf,
    /// The files of the project around it.
    pub project: Project,
    /// The clock of logs.
    pub clock: WallClock,
    /// The secrets that this run knows.
    pub secrets: Arc<Secrets>,
    /// History, memory and ledger; opened at its first use.
    pub store: Arc<Store>,
    /// When the program started.
    pub started: Instant,
}

impl Base {
    /// Reads environment and configuration. What is wrong with them is in `diagnostics`.
    pub fn load(flags: &SharedFlags) -> Self {
        Self::load_in(flags, std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")))
    }

    /// Does what [`Base::load`] does for another folder than the program's own.
    pub fn load_in(flags: &SharedFlags, folder: PathBuf) -> Self {
        let variables: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let paths = Paths::from_environment(&|name| lookup(&variables, name));
        let path = flags.config.clone().or_else(|| paths.config.clone());
        let is_named = flags.config.is_some() || lookup(&variables, "AISH_CONFIG").is_some_and(|path| !path.is_empty());
        let missing = if is_named { MissingConfig::IsFault } else { MissingConfig::IsFine };
        let mut faults = Vec::new();
        let text = path.as_deref().and_then(|path| read_config(path, missing, &mut faults));
        let user_file = path.as_deref().zip(text.as_deref());
        let mut loaded = crate::config::load(user_file, &[], &variables);
        let trust = paths.trust();
        let mut project = Project::read(&folder, &loaded.config.project.instructions, &trust);
        let settings: Vec<_> = project.settings().map(|file| (file.path.as_path(), file.text.as_str())).collect();
        if !settings.is_empty() {
            loaded = crate::config::load(user_file, &settings, &variables);
            project = Project::read(&folder, &loaded.config.project.instructions, &trust);
        }
        loaded = loaded.with_programs(paths.config.as_deref());
        faults.iter().take(1).for_each(|why| loaded.misses_a_file(why));
        faults.append(&mut loaded.diagnostics);
        let clock = WallClock::default();
        let store = match &paths.state {
            Some(state) => Store::new(state.join("aish.db"), clock.clone()),
            None => Store::without_place("neither HOME nor XDG_STATE_HOME is set", clock.clone()),
        };
        let secrets = Arc::new(Secrets::collect(&variables, &loaded.config));
        Self {
            variables,
            paths,
            config: loaded.config.clone(),
            diagnostics: faults,
            loaded,
            config_path: path,
            folder,
            project,
            secrets,
            clock,
            store: Arc::new(store),
            started: Instant::now(),
        }
    }

    /// Looks a variable of the environment up.
    pub fn variable(&self, name: &str) -> Option<String> {
        lookup(&self.variables, name)
    }

    /// Returns what is known around a command in the folder of the start.
    pub fn surroundings(&self) -> Surroundings {
        self.surroundings_in(&self.folder)
    }

    /// Returns what is known around a command in a folder, with the settings that stand there now.
    pub fn surroundings_in(&self, folder: &Path) -> Surroundings {
        let folder = folder.display().to_string();
        Surroundings { brought: aish_tools::brought(&folder), folder: Some(folder), ..self.surroundings_anywhere() }
    }

    /// Returns what is known around a command wherever it runs.
    pub fn surroundings_anywhere(&self) -> Surroundings {
        Surroundings {
            home: self.paths.home.as_ref().map(|home| home.display().to_string()),
            variables: self.variables.iter().filter(|(name, _)| STEADY.contains(&name.as_str())).cloned().collect(),
            exported: Arc::new(self.variables.iter().map(|(name, _)| name.clone()).collect()),
            protected: self.protected(),
            ..Surroundings::default()
        }
    }

    /// Returns files and folders that nothing but a person may change; the file that `--config` names is one.
    pub fn protected(&self) -> Vec<String> {
        let mut protected = self.paths.protected();
        let named = self.config_path.as_deref().filter(|&path| self.paths.config.as_deref() != Some(path));
        protected.extend(named.map(|path| self.folder.join(path).display().to_string()));
        protected
    }

    /// Returns the policy that the gate applies.
    pub fn policy(&self) -> Policy {
        Policy {
            auto_approve: self.config.mcp.auto_approve.clone(),
            confirm_cmd: self.config.shell.confirm_cmd,
            approval: match self.config.approval.mode {
                ApprovalMode::Ask => Approval::Ask,
                ApprovalMode::Auto => Approval::Auto,
                ApprovalMode::Strict => Approval::Strict,
            },
            broken: self.loaded.policy.broken.clone(),
            rules: self.loaded.policy.rules.clone(),
            ..Policy::default()
        }
    }

    /// Returns where decisions are written.
    pub fn audit(&self) -> AuditFile {
        AuditFile::new(self.in_state("audit.jsonl"), self.clock.clone())
    }

    /// Returns where definitions are pinned.
    pub fn pins(&self) -> PinFile {
        PinFile::new(self.in_state("pins.json"))
    }

    /// Returns the path of a file of the state folder.
    pub fn in_state(&self, name: &str) -> PathBuf {
        self.paths.in_state(name)
    }

    /// Says that the shell's program is not there; it is looked for as a shell does.
    pub fn shell_fault(&self) -> Option<String> {
        let program = &self.config.shell.program;
        let path = self.variable("PATH").unwrap_or_default();
        let mut places = std::env::split_paths(&path);
        let is_there = match program.contains('/') {
            true => Path::new(program).is_file(),
            false => places.any(|folder| folder.join(program).is_file()),
        };
        let why = "is not there, so that no command runs; `aish config edit` opens the configuration";
        (!is_there).then(|| format!("shell.program: {program} {why}"))
    }

    /// Says what is wrong with the configuration, a line each.
    pub fn faults(&self) -> Vec<String> {
        self.diagnostics.iter().map(ToString::to_string).collect()
    }

    /// Says whether the configuration has an error and not only warnings.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

fn lookup(variables: &[(String, String)], name: &str) -> Option<String> {
    variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}

/// What it is that there is no configuration's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingConfig {
    /// A fault: the person said where it is.
    IsFault,
    /// Nothing that is worth a word.
    IsFine,
}

/// Reads the configuration's file; what is wrong with it is added to `faults`.
pub fn read_config(path: &Path, missing: MissingConfig, faults: &mut Vec<Diagnostic>) -> Option<String> {
    // It may be a pipe (`--config <(…)`), which has no size.
    match File::open(path).and_then(|file| read_whole(file, LONGEST_CONFIG)) {
        Ok(text) => Some(text),
        Err(error)
            if error.kind() == std::io::ErrorKind::NotFound
                && missing == MissingConfig::IsFine
                && !path.ancestors().any(leads_nowhere) =>
        {
            None
        }
        Err(error) => {
            faults.push(Diagnostic {
                severity: Severity::Error,
                place: path.display().to_string(),
                position: None,
                about: About::Whole,
                message: format!("cannot be read: {error}; the defaults are used"),
            });
            None
        }
    }
}

/// Says whether a link is there and what it leads to is not, as where a disk with a person's settings is not mounted.
fn leads_nowhere(path: &Path) -> bool {
    path.is_symlink() && !path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_configuration_that_is_not_there_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let faults_at = |path: PathBuf| {
            let mut faults = Vec::new();
            assert_eq!(read_config(&path, MissingConfig::IsFine, &mut faults), None);
            faults.len()
        };
        assert_eq!(faults_at(folder.path().join("aish/config.toml")), 0);
        std::os::unix::fs::symlink("/no/such/folder", folder.path().join("aish")).unwrap();
        assert_eq!(faults_at(folder.path().join("aish/config.toml")), 1);
        std::os::unix::fs::symlink("/no/such/file", folder.path().join("config.toml")).unwrap();
        assert_eq!(faults_at(folder.path().join("config.toml")), 1);
    }

    #[test]
    fn a_configuration_without_an_end_is_a_fault() {
        let mut faults = Vec::new();
        assert_eq!(read_config(Path::new("/dev/zero"), MissingConfig::IsFault, &mut faults), None);
        let said: Vec<_> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(said, ["/dev/zero: error: cannot be read: it has more than 1 MiB; the defaults are used"]);
    }
}
