//! Which programs the tables know.

use super::{index, wrappers};

/// Folders of the system's programs.
pub(crate) const FOLDERS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/snap/bin",
    "/usr/lib/git-core",
    "/system/bin",
    "/run/current-system/sw/bin",
];

/// Shells.
pub(crate) const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "ksh93",
    "mksh",
    "pdksh",
    "ash",
    "fish",
    "csh",
    "tcsh",
    "rbash",
    "yash",
    "busybox",
    "pwsh",
    "powershell",
    "elvish",
    "nu",
    "xonsh",
    "osh",
    "ysh",
    "oil",
    "rc",
    "es",
    "brush",
];

/// Programs that look at a file's name and not at its content, or print what they are given.
pub(crate) const NAME_ONLY: &[&str] = &[
    "ls", "stat", "test", "[", "find", "which", "file", "echo", "printf", "du", "basename", "dirname", "realpath",
    "readlink", "tree", "namei", "lsattr", "getfacl", "type", "whereis", "man", "git", "exa", "eza", "fd", "locate",
    "dir", "true", "false", "cd",
];

/// Says whether any rule or wrapper is about a program.
pub(crate) fn is_known(name: &str) -> bool {
    !name.is_empty() && (index::candidates(name).next().is_some() || wrappers::find(name).next().is_some())
}

/// Says whether a rule that halts, or a wrapper, is about a program.
pub(crate) fn is_destructive(name: &str) -> bool {
    !name.is_empty()
        && (index::candidates(name).any(|rule| rule.verdict == crate::Verdict::Halt)
            || wrappers::find(name).next().is_some())
}

/// Goes through the names of all programs with rules or wrappers; some twice.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    let ruled = index::all()
        .flat_map(|rule| rule.on.split(' ').next().unwrap_or_default().split('|'))
        .filter(|name| !matches!(*name, "*" | "?"));
    ruled.chain(wrappers::names())
}
