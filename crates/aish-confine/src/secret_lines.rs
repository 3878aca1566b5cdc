//! Which lines of settings hold secrets, and what such a line is without them: settings of git, npm, yarn, cargo and their like.
//!
//! In sections of git's that are about logging in, a value stays where its key is known to hold no secret or the value cannot be
//! one. Elsewhere names of keys say it, and what has the look of a secret.

use aish_types::{mask, mask_named};

use crate::private::{is_private_name, secret_user};

/// What [`mask`] writes in a secret's place.
const MASKED: &str = "[redacted]";

/// Sections that are about logging in.
#[rustfmt::skip]
const OF_LOGINS: &[&str] = &[
    "credential", "http", "https", "sendemail", "imap", "github", "gitlab", "gitea", "bitbucket", "hub", "gist", "azure", "oauth",
];

/// Keys of these sections that hold no secret.
#[rustfmt::skip]
const OPEN_IN_LOGINS: &[&str] = &[
    // credential
    "helper", "username", "usehttppath", "interactive", "guiprompt", "namespace", "provider", "protectprotocol", "sanitizeprompt",
    "credentialstore", "azreposcredentialtype", "githubauthmodes", "gitlabauthmodes", "bitbucketauthmodes",
    // http
    "proxy", "proxyauthmethod", "useragent", "version", "sslversion", "sslbackend", "sslcipherlist", "pinnedpubkey", "sslcert",
    "sslkey", "sslcainfo", "sslcapath", "proxysslcert", "proxysslkey", "proxysslcainfo", "sslcertpasswordprotected",
    "proxysslcertpasswordprotected", "cookiefile", "savecookies", "followredirects", "delegation", "emptyauth", "proactiveauth",
    "sslcerttype", "sslkeytype", "curloptresolve", "cainfo",
    // sendemail and imap
    "smtpserver", "smtpuser", "smtpencryption", "smtpserveroption", "smtpdomain", "smtpauth", "smtpsslcertpath", "smtpsslclientcert",
    "smtpsslclientkey", "from", "to", "cc", "bcc", "tocmd", "cccmd", "headercmd", "envelopesender", "confirm", "suppresscc",
    "suppressfrom", "aliasesfile", "aliasfiletype", "identity", "transferencoding", "assume8bitencoding", "composeencoding",
    "imapsentfolder", "folder", "host", "user", "tunnel", "authmethod", "multiedit", "sendmailcmd", "mailmap.file",
    // programs of hosts
    "protocol", "email", "name", "url", "api",
];

/// Keys of other sections whose names sound as if they held one.
#[rustfmt::skip]
const OPEN_ELSEWHERE: &[&str] = &[
    "signingkey", "credentialsinurl", "certnonceslop", "allowedsignersfile", "defaultkeycommand", "authorizedkeysfile", "askpass",
    "minauthenticationlevel", "cert", "client-cert", "cafile", "certfile", "keyfile", "key-file", "always-auth",
];

/// What stands for a word that cannot be one, where values must stay whole: the user of an address without a password.
const PLAIN_USER: char = '\u{1}';

/// Stands for a quote within quotes, which is another reader's.
const ESCAPED_QUOTE: char = '\u{2}';

/// Stands for the mark before a command, so that it is a word of its own.
const APART: &str = "!\u{3} ";

/// Returns the name of the section that a line begins, in small letters; none where it begins none.
pub(crate) fn section(line: &[u8]) -> Option<Vec<u8>> {
    let rest = line.trim_ascii_start().strip_prefix(b"[")?;
    let end = rest.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'"' | b']'));
    let name = rest.get(..end.unwrap_or(rest.len()))?;
    // `[http.https://example.org]` is an older way of writing, and `[registries.x]` cargo's.
    let name = name.split(|byte| *byte == b'.').next().unwrap_or(name);
    Some(name.to_ascii_lowercase())
}

