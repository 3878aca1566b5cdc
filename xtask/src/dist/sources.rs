//! The sources that programs are built from.

use std::process::Command;

use anyhow::{Context, bail, ensure};

use crate::tree;

/// Which sources they are, and when they were committed.
#[derive(Debug, Clone)]
pub(super) struct Sources {
    /// What `scripts/source-hash.sh` prints.
    pub(super) hash: String,
    /// Seconds since 1970: `SOURCE_DATE_EPOCH`, else the time of the commit.
    pub(super) clock: u64,
}

impl Sources {
    /// Asks git and the script; a build wants everything committed.
    pub(super) fn load(is_built: bool) -> anyhow::Result<Self> {
        if is_built {
            let changed = said(Command::new("git").args(["status", "--porcelain"]))?;
            ensure!(changed.is_empty(), "commit first: a release is built from a commit\n{changed}");
        }
        let hash = said(&mut Command::new("scripts/source-hash.sh"))?;
        let clock = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(seconds) => seconds,
            Err(_) => said(Command::new("git").args(["log", "-1", "--format=%ct"]))?,
        };
        let clock = clock.parse().context("SOURCE_DATE_EPOCH is a number of seconds")?;
        Ok(Self { hash, clock })
    }
}

/// Runs a command in the root of the workspace and returns what it printed.
fn said(command: &mut Command) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.current_dir(tree::root()).output().with_context(|| format!("{name} cannot be started"))?;
    if !output.status.success() {
        bail!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
