//! Landlock: rules for this process and all that it will start. What may be written is listed; nothing can be taken out
//! of a folder that may, so that a folder with something protected in it is listed by its entries.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Bounds, SandboxError, is_below, real};

/// Without this version's rules a file could be emptied that may not be written.
const LEAST: ABI = ABI::V3;

/// The newest version that is used where there is one.
const NEWEST: ABI = ABI::V7;

/// Devices that are no files of anybody.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"];

fn failed(error: &RulesetError) -> SandboxError {
    SandboxError::Landlock(error.to_string())
}

/// Returns whether the kernel has what is needed; nothing is restricted by it.
pub(super) fn probe() -> Result<(), SandboxError> {
    let made = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))
        .and_then(Ruleset::create);
    made.map(drop).map_err(|error| failed(&error))
}

/// Restricts this process.
pub(super) fn restrict(bounds: &Bounds) -> Result<(), SandboxError> {
    let enforce = || {
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(LEAST))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?;
        if !bounds.network {
            rules = rules.handle_access(AccessNet::from_all(NEWEST))?;
        }
        let all = AccessFs::from_all(NEWEST);
        rules
            .create()?
            .add_rules(path_beneath_rules(["/"], AccessFs::from_read(NEWEST)))?
            .add_rules(path_beneath_rules(writable(bounds), all))?
            .add_rules(path_beneath_rules(devices(), all))?
            .restrict_self()
    };
    let status = enforce().map_err(|error| failed(&error))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced if status.no_new_privs => Ok(()),
        _ => Err(SandboxError::Landlock("its rules are not enforced".to_owned())),
    }
}

fn devices() -> Vec<PathBuf> {
    let mut devices: Vec<PathBuf> = DEVICES.iter().map(PathBuf::from).collect();
    if let Ok(name) = rustix::termios::ttyname(std::io::stdin(), Vec::new()) {
        devices.push(PathBuf::from(name.to_string_lossy().into_owned()));
    }
    devices.retain(|device| device.exists());
    devices
}

fn writable(bounds: &Bounds) -> Vec<PathBuf> {
    let protected = real(&bounds.protected);
    let mut out = Vec::new();
    for folder in real(&bounds.writable) {
        without(&folder, &protected, &mut out);
    }
    out.extend(bounds.exchange.clone());
    out
}

/// Lists a folder, or, where something protected lies in it, its entries that have nothing of that in them.
fn without(folder: &Path, protected: &[PathBuf], out: &mut Vec<PathBuf>) {
    if protected.iter().any(|path| is_below(folder, path)) {
        return;
    }
    let holds = |path: &Path| {
        let orders = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("aish-shell-"));
        orders || protected.iter().any(|inner| is_below(inner, path))
    };
    if !protected.iter().any(|inner| is_below(inner, folder)) {
        out.push(folder.to_owned());
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            continue;
        }
        if holds(&path) { without(&path, protected, out) } else { out.push(path) }
    }
}
