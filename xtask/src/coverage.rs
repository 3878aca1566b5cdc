//! `cargo xtask coverage`: the line coverage of the tool crates, by cargo-tarpaulin.
//!
//! No part of `ci`: it needs `cargo install cargo-tarpaulin`, and a build of its own.

use std::process::Command;

use anyhow::{Result, bail};

use crate::step::{cargo, cargo_with};

/// What is covered: the registry, the executor and the built-in tools; the plugins and the chat service.
const CRATES: &[&str] = &["aish-tools", "aish-nats"];
/// Per cent of the lines of both, at least.
const LEAST: &str = "85";
/// Seconds that the tests may be silent: those against an oracle take long when they are counted line by line.
const PATIENCE: &str = "900";

/// Runs the crates' tests under the tool, and fails below the least.
///
/// # Errors
/// When cargo-tarpaulin is missing, a test fails, or too little is covered.
pub(crate) fn run() -> Result<()> {
    let found = Command::new("cargo").args(["tarpaulin", "--engine", "llvm", "--print-rust-flags"]).output();
    let Some(found) = found.ok().filter(|output| output.status.success()) else {
        bail!("cargo-tarpaulin is missing: cargo install cargo-tarpaulin --locked");
    };
    // The tests start the sample plugin, which the tool does not build: with its flags nothing is built twice.
    let said = String::from_utf8_lossy(&found.stdout);
    let flags = said.lines().find_map(|line| line.trim().strip_prefix("RUSTFLAGS=")).unwrap_or_default();
    let plugin = ["build", "--package", "aish-nats", "--example", "dice_plugin"];
    cargo_with("the sample plugin", &plugin, &[("RUSTFLAGS", flags.trim_matches('"'))])?;
    let mut arguments = vec!["tarpaulin", "--engine", "llvm", "--skip-clean", "--out", "stdout", "--fail-under", LEAST];
    arguments.extend(["--timeout", PATIENCE]);
    let files: Vec<String> = CRATES.iter().map(|name| format!("crates/{name}/src/*")).collect();
    for (name, file) in CRATES.iter().zip(&files) {
        arguments.extend(["--packages", name, "--include-files", file]);
    }
    cargo("line coverage of the tool crates", &arguments)
}
