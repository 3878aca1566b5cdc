//! `climax validate`: every fault of every file.

use std::path::Path;

use climax::http::Hosts;
use climax::load::{self, Source};
use climax::{Severity, servers};

use super::configs::{self, OrAll, Selection};
use super::{Exit, output, run};

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
    let nothing = args.names.is_empty()
        && args.selection.config.is_empty()
        && (or_all == OrAll::Nothing || !args.selection.servers.is_empty());
    let sources = if nothing { Some(Vec::new()) } else { configs::sources(&args.names, &args.selection, or_all) };
    let Some(sources) = sources else { return Exit::Failure };
    let mut good = args.selection.policy.as_deref().is_none_or(validate_policy);
    for list in &args.selection.servers {
        good &= validate_list(list);
    }
    // A policy may run the programs elsewhere.
    let here = args.selection.policy.is_none();
    for source in &sources {
        good &= config(source, here);
    }
    if good { Exit::Success } else { Exit::Failure }
}

/// Validates a config and tells its faults, and whether its program is `here`.
pub(super) fn config(source: &Source, here: bool) -> bool {
    let loaded = load::load(std::slice::from_ref(source));
    let hosts = Hosts::new(run::state_folder().as_deref());
    for fault in &loaded.faults {
        output::tell(&fault.to_string());
    }
    for api in loaded.configs.iter().filter_map(|config| config.api.as_ref()) {
        if let Some(auth) = api.auth.as_ref().filter(|auth| !hosts.holds(&auth.env, &api.origin())) {
            let (env, origin) = (&auth.env, api.origin());
            output::tell(&format!(
                "{}: note: the token in {env} is sent nowhere yet: nobody confirmed {origin} (`climax import --openapi`)",
                source.name()
            ));
        }
    }
    let errors = loaded.faults.iter().filter(|fault| fault.severity > Severity::Warning).count();
    let tools: usize = loaded.configs.iter().map(|config| config.tools.len()).sum();
    let servers: usize = loaded.configs.iter().map(|config| config.servers.len()).sum();
    let missing = loaded.configs.iter().filter(|_| here).find_map(|config| missing_program(&config.command));
    match (errors, missing) {
        (0, Some(program)) => {
            output::line(&format!("{}: {tools} tools, but its program '{program}' is not here", source.name()));
            // One that comes with us is for whoever has the program.
            return matches!(source, Source::Bundled(_));
        }
        (0, None) if servers > 0 => output::line(&format!("{}: ok, {tools} tools, {servers} servers", source.name())),
        (0, None) => output::line(&format!("{}: ok, {tools} tools", source.name())),
        (1, _) => output::line(&format!("{}: 1 error", source.name())),
        (errors, _) => output::line(&format!("{}: {errors} errors", source.name())),
    }
    errors == 0
}

/// Returns the program of a command that cannot be started; none where it can, or where only a run will tell.
fn missing_program(command: &str) -> Option<String> {
    let words = climax::expand::command(command, &|name: &str| std::env::var(name).ok());
    let program = words.into_iter().next().filter(|program| !program.contains('$'))?;
    let is_program = |path: &Path| {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    let found = if program.contains('/') {
        is_program(Path::new(&program))
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| is_program(&folder.join(&program)))
    };
    (!found).then_some(program)
}

/// Reads a list of servers; what is not taken of it is told, and one that is left out is an error.
fn validate_list(path: &Path) -> bool {
    match servers::read_list(path) {
        Ok(list) => {
            list.left_out.iter().chain(&list.notes).for_each(|note| output::tell(&aish_types::sanitize(note)));
            let (name, count) = (path.to_string_lossy(), list.servers.len());
            let good = list.left_out.is_empty();
            output::line(&format!("{name}: {}, {count} servers", if good { "ok" } else { "some are left out" }));
            good
        }
        Err(why) => {
            output::tell(&format!("error: {}", aish_types::sanitize(&why)));
            false
        }
    }
}

fn validate_policy(path: &Path) -> bool {
    let Some((_, faults)) = configs::policy_and_faults(path) else { return false };
    let name = path.to_string_lossy();
    let good = faults.iter().all(|fault| fault.severity <= Severity::Warning);
    output::line(&format!("{name}: {}", if good { "ok" } else { "not usable" }));
    good
}