/// Returns a line with a word in each secret's place; none where it has no secret. `section` is the one that it stands in, or
/// that it begins.
pub(crate) fn hide_in_line(section: &[u8], line: &[u8], word: &str) -> Option<Vec<u8>> {
    let end = line.strip_suffix(b"\n").map_or(line.len(), <[u8]>::len);
    let (content, end) = line.split_at_checked(end)?;
    let (head, body) = content.split_at_checked(header(content))?;
    let hidden_head = hide_parts(head, word);
    let hidden_body = match whole(section, body) {
        Some(Whole { from, replacement }) => {
            Some([body.get(..from)?, replacement.in_place(word, body.get(from..)?).as_bytes()].concat())
        }
        None => hide_parts(body, word),
    };
    if hidden_head.is_none() && hidden_body.is_none() {
        return None;
    }
    Some([hidden_head.as_deref().unwrap_or(head), hidden_body.as_deref().unwrap_or(body), end].concat())
}

/// Bytes of a section's header at the start of a line.
fn header(content: &[u8]) -> usize {
    if !content.trim_ascii_start().starts_with(b"[") {
        return 0;
    }
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in content.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b']' if !quoted => return at + 1,
            _ => {}
        }
    }
    content.len()
}

/// A value that is a secret as a whole, and where it begins.
struct Whole {
    from: usize,
    replacement: Replacement,
}

enum Replacement {
    /// The word alone.
    Word,
    /// A command that does nothing, so that git goes on as if the helper knew no login.
    Command,
}

impl Replacement {
    fn in_place(&self, word: &str, value: &[u8]) -> String {
        let value = value.trim_ascii();
        let quote = [&b"\""[..], b"'"]
            .into_iter()
            .find(|mark| value.len() > 1 && value.starts_with(mark) && value.ends_with(mark));
        match (self, quote) {
            (Self::Command, _) => format!(" !: {word}"),
            // What is read by a stricter reader than git's stays a string.
            (Self::Word, Some(b"'")) => format!(" '{word}'"),
            (Self::Word, Some(_)) => format!(" \"{word}\""),
            (Self::Word, None) => format!(" {word}"),
        }
    }
}

/// Says whether the value of a setting is a secret as a whole.
fn whole(section: &[u8], body: &[u8]) -> Option<Whole> {
    let (key, from) = key(body)?;
    let value = body.get(from..)?.trim_ascii();
    let bare = value.trim_ascii_start().strip_prefix(b"\"").unwrap_or(value);
    let bare = bare.strip_prefix(b"'").unwrap_or(bare);
    // `${NAME}` is where it stands, and not the secret.
    if bare.is_empty() || bare.starts_with(b"${") || matches!(bare, b"\"" | b"'") {
        return None;
    }
    let is = |known: &[&str]| known.iter().any(|one| key.eq_ignore_ascii_case(one.as_bytes()));
    let replacement = if is_of_logins(section) {
        if key.eq_ignore_ascii_case(b"helper") && bare.starts_with(b"!") {
            Replacement::Command
        } else if is(OPEN_IN_LOGINS) || is_open_value(bare) && !is_secret_key(key) {
            return None;
        } else {
            Replacement::Word
        }
    } else if is_secret_key(key) && !is(OPEN_ELSEWHERE) {
        Replacement::Word
    } else {
        return None;
    };
    Some(Whole { from, replacement })
}

fn is_of_logins(section: &[u8]) -> bool {
    OF_LOGINS.iter().any(|name| section == name.as_bytes())
}

/// Says whether a key of settings is called as if it held a secret.
fn is_secret_key(key: &[u8]) -> bool {
    let name = key.to_ascii_lowercase();
    is_private_name(key)
        || ["extraheader", "certnonceseed"].iter().any(|known| name == known.as_bytes())
        || ["pass", "pwd", "pat", "oauth"].iter().any(|end| {
            name.len() > end.len() + 2
                && name.ends_with(end.as_bytes())
                && !name.ends_with(b"askpass")
                && !name.ends_with(b"compat")
        })
}

