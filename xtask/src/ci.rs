//! `ci`: the style checks over the whole workspace; `.ci/run` calls them after `./test`.
//!
//! Clippy takes the same packages, profile and features as `./test`, so that nothing is built twice.

use anyhow::bail;

use crate::{arrows, licences, step, tidy, unused};

/// Checks format, files, arrows, unused dependencies, licences and lints of every member and every target; a failure does not hide the next.
pub(crate) fn run() -> anyhow::Result<()> {
    let clippy = ["clippy", "--quiet", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let checks = [
        step::cargo("format", &["fmt", "--all", "--check"]),
        tidy::run(),
        arrows::run(),
        unused::run(),
        licences::run(),
        step::cargo("clippy", &clippy),
    ];
    let failures: Vec<String> = checks.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
    if !failures.is_empty() {
        bail!("{}", failures.join("; "));
    }
    Ok(())
}
