//! Places by kind: what the path classes of the rules mean.

/// First parts of absolute paths that belong to the system.
pub(crate) const SYSTEM: &[&str] = &[
    "Applications", "Library", "System", "bin", "boot", "dev", "efi", "etc", "home", "lib", "lib32", "lib64", "opt",
    "private", "proc", "root", "run", "sbin", "snap", "srv", "sys", "tmp", "usr", "var", "Users", "Volumes", "media",
    "mnt", "nix",
];

/// Folders for short-lived files; what lies below them is disposable, they themselves are not.
pub(crate) const SCRATCH: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/var/folders", "/run/user"];

/// Sinks and terminals.
pub(crate) const SINKS: &[&str] = &[
    "/dev/null", "/dev/zero", "/dev/full", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "-", "NUL",
];

/// Beginnings of the names of block devices and of memory under `/dev`.
pub(crate) const DEVICES: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "md", "dm-", "mapper/", "disk", "rdisk", "loop", "mem", "kmem", "port",
    "zd", "zvol/", "nbd", "sr0", "bcache", "drbd", "pmem", "mtd", "ubi", "vg", "rbd", "fd0", "root",
];

/// Folders that a build, a test run or a tool makes again.
pub(crate) const DISPOSABLE: &[&str] = &[
    "node_modules", "bower_components", "jspm_packages", "target", "build", "_build", "builds", "dist", "out", "output",
    ".next", ".nuxt", ".output", ".svelte-kit", ".astro", ".angular", ".turbo", ".parcel-cache", ".cache", "cache",
    "caches", ".caches", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".eggs",
    ".hypothesis", "htmlcov", "coverage", ".nyc_output", ".coverage", "venv", ".venv", "virtualenv", ".gradle",
    "DerivedData", "Pods", ".dart_tool", "bin-debug", "obj", "Debug", "Release", "CMakeFiles", ".terraform", "tmp", "temp",
    ".tmp", ".temp", "test-results", "playwright-report", "storybook-static", ".sass-cache", ".webpack", ".vite", ".rollup.cache",
    "_site", ".docusaurus", ".jekyll-cache", ".stack-work", "dist-newstyle", "elm-stuff", "deps/_build", ".bloop", ".metals",
    ".ipynb_checkpoints", ".serverless", "cdk.out", ".aws-sam", "bazel-out", "bazel-bin", ".zig-cache", "zig-cache", "zig-out",
    ".cargo-target", "tmpdir", "scratch", "reports", "artifacts", ".expo", ".fusebox", "generated", ".kitchen", "lib-cov",
    "release-artifacts", "wheelhouse", ".build", ".swiftpm", "nimcache", "ebin", "_output", "dist-ssr", "buildroot-output",
];

/// Files that are made again or were left behind.
pub(crate) const DISPOSABLE_FILES: &[&str] = &[
    "*.pyc", "*.pyo", "*.o", "*.obj", "*.a", "*.so", "*.class", "*.tmp", "*.temp", "*.log", "*.log.*", "*.swp", "*.swo", "*~",
    "*.bak", "*.orig", "*.rej", "*.cache", ".DS_Store", "Thumbs.db", "core", "core.*", "*.egg-info", "*.pid", "*.lock", "*.gcda",
    "*.gcno", "*.aux", "*.toc", "*.synctex.gz", "*.tsbuildinfo", ".eslintcache", ".stylelintcache", "nohup.out", "*.dSYM", "*.elc",
    "*.whl", "*.map", "*.old", "*.part", "*.d", "*.ko", "*.out", "*.beam", "*.hi", "*.fasl", "*.rlib", "*.rmeta", "*.profraw", "*.prof",
    "npm-debug.log*", "yarn-error.log", "erl_crash.dump", ".coverage.*", "*.coverage", "hs_err_pid*", "*.stackdump",
];

/// Folder names with a part that varies.
pub(crate) const DISPOSABLE_STEMS: &[&str] = &[
    "cmake-build-*", "build-*", "*-build", "build_*", "*_build", "dist-*", "*-dist", "target-*", "tmp-*", "tmp.*", "*.tmp.d", "*-tmp",
    "*_tmp", "tmp_*", "cache-*", "*-cache", "*_cache", ".*-cache", ".*cache", "venv-*", "*-venv", "bazel-*", "out-*", "coverage-*",
    "*.egg-info", "*.dist-info", "*.xcodeproj.bak", "test-output*", "temp-*", "temp_*",
];

