//! Requests to the places that have models. Redirects are followed here: a token goes to its own host alone, and never
//! without encryption to another machine.

use aish_types::Secret;
use futures_util::StreamExt as _;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode, Url};

use super::PullError;
use super::download::cause;
use crate::network::without_password;

/// How many redirects one request follows.
const REDIRECTS: usize = 5;
/// The largest answer that is no model, in bytes.
const LARGEST: usize = 8 << 20;

/// A place, and the token for it.
#[derive(Debug, Clone)]
pub struct Site {
    /// The address that its paths are joined to.
    pub base: Url,
    /// The token that is sent to this host alone.
    pub token: Option<Secret>,
}

/// A request's wishes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wish<'a> {
    /// The place whose token may go along.
    pub(crate) site: Option<&'a Site>,
    /// What kind of answer is wanted.
    pub(crate) accept: Option<&'a str>,
    /// The first byte that is wanted.
    pub(crate) from: u64,
}

impl Site {
    /// Reads an address; anything but http and https is none.
    pub fn new(base: &str, token: Option<Secret>) -> Option<Self> {
        let base = Url::parse(base.trim_end_matches('/')).ok()?;
        matches!(base.scheme(), "http" | "https").then_some(Self { base, token })
    }

    /// Returns an address below this one; the parts are escaped.
    pub(crate) fn at<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Result<Url, PullError> {
        let mut url = self.base.clone();
        url.set_query(None);
        url.set_fragment(None);
        match url.path_segments_mut() {
            Ok(mut segments) => {
                segments.pop_if_empty().extend(parts);
            }
            Err(()) => return Err(PullError::BadName(without_password(self.base.as_str()))),
        }
        Ok(url)
    }

    /// Returns whether the token may go to an address: this very host and port, encrypted or on this machine.
    fn trusts(&self, url: &Url) -> bool {
        let is_here = match url.host() {
            Some(reqwest_host) => {
                let host = reqwest_host.to_string();
                host == "localhost"
                    || host == "[::1]"
                    || host.parse::<std::net::Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
            }
            None => false,
        };
        url.scheme() == self.base.scheme()
            && url.host() == self.base.host()
            && url.port_or_known_default() == self.base.port_or_known_default()
            && (url.scheme() == "https" || is_here)
    }
}

/// Sends a request, and follows redirects.
///
/// # Errors
/// When the server cannot be reached, or redirects too often, away from encryption, or to nothing.
pub(crate) async fn get(client: &Client, url: &Url, wish: Wish<'_>) -> Result<Response, PullError> {
    let mut url = url.clone();
    for _ in 0..=REDIRECTS {
        let host = || without_password(url.as_str());
        let unreachable = |cause: String| PullError::Unreachable { host: host(), cause };
        let mut request = client.get(url.clone());
        if let Some(accept) = wish.accept {
            request = request.header(ACCEPT, accept);
        }
        if wish.from > 0 {
            request = request.header(RANGE, format!("bytes={}-", wish.from));
        }
        if let Some(token) = wish.site.filter(|site| site.trusts(&url)).and_then(|site| site.token.as_ref()) {
            let value = HeaderValue::from_str(&format!("Bearer {}", token.expose().trim()));
            let mut value = value.map_err(|_| unreachable("its token has characters that none has".into()))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let response = request.send().await.map_err(|error| unreachable(cause(&error)))?;
        let is_redirect = matches!(
            response.status(),
            StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT
        );
        if !is_redirect {
            return Ok(response);
        }
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let next = location.and_then(|location| url.join(location).ok());
        let Some(next) = next.filter(|next| matches!(next.scheme(), "http" | "https")) else {
            return Err(PullError::NotThere { host: host(), cause: "it redirects to nothing".into() });
        };
        if url.scheme() == "https" && next.scheme() == "http" {
            return Err(PullError::NotThere {
                host: host(),
                cause: "it redirects to an address without encryption".into(),
            });
        }
        url = next;
    }
    Err(PullError::NotThere { host: without_password(url.as_str()), cause: "it redirects in circles".into() })
}

/// Reads an answer that is no model.
///
/// # Errors
/// When it ends early, or is larger than any such answer.
pub(crate) async fn text(response: Response) -> Result<String, PullError> {
    let host = without_password(response.url().as_str());
    let mut bytes = Vec::new();
    let mut body = response.bytes_stream();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|error| PullError::Unreachable { host: host.clone(), cause: cause(&error) })?;
        if bytes.len() + chunk.len() > LARGEST {
            return Err(PullError::NotThere { host, cause: format!("its answer is over {LARGEST} bytes") });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Says what a refusal means.
pub(crate) fn refused(response: &Response, token: Option<&str>) -> PullError {
    let status = response.status();
    let is_closed = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let hint = match token.filter(|_| is_closed) {
        Some(token) => format!(" (it may want a token in {token}, or its licence to be accepted on its page)"),
        None => String::new(),
    };
    PullError::NotThere { host: without_password(response.url().as_str()), cause: format!("it answers {status}{hint}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_its_own_host_and_for_nobody_on_the_way() {
        let trusts = |base: &str, url: &str| Site::new(base, None).unwrap().trusts(&Url::parse(url).unwrap());
        assert!(trusts("https://huggingface.co", "https://huggingface.co/a/b"));
        assert!(trusts("https://huggingface.co:443/", "https://huggingface.co/a/b"));
        assert!(trusts("http://127.0.0.1:8000", "http://127.0.0.1:8000/x"));
        for (base, url) in [
            ("https://huggingface.co", "https://cdn.huggingface.co/x"),
            ("https://huggingface.co", "https://huggingface.co.evil.example/x"),
            ("https://huggingface.co", "https://huggingface.co:8443/x"),
            ("https://huggingface.co", "http://huggingface.co/x"),
            ("http://mirror.example", "http://mirror.example/x"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8001/x"),
        ] {
            assert!(!trusts(base, url), "{base} {url}");
        }
    }

    #[test]
    fn parts_of_a_path_stay_parts() {
        let site = Site::new("https://mirror.example/hf/", None).unwrap();
        let url = site.at(["a", "b?c#d", "e/f", "ü.gguf"]).unwrap();
        assert_eq!(url.as_str(), "https://mirror.example/hf/a/b%3Fc%23d/e%2Ff/%C3%BC.gguf");
        assert!(Site::new("file:///etc", None).is_none() && Site::new("nonsense", None).is_none());
    }
}
