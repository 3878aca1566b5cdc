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
    "Login Data",
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

/// Says whether a name or a pattern of names is that of a file with keys or passwords. Some programs and some file systems
/// see no difference between `.env` and `.ENV`.
pub(crate) fn names_key(pattern: &str) -> bool {
    let bare = pattern.rsplit('/').next().unwrap_or_default();
    let bare = bare.trim_start_matches('^').trim_end_matches('$').replace("\\.", ".");
    names_key_as_written(&bare)
        || bare.bytes().any(|byte| byte.is_ascii_uppercase()) && names_key_as_written(&bare.to_ascii_lowercase())
}

fn names_key_as_written(bare: &str) -> bool {
    if SECRET_NAMES.contains(&bare) {
        return true;
    }
    let fits = |name: &&&str| crate::command::glob_match(bare, name);
    match bare.find(['*', '?', '[']) {
        // What fits any name with a dot means none of them.
        Some(_) if bare.starts_with('.') && !fits(&&ANY_DOTTED) => {
            SECRET_NAMES.iter().filter(|name| !name.contains('/')).any(|name| fits(&name))
                || BEGUN.iter().any(|name| fits(&name))
        }
        Some(begun) => begun >= 3 && BEGUN.iter().any(|name| fits(&name)),
        None => bare.len() >= 3 && SECRET.any(bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_for_keys_are_told_by_their_patterns() {
        for pattern in ["id_rsa", "id_*", "*.pem", "*/.env", "^\\.env$", ".env*", "*_rsa", ".e?v", ".n*rc", ".ENV"] {
            assert!(names_key(pattern), "{pattern}");
        }
        for pattern in ["*", "*.json", "*.yml", "*.rs", "main*", "i*", "src", "", ".*", ".[!.]*", ".docker*"] {
            assert!(!names_key(pattern), "{pattern}");
        }
    }
}
