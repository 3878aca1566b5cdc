//! Runs one command of a sequence and says how long it took.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

/// Runs a program with the terminal as it is; an exit code other than 0 is an error.
fn run(name: &str, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> anyhow::Result<()> {
    eprintln!("== {name}");
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(arguments).envs(variables.iter().copied());
    // What `cargo xtask` hands down belongs to the run of xtask itself.
    for (name, _) in std::env::vars_os() {
        let own =
            name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"));
        if own {
            command.env_remove(name);
        }
    }
    let status = command.status().with_context(|| format!("{program} cannot be started"))?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    eprintln!("== {name}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs cargo, the one that runs us.
pub(crate) fn cargo(name: &str, arguments: &[&str]) -> anyhow::Result<()> {
    cargo_with(name, arguments, &[])
}

/// Runs cargo with further variables.
pub(crate) fn cargo_with(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> anyhow::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    run(name, &cargo, arguments, variables)
}