/// Returns the key of a setting, also of one that is a comment, and where its value begins.
fn key(body: &[u8]) -> Option<(&[u8], usize)> {
    let start = body.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'#' | b';' | b'"' | b'\''))?;
    let rest = body.get(start..)?;
    let equals = rest.iter().position(|byte| *byte == b'=');
    let colon = rest.windows(2).position(|pair| pair == b": " || pair == b":\t");
    let (length, mark) = match (equals, colon) {
        (Some(equals), Some(colon)) => (equals.min(colon), 1),
        (Some(one), None) | (None, Some(one)) => (one, 1),
        // `"//registry.example.org/:_authToken" "VALUE"`
        (None, None) => (rest.iter().position(u8::is_ascii_whitespace)?, 0),
    };
    let key = rest.get(..length)?.trim_ascii();
    let key = key.strip_suffix(b"\"").or_else(|| key.strip_suffix(b"'")).unwrap_or(key);
    Some((key, start + length + mark))
}

/// Says whether a value is a word of settings and cannot be a secret: yes or no, a number, a path.
fn is_open_value(value: &[u8]) -> bool {
    let value = value.strip_suffix(b"\"").unwrap_or(value);
    let is_word = ["true", "false", "yes", "no", "on", "off", "auto", "always", "never", "basic"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    let number = value
        .strip_suffix(b"k")
        .or_else(|| value.strip_suffix(b"m"))
        .or_else(|| value.strip_suffix(b"g"))
        .unwrap_or(value);
    let is_number = number.len() < 10 && number.iter().all(u8::is_ascii_digit);
    is_word || is_number || [&b"/"[..], b"~/", b"./", b"../"].iter().any(|start| value.starts_with(start))
}

/// Puts a word in the place of logins in addresses, of keys of services, and of values that options and assignments name.
fn hide_parts(text: &[u8], word: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut hidden = false;
    while let Some(at) = rest.windows(3).position(|window| window == b"://") {
        let (before, after) = rest.split_at_checked(at + 3)?;
        out.extend_from_slice(before);
        rest = after;
        if let Some(user) = secret_user(after) {
            out.extend_from_slice(word.as_bytes());
            rest = after.get(user.len()..)?;
            hidden = true;
        }
    }
    out.extend_from_slice(rest);
    let Ok(text) = std::str::from_utf8(&out) else { return hidden.then_some(out) };
    let masked = mask_parts(text);
    if masked == text {
        return hidden.then_some(out);
    }
    Some(masked.replace(MASKED, word).into_bytes())
}

fn mask_parts(text: &str) -> String {
    // A user alone is no secret: `https://ana@example.org/`.
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        plain.push_str(before);
        plain.push_str("://");
        rest = after;
        let end = after.find(['/', '?', '#', ' ', '"']).unwrap_or(after.len());
        let (host, behind) = after.split_at(end);
        if let Some((user, host)) = host.rsplit_once('@') {
            plain.push_str(user);
            plain.push(PLAIN_USER);
            plain.push_str(host);
            rest = behind;
        }
    }
    plain.push_str(rest);
    // Quotes within quotes are another reader's.
    let masked = mask(&plain);
    let named = mask_named(&masked.replace("\\\"", &ESCAPED_QUOTE.to_string()).replace('!', APART)).replace(APART, "!");
    mask_headers(&named).replace(PLAIN_USER, "@").replace(ESCAPED_QUOTE, "\\\"")
}

