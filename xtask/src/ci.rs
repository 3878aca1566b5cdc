//! `ci`: the style checks over the whole workspace; `.ci/run` calls them after `./test`.
//!
//! Clippy takes the same packages, profile and features as `./test`, so that nothing is built twice.

use crate::{arrows, licences, step, tidy};

/// Checks format, files, arrows, licences and lints of every member and every target.
pub(crate) fn run() -> anyhow::Result<()> {
    step::cargo("format", &["fmt", "--all", "--check"])?;
    tidy::run()?;
    arrows::run()?;
    licences::run()?;
    step::cargo("clippy", &["clippy", "--quiet", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"])
}