/// Start-up files: their lines run later without being asked.
pub(crate) const STARTUP_NAMES: &[&str] = &[
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile",
    ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".xinitrc", ".xsession", ".xprofile", ".inputrc", "config.fish",
    ".vimrc", ".emacs", ".gitconfig", ".npmrc", ".pythonrc", ".envrc", ".tmux.conf", "crontab", "rc.local", "bash.bashrc",
];

/// Folders whose files run later without being asked.
pub(crate) const STARTUP_FOLDERS: &[&str] = &[
    "/etc/profile.d/", "/etc/cron", "/var/spool/cron", "/etc/init.d/", "/etc/systemd/", "/lib/systemd/", "/.config/systemd/",
    "/.config/autostart/", "/etc/rc", "/Library/LaunchAgents/", "/Library/LaunchDaemons/", "/.config/fish/", ".git/hooks/",
    "/etc/udev/rules.d/", "/etc/apt/apt.conf.d/", "/etc/update-motd.d/", "/etc/xdg/autostart/",
];

/// What lets somebody in.
pub(crate) const ACCESS: &[&str] = &[
    "/authorized_keys", "/authorized_keys2", "/etc/sudoers", "/etc/sudoers.d", "/etc/passwd", "/etc/shadow", "/etc/group",
    "/etc/gshadow", "/etc/pam.d", "/etc/ssh/sshd_config", "/etc/ld.so.preload", "/etc/polkit-1", "/etc/doas.conf", "/.rhosts", "/etc/hosts.equiv",
];

/// Names of files that hold secrets.
pub(crate) const SECRET_NAMES: &[&str] = &[
    ".env", ".env.*", "*.env", "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "identity", "*.pem",
    "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc.key", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc",
    ".pypirc", ".htpasswd", ".git-credentials", ".vault-token", "shadow", "shadow-", "gshadow", "master.passwd", "credentials",
    "credentials.json", "credentials.db", "credentials.toml", "credentials.tfrc.json", "application_default_credentials.json",
    "service-account*.json", "*service_account*.json", "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secret.yaml",
    "*.tfstate", "*.ovpn", "wallet.dat", "Login Data", "logins.json", "key4.db", "cookies.sqlite", "Cookies", "SAM", "ntds.dit", "*_rsa",
    "*_ed25519", "server.key", "kubeconfig", "*.kubeconfig", "master.key", "terraform.tfvars", "*.auto.tfvars", "access_tokens.db",
    ".bash_history", ".zsh_history", ".psql_history", ".mysql_history", ".python_history", ".docker/config.json", "keychain*", "*.keychain-db",
    "passwords.txt", "password.txt", "secrets.txt", "token.txt", "tokens.json", "apikey*", "api_key*", ".s3cfg", ".boto", ".pgpass.conf",
    "krb5.keytab", "*.keytab", "wp-config.php", "private.key", "privkey*.pem", "id_rsa*",
];

/// What is no secret though its name looks like one.
pub(crate) const SECRET_EXCEPTIONS: &[&str] =
    &[".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub", "example.env", "cacert.pem", "ca-certificates*", ".env.defaults", ".env.test.example"];

/// Ends of paths that hold secrets, and folders in which everything is one.
pub(crate) const SECRET_PATHS: &[&str] = &[
    "/.ssh", "/.gnupg", "/.aws", "/.azure", "/.config/gcloud", "/.kube", "/.kube/config", "/.docker/config.json", "/.password-store",
    "/.config/gh/hosts.yml", "/.cargo/credentials", "/.cargo/credentials.toml", "/.gem/credentials", "/.config/hub", "/.mozilla",
    "/.config/google-chrome", "/.config/chromium", "/.local/share/keyrings", "/Library/Keychains", "/etc/shadow", "/etc/gshadow",
    "/etc/ssl/private", "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ed25519_key", "/proc/self/environ", "/proc/1/environ", "/environ",
    "/run/secrets", "/var/run/secrets", "/.bitcoin", "/.electrum", "/.config/op", "/.thunderbird", "/.wallet", "/.terraform.d", "/secrets",
    "/.config/rclone/rclone.conf", "/.config/helm", "/.oci", "/.config/doctl", "/.databrickscfg", "/.snowflake", "/.fly", "/.netlify",
    "/etc/krb5.keytab", "/etc/sudoers", "/.local/share/kwalletd", "/.config/sops", "/.age",
];
