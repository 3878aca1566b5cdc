//! Places by kind: what the path classes of the rules mean.

/// First parts of absolute paths that belong to the system.
pub(crate) const SYSTEM: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "bin",
    "boot",
    "dev",
    "efi",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "snap",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
    "Users",
    "Volumes",
    "media",
    "mnt",
    "nix",
];

/// Folders in which managers of packages keep what they fetched, and fetch again.
pub(crate) const PACKAGE_CACHES: &[&str] =
    &["/var/cache/apt", "/var/cache/dnf", "/var/cache/yum", "/var/cache/apk", "/var/cache/pacman/pkg"];

/// Folders for short-lived files; what lies below them is disposable, they themselves are not.
pub(crate) const SCRATCH: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/var/folders", "/run/user"];

/// Sinks and terminals.
pub(crate) const SINKS: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// Names of what a command's output and errors go to; Linux opens the file again that the descriptor is open for.
pub(crate) const OUTPUTS: &[&str] = &["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"];

/// Beginnings of the names of block devices and of memory under `/dev`.
pub(crate) const DEVICES: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "md", "dm-", "mapper/", "disk", "rdisk", "loop", "mem", "kmem", "port",
    "zd", "zvol/", "nbd", "sr0", "bcache", "drbd", "pmem", "mtd", "ubi", "vg", "rbd", "fd0", "root",
];

/// Start-up files: their lines run later without being asked.
pub(crate) const STARTUP_NAMES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".xinitrc",
    ".xsession",
    ".xprofile",
    ".inputrc",
    "config.fish",
    ".vimrc",
    ".emacs",
    ".gitconfig",
    ".npmrc",
    ".pythonrc",
    ".envrc",
    ".tmux.conf",
    "crontab",
    "rc.local",
    "bash.bashrc",
];

/// Folders whose files run later without being asked.
pub(crate) const STARTUP_FOLDERS: &[&str] = &[
    "/etc/profile.d/",
    "/etc/cron",
    "/var/spool/cron",
    "/etc/init.d/",
    "/etc/systemd/",
    "/lib/systemd/",
    "/.config/systemd/",
    "/.config/autostart/",
    "/etc/rc",
    "/Library/LaunchAgents/",
    "/Library/LaunchDaemons/",
    "/.config/fish/",
    ".git/hooks/",
    "/etc/udev/rules.d/",
    "/etc/apt/apt.conf.d/",
    "/etc/update-motd.d/",
    "/etc/xdg/autostart/",
];

/// What lets somebody in.
pub(crate) const ACCESS: &[&str] = &[
    "/authorized_keys",
    "/authorized_keys2",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/group",
    "/etc/gshadow",
    "/etc/pam.d",
    "/etc/ssh/sshd_config",
    "/etc/ld.so.preload",
    "/etc/polkit-1",
    "/etc/doas.conf",
    "/.rhosts",
    "/etc/hosts.equiv",
];
