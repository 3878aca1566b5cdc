//! Whether the name of a file tells that it holds keys, passwords or tokens: by a list, or by the words in it.

use super::globs::Globs;
use super::secret_names::{MORE, REST};
use super::secret_places::{SECRET, SECRET_EXCEPTIONS};

static OPEN: Globs = Globs::new(SECRET_EXCEPTIONS);

/// Parts of names that are enough where the file is one of data.
const PARTS: &[&str] = &[
    "password",
    "passwd",
    "credential",
    "clientsecret",
    "accesstoken",
    "authtoken",
    "access_key",
    "access-key",
    "accesskey",
    "secret_key",
    "secret-key",
    "secretkey",
    "private_key",
    "private-key",
    "privatekey",
    "signing_key",
    "signing-key",
    "encryption_key",
    "encryption-key",
    "service-key",
    "service_key",
    "ssh_key",
    "ssh-key",
    "sa-key",
    "gcp-key",
    "apikey",
    "api_key",
    "api-key",
    "kubeconfig",
    "recovery-code",
    "recovery_code",
    "backup-code",
    "backup_code",
    "seed-phrase",
    "seed_phrase",
    "mnemonic",
];

/// The same, between `-`, `_` and dots.
const WORDS: &[&str] = &["secret", "secrets", "creds", "cred", "token", "passwords", "jwt", "bearer"];

/// Parts of names that speak of secrets and hold none.
const ABOUT: &[&str] = &[
    "example",
    "sample",
    "template",
    "schema",
    "polic",
    "reset",
    "forgot",
    "rule",
    "scan",
    "provider",
    "strength",
    "detect",
    "tokeniz",
    "special_token",
    "added_token",
    "design-token",
    "common-password",
];

/// Endings of files that hold data, not code or prose.
const DATA: &[&str] = &[
    "txt",
    "json",
    "jsonl",
    "json5",
    "yml",
    "yaml",
    "csv",
    "tsv",
    "ini",
    "xml",
    "properties",
    "props",
    "toml",
    "conf",
    "cfg",
    "config",
    "cnf",
    "env",
    "db",
    "sqlite",
    "sqlite3",
    "dat",
    "bin",
    "plist",
    "hcl",
    "tfvars",
    "pickle",
    "pkl",
    "list",
    "lst",
    "b64",
    "base64",
    "hex",
    "der",
    "asc",
    "vault",
    "xlsx",
    "xls",
    "docx",
    "doc",
    "odt",
    "pdf",
    "rtf",
    "edn",
];

/// Endings of copies, and of what is packed or locked away.
const COPIES: &[&str] = &[
    "bak",
    "old",
    "orig",
    "save",
    "saved",
    "backup",
    "copy",
    "tmp",
    "prev",
    "swp",
    "swo",
    "gz",
    "bz2",
    "xz",
    "zst",
    "gpg",
    "enc",
    "age",
    "rpmsave",
    "rpmnew",
    "rpmorig",
    "dpkg-old",
    "dpkg-dist",
    "dpkg-new",
    "ucf-old",
    "ucf-dist",
];

/// Names that say it where it is known that a file is meant, and that are words for many other things.
const PLAIN: &[&str] = &["password", "cookies", "cookie", "tokens", "netrc", "htpasswd", "npmrc", "pgpass"];

/// The same, with their dot: without it they are words.
const PLAIN_WITH_DOT: &[&str] = &[".history", ".environment"];

/// No file system takes a longer name, in bytes.
const LONGEST: usize = 255;

/// Says whether the last part of a path is the name of a file with keys, passwords or tokens.
pub(crate) fn tells(name: &str) -> bool {
    if name.len() > LONGEST {
        return SECRET.any(name);
    }
    let bare = without_marks_of_copies(name);
    let is_one = |name: &str| is_listed(name) || is_folded(name) && is_listed(&name.to_ascii_lowercase());
    (is_one(name) || bare != name && is_one(bare)) && !is_open(name)
}

/// Says the same of what is a file's name for sure, and no word of another kind: `token`, `.secrets`, `API_KEY`.
pub(crate) fn tells_of_a_file(name: &str) -> bool {
    if name.len() > LONGEST {
        return false;
    }
    let name = without_marks_of_copies(name).to_ascii_lowercase();
    let bare = name.strip_prefix('.').unwrap_or(&name);
    tells(&name)
        || !is_open(&name)
            && !bare.contains('.')
            && !ABOUT.iter().any(|part| bare.contains(part))
            && bare != "passwd"
            && (PLAIN.contains(&bare)
                || PLAIN_WITH_DOT.contains(&name.as_str())
                || has_part(bare)
                || bare.split(['-', '_']).any(|word| WORDS.contains(&word)))
}

