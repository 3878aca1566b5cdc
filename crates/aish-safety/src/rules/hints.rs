//! Words by which a tool that has no entry among the wrappers says that a command follows.

/// Options whose value is a command, whatever the tool.
pub(crate) const OPTIONS: &[&str] = &[
    "--command",
    "--commands",
    "--cmd",
    "--exec",
    "--execute",
    "--exec-command",
    "--eval",
    "--run",
    "--run-command",
    "--shell-command",
    "--pre-command",
    "--post-command",
    "--pre-hook",
    "--post-hook",
    "--deploy-hook",
    "--hook",
    "--on-change",
    "--on-exit",
    "--on-success",
    "--on-failure",
    "--callback",
    "--mda",
];

/// The same where nothing is known of the tool, or a word that runs stands before.
pub(crate) const SHORT_OPTIONS: &[&str] = &["-c", "-e", "-x", "-r", "-C", "-lc", "-ec"];

/// Subcommands behind which a command stands.
pub(crate) const VERBS: &[&str] = &[
    "exec",
    "execute",
    "exec-env",
    "exec-file",
    "exec-watch",
    "ssh",
    "shell",
    "sh",
    "unshare",
    "enter",
    "spawn",
    "session",
    "lock",
    "invoke",
    "cmd",
    "attach",
    "console",
    "launch",
    "remote",
];

/// The same, though behind them a name of a script or of a task may stand too: a command needs arguments there.
pub(crate) const LOOSE_VERBS: &[&str] = &["run", "x", "do", "watch", "job", "task", "start"];

/// Says whether a word is a verb of tools that run others, and no program.
pub(crate) fn is_verb(word: &str) -> bool {
    LOOSE_VERBS.contains(&word) || matches!(word, "test" | "build" | "dev" | "serve" | "exec" | "install" | "add")
}
