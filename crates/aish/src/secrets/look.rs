//! The look of a secret, for texts that are kept for long: better one fact too few than a key too many.

use aish_types::mask::{KEY_BEGINNINGS, KEY_REST};

/// Words behind which a secret stands.
const NAMES: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "api key",
    "apikey",
    "api_key",
    "access key",
    "private key",
    "pin",
    "passwort",
    "kennwort",
];

/// Says why a text looks as if it held a secret; none when it does not.
pub fn of(text: &str) -> Option<&'static str> {
    if text.contains("PRIVATE KEY-----") {
        return Some("a private key");
    }
    for word in text.split(|c: char| c.is_whitespace() || "\"'`,;()<>[]{}".contains(c)) {
        let value = word.rsplit(['=', ':']).next().unwrap_or(word).trim_end_matches(['.', '!', '?']);
        if KEY_BEGINNINGS.iter().any(|start| value.len() >= start.len() + KEY_REST && value.starts_with(start)) {
            return Some("a key of a service");
        }
        if has_login(word) {
            return Some("a URL with a password");
        }
        if is_random(value) {
            return Some("a random string as keys are");
        }
    }
    told(text).then_some("a password or key that is told")
}

/// `https://user:password@host`.
fn has_login(word: &str) -> bool {
    let Some((_, rest)) = word.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let Some((login, _)) = authority.rsplit_once('@') else { return false };
    login.split_once(':').is_some_and(|(_, password)| !password.is_empty() && !password.starts_with(['$', '{', '<']))
}

/// Twenty characters and more of letters and digits in no order: three classes, or hex of a key's length.
fn is_random(word: &str) -> bool {
    let length = word.len();
    if length < 20 || !word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b)) {
        return false;
    }
    // Paths and names of several words have short parts.
    let longest = word.split(['/', '_', '-']).map(str::len).max().unwrap_or(0);
    if longest < 16 {
        return false;
    }
    let count = |fits: fn(&u8) -> bool| word.bytes().filter(fits).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Forty hex digits are a commit; 32, 64 and more are keys.
    (is_hex && digits >= 4 && length >= 32 && length != 40) || (!is_hex && digits >= 2 && upper >= 2 && lower >= 2)
}

/// `the password is hunter2`, `token: abc`, `api_key=abc`.
fn told(text: &str) -> bool {
    let lower = text.to_lowercase();
    NAMES.iter().any(|name| {
        lower.match_indices(name).any(|(at, _)| {
            let before = lower.get(..at).and_then(|before| before.chars().next_back());
            if before.is_some_and(char::is_alphanumeric) {
                return false;
            }
            let rest = lower.get(at + name.len()..).unwrap_or_default();
            let value = [" is ", ": ", ":", " = ", "=", " ist ", " are "]
                .iter()
                .find_map(|link| rest.strip_prefix(link))
                .map(|value| value.trim_start_matches(['"', '\'', '`']));
            value.and_then(|value| value.split_whitespace().next()).is_some_and(is_value)
        })
    })
}

/// Says whether a word that follows `password is` may be one: `hunter2`, and not `stored`, `in` or `$TOKEN`.
fn is_value(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', '!', '?', '"', '\'', '`']);
    let starts_plain = !word.starts_with(['$', '{', '<', '/', '~', '%']);
    starts_plain && word.chars().count() >= 4 && word.chars().any(|c| !c.is_alphabetic() && c != '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_seen_and_facts_are_not() {
        for text in [
            "the key is sk-proj-abcdefghijklmnop",
            "GITHUB_TOKEN=ghp_0123456789abcdef0123",
            "my password is hunter2",
            "the PIN is 4711",
            "API key: 8f3b-11",
            "passwort ist geheim1",
            "use https://bob:s3cret@example.com/x",
            "-----BEGIN OPENSSH PRIVATE KEY-----",
            "token Zx81kQw0LmNp47RsTuVx",
            "digest 0123456789abcdef0123456789abcdef",
            "aws AKIAIOSFODNN7EXAMPLE",
        ] {
            assert!(of(text).is_some(), "{text}");
        }
        for text in [
            "The deploy script is scripts/ship.sh",
            "I prefer tabs over spaces",
            "The password is stored in 1Password",
            "the token is in $GITHUB_TOKEN",
            "commit 3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d3f2a9c1d introduced it",
            "tests run with AISH_TEST_PYTHON=/opt/venv/bin/python",
            "the crate aish-integration-testkit-model-server2 is internal",
            "a secret: never shown",
            "spinning 42 times",
            "docs at https://example.com:8080/@handle",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
