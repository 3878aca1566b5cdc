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

/// Sub-commands behind which the name of what is run stands.
pub(crate) const STARTS: &[&str] =
    &["run", "run-script", "exec", "execute", "x", "dlx", "r", "init", "start", "shell", "script", "task", "tool"];

/// Sub-commands of programs with tasks behind which the name of what makes a project stands.
pub(crate) const MAKES: &[&str] = &["init", "create", "new"];
