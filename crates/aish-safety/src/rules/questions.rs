//! Words by which tools are asked, not told: verbs that only show, options that only pretend.

/// Verbs that only show; what stands behind them is a name, though it be a word that deletes elsewhere.
pub(crate) const VERBS: &[&str] = &[
    "show", "list", "ls", "info", "search", "describe", "view", "get", "status", "help", "explain", "inspect", "can-i",
    "validate", "diff", "version", "docs", "outdated", "sys.doc",
];

/// Programs that take several verbs, one after the other, or whose first word may be a name.
pub(crate) const SEVERAL: &[&str] = &[
    "rake",
    "rails",
    "bin/rails",
    "mysqladmin",
    "mariadb-admin",
    "php",
    "python",
    "python3",
    "ruby",
    "perl",
    "make",
    "gradle",
    "mvn",
    "redis-cli",
    "valkey-cli",
    "keydb-cli",
    "service",
    "rc-service",
    "invoke-rc.d",
    "sv",
    "lftp",
    "parted",
    "tmux",
    "screen",
    "net",
    "java",
    "az",
];

/// Options by which most tools only show what they would do.
pub(crate) const PRETENDS: &str = "--dry-run --dryrun --dry_run --dryRun -dry-run --simulate --noop --no-op --what-if --whatif --preview --pretend --no-act --just-print";
