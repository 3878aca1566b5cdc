//! What the user's configuration says of one server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use aish_safety::pin::{Digest, canonical};
use aish_types::{Secret, SourceId, mask, mask_named};
use serde_json::json;

use super::oauth::OAuthOptions;

/// How a server is reached.
#[derive(Debug, Clone)]
pub enum Endpoint {
    /// A program that is spoken to over its standard streams.
    Stdio {
        /// The program: a path, or a name that is looked up in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables beside the allow-listed ones of our own environment.
        env: BTreeMap<String, Secret>,
        /// Its working directory; ours when none.
        cwd: Option<PathBuf>,
    },
    /// A URL that messages are posted to.
    Http {
        /// The URL.
        url: String,
        /// Headers beside the protocol's own.
        headers: BTreeMap<String, Secret>,
        /// The bearer token.
        token: Option<Secret>,
    },
}

impl Endpoint {
    /// Returns how it is shown: the whole command line, or the URL. Secrets are not part of it.
    pub fn shown(&self) -> String {
        match self {
            Self::Stdio { command, args, .. } => {
                let words: Vec<String> = std::iter::once(command).chain(args).map(|word| quoted(word)).collect();
                mask_named(&mask(&words.join(" ")))
            }
            Self::Http { url, .. } => mask(&without_userinfo(url)).into_owned(),
        }
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn without_userinfo(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let host = authority.rsplit('@').next().unwrap_or(authority);
            format!("{scheme}://{host}{path}")
        }
        None => url.to_owned(),
    }
}

/// Which protocol versions are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Era {
    /// The newest first, then the older ones.
    #[default]
    Any,
    /// Those with `initialize`, up to 2025-11-25.
    Older,
    /// 2026-07-28 alone.
    Newest,
}

/// One server, its bounds, and what it may ask for.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The name its tools are shown under, of letters, digits, `_` and `-`.
    pub alias: String,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// How long its first start is put off, for a program that has more urgent work; at once unless set.
    pub start_after: Duration,
    /// How long it may take to start and greet; 20 s unless set.
    pub connect_timeout: Duration,
    /// How long the newest protocol is tried before the older ones; 1 s unless set.
    pub probe_timeout: Duration,
    /// How long a call may take; what runs it decides unless set.
    pub call_timeout: Option<Duration>,
    /// How long listing tools, resources and prompts may take; 15 s unless set.
    pub list_timeout: Duration,
    /// How long a program that has taken a request and does nothing may leave it unanswered, calls excepted; without it
    /// only the other bounds hold.
    pub stuck_after: Option<Duration>,
    /// What a person can do where the server asks for authorization, as a sentence's second half.
    pub sign_in_hint: Option<String>,
    /// How often it is started again after it ended, until it has stayed for a minute; 5 times unless set.
    pub restarts: u32,
    /// Which protocol versions are tried.
    pub era: Era,
    /// How to sign in, where it asks for that.
    pub oauth: OAuthOptions,
    /// It may put questions to the person.
    pub elicitation: bool,
    /// It may let the model write.
    pub sampling: bool,
    /// Folders that it is told we work in.
    pub roots: Vec<PathBuf>,
}

impl ServerOptions {
    /// Makes options with the default bounds; nothing may be asked for.
    pub fn new(alias: impl Into<String>, endpoint: Endpoint) -> Self {
        Self {
            alias: alias.into(),
            endpoint,
            start_after: Duration::ZERO,
            connect_timeout: Duration::from_secs(20),
            probe_timeout: Duration::from_secs(1),
            call_timeout: None,
            list_timeout: Duration::from_secs(15),
            stuck_after: None,
            sign_in_hint: None,
            restarts: 5,
            era: Era::Any,
            oauth: OAuthOptions::default(),
            elicitation: false,
            sampling: false,
            roots: Vec::new(),
        }
    }

    /// Returns the identity that pins are kept under: the alias and a hash of the command line or URL, so that
    /// another server under the same alias does not inherit approvals.
    pub fn source_id(&self) -> SourceId {
        let identity = match &self.endpoint {
            Endpoint::Stdio { command, args, cwd, .. } => json!([command, args, cwd]),
            Endpoint::Http { url, .. } => json!([url]),
        };
        let digest = Digest::of(canonical(&identity).as_bytes());
        let short: String = digest.as_str().chars().take(12).collect();
        SourceId::new(format!("mcp:{}#{short}", self.alias))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_whole_and_without_secrets() {
        let stdio = Endpoint::Stdio {
            command: "npx".into(),
            args: vec!["-y".into(), "a b".into(), "it's".into()],
            env: BTreeMap::from([("TOKEN".into(), Secret::new("hunter2".into()))]),
            cwd: None,
        };
        assert_eq!(stdio.shown(), "npx -y 'a b' 'it'\\''s'");
        let http = Endpoint::Http {
            url: "https://user:hunter2@example.org/mcp?x=1&token=hunter2".into(),
            headers: BTreeMap::new(),
            token: Some(Secret::new("hunter2".into())),
        };
        assert_eq!(http.shown(), "https://example.org/mcp?x=1&token=[redacted]");
        assert!(!format!("{stdio:?}").contains("hunter2"));
    }

    #[test]
    fn safety_06_another_server_under_the_same_alias_is_another_source() {
        let at = |url: &str| {
            ServerOptions::new("a", Endpoint::Http { url: url.into(), headers: BTreeMap::new(), token: None })
                .source_id()
        };
        assert_eq!(at("http://x/mcp"), at("http://x/mcp"));
        assert_ne!(at("http://x/mcp"), at("http://y/mcp"));
    }
}