/// Masks what stands behind `Authorization:`, but for the word of its kind.
fn mask_headers(text: &str) -> String {
    const HEADER: &str = "authorization:";
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.to_ascii_lowercase().find(HEADER) {
        let (before, value) = rest.split_at_checked(at + HEADER.len()).unwrap_or((rest, ""));
        let end = value.find(['"', '\'', '\\', ESCAPED_QUOTE]).unwrap_or(value.len());
        let (value, behind) = value.split_at_checked(end).unwrap_or((value, ""));
        out.push_str(before);
        let secret = value.trim_start().split_once(' ').map_or(value.trim(), |(_, secret)| secret.trim());
        let is_open = secret.is_empty() || secret.starts_with(['$', '[']);
        out.push_str(&if is_open { value.to_owned() } else { value.replace(secret, MASKED) });
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(line: &str) -> Option<String> {
        let (section, line) = line.split_once('|').unwrap_or(("", line));
        hide_in_line(section.as_bytes(), line.as_bytes(), "WORD").map(|line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn secrets_of_lines_are_found() {
        for (line, expected) in [
            ("http|\textraheader = AUTHORIZATION: basic s3cret", "\textraheader = WORD"),
            ("sendemail|\tsmtpPass = s3cret", "\tsmtpPass = WORD"),
            ("sendemail|  whatever = s3cret", "  whatever = WORD"),
            ("imap|pass = \"s3cret\"", "pass = \"WORD\""),
            ("credential|\thelper = \"!f() { echo password=s3cret; }; f\"", "\thelper = !: WORD"),
            (
                "credential|[credential \"https://x\"] helper = !echo password=s3cret",
                "[credential \"https://x\"] helper = !: WORD",
            ),
            ("github|[github] oauth = s3cret", "[github] oauth = WORD"),
            ("core|\t# token = s3cret", "\t# token = WORD"),
            ("alias|\tx = !curl --password s3cret https://x", "\tx = !curl --password WORD https://x"),
            (
                "alias|\tx = \"!curl -H \\\"Authorization: Bearer s3cret\\\" x\"",
                "\tx = \"!curl -H \\\"Authorization: Bearer WORD\\\" x\"",
            ),
            ("alias|\tx = !API_TOKEN=s3cret make", "\tx = !API_TOKEN=WORD make"),
            ("alias|\tx = !curl https://x/?token=s3cret", "\tx = !curl https://x/?token=WORD"),
            ("receive|certNonceSeed = s3cret", "certNonceSeed = WORD"),
            ("transcrypt|password = s3cret", "password = WORD"),
            (
                "http|[http \"https://ana:s3cret@x/\"] proxy = https://ana:s3cret@p",
                "[http \"https://WORD@x/\"] proxy = https://WORD@p",
            ),
            ("|npmAuthToken: \"s3cret==\"", "npmAuthToken: \"WORD\""),
            ("|\"//registry.example.org/:_authToken\" s3cret", "\"//registry.example.org/:_authToken\" WORD"),
            ("|//registry.example.org/:_password=s3cret", "//registry.example.org/:_password= WORD"),
            ("registries|token = \"s3cret\"", "token = \"WORD\""),
        ] {
            assert_eq!(hidden(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn lines_without_secrets_stay() {
        for line in [
            "remote|\turl = https://example.org/a.git",
            "remote|\turl = https://ana@example.org/a.git",
            "remote|\turl = git@example.org:a/b.git",
            "remote|\turl = ssh://git@example.org/a",
            "remote|\tfetch = +refs/heads/*:refs/remotes/origin/*",
            "credential|\thelper = store --file=.git/credentials",
            "credential|\thelper = /usr/bin/git-credential-oauth",
            "credential|\tuseHttpPath = true",
            "credential|\tusername = ana",
            "http|\tsslCert = /etc/ssl/a.pem",
            "http|\tpostBuffer = 512m",
            "http|\tsslVerify = false",
            "sendemail|\tsmtpServer = mail.example.org",
            "sendemail|\tsmtpServerPort = 587",
            "user|\tsigningkey = ABCD1234",
            "user|\tname = Ana",
            "core|\tsshCommand = ssh -i ~/.ssh/id_ed25519 -o IdentitiesOnly=yes",
            "alias|\tlg = log --graph --pretty=format:'%h %an %s' --author=ana",
            "branch|\tmerge = refs/heads/token-refresh",
            "gitflow|\tfeature = feature/",
            "lfs|\turl = https://example.org/info/lfs",
            "|//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
            "|registry=https://registry.npmjs.org/",
            "|enableTelemetry: false",
            "filter|\tclean = git-lfs clean -- %f",
            "difftool|\tcmd = meld \"$LOCAL\" \"$REMOTE\"",
        ] {
            assert_eq!(hidden(line), None, "{line}");
        }
    }
}
