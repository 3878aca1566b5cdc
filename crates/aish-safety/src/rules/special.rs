//! Variables that bash, zsh or fish themselves read: who sets one changes what the shell does.
//!
//! Taken from bash(1), zshparam(1), zshmodules(1) and the chapter "Special variables" of fish's language. Nobody knows
//! here which of the shells a line goes to, so each name counts in all of them. Names that are special only while a
//! completion or a key is handled (`PREFIX`, `BUFFER`, `words`) are plain ones for a line.

/// What a special variable may be set to without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settable {
    /// Nothing.
    Not,
    /// Plain numbers: a shell computes what is assigned, and runs `$(…)` in it.
    Numbers,
    /// Anything.
    Freely,
}

/// Those that hold a number which only says how something looks, counts or is told. In order.
const NUMBERS: &[&str] = &[
    // How fast the terminal is, which decides how much is drawn anew.
    "BAUD",
    // A width to break lines at.
    "COLUMNS",
    // The clock and the last error, which only a line reads.
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "ERRNO",
    // Functions that call one another too deep end sooner.
    "FUNCNEST",
    // Counters of the shell's own.
    "HISTCMD",
    "LINENO",
    "LINES",
    // Where `getopts` goes on, and whether it complains.
    "OPTERR",
    "OPTIND",
    // How much of the folder's name a prompt shows.
    "PROMPT_DIRTRIM",
    // Where random numbers begin.
    "RANDOM",
    // From which time on it is told how long a command took.
    "REPORTMEMORY",
    "REPORTTIME",
    "SECONDS",
    "SHLVL",
    "SRANDOM",
    "TRY_BLOCK_ERROR",
    "TRY_BLOCK_INTERRUPT",
];

/// Those that may be set to anything. In order.
const FREE: &[&str] = &[
    // Shells leave results in these and read none of them.
    "BASH_REMATCH",
    "CMD_DURATION",
    "COMPREPLY",
    "COPROC",
    // What the machine is and is called, for people.
    "CPUTYPE",
    // How the time of a line is told where the history is shown.
    "HISTTIMEFORMAT",
    "HOST",
    "HOSTNAME",
    "HOSTTYPE",
    // Language and order of letters; what is no name of one is not used.
    "LANG",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NUMERIC",
    "LC_TIME",
    "MACHTYPE",
    "MAPFILE",
    "MATCH",
    "MBEGIN",
    "MEND",
    // Where `cd -` goes, which is not known here in any case.
    "OLDPWD",
    "OPTARG",
    "OSTYPE",
    "PIPESTATUS",
    "REPLY",
    // What the terminal can; programs may be given it, too.
    "TERM",
    // How the time of a command is told: `%` and a letter.
    "TIMEFMT",
    "TIMEFORMAT",
    "VENDOR",
    "_",
    // No shell to which these are special lets them be set.
    "history",
    "pipestatus",
    "status",
    "version",
];

