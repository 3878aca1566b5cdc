//! Names and paths of the command line to a catalogue.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aish_types::near::slip;
use clap::CommandFactory;
use climax::kept::KeptTools;
use climax::load::Source;
use climax::policy::{self, Policy};
use climax::schema::Flags;
use climax::servers::{self, ServerEntry};
use climax::{Catalogue, Fault, Severity, bundled};

use super::last_good::LastGood;
use super::output;
use super::places::state_folder;

/// Which configs, and what is left of them.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Selection {
    /// A config of your own; may be given several times
    #[arg(long = "config", value_name = "FILE")]
    pub(super) config: Vec<PathBuf>,
    /// A list of MCP servers as Claude, Cursor, VS Code, Gemini, opencode (JSON) or Codex (TOML) keep it; may be given
    /// several times
    #[arg(long = "servers", value_name = "FILE")]
    pub(super) servers: Vec<PathBuf>,
    /// A policy: which tools are left, what is asked, where they run
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
}

/// Finds the sources; without any, all bundled configs where `or_all` says so. The error is told already.
pub(super) fn sources(names: &[String], selection: &Selection, or_all: OrAll) -> Option<Vec<Source>> {
    if names.is_empty() && selection.config.is_empty() {
        return match or_all {
            _ if !selection.servers.is_empty() => Some(Vec::new()),
            OrAll::Bundled => Some(bundled::ALL.iter().map(Source::Bundled).collect()),
            OrAll::Nothing => {
                let names: Vec<&str> = bundled::ALL.iter().map(|bundled| bundled.name).collect();
                output::tell(&format!("Name a config, as in `climax run git`. Bundled are: {}.", names.join(", ")));
                None
            }
        };
    }
    let mut sources = Vec::new();
    let mut all_found = true;
    for name in names {
        match Source::find(name) {
            Ok(found) => sources.extend(found),
            Err(error) => {
                // A misspelt command is read as a name.
                match near_command(name).filter(|_| all_found && sources.is_empty() && or_all == OrAll::Nothing) {
                    Some(command) => {
                        output::tell(&format!("error: there is no command '{name}'; did you mean `climax {command}`?"));
                        return None;
                    }
                    None => output::tell(&format!("error: {error}")),
                }
                all_found = false;
            }
        }
    }
    sources.extend(selection.config.iter().cloned().map(Source::File));
    all_found.then_some(sources)
}

/// Returns the command that a word misspells.
fn near_command(word: &str) -> Option<String> {
    let command = super::Cli::command();
    let names = command.get_subcommands().map(|command| command.get_name().to_owned());
    slip(word, names.filter(|name| name.len() > 3))
}

/// What no names mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OrAll {
    /// All bundled configs.
    Bundled,
    /// An error.
    Nothing,
}

/// Reads a policy file. The error is told already.
pub(super) fn read_policy(path: Option<&Path>) -> Option<Policy> {
    path.map_or_else(|| Some(Policy::default()), |path| policy_and_faults(path)?.0)
}

/// Reads a policy file and tells its faults; none where there is none to be read, which is told already.
pub(super) fn policy_and_faults(path: &Path) -> Option<(Option<Policy>, Vec<Fault>)> {
    let name = path.to_string_lossy();
    match climax::load::read_text(path) {
        Ok(text) => {
            let (policy, faults) = policy::read(&name, &text);
            faults.iter().for_each(|fault| output::tell(&fault.to_string()));
            Some((policy, faults))
        }
        Err(why) => {
            output::tell(&format!("error: the policy {name}: {why}"));
            None
        }
    }
}

/// What configs and lists of servers give.
pub(super) struct Tools {
    /// The tools of programs.
    pub(super) catalogue: Catalogue,
    /// MCP servers, with names that are unlike.
    pub(super) servers: Vec<ServerEntry>,
}

/// Loads configs and lists of servers: faults are told, and what can be read is left. The error is told already.
pub(super) fn tools(sources: &[Source], selection: &Selection, flags: Flags) -> Option<Tools> {
    tools_since(sources, selection, flags, &mut LastGood::default())
}

/// Loads as [`tools`] does; of a file that is broken now, what it was `last` is left.
pub(super) fn tools_since(
    sources: &[Source],
    selection: &Selection,
    flags: Flags,
    last: &mut LastGood,
) -> Option<Tools> {
    let policy = read_policy(selection.policy.as_deref())?;
    let (mut loaded, kept) = KeptTools::load(state_folder().as_deref(), sources);
    for fault in &loaded.faults {
        match fault.severity {
            Severity::Note => tracing::debug!("{fault}"),
            Severity::Warning | Severity::Contradiction | Severity::Error => output::tell(&fault.to_string()),
        }
    }
    last.mend(sources, &mut loaded);
    if loaded.configs.is_empty() && loaded.faults.iter().any(|fault| fault.severity == Severity::Error) {
        output::tell("No config could be read.");
        return None;
    }
    let mut entries = listed(&selection.servers)?;
    entries.extend(loaded.configs.iter().flat_map(|config| config.servers.iter().cloned()));
    let (servers, warnings) = servers::joined(entries);
    let is_here = !servers.is_empty() || loaded.configs.iter().any(|config| config.api.is_some());
    let is_elsewhere = matches!(policy.executor, climax::policy::Executor::Docker(_)) && is_here;
    let catalogue = Catalogue::with_kept(loaded.configs, Arc::new(policy), flags, kept);
    // A policy may name a tool of a server that was not started yet.
    let is_server = |name: &str| servers.iter().any(|entry| entry.alias == name);
    for warning in catalogue.warnings.iter().filter(|warning| !warning.is_of_server(is_server)) {
        output::tell(&format!("warning: {warning}"));
    }
    for warning in &warnings {
        output::tell(&format!("warning: {warning}"));
    }
    if is_elsewhere {
        output::tell(
            "warning: the policy's executor is for programs; MCP servers and APIs are reached from here, without a container",
        );
    }
    Some(Tools { catalogue, servers })
}

/// Reads lists of servers; what is left out of one is told. The error is told already.
fn listed(lists: &[PathBuf]) -> Option<Vec<ServerEntry>> {
    let mut entries = Vec::new();
    for list in lists {
        match servers::read_list(list) {
            Ok(list) => {
                entries.extend(list.servers);
                list.left_out
                    .iter()
                    .chain(&list.notes)
                    .for_each(|note| output::tell(&format!("warning: {}", aish_types::sanitize(note))));
            }
            Err(why) => {
                output::tell(&format!("error: {}", aish_types::sanitize(&why)));
                return None;
            }
        }
    }
    Some(entries)
}
