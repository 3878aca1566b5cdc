//! The environment of a confined run: without secrets and without ways to reach other programs.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use aish_types::{NameContext, is_secret_name};

use crate::secret_settings::tells_secret;

/// Names that lead to another program, to files of secrets, or to code that is run in every shell.
#[rustfmt::skip]
const LEADING_OUT: &[&str] = &[
    "DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY", "GPG_AGENT_INFO", "SSH_AUTH_SOCK", "SSH_AGENT_PID",
    "SSH_ASKPASS", "GIT_ASKPASS", "SUDO_ASKPASS", "KUBECONFIG", "DOCKER_HOST", "CONTAINER_HOST", "NETRC", "PGPASSFILE", "TMUX", "STY",
    "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "INVOCATION_ID", "JOURNAL_STREAM", "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE", "BASH_ENV", "ENV", "PROMPT_COMMAND", "ZDOTDIR", "BASH_XTRACEFD", "GCONV_PATH",
    // Settings of git, often a header that logs in; of the three kinds all must go, or git ends.
    "GIT_CONFIG_COUNT",
];

/// How such names begin.
const LEADING_OUT_STARTS: &[&str] =
    &["DBUS_", "AISH_", "BASH_FUNC_", "VSCODE_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];

/// Stands in such names.
const SESSION_BUS: &str = "SESSION_BUS";

/// Says whether a variable's name says that its value is secret, or leads out of a confined run.
pub fn is_private_name(name: &[u8]) -> bool {
    let is = |part: &[u8], known: &str| part.eq_ignore_ascii_case(known.as_bytes());
    is_secret_name(name, NameContext::Confined)
        || LEADING_OUT.iter().any(|known| is(name, known))
        || LEADING_OUT_STARTS.iter().any(|start| name.get(..start.len()).is_some_and(|part| is(part, start)))
        || name.windows(SESSION_BUS.len()).any(|part| is(part, SESSION_BUS))
}

/// Characters of a name in a URL, from which on it is taken for a token.
const SHORTEST_TOKEN: usize = 20;

/// Says whether a value has a password or a token in a URL (`scheme://user:password@host`), or a private key.
pub(crate) fn has_password(value: &[u8]) -> bool {
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
            let tells = || tells_secret(&String::from_utf8_lossy(value));
            kept || !(is_private_name(name.as_bytes()) || holds_secret(value) || tells())
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
            ("TOKENIZERS_PARALLELISM", "false"),
            ("GIT_AUTHOR_NAME", "ana"),
            ("GIT_AUTHOR_KEY", "a"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "http.extraheader"),
            ("GIT_CONFIG_VALUE_0", "Authorization: basic YTpi"),
            ("XAUTHORITY", "a"),
            ("SMTP_PASS", "a"),
            ("MYSQL_PWD", "a"),
            ("PWD", "/x"),
            ("ORIGIN", "git+https://example.org https://ghp_0123456789abcdefghij@example.org/a"),
            ("REMOTE", "ssh://git@example.org/a"),
            ("BOTH", "http://a.example http://u:p@b.example"),
            ("PEMS", "-----BEGIN EC PRIVATE KEY-----"),
            ("HUB", "ghp_0123456789abcdefghijABCDEFGHIJ123456"),
            ("NOTED", "a AKIAIOSFODNN7EXAMPLE"),
            ("OPTIONS", "/bin/x --password=hunter22 -v"),
            ("DSN", "Server=x;User Id=sa;Password=hunter22;"),
            ("SETTINGS", "{\"password\":\"hunter22\"}"),
            ("MAVEN_OPTS", "-Xmx1g -Dfile.encoding=UTF-8"),
            ("LANG", "C"),
        ];
        let all = all.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let left = clean(all, &[b"s3cr3t!".to_vec()], &["NPM_TOKEN".to_owned()]);
        let names: Vec<_> = left.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        let expected =
            ["PATH", "HOMEPAGE", "NPM_TOKEN", "MONKEY_BUSINESS", "TOKENIZERS_PARALLELISM", "GIT_AUTHOR_NAME"];
        assert_eq!(names, [&expected[..], &["PWD", "REMOTE", "MAVEN_OPTS", "LANG"]].concat());
    }
}
