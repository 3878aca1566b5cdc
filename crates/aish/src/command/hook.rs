//! `aish hook`: other agents' commands, judged here before they run.
//!
//! [`event`] answers an agent and fails closed; [`install`] and [`status`] are for people.

pub mod event;
pub mod install;
pub mod status;

use std::path::{Path, PathBuf};

use aish_hook::agent::{Agent, Place, Scope};

use crate::arguments::{HookCommand, SharedFlags};
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;

/// Runs a sub-command.
///
/// # Errors
/// When an agent's settings cannot be read or written; `run` has no errors but its exit code.
pub fn run(shared: &SharedFlags, command: &HookCommand, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    match command {
        HookCommand::Install(flags) => install::install(&Base::load(shared), flags, print),
        HookCommand::Uninstall { agent, scope } => install::uninstall(&Base::load(shared), *agent, *scope, print),
        HookCommand::Status { agent, json } => status::run(&Base::load(shared), *agent, *json, print),
        HookCommand::Run { agent, event } => Ok(event::run(shared, *agent, event)),
    }
}

/// Returns the file with an agent's hooks.
fn place(base: &Base, agent: Agent, scope: Scope) -> Option<Place> {
    let variable = |name: &str| base.variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    agent.place(scope, project(base), base.paths.home.as_deref(), variable)
}

/// Returns the files that decide whether and how hooks run; nothing but a person may change one.
fn hook_files(base: &Base, scopes: &[Scope]) -> Vec<String> {
    let places = Agent::ALL.into_iter().flat_map(|agent| scopes.iter().map(move |scope| place(base, agent, *scope)));
    places.flatten().map(|place| place.path.display().to_string()).collect()
}

/// Returns the folder of the project: the root of its repository, else the working folder.
pub(super) fn project(base: &Base) -> &Path {
    let root = base.folder.ancestors().find(|folder| folder.join(".git").exists());
    root.unwrap_or(&base.folder)
}
