//! `aish self uninstall`: out of every place that aish wrote into, and no further.
//!
//! Hooks of agents and servers of other programs first, because their backups are in the state; then our line in the files of
//! shells; the state last, and only when all of that has worked.

use std::path::{Path, PathBuf};

use aish_hook::agent::Agent;
use aish_hook::server::Program;

use super::rc;
use crate::arguments::{HookScope, McpInstallFlags, SelfUninstallFlags};
use crate::base::Base;
use crate::command::settings::{What, read, restore_others};
use crate::command::{hook, mcp};
use crate::exit::ExitCode;
use crate::failure::{Failure, ResultExt as _};
use crate::installation::Installation;
use crate::run::complain;

/// Takes everything out, says what, and ends with the command that takes the programs away; exit code 1 when something stayed.
pub(super) fn run(base: &Base, flags: &SelfUninstallFlags, print: &mut dyn FnMut(&str)) -> ExitCode {
    let mut faults: Vec<Failure> = Vec::new();
    let scopes = [
        HookScope { user: true, ..HookScope::default() },
        HookScope { project: true, ..HookScope::default() },
        HookScope { shared: true, ..HookScope::default() },
    ];
    for (agent, scope) in Agent::ALL.into_iter().flat_map(|agent| scopes.map(|scope| (agent, scope))) {
        faults.extend(hook::install::leave(base, agent, scope, flags.dry_run, print).err());
    }
    for (program, project) in Program::ALL.into_iter().flat_map(|program| [(program, false), (program, true)]) {
        let flags = McpInstallFlags { program, project, dry_run: flags.dry_run, binary: None };
        faults.extend(mcp::leave(base, &flags, print).err());
    }
    for what in [What::Hooks, What::Server] {
        faults.extend(restore_others(base, what, flags.dry_run, print).err());
    }
    if let Some(home) = &base.paths.home {
        for file in rc::files(home, &|name| base.variable(name)) {
            faults.extend(take_out_line(&file, flags.dry_run, print).err());
        }
    }
    let folders = own_folders(base);
    if flags.delete_state && faults.is_empty() {
        for folder in &folders {
            faults.extend(delete(folder, flags.dry_run, print).err());
        }
    } else {
        for folder in &folders {
            print(&aish_types::visible(&format!(
                "kept: {}{}",
                folder.display(),
                if flags.delete_state { "" } else { " (--delete-state deletes it)" }
            )));
        }
    }
    for fault in &faults {
        complain(&aish_types::sanitize(&format!("{fault}")));
    }
    if flags.delete_state && !faults.is_empty() {
        complain("the state is kept, because not everything above could be taken out");
    }
    print(&format!("the programs go by: {}", Installation::here().removal()));
    if faults.is_empty() { ExitCode::Ok } else { ExitCode::Error }
}

/// Returns our folders that are there: state, models, configuration.
fn own_folders(base: &Base) -> Vec<PathBuf> {
    let config = base.paths.config.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let all = [base.paths.state.clone(), base.paths.data.clone(), config];
    // A configuration file that is named elsewhere lies in a folder of somebody else's.
    all.into_iter()
        .flatten()
        .filter(|folder| folder.file_name().is_some_and(|name| name == "aish") && folder.is_dir())
        .collect()
}

fn delete(folder: &Path, dry_run: bool, print: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    if dry_run {
        print(&aish_types::visible(&format!("would delete: {}", folder.display())));
        return Ok(());
    }
    std::fs::remove_dir_all(folder).at(|| format!("{} cannot be deleted", folder.display()))?;
    print(&aish_types::visible(&format!("deleted: {}", folder.display())));
    Ok(())
}

fn take_out_line(file: &Path, dry_run: bool, print: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    let Some(text) = read(file)? else { return Ok(()) };
    let rest = rc::without_ours(&text);
    let mut say = |line: String| print(&aish_types::visible(&line));
    for number in &rest.left {
        say(format!("{}:{number} names `aish init` among other things: take it out yourself", file.display()));
    }
    if rest.taken.is_empty() {
        return Ok(());
    }
    if !dry_run {
        aish_journal::replace_others(file, rest.text.as_bytes())?;
    }
    let word = if dry_run { "would take out of" } else { "taken out of" };
    for line in &rest.taken {
        say(format!("{word} {}: {line}", file.display()));
    }
    Ok(())
}
