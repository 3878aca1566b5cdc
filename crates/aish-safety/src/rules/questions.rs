//! Words by which tools are asked, not told: verbs that only show, options that only pretend.

/// Verbs that only show; what stands behind them is a name, though it be a word that deletes elsewhere.
pub(crate) const VERBS: &[&str] = &[
    "show",
    "list",
    "ls",
    "info",
    "search",
    "describe",
    "view",
    "get",
    "status",
    "help",
    "explain",
    "inspect",
    "can-i",
    "validate",
    "diff",
    "version",
    "docs",
    "outdated",
    "sys.doc",
    "template",
    "startproject",
    "startapp",
    "new",
    "generate",
    "init",
    "create",
];

/// Options by which most tools only show what they would do.
pub(crate) const PRETENDS: &[&str] = &[
    "--dry-run",
    "--dryrun",
    "--dry_run",
    "--dryRun",
    "-dry-run",
    "--simulate",
    "--noop",
    "--no-op",
    "--what-if",
    "--whatif",
    "--preview",
    "--pretend",
    "--no-act",
    "--just-print",
];

/// Further options, without their dashes, by which some tools only show.
pub(crate) const SHOWN_BY: &[&str] = &[
    "n", "s", "N", "C", "t", "h", "test", "check", "recon", "assumeno", "list", "show", "status", "print", "plan",
    "diff", "help",
];

/// Values that leave an option on by which a tool only shows what it would do.
pub(crate) const ON: &[&str] = &["true", "True", "TRUE", "yes", "on", "1", "t", "y", "client", "server"];

/// Values that switch an option off.
pub(crate) const OFF: &[&str] = &["none", "false", "no", "0", "off", "never", "n", "f", "False", "FALSE", "No", "NO"];

/// Options that take a value with any tool that has them.
pub(crate) const VALUED: &[&str] = &[
    "--name",
    "--namespace",
    "--topic",
    "--project",
    "--region",
    "--profile",
    "--output",
    "--username",
    "--host",
    "--port",
    "--environment",
    "--cluster",
    "--context",
    "--tag",
    "--message",
    "--title",
    "--body",
    "--description",
    "--filter",
    "--query",
    "--search",
    "--grep",
    "--log-level",
    "--token",
    "--bootstrap-server",
    "--workspace",
];
