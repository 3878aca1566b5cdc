//! How many plain words a command takes, for commands that take few.

/// Returns how many plain words a command takes at most, and the words that it always takes; nothing when any number is
/// usual. Flags, numbers, paths and quoted words do not count.
pub fn limit(command: &str) -> Option<(usize, &'static str)> {
    Some(match command {
        "w" | "free" | "top" | "htop" | "btop" | "atop" | "uptime" | "whoami" | "pwd" | "clear" | "reset" | "exit"
        | "logout" | "jobs" | "true" | "false" | "lsblk" | "lscpu" | "lsusb" | "lspci" | "nproc" | "arch" | "tty"
        | "times" | "hostid" | "logname" | "users" | "dirs" | "popd" | "reboot" | "poweroff" | "halt" | "factor"
        | "kill" | "ffmpeg" | "iotop" | "iftop" | "dmesg" | "seq" | "continue" | "break" | "return" | "shift"
        | "wait" | "fg" | "bg" | "exec" | "umask" => (0, ""),
        "who" => (0, "am i mom likes"),
        "date" => (0, "now"),
        "sleep" => (0, "infinity"),
        "history" => (0, "clear"),
        "shutdown" => (0, "now"),
        "ps" => (0, "aux auxf auxw auxww ax axf axjf axo axu ef eax a u x e f l"),
        "last" | "lastb" => (1, "reboot"),
        "ulimit" => (0, "unlimited"),
        "cd" | "chdir" | "find" | "cut" | "test" | "help" | "id" | "passwd" | "crontab" | "finger" | "hostname"
        | "screen" | "locate" | "curl" | "wget" | "python" | "python3" | "node" | "sed" | "alias" | "df" | "at"
        | "sh" | "bash" | "zsh" | "open" | "pushd" | "shell" | "batch" | "look" | "column" | "fold" | "uniq"
        | "shuf" | "vim" | "vi" | "nano" | "nvim" | "emacs" | "awk" | "rev" | "nl" | "sum" | "script" | "perl"
        | "ruby" | "sqlite3" | "hash" => (1, ""),
        "ping" | "host" | "nslookup" | "traceroute" | "mtr" | "mount" | "umount" | "cal" | "tr" | "su" | "groups"
        | "source" | "dig" | "service" | "link" | "join" | "write" | "export" | "tree" | "type" => (2, ""),
        _ => return None,
    })
}

/// Says whether a command takes exactly two operands, any words.
pub fn takes_two(command: &str) -> bool {
    matches!(command, "mv" | "cp" | "ln" | "diff" | "cmp" | "comm" | "join" | "link" | "paste" | "meld" | "vimdiff")
}

/// Says whether a command has a grammar with words like `from` and `to`.
pub fn takes_links(command: &str) -> bool {
    matches!(
        command,
        "ufw" | "ip" | "tc" | "nft" | "route" | "expr" | "at" | "batch" | "nmcli" | "expect" | "gdb" | "let"
    )
}

/// Says whether the first operand of a command is a pattern: any word.
pub fn takes_pattern(command: &str) -> bool {
    matches!(command, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "zgrep" | "pgrep" | "pkill" | "fd" | "apropos")
}

/// Says whether the operands of a command are names of commands.
pub fn takes_commands(command: &str) -> bool {
    matches!(command, "which" | "type" | "whatis" | "man" | "whereis" | "info" | "tldr" | "hash" | "command" | "help")
}
