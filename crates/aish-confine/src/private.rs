//! What is private by its look: names of variables, and addresses that a password is in.

use aish_types::{NameContext, is_secret_name};

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
pub(crate) fn is_private_name(name: &[u8]) -> bool {
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
