//! Variables and settings whose value is run as code.

/// Built-ins whose arguments are assignments.
pub(crate) const DECLARES: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// Built-ins that set variables which outlast them, though assignments stand before.
pub(crate) const KEEPS: &[&str] = &["read", "mapfile", "readarray", "printf", "eval", "source", ".", "getopts", "let"];

/// Variables whose value a shell or a common tool runs as a command line.
pub(crate) const CODE_VARIABLES: &[&str] = &[
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "LESSOPEN",
    "LESSCLOSE",
    "BROWSER",
    "RSYNC_RSH",
    "CVS_RSH",
    "SVN_SSH",
    "TAR_RSH",
    "KUBE_EDITOR",
    "BORG_RSH",
    "BORG_PASSCOMMAND",
    "RESTIC_PASSWORD_COMMAND",
    "MAKEFLAGS",
    "FCEDIT",
    "SYSTEMD_PAGER",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "CC",
    "CXX",
    "RUSTC_WRAPPER",
    "FZF_DEFAULT_COMMAND",
    "PRE_COMMAND",
    "GIT_CONFIG_PARAMETERS",
    "TAR_OPTIONS",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CMAKE_C_COMPILER_LAUNCHER",
    "GOFLAGS",
    "LESSKEY_CONTENT",
    "XDG_OPEN",
    "MAILCAPS",
];

/// The same, by pattern.
pub(crate) const CODE_VARIABLE_GLOBS: &[&str] = &[
    "GIT_CONFIG_VALUE_*",
    "CARGO_TARGET_*_RUNNER",
    "CARGO_TARGET_*_LINKER",
    "npm_config_script_shell",
    "npm_config_editor",
];

/// Variables that name a file of code that runs first.
pub(crate) const SCRIPT_VARIABLES: &[&str] = &["BASH_ENV", "ENV", "PYTHONSTARTUP", "ZDOTDIR", "PERL5DB"];

/// Variables that name libraries which are loaded into every program.
pub(crate) const PRELOADED: &[&str] = &["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"];

/// Variables that change which code runs.
pub(crate) const LOADER_VARIABLES: &[&str] = &[
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "PYTHONPATH",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "NODE_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_TEMPLATE_DIR",
    "PATH",
    "BASH_FUNC",
];
