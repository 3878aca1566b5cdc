//! Commands by name. All lists are sorted.

/// Commands that are plain English words as well: what stands behind them decides.
#[rustfmt::skip]
pub const AMBIGUOUS: &[&str] = &[
    "alias", "apply", "as", "at", "batch", "bind", "break", "builtin", "cal", "case", "cat", "chat", "clear", "col",
    "column", "comm", "command", "compare", "complete", "continue", "convert", "cut", "date", "declare", "diff",
    "dig", "display", "do", "env", "eval", "exec", "exit", "expand", "expect", "export", "factor", "false", "file",
    "find", "finger", "fold", "for", "format", "free", "function", "go", "groups", "hash", "head", "help", "history",
    "host", "if", "import", "info", "install", "integer", "jobs", "join", "just", "kill", "last", "leave", "less",
    "let", "link", "local", "locate", "look", "mail", "make", "man", "mesg", "more", "mount", "name", "nice", "note",
    "open", "paste", "patch", "play", "pr", "print", "python", "read", "record", "rename", "reset", "return", "rev",
    "route", "say", "screen", "script", "select", "seq", "service", "set", "shift", "shred", "sleep", "sort",
    "source", "split", "stat", "strip", "substitute", "sum", "suspend", "tail", "talk", "tee", "test", "time",
    "timeout", "times", "top", "touch", "trap", "tree", "true", "type", "umount", "uniq", "units", "unlink", "until",
    "uptime", "users", "view", "wait", "watch", "wc", "what", "whatis", "where", "whereis", "which", "while", "who",
    "whoami", "write", "yes", "zip",
];

/// Commands whose arguments are free text.
#[rustfmt::skip]
pub const FREE_TEXT: &[&str] = &[
    "alias", "banner", "cowsay", "cowthink", "echo", "espeak", "figlet", "logger", "lolcat", "notify-send", "printf",
    "toilet", "wall", "yes",
];

/// Commands that run the rest of the line as a command.
#[rustfmt::skip]
pub const PREFIXES: &[&str] = &[
    "builtin", "command", "doas", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "strace", "sudo", "time",
    "timeout", "watch", "xargs",
];

/// Commands that take no argument, or none that is a plain word.
#[rustfmt::skip]
pub const BARE: &[&str] = &[
    "arch", "bc", "bg", "clear", "dirs", "exit", "false", "fg", "hostid", "jobs", "logname", "logout", "lsblk",
    "lscpu", "lsusb", "nproc", "popd", "pwd", "reset", "times", "true", "tty", "uptime", "users", "w", "whoami",
];

/// Commands that count as commands although they are not installed.
#[rustfmt::skip]
pub const WELL_KNOWN: &[&str] = &[
    "7z", "ab", "ack", "ag", "alsamixer", "ansible", "ansible-playbook", "apk", "apt", "apt-cache", "apt-get", "arch",
    "aria2c", "atop", "awk", "aws", "az", "basename", "bash", "bat", "batcat", "bazel", "bc", "bg", "black", "brew",
    "btop", "btrfs", "bun", "bundle", "bunzip2", "bzip2", "cal", "cargo", "cat", "ccache", "cd", "certbot", "cfdisk",
    "chgrp", "chmod", "chown", "chroot", "clang", "clear", "cmake", "cmp", "code", "comm", "composer", "conda", "cp",
    "crontab", "csplit", "ctest", "curl", "cut", "dart", "date", "dd", "deno", "df", "diff", "dig", "dirname",
    "dmesg", "dnf", "docker", "docker-compose", "dotnet", "dpkg", "du", "duf", "echo", "egrep", "emacs", "env", "exa",
    "exiftool", "export", "expr", "eza", "fd", "fdfind", "fdisk", "ffmpeg", "ffprobe", "fg", "fgrep", "file", "find",
    "firefox", "fish", "flatpak", "flutter", "free", "fsck", "ftp", "fzf", "gcc", "gcloud", "gdb", "gem", "gh", "ghc",
    "gimp", "git", "glab", "go", "gofmt", "gpg", "gradle", "grep", "gunzip", "gzip", "head", "helm", "hexdump",
    "host", "hostname", "hostnamectl", "htop", "http", "hyperfine", "iconv", "id", "ifconfig", "ip", "iptables",
    "irb", "java", "javac", "jobs", "journalctl", "jq", "julia", "just", "k9s", "kill", "killall", "kubectl",
    "lazygit", "ldd", "less", "ln", "locate", "ls", "lsb_release", "lsblk", "lscpu", "lsd", "lsof", "lspci", "lsusb",
    "lua", "make", "man", "mc", "md5sum", "meson", "minikube", "mkdir", "mkfs", "mktemp", "mongosh", "more", "mosh",
    "mount", "mpv", "mtr", "mv", "mvn", "mypy", "mysql", "mysqldump", "nano", "nc", "ncdu", "neofetch", "netstat",
    "nginx", "nice", "ninja", "nix", "nix-shell", "nixos-rebuild", "nl", "nmap", "nmcli", "node", "nohup", "npm",
    "npx", "nslookup", "nvidia-smi", "nvim", "ollama", "openssl", "pacman", "parallel", "parted", "passwd", "patch",
    "perf", "perl", "pgrep", "php", "ping", "pip", "pip3", "pipenv", "pipx", "pkill", "pnpm", "podman", "poetry",
    "popd", "printenv", "printf", "ps", "psql", "pstree", "pulumi", "pushd", "pwd", "py", "pytest", "python",
    "python3", "rails", "rake", "rclone", "readlink", "realpath", "reboot", "redis-cli", "rename", "rg", "rm",
    "rmdir", "rsync", "ruby", "ruff", "rustc", "rustup", "scp", "screen", "sed", "seq", "sftp", "sh", "sha1sum",
    "sha256sum", "shellcheck", "shuf", "shutdown", "sleep", "snap", "socat", "sort", "split", "sqlite3", "ss", "ssh",
    "ssh-add", "ssh-copy-id", "ssh-keygen", "stat", "strace", "strings", "su", "sudo", "svn", "swift", "sysctl",
    "systemctl", "tac", "tail", "tar", "tcpdump", "tee", "telnet", "terraform", "tig", "time", "tldr", "tmux", "top",
    "touch", "tr", "traceroute", "tree", "tsc", "tshark", "type", "ufw", "ulimit", "umount", "uname", "uniq", "unset",
    "unxz", "unzip", "uptime", "useradd", "usermod", "uv", "uvicorn", "uvx", "vagrant", "valgrind", "vault", "vi",
    "vim", "vmstat", "watch", "wc", "wget", "whereis", "which", "whoami", "xargs", "xxd", "xz", "yarn", "yay", "yq",
    "yt-dlp", "yum", "zcat", "zellij", "zip", "zsh", "zstd",
];

/// Builtins and keywords of bash.
#[rustfmt::skip]
pub const BUILTINS: &[&str] = &[
    ".", ":", "[", "[[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
    "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false",
    "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd",
    "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend",
    "test", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [AMBIGUOUS, FREE_TEXT, PREFIXES, BARE, WELL_KNOWN, BUILTINS] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|pair| pair[0] > pair[1]));
        }
    }
}
