//! `climax validate`: every fault of every file.

use std::path::Path;
use std::sync::Arc;

use climax::config::Tool;
use climax::fault::Position;
use climax::http::Hosts;
use climax::load::{self, Source};
use climax::schema::Flags;
use climax::{Catalogue, Config, Policy, Severity, expand, servers};

use super::configs::{self, OrAll, Selection};
use super::{Exit, output, places};

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
    let mut good = true;
    let mut policy = None;
    if let Some(path) = args.selection.policy.as_deref() {
        let (read, is_good) = validate_policy(path);
        good &= is_good;
        policy = read.map(|policy| (path, policy));
    }
    let mut aliases: Vec<String> = Vec::new();
    for list in &args.selection.servers {
        let (servers, is_good) = validate_list(list);
        aliases.extend(servers);
        good &= is_good;
    }
    // A policy may run the programs elsewhere.
    let here = args.selection.policy.is_none();
    for source in &sources {
        good &= config(source, here);
    }
    if let Some((path, policy)) = policy.filter(|_| !sources.is_empty()) {
        good &= names_what_is_there(path, policy, &sources, &aliases);
    }
    if good { Exit::Success } else { Exit::Failure }
}

/// Tells the tools and arguments that a policy names and none of the configs has: what is misspelt bounds nothing.
fn names_what_is_there(path: &Path, policy: Policy, sources: &[Source], listed: &[String]) -> bool {
    let configs = load::load(sources).configs;
    let own: Vec<String> =
        configs.iter().flat_map(|config| &config.servers).map(|server| server.alias.clone()).collect();
    let is_server = |name: &str| own.iter().chain(listed).any(|alias| alias == name);
    let catalogue = Catalogue::new(configs, Arc::new(policy), Flags::Hidden);
    let mut good = true;
    for warning in catalogue.warnings.iter().filter(|warning| !warning.is_of_server(is_server)) {
        if let Some(Position { line, column }) = warning.in_policy() {
            output::tell(&format!("{}:{line}:{column}: error: {warning}", path.display()));
            good = false;
        }
    }
    good
}

/// Validates a config and tells its faults, and whether its program is `here`.
pub(super) fn config(source: &Source, here: bool) -> bool {
    let loaded = load::load(std::slice::from_ref(source));
    let hosts = Hosts::new(places::state_folder().as_deref());
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
    let missing = loaded.configs.iter().filter(|_| here).find_map(|config| missing(config));
    match (errors, missing) {
        (0, Some(what)) => {
            output::line(&format!("{}: {tools} tools, but {what}", source.name()));
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

/// Says what a config needs and is not here: its program, those of its tools, its folder.
fn missing(config: &Config) -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok();
    let words = expand::command(&config.command, &variable);
    let programs: Vec<String> = match program(&words) {
        Some(program) => vec![program],
        // `env`, and each tool names its program.
        None => {
            let whole = |tool: Tool| words.iter().cloned().chain(tool.command).collect::<Vec<_>>();
            let mut all: Vec<String> = config.tools.iter().filter_map(|tool| program(&whole(tool))).collect();
            all.sort();
            all.dedup();
            all
        }
    };
    let gone: Vec<&str> = programs.iter().map(String::as_str).filter(|program| !is_here(program)).collect();
    let folder = config.working_dir.as_deref().map(|folder| expand::path(folder, &variable));
    match (gone.as_slice(), folder.filter(|folder| !Path::new(folder).is_dir())) {
        ([program], _) if program.contains('$') => {
            Some(format!("its program '{program}' names a variable that is not set"))
        }
        ([program], _) => Some(format!("its program '{program}' is not here")),
        ([], Some(folder)) => Some(format!("its folder '{folder}' (`working_dir`) is not here")),
        ([], None) => None,
        (several, _) => Some(format!("its programs {} are not here", several.join(", "))),
    }
}

/// Returns the program of a command line, also behind `env`; none where it names none.
fn program(words: &[String]) -> Option<String> {
    let mut words = words.iter();
    let first = words.next()?;
    if Path::new(first).file_name().is_none_or(|name| name != "env") {
        return Some(first.clone());
    }
    while let Some(word) = words.next() {
        match word.as_str() {
            "-u" | "--unset" | "-C" | "--chdir" => {
                words.next();
            }
            option if option.starts_with('-') || option.contains('=') => {}
            program => return Some(program.to_owned()),
        }
    }
    None
}

fn is_here(program: &str) -> bool {
    let is_program = |path: &Path| {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return is_program(Path::new(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_program(&folder.join(program)))
}

/// Reads a list of servers; what is not taken of it is told, and one that is left out is an error. Returns their names too.
fn validate_list(path: &Path) -> (Vec<String>, bool) {
    match servers::read_list(path) {
        Ok(list) => {
            list.left_out.iter().chain(&list.notes).for_each(|note| output::tell(&aish_types::sanitize(note)));
            let (name, count) = (path.to_string_lossy(), list.servers.len());
            let good = list.left_out.is_empty();
            output::line(&format!("{name}: {}, {count} servers", if good { "ok" } else { "some are left out" }));
            (list.servers.into_iter().map(|server| server.alias).collect(), good)
        }
        Err(why) => {
            output::tell(&format!("error: {}", aish_types::sanitize(&why)));
            (Vec::new(), false)
        }
    }
}

fn validate_policy(path: &Path) -> (Option<Policy>, bool) {
    let Some((policy, faults)) = configs::policy_and_faults(path) else { return (None, false) };
    let name = path.to_string_lossy();
    let good = faults.iter().all(|fault| fault.severity <= Severity::Warning);
    output::line(&format!("{name}: {}", if good { "ok" } else { "not usable" }));
    (policy, good)
}
