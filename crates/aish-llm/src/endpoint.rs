//! The address of a model server.

use std::fmt;

use aish_types::{Secret, mask};

/// A server's base address, without a trailing slash and without `/v1`.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Without a login: this is shown, kept and compared.
    base: String,
    /// `user:password`, as it stood in the address.
    login: Option<Secret>,
}

/// Why a text is no endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No URL at all.
    #[error("{text:?} is no URL")]
    Syntax {
        /// The text, without a login.
        text: String,
        /// The parser's words.
        #[source]
        cause: UrlCause,
    },
    /// A scheme that is not spoken.
    #[error("{0:?} must start with http:// or https://")]
    Scheme(String),
}

/// The URL parser's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UrlCause(String);

/// The ends of addresses that are copied from documentation whole.
const REQUESTS: [&str; 3] = ["/chat/completions", "/responses", "/messages"];

impl Endpoint {
    /// Normalises an address: surrounding space, trailing `/`, the path of a request and a trailing `/v1` are taken off.
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let trimmed = text.trim();
        let url = reqwest::Url::parse(trimmed)
            .map_err(|error| EndpointError::Syntax { text: shown(trimmed), cause: UrlCause(error.to_string()) })?;
        let Some((scheme, rest)) = trimmed.split_once("://").filter(|_| matches!(url.scheme(), "http" | "https"))
        else {
            return Err(EndpointError::Scheme(shown(trimmed)));
        };
        let mut base = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        for path in REQUESTS {
            base = base.strip_suffix(path).unwrap_or(base).trim_end_matches('/');
        }
        if let Some(stem) = base.strip_suffix("/v1") {
            base = stem.trim_end_matches('/');
        }
        let (host, path) = base.split_at(base.find('/').unwrap_or(base.len()));
        let (login, host) = host.rsplit_once('@').map_or((None, host), |(login, host)| (Some(login), host));
        let login = login.filter(|login| !login.is_empty()).map(|login| Secret::new(login.to_owned()));
        Ok(Self { base: format!("{scheme}://{host}{path}"), login })
    }

    /// Returns the address of a path with the login: for a request alone, never to be shown.
    pub(crate) fn with_login(&self, path: &str) -> String {
        let joined = self.join(path);
        match (&self.login, joined.split_once("://")) {
            (Some(login), Some((scheme, rest))) => format!("{scheme}://{}@{rest}", login.expose()),
            (Some(_) | None, _) => joined,
        }
    }

    /// Returns the address of a path that starts with a slash.
    ///
    /// Where an address ends with a version of its own (`/v4`), or is one of Google's compatible ones, there is none behind it.
    pub fn join(&self, path: &str) -> String {
        let last = self.base.rsplit('/').next().unwrap_or_default();
        let is_version = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        let is_versioned = self.base.ends_with("/endpoints/openapi")
            || self.base.ends_with("beta/openai")
            || last.strip_prefix('v').is_some_and(is_version);
        let path = path.strip_prefix("/v1").filter(|rest| is_versioned && rest.starts_with('/')).unwrap_or(path);
        format!("{}{path}", self.base)
    }

    /// Returns the host in lower case, or an empty text when the address has no host.
    pub fn host(&self) -> String {
        let url = reqwest::Url::parse(&self.base).ok();
        url.as_ref().and_then(reqwest::Url::host_str).unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns the normalised address, without a login.
    pub fn as_str(&self) -> &str {
        &self.base
    }

    /// Returns whether the connection is encrypted.
    pub fn is_https(&self) -> bool {
        self.base.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
    }

    /// Returns whether the server is this machine.
    pub fn is_loopback(&self) -> bool {
        let Ok(url) = reqwest::Url::parse(&self.base) else { return false };
        let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

/// Takes a login out of a text that is to be an address; one that lacks its scheme has it at the beginning.
fn shown(text: &str) -> String {
    if text.contains("://") {
        return mask(text).into_owned();
    }
    mask(&format!("://{}", text.trim_start_matches('/'))).trim_start_matches("://").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_slash_or_v1_is_taken_off() {
        for (input, expected) in [
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://localhost:8080/", "http://localhost:8080"),
            ("http://localhost:8080/v1", "http://localhost:8080"),
            (" http://localhost:8080/v1/ ", "http://localhost:8080"),
            ("https://openrouter.ai/api/v1", "https://openrouter.ai/api"),
            ("https://host/v1beta/openai/", "https://host/v1beta/openai"),
            ("https://host/v1//", "https://host"),
            ("http://host/v1/chat/completions", "http://host"),
            ("https://api.openai.com/v1/responses/", "https://api.openai.com"),
            ("https://api.anthropic.com/v1/messages?beta=true", "https://api.anthropic.com"),
            ("https://api.z.ai/api/paas/v4/chat/completions", "https://api.z.ai/api/paas/v4"),
        ] {
            assert_eq!(Endpoint::parse(input).unwrap().as_str(), expected, "{input}");
        }
        for bad in ["", "localhost:8080", "ftp://host", "http://", "not a url"] {
            assert!(Endpoint::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_login_goes_to_the_server_and_nowhere_else() {
        let endpoint = Endpoint::parse("https://bob:hunt%40er2@host:8443/api/v1/").unwrap();
        assert_eq!(endpoint.with_login("/v1/models"), "https://bob:hunt%40er2@host:8443/api/v1/models");
        for shown in [endpoint.to_string(), endpoint.join("/v1/models"), format!("{endpoint:?}")] {
            assert!(shown.contains("host:8443/api") && !shown.contains("hunt"), "{shown}");
        }
        for bad in ["htp://bob:hunter2@host", "http://bob:hunter2@host:port", "//bob:hunter2@host", "bob:hunter2@host"]
        {
            let error = Endpoint::parse(bad).unwrap_err();
            let said = format!("{error} {error:?}");
            assert!(said.contains("host") && !said.contains("hunter2"), "{said}");
        }
        assert_eq!(Endpoint::parse("https://host/v1").unwrap().with_login("/v1/x"), "https://host/v1/x");
    }

    #[test]
    fn googles_addresses_have_their_version_in_the_middle() {
        for (base, expected) in [
            ("https://generativelanguage.googleapis.com/v1beta/openai/", "/v1beta/openai/chat/completions"),
            (
                "https://x-aiplatform.googleapis.com/v1/projects/p/locations/x/endpoints/openapi",
                "/endpoints/openapi/chat/completions",
            ),
            ("https://r.openai.azure.com/openai/v1", "/openai/v1/chat/completions"),
            ("https://bedrock-runtime.x.amazonaws.com/openai/v1", "/openai/v1/chat/completions"),
            ("https://api.z.ai/api/paas/v4/", "/api/paas/v4/chat/completions"),
            ("https://host/v", "/v/v1/chat/completions"),
        ] {
            let joined = Endpoint::parse(base).unwrap().join("/v1/chat/completions");
            assert!(joined.ends_with(expected), "{joined}");
        }
    }

    #[test]
    fn knows_this_machine() {
        for (input, local) in [
            ("http://localhost:1", true),
            ("http://127.0.0.1:1", true),
            ("http://[::1]:1", true),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(Endpoint::parse(input).unwrap().is_loopback(), local, "{input}");
        }
        assert!(Endpoint::parse("HTTPS://host").unwrap().is_https());
    }
}