/// Says whether a name only looks like one of them.
pub(crate) fn is_open(name: &str) -> bool {
    let name = without_marks_of_copies(name);
    OPEN.any(name) || is_folded(name) && OPEN.any(&name.to_ascii_lowercase())
}

fn is_listed(name: &str) -> bool {
    !OPEN.any(name) && (SECRET.any(name) || MORE.any(name) || REST.any(name) || is_data_by_name(name))
}

/// Says whether a name has capitals that a file system may take for small letters. A word in capitals alone is a variable or a
/// header.
fn is_folded(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase())
        && name.bytes().any(|byte| !(byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')))
}

fn is_data_by_name(name: &str) -> bool {
    let Some((stem, kind)) = name.rsplit_once('.') else { return false };
    !stem.is_empty()
        && DATA.contains(&kind)
        && !ABOUT.iter().any(|part| stem.contains(part))
        && (has_part(stem) || stem.split(['-', '_', '.', ' ']).any(|word| WORDS.contains(&word)))
}

fn has_part(stem: &str) -> bool {
    PARTS.iter().any(|part| stem.contains(part))
}

/// Takes off what says that a file is a copy of another: `.env~`, `#.env#`, `..env.swp`, `shadow.bak`, `secrets.yml.1.gz`.
fn without_marks_of_copies(name: &str) -> &str {
    let mut name = name.strip_prefix('#').and_then(|name| name.strip_suffix('#')).unwrap_or(name);
    for _ in 0..3 {
        let (stem, end) = match name.strip_suffix('~') {
            Some(stem) => (stem, ""),
            None => name.rsplit_once('.').unwrap_or((name, "")),
        };
        let is_copy = COPIES.contains(&end) || !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
        if stem.len() == name.len() || stem.len() < 2 || !(end.is_empty() || is_copy) {
            break;
        }
        // An editor keeps `.env` as `..env.swp`, and `token.txt` as `.token.txt.swp`.
        name = if matches!(end, "swp" | "swo") { stem.strip_prefix('.').unwrap_or(stem) } else { stem };
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_lower_case() {
        let lists = [PARTS, WORDS, ABOUT, DATA, COPIES, PLAIN, PLAIN_WITH_DOT];
        for name in lists.into_iter().flatten() {
            assert_eq!(*name, name.to_ascii_lowercase());
        }
    }

    #[test]
    fn names_tell() {
        for name in [
            ".ENV",
            "Id_Rsa.bak",
            "Server.PEM",
            ".dockercfg",
            ".env~",
            "#.env#",
            "..env.swp",
            "shadow.bak",
            "shadow.1.gz",
            "kubeconfig.yaml",
            "x.tfvars",
            "krb5cc_1000",
            ".irb_history",
            "github_token.txt",
            "clientSecret.json",
            "new_user_credentials.csv",
            "credentials.yml.enc",
            "id_ed25519_work",
            "NuGet.Config",
            "wp-config.php.bak",
            ".env.swp",
            "secring.gpg",
        ] {
            assert!(tells(name), "{name}");
        }
        for name in [
            "README.md",
            "token.rs",
            "tokenizer.json",
            "secrets.md",
            "password.go",
            "API_KEY",
            "API-KEY",
            "SECRET_KEY",
            "passwd",
            ".env.example",
            "id_rsa.pub",
            "id_rsa.pub.bak",
            "secrets.yml.example",
            "pyproject.toml",
            "Cargo.lock",
            "package.json",
            "shadow.css",
            "settings.xml",
            "gradle.properties",
            "my.cnf",
            "design-tokens.json",
            "token",
            "secrets",
            "service-account.yaml",
            "x.tf",
            "wp-config-sample.php",
            "app.conf",
            "main.yml",
            ".gitignore",
        ] {
            assert!(!tells(name), "{name}");
        }
        for name in [
            "token",
            ".secrets",
            "API_KEY",
            "ID_RSA",
            ".history",
            "db_password",
            "Cookies",
            "kubeconfig-prod",
            ".openai_api_key",
        ] {
            assert!(tells_of_a_file(name), "{name}");
        }
        for name in ["passwd", "README", "tokenizer", "Makefile", "common-password", "token.rs", "keys", ".gitignore"] {
            assert!(!tells_of_a_file(name), "{name}");
        }
    }
}
