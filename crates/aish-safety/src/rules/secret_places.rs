//! Where secrets are: files by name, folders, and what only looks like one.

use super::globs::Globs;

/// The names of files that hold secrets, to be matched.
pub(crate) static SECRET: Globs = Globs::new(SECRET_NAMES);

/// Names of files that hold secrets.
pub(crate) const SECRET_NAMES: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    "*-key",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "identity",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.asc.key",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    ".vault-token",
    "shadow",
    "shadow-",
    "gshadow",
    "master.passwd",
    "credentials",
    "credentials.json",
    "credentials.db",
    "credentials.toml",
    "credentials.tfrc.json",
    "application_default_credentials.json",
    "service-account*.json",
    "*service_account*.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    "secret.yaml",
    "*.tfstate",
    "*.ovpn",
    "wallet.dat",
    "login data",
    "logins.json",
    "key4.db",
    "cookies.sqlite",
    "Cookies",
    "SAM",
    "ntds.dit",
    "*_rsa",
    "*_ed25519",
    "server.key",
    "kubeconfig",
    "*.kubeconfig",
    "master.key",
    "terraform.tfvars",
    "*.auto.tfvars",
    "access_tokens.db",
    ".bash_history",
    ".zsh_history",
    ".psql_history",
    ".mysql_history",
    ".python_history",
    ".docker/config.json",
    "keychain*",
    "*.keychain-db",
    "passwords.txt",
    "password.txt",
    "secrets.txt",
    "token.txt",
    "tokens.json",
    "apikey*",
    "api_key*",
    ".s3cfg",
    ".boto",
    ".pgpass.conf",
    "krb5.keytab",
    "*.keytab",
    "wp-config.php",
    "private.key",
    "auth.json",
    "auth.toml",
    "admin.conf",
    "kubelet.conf",
    "*-private-key*",
    "*.secret",
    "hosts.yml",
    "*_key",
    "id_rsa*",
];

/// What is no secret though its name looks like one.
pub(crate) const SECRET_EXCEPTIONS: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    "*.pub",
    "example.env",
    "cacert.pem",
    "cert.pem",
    "*-cert.pem",
    "*-ca.pem",
    "ca.pem",
    "chain.pem",
    "fullchain.pem",
    "ca-certificates*",
    ".env.defaults",
    ".env.test.example",
    "*.example",
    "*.sample",
    "*.template",
    "*.tmpl",
    "*.dist",
    ".env[-_]example",
    ".env[-_]sample",
    ".env[-_]template",
    "*example*.tfvars",
    "sample.tfvars",
    "wp-config-sample.php",
];

/// Ends of paths that hold secrets, and folders in which everything is one.
pub(crate) const SECRET_PATHS: &[&str] = &[
    "/.ssh",
    "/aish/mcp-tokens",
    "/.gnupg",
    "/.aws",
    "/.azure",
    "/.config/gcloud",
    "/.kube",
    "/.kube/config",
    "/.docker/config.json",
    "/.password-store",
    "/.config/gh/hosts.yml",
    // Addresses and headers with tokens.
    "/.git/config",
    "/.cargo/credentials",
    "/.cargo/credentials.toml",
    "/.gem/credentials",
    "/.config/hub",
    "/.mozilla",
    "/.config/google-chrome",
    "/.config/chromium",
    "/.local/share/keyrings",
    "/Library/Keychains",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/ssl/private",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/proc/self/environ",
    "/proc/1/environ",
    "/environ",
    "/run/secrets",
    "/var/run/secrets",
    "/.bitcoin",
    "/.electrum",
    "/.config/op",
    "/.thunderbird",
    "/.wallet",
    "/.terraform.d",
    "/secrets",
    "/.config/rclone/rclone.conf",
    "/.config/helm",
    "/.oci",
    "/.config/doctl",
    "/.databrickscfg",
    "/.snowflake",
    "/.fly",
    "/.netlify",
    "/etc/krb5.keytab",
    "/etc/sudoers",
    "/.local/share/kwalletd",
    // Our own: what was signed in with, what was said and decided, and what was put aside.
    "/aish/mcp-tokens",
    "/aish/audit.jsonl",
    "/aish/aish.db",
    "/aish/sessions",
    "/aish/undo",
    "/.local/state/aish",
    "/climax/audit.jsonl",
    "/.config/sops",
    "/.age",
    "/.config/glab-cli",
    "/.config/containers/auth.json",
    "/.config/pypoetry/auth.toml",
    "/etc/kubernetes/admin.conf",
    "/.local/share/containers/auth.json",
    "/.m2/settings.xml",
    "/.gradle/gradle.properties",
    "/.config/configstore",
    "/.config/heroku",
    "/.config/hcloud",
    "/.config/linode-cli",
    "/.config/stripe",
];

