//! The environment of a confined run: without secrets and without ways to reach other programs.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use crate::private::is_private_name;
use crate::secret_settings::tells_secret;

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
