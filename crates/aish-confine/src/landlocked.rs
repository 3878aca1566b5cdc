//! Landlock: inside name spaces it keeps writing to the roots, so that FIFOs elsewhere take no orders; without them it
//! is what holds a run to reading listed folders.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use crate::set_up_error::SetUpError;

/// Without this version's rules a file could be emptied that may not be written.
pub(crate) const LEAST: ABI = ABI::V3;

/// The newest version that is used where there is one.
pub(crate) const NEWEST: ABI = ABI::V7;

/// Folders of programs and libraries, and what every program reads of `/etc`; nothing of it is a secret.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/run/current-system",
    "/proc",
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/gitconfig",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/java",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/profile",
    "/etc/protocols",
    "/etc/python3",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
    "/etc/vim",
    "/etc/xdg",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
];

/// Devices that belong to nobody.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Says whether the kernel has what the weaker confinement needs; nothing is restricted by it.
pub(crate) fn probe() -> Result<(), SetUpError> {
    let made = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))
        .and_then(Ruleset::create);
    made.map(drop).map_err(|_| SetUpError::unfit("the kernel has no Landlock, or one before its third version"))
}

/// Says whether the kernel keeps signals of a restricted process among its own (Linux 6.12).
pub(crate) fn keeps_signals() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.scope(Scope::Signal).and_then(Ruleset::create).is_ok()
}

/// Keeps writing below the given paths. Returns `false` where the kernel cannot.
pub(crate) fn writes_below(paths: &[PathBuf], machine_network: bool) -> Result<bool, SetUpError> {
    let enforce = || -> Result<bool, RulesetError> {
        let writes = AccessFs::from_write(NEWEST);
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(LEAST))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(writes)?;
        if machine_network {
            // A network name space of its own would have its own abstract sockets.
            rules = rules.scope(Scope::AbstractUnixSocket)?;
        }
        let status = rules.create()?.add_rules(path_beneath_rules(paths, writes))?.restrict_self()?;
        Ok(status.ruleset != RulesetStatus::NotEnforced)
    };
    match enforce() {
        Ok(done) => Ok(done),
        Err(_) if probe().is_err() => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Restricts this process to reading the system's folders and the given ones, without what is hidden or locked in them.
pub(crate) fn reads_below(paths: &[PathBuf], hidden: &[PathBuf], locked: &[PathBuf]) -> Result<(), SetUpError> {
    let mut readable: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    let out_of_reach = [hidden, locked].concat();
    for path in paths {
        without(path, &out_of_reach, &mut readable);
    }
    // Names of locked files may be seen, and so may those of all that lies beside them. A file has no names in it.
    let listed = paths.iter().filter(|path| {
        path.is_dir() && !hidden.iter().any(|secret| secret.starts_with(path) || path.starts_with(secret))
    });
    let devices: Vec<PathBuf> = DEVICES.iter().map(PathBuf::from).collect();
    let enforce = || -> Result<_, RulesetError> {
        let reads = AccessFs::from_read(NEWEST);
        let write: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(LEAST))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?
            .add_rules(path_beneath_rules(readable, reads))?
            .add_rules(path_beneath_rules(devices, reads | write))?
            .add_rules(path_beneath_rules(listed, AccessFs::ReadDir))?
            .restrict_self()
    };
    let status = enforce()?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(SetUpError::unfit("its rules are not enforced"));
    }
    Ok(())
}

/// Lists a path, or, where something hidden lies in it, its entries that have nothing of that in them.
fn without(path: &Path, hidden: &[PathBuf], out: &mut Vec<PathBuf>) {
    if hidden.iter().any(|secret| path.starts_with(secret)) {
        return;
    }
    if !hidden.iter().any(|secret| secret.starts_with(path)) {
        out.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            without(&entry.path(), hidden, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_a_secret_is_listed_by_its_entries() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::create_dir(at("c")).unwrap();
        for file in ["a/b/secret", "a/b/open", "c/file"] {
            std::fs::write(at(file), "").unwrap();
        }
        let mut out = Vec::new();
        without(folder.path(), &[at("a/b/secret")], &mut out);
        out.sort();
        assert_eq!(out, [at("a/b/open"), at("c")]);
    }
}