/// More of them, whose last parts are ordinary words: no pattern is held against them.
pub(crate) const MORE_PATHS: &[&str] = &[
    "/.envs",
    "/.cloudflared",
    "/.config/msmtp",
    "/.config/mutt",
    "/.config/neomutt",
    "/.mutt",
    "/.getmail",
    "/.dbt/profiles.yml",
    "/.config/b2",
    "/.config/borgmatic",
    "/.config/mods/mods.yml",
    "/.config/shell_gpt",
    "/.config/environment.d",
    "/.config/chezmoi/chezmoi.toml",
    "/.bunfig.toml",
    "/.m2/settings-security.xml",
    "/.docker/contexts",
    "/.docker/machine",
    "/.docker/.token_seed",
    "/.cf/config.json",
    "/.circleci/cli.yml",
    "/.travis/config.yml",
    "/.civo.json",
    "/.vultr-cli.yaml",
    "/.linode-cli",
    "/.ovh.conf",
    "/.tccli",
    "/.argocd",
    "/.helm/repository",
    "/.influxdbv2",
    "/.cassandra/cqlshrc",
    "/.clickhouse-client",
    "/.jupyter/jupyter_server_config.json",
    "/.jupyter/jupyter_notebook_config.json",
    "/.local/share/jupyter/runtime",
    "/.vagrant.d/data",
    "/.ansible/vault",
    "/.pki/nssdb",
    "/.globus",
    "/.yubico",
    "/.config/deluge/auth",
    "/.config/toot",
    "/.config/borg/keys",
    "/.config/syncthing/config.xml",
    "/etc/networkmanager/system-connections",
    "/run/networkmanager/system-connections",
    "/run/secrets.d",
    "/run/credentials",
    "/run/agenix",
    "/run/cloud-init/instance-data-sensitive.json",
    "/etc/netplan",
    "/etc/wpa_supplicant",
    "/var/lib/cloud",
    "/default/settings.php",
    "/krb5cc",
    "/.vnc",
];

/// Endings of ordinary files, some few of which hold secrets: a pattern that names no more than these does not mean those.
pub(crate) const ORDINARY_KINDS: &[&str] = &[
    "yml", "yaml", "json", "toml", "xml", "txt", "md", "csv", "log", "sql", "js", "ts", "py", "rb", "php", "sh", "go",
    "rs", "java", "html", "css",
];

/// Names that the beginning of a pattern may mean: `id_*`, `credential*`.
const BEGUN: &[&str] = &[
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    ".env.local",
    "credentials",
    "secrets.yml",
    "wallet.dat",
    "kubeconfig",
];

/// A name with a dot that no pattern for such files fits.
const ANY_DOTTED: &str = ".ordinary";

/// Files of keys and passwords that a pattern may be made for: one that fits one of these and no ordinary name means it.
const MEANT: &[&str] = &[
    ".env",
    ".envrc",
    ".npmrc",
    ".netrc",
    ".pgpass",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    "id_rsa",
    "id_ed25519",
    "credentials",
    "credentials.json",
    "secrets.yml",
    "secret.key",
    "server.pem",
    "krb5cc_1000",
    "rclone.conf",
    "terraform.tfvars",
    "terraform.tfstate",
    "passwords.txt",
    "token.txt",
    "x.kdbx",
    "x.p12",
    "x.pfx",
    "x.jks",
    "x.keystore",
];

/// Bytes of a pattern from which on it is taken for one that may fit any name.
const LONG: usize = 256;

/// Names that say nothing: a pattern that fits one of them is made for more than keys.
const ORDINARY: &[&str] = &["ordinary", ANY_DOTTED, ".gitignore"];

