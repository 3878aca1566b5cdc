//! `cargo xtask fuzz-smoke`: every fuzz target for 60 seconds, from its seed corpus.
//!
//! The targets are in `fuzz/`, outside the workspace. libFuzzer's instrumentation needs unstable compiler flags, which
//! `RUSTC_BOOTSTRAP=1` lets the stable compiler take.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// Seconds per target.
const SECONDS: u32 = 60;
/// The targets, named as in `fuzz/Cargo.toml`.
const TARGETS: &[&str] = &["analyser", "sanitizer"];

/// Builds and runs the targets; a crash, a time-out or a slow input is an error.
///
/// # Errors
/// When a target cannot be built, or fails.
pub(crate) fn run() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")?.join("fuzz");
    let host = host()?;
    for target in TARGETS {
        let build = Command::new("cargo")
            .current_dir(&folder)
            .env_remove("CARGO_TARGET_DIR")
            .env("RUSTC_BOOTSTRAP", "1")
            .env(
                "RUSTFLAGS",
                "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
                 -Cdebug-assertions -Ccodegen-units=1",
            )
            // With a target named, build scripts and macros stay without instrumentation.
            .args(["build", "--release", "--target", &host, "--bin", target])
            .status()
            .context("cannot start cargo")?;
        if !build.success() {
            bail!("the fuzz target {target} does not build");
        }
        let work = folder.join("work").join(target);
        std::fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
        let run = Command::new(folder.join("target").join(&host).join("release").join(target))
            .current_dir(&folder)
            .arg(&work)
            .arg(format!("corpus/{target}"))
            .arg(format!("-max_total_time={SECONDS}"))
            .args(["-timeout=10", "-max_len=65600", "-print_final_stats=1"])
            .status()
            .with_context(|| format!("cannot start the fuzz target {target}"))?;
        if !run.success() {
            bail!("the fuzz target {target} found a failure; the input is in fuzz/");
        }
    }
    Ok(())
}

/// Asks the compiler for its own target.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not name its host")?;
    Ok(line.to_string())
}
