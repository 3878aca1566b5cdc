//! What a person's shells and git read at their start, wherever variables put it: those of this process, and those that files
//! set which shells read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::script_words;
use super::ways::{place, text};

/// What is read whenever a person's shell starts or connects to another host, from the home folder.
#[rustfmt::skip]
const STARTED: &[&str] = &[
    ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
    ".zlogout", ".bash_logout", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".xprofile", ".xsessionrc", ".xinitrc",
    ".config/fish/config.fish", ".ssh/config",
];

/// Folders whose files are read then too.
const STARTED_FOLDERS: &[&str] =
    &[".config/fish/conf.d", ".bashrc.d", ".zshrc.d", ".profile.d", ".config/environment.d"];

/// Files of git's settings for all of a person's work.
const OF_GIT: &[&str] = &[".gitconfig", ".config/git/config"];

/// Variables that name a folder in the place of one of the home folder, and those that name a file: for a shell, and for git.
const FOLDERS: &[(&str, &str)] = &[("ZDOTDIR", ""), ("XDG_CONFIG_HOME", ".config")];
const SHELL_FILES: &[&str] = &["BASH_ENV", "ENV"];
const GIT_FILES: &[&str] = &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];

/// Rounds of files that are found by what others set.
const ROUNDS: usize = 3;

/// What is read for a person.
#[derive(Default)]
pub(super) struct Person {
    /// What shells read.
    pub(super) scripts: BTreeSet<PathBuf>,
    /// What git reads.
    pub(super) configurations: BTreeSet<PathBuf>,
}

/// Lists what is read for the person of a home folder, there or not.
pub(super) fn of(home: &Path) -> Person {
    let of_process = FOLDERS.iter().map(|(name, _)| *name).chain(SHELL_FILES.iter().chain(GIT_FILES).copied());
    let mut values: BTreeSet<(&str, PathBuf)> =
        of_process.filter_map(|name| Some((name, PathBuf::from(std::env::var_os(name)?)))).collect();
    values.retain(|(_, path)| path.is_absolute());
    let mut person = Person::default();
    for _ in 0..ROUNDS {
        person.read_from(home, &values);
        let before = values.len();
        for script in &person.scripts {
            set(home, script, &mut values);
        }
        if values.len() == before {
            break;
        }
    }
    person.read_from(home, &values);
    person
}

impl Person {
    fn read_from(&mut self, home: &Path, values: &BTreeSet<(&str, PathBuf)>) {
        let places = |usual: &str| {
            let mut places = vec![home.join(usual)];
            for (name, value) in values {
                let folder = FOLDERS.iter().find(|(known, _)| known == name);
                let below = folder.and_then(|(_, folder)| Path::new(usual).strip_prefix(folder).ok());
                places.extend(below.map(|below| value.join(below)));
            }
            places
        };
        self.scripts.extend(STARTED.iter().flat_map(|usual| places(usual)));
        for folder in STARTED_FOLDERS.iter().flat_map(|usual| places(usual)) {
            self.scripts.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        self.configurations.extend(OF_GIT.iter().flat_map(|usual| places(usual)));
        for (name, value) in values {
            if SHELL_FILES.contains(name) {
                self.scripts.insert(value.clone());
            } else if GIT_FILES.contains(name) {
                self.configurations.insert(value.clone());
            }
        }
    }
}

/// Files that are read for everybody, and folders of such files: by shells, by services and at set times.
const OF_MACHINE: &[&str] = &[
    "/etc/profile",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/zshrc",
    "/etc/zshenv",
    "/etc/zprofile",
    "/etc/environment",
    "/etc/crontab",
    "/etc/rc.local",
    "/etc/ssh/ssh_config",
];
const FOLDERS_OF_MACHINE: &[&str] = &[
    "/etc/profile.d",
    "/etc/zsh",
    "/etc/cron.d",
    "/var/spool/cron",
    "/var/spool/cron/crontabs",
    "/etc/systemd/system",
    "/etc/systemd/user",
    "/etc/ssh/ssh_config.d",
];

/// Lists files that are read for everybody on this machine, or at set times for the person.
pub(super) fn of_machine() -> Vec<PathBuf> {
    let entries = FOLDERS_OF_MACHINE.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let files = OF_MACHINE.iter().map(PathBuf::from).chain(entries.map(|entry| entry.path()));
    files.filter(|path| path.is_file()).collect()
}

/// Adds what a script sets the variables to.
fn set(home: &Path, script: &Path, values: &mut BTreeSet<(&'static str, PathBuf)>) {
    let words = script_words::of(&text(script).text);
    let known = || FOLDERS.iter().map(|(name, _)| *name).chain(SHELL_FILES.iter().chain(GIT_FILES).copied());
    for pair in words.windows(2) {
        let [name, value] = pair else { continue };
        let Some(name) = known().find(|known| *known == name.text) else { continue };
        let value = value.text.strip_prefix("$HOME").map_or_else(|| value.text.clone(), |below| format!("~{below}"));
        let named = value.strip_prefix("$XDG_CONFIG_HOME/").map(|below| format!("~/.config/{below}"));
        let path = place(home, Some(home), named.as_deref().unwrap_or(&value));
        values.extend(path.filter(|path| path.starts_with("/")).map(|path| (name, path)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_files_set_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        fs::create_dir_all(home.join(".config/zsh")).unwrap();
        fs::create_dir_all(home.join(".bashrc.d")).unwrap();
        fs::write(home.join(".bashrc.d/one"), "").unwrap();
        fs::write(home.join(".zshenv"), "export ZDOTDIR=\"$HOME/.config/zsh\"\n").unwrap();
        fs::write(home.join(".config/zsh/.zshrc"), "export GIT_CONFIG_GLOBAL=~/own/git BASH_ENV=~/own/env\n").unwrap();
        let person = of(home);
        for path in [".bashrc", ".bashrc.d/one", ".config/zsh/.zshrc", "own/env", ".ssh/config"] {
            assert!(person.scripts.contains(&home.join(path)), "{path}");
        }
        for path in [".gitconfig", "own/git", ".config/git/config"] {
            assert!(person.configurations.contains(&home.join(path)), "{path}");
        }
    }
}
