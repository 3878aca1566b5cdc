//! `cargo xtask coverage`: the line coverage of the tool crates, by cargo-tarpaulin.
//!
//! No part of `ci`: it needs `cargo install cargo-tarpaulin`, and a build of its own.

use std::process::Command;

use anyhow::{Result, bail};

use crate::step::cargo;

/// What is covered: the registry, the executor and the built-in tools; the plugins and the chat service.
const CRATES: &[&str] = &["aish-tools", "aish-nats"];
/// Per cent of the lines of both, at least.
const LEAST: &str = "85";

/// Runs the crates' tests under the tool, and fails below the least.
///
/// # Errors
/// When cargo-tarpaulin is missing, a test fails, or too little is covered.
pub(crate) fn run() -> Result<()> {
    let found = Command::new("cargo").args(["tarpaulin", "--version"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        bail!("cargo-tarpaulin is missing: cargo install cargo-tarpaulin --locked");
    }
    let mut arguments = vec!["tarpaulin", "--engine", "llvm", "--skip-clean", "--out", "stdout", "--fail-under", LEAST];
    let files: Vec<String> = CRATES.iter().map(|name| format!("crates/{name}/src/*")).collect();
    for (name, file) in CRATES.iter().zip(&files) {
        arguments.extend(["--packages", name, "--include-files", file]);
    }
    cargo("line coverage of the tool crates", &arguments)
}
