//! Files of settings that hold a key, a token or a password, whatever they are called and wherever a program keeps them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use aish_types::mask::KEY_REST;
use aish_types::{NameContext, is_secret_name, mask};

use crate::private::has_password;
use crate::secret_lines::section;

/// Bytes of a file that is read: settings are short, and what is longer is data.
const LONGEST: u64 = 256 << 10;

/// Files that are remembered.
const MOST: usize = 20_000;

/// Bytes of a name, and of what stands behind it, that are looked at.
const NAME: usize = 100;
const VALUE: usize = 1000;

/// Characters of a password, and of any other secret.
const SHORTEST: (usize, usize) = (4, 8);

/// Names that tell about a login, and whose values mostly are no secrets.
const ABOUT_LOGINS: &[&str] = &["AUTH", "LICENSE", "LICENCE", "ACCOUNT", "COOKIE", "PAT", "OTP", "PIN"];

/// What stands in the place of a password where there is none.
#[rustfmt::skip]
const NO_PASSWORDS: &[&str] = &[
    "true", "false", "null", "none", "nil", "prompt", "never", "always", "required", "optional", "keyring", "keychain", "enabled",
    "disabled", "default", "undefined", "string", "password", "passphrase", "secret", "changeme", "environment", "store", "cache",
];

/// Tells a version of a file: device, inode, size, times of change and modification.
type Stamp = (u64, u64, u64, i64, i64, i64, i64);

static KNOWN: Mutex<Option<HashMap<PathBuf, (Stamp, bool)>>> = Mutex::new(None);

/// Says whether a file holds a secret. One that cannot be read, is longer than 256 KiB or is no file holds none. A file is read once
/// as long as it stays as it is.
pub(crate) fn holds_secret(file: &Path) -> bool {
    let Ok(meta) = fs::symlink_metadata(file) else { return false };
    if !meta.is_file() || meta.len() > LONGEST || meta.len() == 0 {
        return false;
    }
    let times = (meta.ctime(), meta.ctime_nsec(), meta.mtime(), meta.mtime_nsec());
    let stamp = (meta.dev(), meta.ino(), meta.len(), times.0, times.1, times.2, times.3);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, holds)) = known().as_ref().and_then(|all| all.get(file)).filter(|(was, _)| *was == stamp) {
        return *holds;
    }
    let holds = fs::read(file).is_ok_and(|content| is_secret(&content));
    let mut known = known();
    let all = known.get_or_insert_default();
    if all.len() >= MOST {
        all.clear();
    }
    all.insert(file.to_owned(), (stamp, holds));
    holds
}

/// Says whether a file of settings with this content holds a secret. What a line speaks of that is a comment is none.
fn is_secret(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    has_key(&text) || text.lines().filter(|line| !line.trim_start().starts_with(['#', ';', '/'])).any(has_named)
}

/// Says whether a text holds a secret: a key of a well-known service, a private key, a password in an address, or a value whose name
/// says that it is one.
pub fn tells_secret(text: &str) -> bool {
    has_key(text) || text.lines().any(has_named)
}

fn has_key(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace().filter(|word| word.len() > KEY_REST);
    has_password(text.as_bytes()) || words.any(|word| matches!(mask(word), Cow::Owned(_)))
}

/// Says whether a line has a name and a secret behind it: `name = value`, `"name": "value"`, `<name>value<`.
fn has_named(line: &str) -> bool {
    line.match_indices(['=', ':', '>']).any(|(at, _)| {
        let start = line.floor_char_boundary(at.saturating_sub(NAME));
        let before = line.get(start..at).unwrap_or_default().trim_end_matches([' ', '\t', '"', '\'']);
        let of_a_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let name = before.rsplit(|letter| !of_a_name(letter)).next().unwrap_or_default();
        let end = line.floor_char_boundary(at + 1 + VALUE);
        is_named(name) && is_value(name, line.get(at + 1..end).unwrap_or_default())
    })
}

fn is_named(name: &str) -> bool {
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or(name);
    !ABOUT_LOGINS.iter().any(|known| last.eq_ignore_ascii_case(known))
        && is_secret_name(name.as_bytes(), NameContext::Text)
}

/// Says whether a value is a secret itself, and not where it is, how it is asked for or how many there are.
fn is_value(name: &str, text: &str) -> bool {
    let value = text.trim_start_matches([' ', '\t', '"', '\'', '=', ':', '>']);
    // The kind of a login stands before it.
    let kinds = ["Bearer ", "Basic ", "token "];
    let value = kinds.iter().find_map(|kind| value.strip_prefix(kind)).unwrap_or(value);
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';' | '<' | '}' | ']');
    let value = value.split(ends).next().unwrap_or_default();
    let is_password = name.to_ascii_lowercase().contains("pass");
    let shortest = if is_password { SHORTEST.0 } else { SHORTEST.1 };
    let is_reference = value.starts_with(['/', '~', '.', '$', '%', '<', '{', '@'])
        || value.contains(['(', '{', '$', '\\'])
        || value.contains("://");
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'.'));
    let is_none = NO_PASSWORDS.iter().any(|known| value.eq_ignore_ascii_case(known));
    let is_covered = value.bytes().all(|byte| matches!(byte, b'*' | b'x' | b'X'));
    value.len() >= shortest && !(is_reference || is_none || is_covered) && (is_password || !is_number && !is_word)
}

