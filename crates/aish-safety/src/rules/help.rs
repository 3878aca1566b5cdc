//! How help is asked for, whatever the program.

/// Long options that take no value, whatever the program.
pub(crate) const SWITCHES: &[&str] = &[
    "--force",
    "--yes",
    "--all",
    "--recursive",
    "--volumes",
    "--no-input",
    "--noinput",
    "--dry-run",
    "--verbose",
    "--quiet",
    "--debug",
    "--hard",
    "--mirror",
    "--delete",
    "--auto-approve",
    "--non-interactive",
    "--assume-yes",
    "--purge",
    "--prune",
    "--cached",
    "--help",
    "--version",
];
