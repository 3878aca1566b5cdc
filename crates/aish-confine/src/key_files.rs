//! Files of a tree that hold a key, a token or a password, told by name and by content: `server.key`, `prod.env`, `tokens.json`.

use std::path::Path;

use aish_types::secret_files::names_secret;

use crate::secret_settings::holds_secret;

/// Kinds of files in which secrets are kept; sources, which speak of them, are none of these.
#[rustfmt::skip]
const KINDS: &[&str] = &[
    "asc", "cfg", "cnf", "conf", "creds", "csv", "env", "ini", "json", "key", "md", "p8", "pem", "pk8", "ppk", "properties", "secret",
    "tfstate", "tfvars", "token", "toml", "txt", "xml", "yaml", "yml",
];

/// Kinds of which every file may be one, whatever it is called.
const WHOLE_KINDS: &[&str] = &["env", "key", "p8", "pem", "pk8", "ppk", "tfstate", "tfvars"];

/// How names of private keys begin and end that ssh makes.
const OF_SSH: &[&str] = &["rsa", "dsa", "ecdsa", "ed25519", "ecdsa_sk", "ed25519_sk"];

/// Names that say nothing else.
const NAMES: &[&str] =
    &[".dev.vars", ".flaskenv", ".htpasswd", "admin.conf", "kubeconfig", "local.settings.json", "rclone.conf"];

/// What is put behind the name of a copy.
const COPIES: &[&str] = &["bak", "backup", "old", "orig", "save", "copy", "swp", "tmp"];

/// Folders of packages that anybody can fetch: what they have are examples.
const OF_PACKAGES: &[&str] = &["node_modules", "site-packages", "dist-packages"];

/// Says whether a file may be one by its name, with nothing read.
pub(crate) fn is_named(name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else { return false };
    let name = without_marks(name);
    let lower = |text: &str, known: &[&str]| known.iter().any(|one| text.eq_ignore_ascii_case(one));
    let (stem, kind) = name.rsplit_once('.').map_or((name, None), |(stem, kind)| (stem, Some(kind)));
    match kind.filter(|_| !stem.is_empty()) {
        Some(kind) if lower(kind, WHOLE_KINDS) => true,
        Some(kind) if !lower(kind, KINDS) => lower(name, NAMES),
        None if is_of_ssh(name) => true,
        _ => lower(name, NAMES) || names_secret(name),
    }
}

/// Says whether a file that is so called is one: what it holds decides.
pub(crate) fn is_one(file: &Path) -> bool {
    let is_of_package = |part: std::path::Component<'_>| OF_PACKAGES.iter().any(|known| part.as_os_str() == *known);
    !file.components().any(is_of_package) && file.canonicalize().is_ok_and(|real| holds_secret(&real))
}

fn is_of_ssh(name: &str) -> bool {
    OF_SSH.iter().any(|kind| {
        name.strip_suffix(kind).is_some_and(|rest| rest == "id_" || rest.len() > 1 && rest.ends_with(['_', '-']))
    })
}

/// Takes off what says that a file is a copy of another: `key.pem~`, `tokens.json.bak`.
fn without_marks(name: &str) -> &str {
    let name = name.trim_end_matches('~').trim_matches('#');
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && COPIES.iter().any(|copy| end.eq_ignore_ascii_case(copy)) => stem,
        Some(_) | None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_data_with_words_for_secrets_may_be_ones() {
        for name in [
            "server.key",
            "cert.PEM",
            "prod.env",
            "id_rsa",
            "deploy_ed25519",
            "tokens.json",
            "Secrets.yml",
            "credentials",
            "db-password.txt",
            "api_key",
            "terraform.tfstate",
            "prod.tfvars",
            "kubeconfig",
            "key.pem~",
            "tokens.json.bak",
            "#secrets.toml#",
            ".htpasswd",
            "service-credentials.json",
            "private.ppk",
        ] {
            assert!(is_named(name.as_bytes()), "{name}");
        }
        for name in [
            "token.rs",
            "secrets.py",
            "credential.ts",
            "passwords.html",
            "main.c",
            "id_rsa.pub",
            "Cargo.toml",
            "tokenizer.json",
            "package.json",
            "README",
            "rsa",
            "key.rs",
            "",
            ".",
            "~",
            "environment",
            "public_key.txt",
        ] {
            assert!(!is_named(name.as_bytes()), "{name}");
        }
        assert!(!is_named(b"\xff.key"));
    }
}
