//! `quick`: the inner loop, seconds when little has changed.

use std::process::{Command, Stdio};

use crate::{arrows, step, tidy, unused};

/// Checks format, files, arrows, unused dependencies and lints of the default members, then runs their unit tests.
pub(crate) fn run() -> anyhow::Result<()> {
    step::cargo("format", &["fmt", "--all", "--check"])?;
    tidy::run()?;
    arrows::run()?;
    unused::run()?;
    step::cargo("clippy", &["clippy", "--quiet", "--", "-D", "warnings"])?;
    if nextest_is_there() {
        step::cargo("unit tests", &["nextest", "run", "--lib", "--bins", "--no-tests=pass"])
    } else {
        step::cargo("unit tests", &["test", "--quiet", "--lib", "--bins"])
    }
}

fn nextest_is_there() -> bool {
    Command::new("cargo-nextest")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