/// All others. In order.
const OTHERS: &[&str] = &[
    "ARGC",
    "ARGV0",
    "BASH",
    "BASHOPTS",
    "BASHPID",
    "BASH_ALIASES",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_ARGV0",
    "BASH_CMDS",
    "BASH_COMMAND",
    "BASH_COMPAT",
    "BASH_ENV",
    "BASH_EXECUTION_STRING",
    "BASH_LINENO",
    "BASH_LOADABLES_PATH",
    "BASH_MONOSECONDS",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_TRAPSIG",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "BASH_XTRACEFD",
    "BROWSER",
    "CDPATH",
    "CHILD_MAX",
    "COMP_CWORD",
    "COMP_KEY",
    "COMP_LINE",
    "COMP_POINT",
    "COMP_TYPE",
    "COMP_WORDBREAKS",
    "COMP_WORDS",
    "CORRECT_IGNORE",
    "CORRECT_IGNORE_FILE",
    "DIRSTACK",
    "DIRSTACKSIZE",
    "EGID",
    "EMACS",
    "ENV",
    "EUID",
    "EXECIGNORE",
    "FCEDIT",
    "FIGNORE",
    "FISH_DEBUG",
    "FISH_DEBUG_OUTPUT",
    "FISH_VERSION",
    "FPATH",
    "FUNCNAME",
    "GID",
    "GLOBIGNORE",
    "GLOBSORT",
    "GROUPS",
    "HISTCHARS",
    "HISTCONTROL",
    "HISTFILE",
    "HISTFILESIZE",
    "HISTIGNORE",
    "HISTORY_IGNORE",
    "HISTSIZE",
    "HOME",
    "HOSTFILE",
    "IFS",
    "IGNOREEOF",
    "INPUTRC",
    "INSIDE_EMACS",
    "KEYBOARD_HACK",
    "KEYTIMEOUT",
    "KSH_ZERO_SUBSCRIPT",
    "LISTMAX",
    "LOGCHECK",
    "LOGNAME",
    "MAIL",
    "MAILCHECK",
    "MAILPATH",
    "MANPATH",
    "MODULE_PATH",
    "NULLCMD",
    "PATH",
    "PERIOD",
    "POSIXLY_CORRECT",
    "POSTEDIT",
    "PPID",
    "PROMPT",
    "PROMPT2",
    "PROMPT3",
    "PROMPT4",
    "PROMPT_COMMAND",
    "PROMPT_EOL_MARK",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "PSVAR",
    "PWD",
    "READLINE_ARGUMENT",
    "READLINE_LINE",
    "READLINE_MARK",
    "READLINE_POINT",
    "READNULLCMD",
    "RPROMPT",
    "RPROMPT2",
    "RPS1",
    "RPS2",
    "SAVEHIST",
    "SHELL",
    "SHELLOPTS",
    "SPROMPT",
    "STTY",
    "TERMINFO",
    "TERMINFO_DIRS",
    "TMOUT",
    "TMPDIR",
    "TMPPREFIX",
    "TMPSUFFIX",
    "TTY",
    "TTYIDLE",
    "UID",
    "USER",
    "USERNAME",
    "WATCH",
    "WATCHFMT",
    "WORDCHARS",
    "ZBEEP",
    "ZCURSES_COLORS",
    "ZCURSES_COLOR_PAIRS",
    "ZDOTDIR",
    "ZLE_LINE_ABORTED",
    "ZLE_REMOVE_SUFFIX_CHARS",
    "ZLE_RPROMPT_INDENT",
    "ZLE_SPACE_SUFFIX_CHARS",
    "ZLS_COLORS",
    "ZLS_COLOURS",
    "ZSH_ARGZERO",
    "ZSH_EVAL_CONTEXT",
    "ZSH_EXECUTION_STRING",
    "ZSH_NAME",
    "ZSH_PATCHLEVEL",
    "ZSH_SCRIPT",
    "ZSH_SUBSHELL",
    "ZSH_VERSION",
    "aliases",
    "argv",
    "auto_resume",
    "builtins",
    "cdpath",
    "commands",
    "dirstack",
    "dis_aliases",
    "dis_builtins",
    "dis_functions",
    "dis_functions_source",
    "dis_galiases",
    "dis_patchars",
    "dis_reswords",
    "dis_saliases",
    "epochtime",
    "errnos",
    "fignore",
    "fpath",
    "funcfiletrace",
    "funcsourcetrace",
    "funcstack",
    "functions",
    "functions_source",
    "functrace",
    "galiases",
    "histchars",
    "historywords",
    "hostname",
    "jobdirs",
    "jobstates",
    "jobtexts",
    "keymaps",
    "langinfo",
    "last_pid",
    "mailpath",
    "manpath",
    "mapfile",
    "module_path",
    "modules",
    "nameddirs",
    "options",
    "parameters",
    "patchars",
    "path",
    "prompt",
    "psvar",
    "reswords",
    "saliases",
    "status_generation",
    "sysparams",
    "termcap",
    "terminfo",
    "umask",
    "userdirs",
    "usergroups",
    "watch",
    "widgets",
    "zcurses_attrs",
    "zcurses_colors",
    "zcurses_keycodes",
    "zcurses_windows",
    "zgdbm_tied",
    "zle_bracketed_paste",
    "zle_highlight",
    "zsh_eval_context",
    "zsh_scheduled_events",
];

/// Beginnings of names that are special: fish's settings, and those of zsh's client for files.
const BEGINNINGS: &[&str] = &["fish_", "__fish_", "ZFTP_"];

/// The end of the names of zsh's lists of functions that it calls by itself.
const CALLED: &str = "_functions";

/// Zsh's tables whose index is a key and is not computed.
const KEYED: &[&str] = &[
    "aliases",
    "builtins",
    "commands",
    "errnos",
    "functions",
    "galiases",
    "jobstates",
    "langinfo",
    "modules",
    "nameddirs",
    "options",
    "parameters",
    "saliases",
    "sysparams",
    "termcap",
    "terminfo",
    "userdirs",
    "usergroups",
    "widgets",
];

/// Says what a special variable may be set to; none for a variable that no shell reads.
pub(crate) fn settable(name: &str) -> Option<Settable> {
    let is_in = |names: &[&str]| names.binary_search(&name).is_ok();
    if is_in(FREE) {
        return Some(Settable::Freely);
    }
    if is_in(NUMBERS) {
        return Some(Settable::Numbers);
    }
    let called = name.ends_with(CALLED) || BEGINNINGS.iter().any(|begin| name.starts_with(begin));
    (called || is_in(OTHERS)).then_some(Settable::Not)
}

/// Says whether zsh takes the index of a name for a key.
pub(crate) fn is_keyed(name: &str) -> bool {
    KEYED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_in_one_list() {
        for names in [NUMBERS, FREE, OTHERS, KEYED] {
            assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
        }
        assert!(!NUMBERS.iter().chain(OTHERS).any(|name| FREE.contains(name)));
        assert!(!NUMBERS.iter().any(|name| OTHERS.contains(name)));
    }

    #[test]
    fn what_is_special_is_told() {
        for (name, expected) in [
            ("HISTFILESIZE", Some(Settable::Not)),
            ("precmd_functions", Some(Settable::Not)),
            ("fish_greeting", Some(Settable::Not)),
            ("OPTIND", Some(Settable::Numbers)),
            ("REPLY", Some(Settable::Freely)),
            ("name", None),
        ] {
            assert_eq!(settable(name), expected, "{name}");
        }
    }
}
