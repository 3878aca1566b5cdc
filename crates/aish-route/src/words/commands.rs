//! Commands by name. All lists are sorted.

/// Commands that are plain English words as well: what stands behind them decides.
#[rustfmt::skip]
pub const AMBIGUOUS: &[&str] = &[
    "alias", "apply", "as", "at", "batch", "bind", "bottom", "break", "brew", "broot", "builtin", "bun", "bundle",
    "cal", "case", "cat", "chat", "clear", "code", "col", "column", "comm", "command", "compare", "complete", "consul",
    "continue", "convert", "crystal", "cue", "cut", "dart", "date", "declare", "delta", "diff", "dig", "display",
    "dive", "do", "dog", "dune", "dust", "elm", "entr", "env", "eval", "exec", "exit", "expand", "expect", "export",
    "factor", "false", "file", "find", "finger", "fish", "flask", "flutter", "fly", "fold", "for", "foreman", "format",
    "fortune", "free", "function", "fuse", "gem", "glances", "go", "groups", "halt", "hash", "head", "helm", "help",
    "history", "host", "hub", "hx", "if", "import", "info", "install", "integer", "invoke", "jobs", "joe", "join",
    "julia", "just", "kill", "kind", "ko", "last", "leave", "less", "let", "link", "links", "local", "locate", "look",
    "lynx", "mail", "make", "man", "mesg", "mix", "more", "mount", "name", "nest", "next", "nice", "nim", "note",
    "open", "packer", "parallel", "pass", "paste", "patch", "play", "poetry", "poweroff", "pr", "print", "puppet",
    "python", "quota", "racket", "rails", "rake", "ranger", "read", "reboot", "record", "rename", "reset", "restic",
    "return", "rev", "route", "ruby", "rust", "salt", "say", "screen", "script", "select", "sensors", "seq", "serve",
    "service", "set", "shift", "shred", "shutdown", "sign", "signal", "slack", "sleep", "snap", "sort", "source",
    "split", "stack", "stat", "steam", "stow", "stress", "strip", "substitute", "sum", "surge", "suspend", "sway",
    "swift", "tail", "talk", "tee", "test", "thefuck", "time", "timeout", "times", "top", "touch", "trap", "trash",
    "tree", "true", "turbo", "type", "umount", "uniq", "units", "unlink", "until", "uptime", "users", "vault", "view",
    "vite", "wait", "watch", "wc", "what", "whatis", "where", "whereis", "which", "while", "who", "whoami", "wine",
    "wrangler", "write", "yes", "z", "zap", "zip",
];

/// Commands whose arguments are free text.
#[rustfmt::skip]
pub const FREE_TEXT: &[&str] = &[
    "banner", "cowsay", "cowthink", "dialog", "echo", "espeak", "figlet", "logger", "lolcat", "notify-send", "printf",
    "toilet", "wall", "yes", "zenity",
];

/// Commands that run the rest of the line as a command.
#[rustfmt::skip]
pub const PREFIXES: &[&str] = &[
    "builtin", "chroot", "command", "coproc", "doas", "env", "exec", "flock", "ionice", "nice", "nohup", "setsid",
    "stdbuf", "strace", "sudo", "taskset", "time", "timeout", "watch", "xargs",
];

/// Builtins and keywords of bash.
#[rustfmt::skip]
pub const BUILTINS: &[&str] = &[
    ".", ":", "[", "[[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
    "compopt", "continue", "coproc", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export",
    "false", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile",
    "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source",
    "suspend", "test", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [AMBIGUOUS, FREE_TEXT, PREFIXES, BUILTINS] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|pair| pair[0] > pair[1]));
        }
    }
}
