//! `climax validate`: every fault of every file.

use std::path::Path;

use climax::load::{self, Source};
use climax::{Severity, policy};

use super::configs::{self, OrAll, Selection};
use super::{Exit, output};

/// Arguments of `validate`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// Configs by name or path; all bundled ones unless given
    #[arg(value_name = "NAME|PATH")]
    names: Vec<String>,
    #[command(flatten)]
    selection: Selection,
}

/// Validates; the exit says whether there was any error.
pub(super) fn run(args: &Args) -> Exit {
    let or_all = if args.selection.policy.is_some() { OrAll::Nothing } else { OrAll::Bundled };
    let nothing = args.names.is_empty() && args.selection.config.is_empty() && or_all == OrAll::Nothing;
    let sources = if nothing { Some(Vec::new()) } else { configs::sources(&args.names, &args.selection, or_all) };
    let Some(sources) = sources else { return Exit::Failure };
    let mut good = args.selection.policy.as_deref().is_none_or(validate_policy);
    for source in &sources {
        good &= validate_config(source);
    }
    if good { Exit::Success } else { Exit::Failure }
}

fn validate_config(source: &Source) -> bool {
    let loaded = load::load(std::slice::from_ref(source));
    for fault in &loaded.faults {
        output::tell(&fault.to_string());
    }
    let errors = loaded.faults.iter().filter(|fault| fault.severity > Severity::Warning).count();
    let tools: usize = loaded.configs.iter().map(|config| config.tools.len()).sum();
    match errors {
        0 => output::line(&format!("{}: ok, {tools} tools", source.name())),
        1 => output::line(&format!("{}: 1 error", source.name())),
        errors => output::line(&format!("{}: {errors} errors", source.name())),
    }
    errors == 0
}

fn validate_policy(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            output::tell(&format!("error: the policy {name} cannot be read: {error}"));
            return false;
        }
    };
    let faults = policy::read(&name, &text).1;
    for fault in &faults {
        output::tell(&fault.to_string());
    }
    let good = faults.iter().all(|fault| fault.severity <= Severity::Warning);
    output::line(&format!("{name}: {}", if good { "ok" } else { "not usable" }));
    good
}