/// Returns the variables that say who commits, from git's settings that are hidden: without them git would commit for nobody.
pub(crate) fn identity(file: &Path) -> Vec<(OsString, OsString)> {
    let text = fs::read(file).unwrap_or_default();
    let mut within = Vec::new();
    let mut found = Vec::new();
    for line in String::from_utf8_lossy(&text).lines() {
        if let Some(begun) = section(line.as_bytes()) {
            within = begun;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| within == b"user") else { continue };
        let variables = match key.trim().to_ascii_lowercase().as_str() {
            "name" => ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"],
            "email" => ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"],
            _ => continue,
        };
        let value = value.trim().trim_matches('"');
        found.extend(variables.map(|variable| (variable.into(), value.into())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_told_by_its_name_and_its_look() {
        for text in [
            "token = \"a1B2c3D4e5\"",
            "[x]\npassword: hunter2",
            "{\"a\":1,\"accessToken\":\"Zm9vYmFyYmF6\",\"b\":2}",
            "<password>tr0ub4dor</password>",
            "export SERVICE_API_KEY=abcDEF123456",
            "url = https://ana:hunter2@example.org/x",
            "-----BEGIN OPENSSH PRIVATE KEY-----",
            "x: ghp_0123456789abcdefghijklmnopqrstuvwxyz",
            "headers = { Authorization = \"x\" }\nclient_secret='Q1w2e3r4t5'",
            "auth_token: Bearer abcDEF123456",
            "passwd=correcthorse",
        ] {
            assert!(is_secret(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "# password = tr0ub4dor",
            "\"license\": \"Apache-2.0\"",
            "max_tokens = 100000",
            "token_file: /home/ana/t0ken",
            "password = ${PASSWORD}",
            "password = getpass()",
            "password: keyring",
            "token: $(pass show x)",
            "key = \"ctrl+shift+K1\"",
            "credential.helper = store",
            "url = https://example.org/ana:hunter2",
            "author: Ana9 Example",
            "\"tokenizer\": \"Cl100kBase\"",
            "secret: ********",
        ] {
            assert!(!is_secret(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_a_shell_knows_is_told_by_the_same() {
        for text in [
            "alias db='mysql --password=hunter22'\nalias ll='ls -l'",
            "ask () \n{ \n    curl -H 'Authorization: Bearer gsk_abcdefGHIJ0123456789' https://example.org\n}",
            "/bin/x --password=hunter22",
        ] {
            assert!(tells_secret(text), "{text}");
        }
        for text in [
            "alias db='mysql --password=$PASSWORD'",
            "log_in () \n{ \n    token=$(pass show x)\n}",
            "-Xmx1g -Dx.y=UTF-8",
        ] {
            assert!(!tells_secret(text), "{text}");
        }
    }

    #[test]
    fn a_line_that_names_a_secret_at_each_word_is_read_in_one_pass() {
        let whole = usize::try_from(LONGEST).unwrap();
        for (part, end, holds) in [
            ("token=$(", "", false),
            ("token= ", "", false),
            ("a", "=x", false),
            ("=", "x", false),
            ("<token>/", "", false),
            ("://", "@", false),
            ("token", "=a1B2c3D4e5", true),
        ] {
            let text = format!("{}{end}", part.repeat(whole / part.len()));
            assert_eq!(is_secret(text.as_bytes()), holds, "{part}");
        }
    }

    #[test]
    fn a_file_is_read_again_when_it_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings");
        for (text, holds) in [("a = 1", false), ("token = a1B2c3D4e5", true), ("", false)] {
            fs::write(&file, text).unwrap();
            assert_eq!((holds_secret(&file), holds_secret(&file)), (holds, holds), "{text}");
        }
        fs::write(&file, format!("token = a1B2c3D4e5\n{}", "x".repeat(256 << 10))).unwrap();
        assert!(!holds_secret(&file) && !holds_secret(folder.path()) && !holds_secret(Path::new("/dev/zero")));
    }

    #[test]
    fn who_commits_is_known_without_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".gitconfig");
        fs::write(&file, "[core]\n\tname = no\n[user]\n\tname = \"Ana B\"\n\temail = ana@example.org\n").unwrap();
        let found = identity(&file);
        let found: Vec<_> =
            found.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
        let expected = [
            "GIT_AUTHOR_NAME=Ana B",
            "GIT_COMMITTER_NAME=Ana B",
            "GIT_AUTHOR_EMAIL=ana@example.org",
            "GIT_COMMITTER_EMAIL=ana@example.org",
        ];
        assert_eq!(found, expected);
        assert!(identity(Path::new("/nonexistent")).is_empty());
    }
}
