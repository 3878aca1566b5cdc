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

/// Says whether the operands of a command are names of files, so that any word may be one.
pub fn takes_files(command: &str) -> bool {
    matches!(
        command,
        "ls" | "ll"
            | "la"
            | "exa"
            | "eza"
            | "lsd"
            | "dir"
            | "cat"
            | "bat"
            | "batcat"
            | "tac"
            | "nl"
            | "less"
            | "head"
            | "tail"
            | "cp"
            | "mv"
            | "rm"
            | "ln"
            | "mkdir"
            | "rmdir"
            | "touch"
            | "cd"
            | "pushd"
            | "stat"
            | "wc"
            | "sort"
            | "uniq"
            | "diff"
            | "cmp"
            | "comm"
            | "tee"
            | "source"
            | "."
            | "du"
            | "tree"
            | "shred"
            | "zip"
            | "unzip"
            | "gzip"
            | "gunzip"
            | "bzip2"
            | "xz"
            | "zcat"
            | "b2sum"
            | "bunzip2"
            | "cksum"
            | "md5sum"
            | "nm"
            | "objdump"
            | "sha512sum"
            | "sum"
            | "unxz"
            | "zless"
            | "sha1sum"
            | "sha256sum"
            | "basename"
            | "dirname"
            | "realpath"
            | "readlink"
            | "strings"
            | "xxd"
            | "hexdump"
            | "od"
            | "paste"
            | "trash"
    ) || edits_files(command)
}

/// Says whether a command is an editor.
pub fn edits_files(command: &str) -> bool {
    matches!(command, "vim" | "vi" | "nvim" | "nano" | "emacs" | "micro" | "hx" | "ed" | "joe" | "kak" | "view")
}

/// Says whether a command is an interpreter that takes a script and its arguments.
pub fn takes_script(command: &str) -> bool {
    matches!(
        command,
        "python"
            | "python2"
            | "python3"
            | "perl"
            | "ruby"
            | "node"
            | "php"
            | "lua"
            | "bash"
            | "sh"
            | "zsh"
            | "fish"
            | "dash"
            | "java"
    )
}

/// Returns how many operands a command cannot do without.
pub fn least(command: &str) -> usize {
    match command {
        "chmod" | "chown" | "chgrp" | "tr" | "cp" | "mv" | "diff" | "cmp" | "comm" | "join" | "scp" | "rsync"
        | "grep" | "egrep" | "fgrep" | "install" => 2,
        _ => 0,
    }
}

/// Says whether the first operand of a command has a shape that no plain word has: a mode, a pattern in quotes, a file
/// with an ending. Returns the plain words that it may be for all that.
pub fn takes_shape(command: &str) -> Option<&'static str> {
    Some(match command {
        "tar" => {
            "x t c r u xf xvf xfv xzf xvzf xzvf xjf xjvf xvjf xvf xaf xavf xJf xJvf cf cvf cfv czf cvzf czvf cjf cjvf cvjf cJf cJvf caf cavf tf              tvf tzf tvzf tzvf tjf rf rvf uf uvf"
        }
        "ar" => "t x r rcs crs rs cr p d q",
        "jq" => "keys length type map sort unique add flatten empty input inputs values first last not tojson",
        "chmod" => "a u g o",
        "ps" => "a ax aux auxf auxw auxww axf axjf axo axu e ef f l u x",
        "awk" | "gawk" | "mawk" | "sed" | "yq" | "dd" | "iptables" | "ip6tables" | "nft" | "gcc" | "g++" | "cc"
        | "c++" | "clang" | "clang++" | "rustc" | "javac" | "lsof" | "strace" | "nginx" | "systemd" | "sysctl"
        | "journalctl" | "cmake" | "gpg" | "ffmpeg" | "ffprobe" | "convert" | "magick" | "netstat" | "ss" | "perf"
        | "tcpdump" | "nmap" => "record report stat top list annotate script bench trace help",
        _ => return None,
    })
}

/// Says whether the operands of a command are names of commands.
pub fn takes_commands(command: &str) -> bool {
    matches!(command, "which" | "type" | "whatis" | "man" | "whereis" | "info" | "tldr" | "hash" | "command" | "help")
}
