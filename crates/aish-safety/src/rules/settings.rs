//! Variables and settings whose value is run as code.

use aish_program_format::Language;

use crate::command::glob_match;

/// Built-ins whose arguments are assignments.
pub(crate) const DECLARES: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// Arrays of shells whose elements are aliases or functions.
pub(crate) const ALIAS_TABLES: &[&str] =
    &["BASH_ALIASES", "aliases", "galiases", "saliases", "dis_aliases", "functions", "dis_functions"];

/// Built-ins that set variables which outlast them, though assignments stand before.
pub(crate) const KEEPS: &[&str] = &["read", "mapfile", "readarray", "printf", "eval", "source", ".", "getopts", "let"];

/// Built-ins before which an assignment stays in dash.
pub(crate) const STAYS: &[&str] = &[
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "times",
    "trap", "unset",
];

/// Built-ins whose arguments may be names with an index, or arithmetic.
pub(crate) const SUBSCRIPTS: &[&str] = &[
    "test",
    "[",
    "printf",
    "read",
    "mapfile",
    "readarray",
    "unset",
    "let",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "wait",
    "getopts",
];

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
    "TAR_OPTIONS",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CMAKE_C_COMPILER_LAUNCHER",
    "GOFLAGS",
    "LESSKEY_CONTENT",
    "SUDO_EDITOR",
    "SYSTEMD_EDITOR",
    "HGEDITOR",
    "SVN_EDITOR",
    "JJ_EDITOR",
    "P4EDITOR",
    "GH_EDITOR",
    "GH_PAGER",
    "GH_BROWSER",
    "GLAB_PAGER",
    "AWS_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
    "PERLDOC_PAGER",
    "RI_PAGER",
    "ACK_PAGER",
    "P4PAGER",
    "P4DIFF",
    "P4MERGE",
    "HGMERGE",
    "DIFFPROG",
    "KUBECTL_EXTERNAL_DIFF",
    "RSYNC_CONNECT_PROG",
    "NULLCMD",
    "READNULLCMD",
    "FZF_CTRL_T_COMMAND",
    "FZF_ALT_C_COMMAND",
    "RUSTC",
    "RUSTDOC",
    "RUSTC_WORKSPACE_WRAPPER",
    "CONFIG_SHELL",
    "LESSEDIT",
    "XDG_OPEN",
    "MAILCAPS",
];

/// Those of them whose command is given nothing but what it shows: the value alone says what it does. Others give it words
/// too: `GIT_EXTERNAL_DIFF=tee git diff` writes over each file that changed.
pub(crate) const PAGER_VARIABLES: &[&str] = &[
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "PAGER",
    "MANPAGER",
    "GIT_PAGER",
    "SYSTEMD_PAGER",
    "PSQL_PAGER",
    "GH_PAGER",
    "GLAB_PAGER",
    "AWS_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
];

/// More whose value is run as a command line, by pattern.
pub(crate) const CODE_VARIABLE_GLOBS: &[&str] = &[
    "GIT_CONFIG_VALUE_*",
    "CARGO_TARGET_*_RUNNER",
    "CARGO_TARGET_*_LINKER",
    "npm_config_script_shell",
    "npm_config_editor",
];

/// Variables that name a file of code that runs first.
pub(crate) const SCRIPT_VARIABLES: &[&str] = &["BASH_ENV", "ENV", "PYTHONSTARTUP", "ZDOTDIR"];

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
    "PERL5DB",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "VIMINIT",
    "EXINIT",
    "GVIMINIT",
    "NVIM_APPNAME",
    "MYVIMRC",
    "FZF_DEFAULT_OPTS",
    "RIPGREP_CONFIG_PATH",
    "INPUTRC",
    "PSQLRC",
    "WGETRC",
    "CURL_HOME",
];

/// Those whose value holds code itself, and its language.
pub(crate) const OPTION_VARIABLES: &[(&str, Language)] = &[
    ("PERL5OPT", Language::General),
    ("PERL5DB", Language::General),
    ("RUBYOPT", Language::General),
    ("NODE_OPTIONS", Language::General),
    ("JAVA_TOOL_OPTIONS", Language::General),
    ("_JAVA_OPTIONS", Language::General),
    ("JDK_JAVA_OPTIONS", Language::General),
    ("VIMINIT", Language::Editor),
    ("EXINIT", Language::Editor),
    ("GVIMINIT", Language::Editor),
    ("FZF_DEFAULT_OPTS", Language::Bindings),
];

/// Variables by whose value the C library opens files: of a time zone, of messages.
pub(crate) const OPENED: &[&str] = &["TZ", "LANGUAGE"];

/// Says whether the value of a variable is a command, code, or what is loaded as code.
pub(crate) fn names_code(name: &str) -> bool {
    [CODE_VARIABLES, SCRIPT_VARIABLES, PRELOADED, LOADER_VARIABLES].iter().any(|names| names.contains(&name))
        || OPTION_VARIABLES.iter().any(|(known, _)| *known == name)
        || CODE_VARIABLE_GLOBS.iter().any(|glob| glob_match(glob, name))
}

/// Says whether a variable is in the environment of most sessions, so that an assignment alone changes it for programs.
pub(crate) fn is_inherited(name: &str) -> bool {
    matches!(
        name,
        "HOME"
            | "USER"
            | "LOGNAME"
            | "SHELL"
            | "TMPDIR"
            | "DISPLAY"
            | "SSH_AUTH_SOCK"
            | "DBUS_SESSION_BUS_ADDRESS"
            | "GNUPGHOME"
            | "GREP_OPTIONS"
            | "CLASSPATH"
            | "VIRTUAL_ENV"
            | "MAVEN_OPTS"
            | "GRADLE_OPTS"
            | "OPENSSL_CONF"
            | "NLSPATH"
            | "LOCPATH"
            | "GOPATH"
            | "GOROOT"
            | "GOENV"
            | "GOTOOLCHAIN"
            | "ALL_PROXY"
            | "all_proxy"
            | "ftp_proxy"
            | "no_proxy"
            | "NO_PROXY"
    ) || [
        "XDG_",
        "LESS",
        "GIT_",
        "CARGO_",
        "NPM_CONFIG_",
        "npm_config_",
        "AWS_",
        "KUBE",
        "DOCKER_",
        "LD_",
        "http",
        "HTTP",
        "PGHOST",
        "PGSERVICE",
        "PGPASS",
        "PGOPTIONS",
        "PGSYSCONFDIR",
        "PGSSL",
        "SSL",
        "NODE_",
        "PYTHON",
        "RUSTUP_",
        "RUSTFLAGS",
        "DOTNET_",
        "LUA_",
        "VAULT_",
        "TF_",
        "BAT_",
        "QT_",
        "GTK_",
        "GIO_",
        "PKG_CONFIG",
        "GEM_",
        "BUNDLE_",
        "PHP",
        "CONDA_",
        "MYSQL_",
        "ANSIBLE_",
        "DEBUGINFOD_",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}
