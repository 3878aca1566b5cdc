//! The environment of a confined run: without secrets and without ways to reach other programs.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

/// Parts of names whose values are secrets, in capitals.
const SECRET_PARTS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "AUTH",
    "COOKIE",
    "PRIVATE",
    "SESSION_BUS",
];

/// Words of names (between `_`) whose values are secrets, in capitals.
const SECRET_WORDS: &[&str] = &["PASS", "PWD", "PW", "PAT", "PIN", "DSN", "JWT", "BEARER", "SIGNATURE", "CERT", "PEM"];

/// Names that lead to another program, to files of secrets, or to code that is run in every shell.
#[rustfmt::skip]
const LEADING_OUT: &[&str] = &[
    "DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "GPG_AGENT_INFO", "SSH_AGENT_PID", "SSH_ASKPASS", "GIT_ASKPASS",
    "SUDO_ASKPASS", "KUBECONFIG", "DOCKER_HOST", "CONTAINER_HOST", "NETRC", "PGPASSFILE", "MYSQL_PWD", "TMUX", "STY",
    "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "INVOCATION_ID", "JOURNAL_STREAM", "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE", "BASH_ENV", "ENV", "PROMPT_COMMAND", "ZDOTDIR", "BASH_XTRACEFD", "GCONV_PATH",
];

/// Says whether a variable's name says that its value is secret, or leads out of a confined run.
pub fn is_private_name(name: &[u8]) -> bool {
    let upper = name.to_ascii_uppercase();
    // An author is nobody who authenticates.
    let words = upper.split(|byte| *byte == b'_').filter(|word| *word != b"AUTHOR" && *word != b"AUTHORS");
    let upper = words.collect::<Vec<_>>().join(&b'_');
    let has = |part: &str| upper.windows(part.len()).any(|window| window == part.as_bytes());
    // The folder is called by one of them.
    let is_folder = upper == b"PWD" || upper == b"OLDPWD";
    let is_secret_word = |word: &[u8]| SECRET_WORDS.iter().any(|known| word == known.as_bytes());
    SECRET_PARTS.iter().any(|part| has(part))
        || (!is_folder && upper.split(|byte| *byte == b'_').any(is_secret_word))
        || LEADING_OUT.iter().any(|known| upper == known.as_bytes())
        || [&b"DBUS_"[..], b"AISH_", b"BASH_FUNC_", b"VSCODE_"].iter().any(|start| upper.starts_with(start))
}

/// Characters of a name in a URL, from which on it is taken for a token.
const SHORTEST_TOKEN: usize = 20;

/// Says whether a value has a password or a token in a URL (`scheme://user:password@host`), or a private key.
fn has_password(value: &[u8]) -> bool {
    let urls = value.windows(3).enumerate().filter(|(_, window)| window == b"://");
    let mut urls = urls.filter_map(|(at, _)| value.get(at + 3..));
    urls.any(|rest| secret_user(rest).is_some()) || value.windows(15).any(|window| window == b" PRIVATE KEY---")
}

/// Returns what stands before the host of a URL, where that has a password in it or is a token. `rest` follows the `://`.
pub(crate) fn secret_user(rest: &[u8]) -> Option<&[u8]> {
    let host = rest.split(|byte| matches!(byte, b'/' | b' ' | b'?' | b'#')).next().unwrap_or_default();
    let user = host.iter().rposition(|byte| *byte == b'@').and_then(|end| host.get(..end))?;
    (user.contains(&b':') || user.len() >= SHORTEST_TOKEN).then_some(user)
}

/// Returns the variables that a confined run may have. `secrets` are values that are known; `keep` names exceptions.
pub fn clean<I>(variables: I, secrets: &[Vec<u8>], keep: &[String]) -> Vec<(OsString, OsString)>
where
    I: IntoIterator<Item = (OsString, OsString)>,
{
    let holds_secret = |value: &[u8]| {
        secrets.iter().any(|secret| !secret.is_empty() && value.windows(secret.len()).any(|part| part == secret))
    };
    variables
        .into_iter()
        .filter(|(name, value)| {
            let kept = keep.iter().any(|known| name == known.as_str());
            let value = value.as_bytes();
            kept || !(is_private_name(name.as_bytes()) || holds_secret(value) || has_password(value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_ways_out_are_gone() {
        let all = [
            ("PATH", "/bin"),
            ("OPENAI_API_KEY", "a"),
            ("github_token", "a"),
            ("SSH_AUTH_SOCK", "/run/x"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:"),
            ("DISPLAY", ":0"),
            ("DATABASE_URL", "postgres://ana:hunter2@db/x"),
            ("HOMEPAGE", "https://example.org/a:b@c"),
            ("NOTE", "it is s3cr3t!"),
            ("NPM_TOKEN", "kept"),
            ("BASH_ENV", "/x"),
            ("BASH_FUNC_ls%%", "() { :; }"),
            ("MONKEY_BUSINESS", "a"),
            ("GIT_AUTHOR_NAME", "ana"),
            ("GIT_AUTHOR_KEY", "a"),
            ("XAUTHORITY", "a"),
            ("SMTP_PASS", "a"),
            ("MYSQL_PWD", "a"),
            ("PWD", "/x"),
            ("ORIGIN", "git+https://example.org https://ghp_0123456789abcdefghij@example.org/a"),
            ("REMOTE", "ssh://git@example.org/a"),
            ("BOTH", "http://a.example http://u:p@b.example"),
            ("PEMS", "-----BEGIN EC PRIVATE KEY-----"),
            ("LANG", "C"),
        ];
        let all = all.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let left = clean(all, &[b"s3cr3t!".to_vec()], &["NPM_TOKEN".to_owned()]);
        let names: Vec<_> = left.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["PATH", "HOMEPAGE", "NPM_TOKEN", "GIT_AUTHOR_NAME", "PWD", "REMOTE", "LANG"]);
    }
}