/// Letters of a pattern from which on it is taken to be made for something; two where it begins with a wildcard and ends
/// with a letter.
const MADE_FOR: usize = 3;

/// Says whether a name or a pattern of names is that of a file with keys or passwords. Some programs and some file systems
/// see no difference between `.env` and `.ENV`.
pub(crate) fn names_key(pattern: &str) -> bool {
    let bare = pattern.rsplit('/').next().unwrap_or_default();
    let bare = bare.trim_start_matches('^').trim_end_matches('$').replace("\\.", ".");
    names_key_as_written(&bare)
        || bare.bytes().any(|byte| byte.is_ascii_uppercase()) && names_key_as_written(&bare.to_ascii_lowercase())
}

/// Says the same, or whether a pattern fits the name of such a file and no ordinary name of the same kind.
pub(crate) fn may_name_key(pattern: &str) -> bool {
    let bare = pattern.rsplit('/').next().unwrap_or_default();
    names_key(pattern) || is_made_for(bare) || is_made_for(&bare.to_ascii_lowercase())
}

fn names_key_as_written(bare: &str) -> bool {
    // What a process was started with, below `/proc`.
    if SECRET_NAMES.contains(&bare) || bare == "environ" {
        return true;
    }
    let fits = |name: &&&str| crate::command::path::glob_match(bare, name);
    match bare.find(['*', '?', '[']) {
        Some(_) if bare.len() > LONG => true,
        // What fits any name with a dot means none of them.
        Some(_) if bare.starts_with('.') && !fits(&&ANY_DOTTED) => {
            SECRET_NAMES.iter().filter(|name| !name.contains('/')).any(|name| fits(&name))
                || BEGUN.iter().any(|name| fits(&name))
        }
        Some(begun) => begun >= 3 && BEGUN.iter().any(|name| fits(&name)),
        None => bare.len() >= 3 && super::secret_words::tells(bare),
    }
}

fn is_made_for(pattern: &str) -> bool {
    if pattern.len() > LONG || !pattern.contains(['*', '?', '[']) {
        return pattern.len() > LONG && pattern.contains(['*', '?', '[']);
    }
    let fits = |name: &str| crate::command::path::glob_match(pattern, name);
    let is_wild = |letter: Option<char>| letter.is_some_and(|letter| matches!(letter, '*' | '?' | '['));
    let least = match (is_wild(pattern.chars().next()), pattern.ends_with('*')) {
        (true, false) => MADE_FOR - 1,
        _ => MADE_FOR,
    };
    let letters = pattern.bytes().filter(|byte| !matches!(byte, b'*' | b'?' | b'[' | b']' | b'!' | b'^')).count();
    let is_ordinary = |name: &str| {
        let kind = name.rsplit_once('.').map(|(_, kind)| kind);
        let kind = kind.filter(|kind| ORDINARY_KINDS.contains(kind) || *kind == "conf");
        kind.is_some_and(|kind| fits(&alloc::format!("ordinary.{kind}")))
    };
    (letters >= least || pattern.starts_with('.'))
        && !ORDINARY.iter().any(|name| fits(name))
        && MEANT.iter().any(|name| fits(name) && !is_ordinary(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_for_keys_are_told_by_their_patterns() {
        for pattern in [
            "id_rsa",
            "id_*",
            "*.pem",
            "*/.env",
            "^\\.env$",
            ".env*",
            "*_rsa",
            ".e?v",
            ".n*rc",
            ".ENV",
            "*env",
            "?env",
            "[.]env",
            ".en[[:alpha:]]",
            "*rc",
            "environ",
            "*.tfvars",
            "*cred*",
            "*.k?y",
        ] {
            assert!(may_name_key(pattern), "{pattern}");
        }
        for pattern in [
            "*", "*.json", "*.yml", "*.rs", "main*", "i*", "src", "", ".*", ".[!.]*", ".docker*", "*.*", "*.c", "*.py",
            "*.conf", "s*", "*test*", "config*", "*.md", "*s", "README*", "*.tf", "*.lock",
        ] {
            assert!(!may_name_key(pattern), "{pattern}");
        }
    }
}
