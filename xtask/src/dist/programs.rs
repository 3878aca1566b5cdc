//! The programs that are packed, and what they say of themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use super::entry::Entry;
use super::facts::Facts;

/// Built programs by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Programs {
    paths: Vec<(String, PathBuf)>,
}

impl Programs {
    /// Takes all programs from one folder.
    pub(super) fn in_folder(folder: &Path, facts: &Facts) -> anyhow::Result<Self> {
        let mut programs = Self::default();
        for name in &facts.programs {
            programs.add(name, folder.join(name))?;
        }
        Ok(programs)
    }

    /// Adds a program, which has to be there.
    pub(super) fn add(&mut self, name: &str, path: PathBuf) -> anyhow::Result<()> {
        ensure!(path.is_file(), "{name} is not at {}", path.display());
        // A folder that is relative would be looked for on the PATH when the program is started.
        self.paths.push((name.to_owned(), path.canonicalize()?));
        Ok(())
    }

    /// Reads them, as files of `bin`.
    pub(super) fn entries(&self) -> anyhow::Result<Vec<Entry>> {
        let read = |(name, path): &(String, PathBuf)| {
            let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
            Ok(Entry::program(format!("bin/{name}"), bytes))
        };
        self.paths.iter().map(read).collect()
    }

    /// Starts a program without anything of this machine's user and returns what it prints.
    pub(super) fn say(&self, name: &str, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
        let (_, path) =
            self.paths.iter().find(|(known, _)| known == name).with_context(|| format!("there is no {name}"))?;
        let mut command = Command::new(path);
        command.args(arguments).env_clear().env("HOME", "/nonexistent").env("PATH", "/usr/bin:/bin");
        let output = command.output().with_context(|| format!("{} cannot be started", path.display()))?;
        let line = arguments.join(" ");
        let why = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{name} {line} failed ({}): {}", output.status, why.trim());
        ensure!(!output.stdout.is_empty() || arguments.contains(&"manual"), "{name} {line} printed nothing");
        Ok(output.stdout)
    }
}
