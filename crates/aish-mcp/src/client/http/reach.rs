//! The way to a server: the HTTP client, redirects, cookies, and failures in words.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_types::chain;
use http::{HeaderMap, HeaderValue, Method};
use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{RequestBuilder, Response, StatusCode, Url};

use super::HttpError;

/// The most redirects that one message follows.
const MAX_REDIRECTS: usize = 4;
/// The most cookies of a server, and the longest, in bytes.
const MAX_COOKIES: usize = 32;
const MAX_COOKIE: usize = 4096;

/// Sends requests to one server, and to no other: of what it says about places and cookies counts what concerns itself.
#[derive(Clone)]
pub(in crate::client) struct Reach {
    client: reqwest::Client,
    /// By name, as a balancer sets them so that a session stays where it is.
    cookies: Arc<Mutex<BTreeMap<String, String>>>,
}

/// Whether a request is sent again where the server closes the connection without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) enum Repeat {
    /// It may have effects, or its failure is as good as an answer.
    Never,
    /// It has no effects.
    Once,
}

impl Reach {
    /// Makes the way to the server at a URL.
    ///
    /// # Errors
    /// When the URL is not one of the web.
    pub(in crate::client) fn new(url: &str) -> Result<Self, HttpError> {
        let parsed = Url::parse(url).map_err(|error| HttpError(format!("the URL is not valid: {error}")))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(HttpError("the URL must begin with http:// or https://".into()));
        }
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(10))
            // Small servers look for headers as documents write them, and write their own as they like.
            .http1_title_case_headers()
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .user_agent(concat!("aish/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&parsed) {
            builder = builder.no_proxy();
        }
        if parsed.scheme() == "http" {
            // Reading the certificates of the system costs milliseconds that only https needs. A connection is cheap, and
            // some servers close theirs after each answer without a word.
            builder = builder.tls_certs_only([]).pool_max_idle_per_host(0);
        }
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = builder.build().map_err(|error| HttpError(chain(&error)))?;
        Ok(Self { client, cookies: Arc::default() })
    }

    /// Begins a request.
    pub(in crate::client) fn request(&self, method: Method, url: &str) -> RequestBuilder {
        self.client.request(method, url)
    }

    /// Sends a request, and again with its body where the server says that its place is another one.
    pub(in crate::client) async fn send(
        &self,
        request: RequestBuilder,
        mut repeat: Repeat,
    ) -> Result<Response, HttpError> {
        let mut request = request.build().map_err(sending)?;
        for _ in 0..MAX_REDIRECTS {
            if let Some(cookies) = self.cookies().filter(|_| !request.headers().contains_key(COOKIE)) {
                request.headers_mut().insert(COOKIE, cookies);
            }
            let again = request.try_clone();
            let response = match self.client.execute(request).await {
                Ok(response) => response,
                Err(error) => match again.filter(|_| repeat == Repeat::Once && !error.is_connect()) {
                    Some(again) => {
                        (request, repeat) = (again, Repeat::Never);
                        continue;
                    }
                    None => return Err(sending(error)),
                },
            };
            self.keep(response.headers());
            let (Some(told), Some(mut again)) = (moved(&response), again) else { return Ok(response) };
            let place = own_place(again.url(), &told);
            if place == *again.url() {
                let told = aish_types::visible(told.as_str()).into_owned();
                return Err(HttpError(format!(
                    "the server redirects to {told}, which is not the address it was given"
                )));
            }
            again.headers_mut().remove(COOKIE);
            *again.url_mut() = place;
            request = again;
        }
        Err(HttpError("the server redirects without end".into()))
    }

    fn cookies(&self) -> Option<HeaderValue> {
        let cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        HeaderValue::from_str(&pairs.join("; ")).ok().filter(|value| !value.is_empty())
    }

    /// Keeps the cookies of an answer, or forgets those that it takes back.
    fn keep(&self, headers: &HeaderMap) {
        let mut cookies = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        for header in headers.get_all(SET_COOKIE).iter().filter_map(|header| header.to_str().ok()) {
            let (pair, attributes) = header.split_once(';').unwrap_or((header, ""));
            let Some((name, value)) = pair.split_once('=') else { continue };
            let (name, value) = (name.trim(), value.trim());
            let ends = attributes.split(';').any(|attribute| attribute.trim().eq_ignore_ascii_case("max-age=0"));
            if ends {
                cookies.remove(name);
            } else if pair.len() <= MAX_COOKIE && (cookies.len() < MAX_COOKIES || cookies.contains_key(name)) {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

/// A place that a server names, on this server. Only its path counts: messages and tokens go to the server of the
/// configuration alone, whatever name it has behind its proxy.
pub(in crate::client) fn own_place(own: &Url, told: &Url) -> Url {
    let mut place = own.clone();
    place.set_path(told.path());
    place.set_query(told.query());
    place
}

/// Returns whether a URL is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
        }
        None => false,
    }
}

pub(super) fn sending(error: reqwest::Error) -> HttpError {
    HttpError(chain(&error.without_url()))
}

/// Where a resource moved to.
fn moved(response: &Response) -> Option<Url> {
    let moves = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    let location = response.headers().get(LOCATION).filter(|_| moves.contains(&response.status()))?;
    response.url().join(location.to_str().ok()?).ok().filter(|place| !place.cannot_be_a_base())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_of_the_web_are_taken() {
        for url in ["file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "-x", ""] {
            assert!(Reach::new(url).is_err(), "{url}");
        }
        Reach::new("http://127.0.0.1:1/mcp").unwrap();
        assert!(is_loopback(&Url::parse("http://[::1]:8/").unwrap()));
        assert!(!is_loopback(&Url::parse("http://127.0.0.1.evil.example/").unwrap()));
    }

    #[test]
    fn safety_11_a_redirect_leads_to_no_other_server() {
        let own = Url::parse("http://h.example:8/mcp?x=1").unwrap();
        for (told, expected) in [
            ("http://h.example:8/mcp/", "http://h.example:8/mcp/"),
            ("https://h.example/other?a=b", "http://h.example:8/other?a=b"),
            ("http://evil.example/mcp/", "http://h.example:8/mcp/"),
        ] {
            assert_eq!(own_place(&own, &Url::parse(told).unwrap()).as_str(), expected, "{told}");
        }
    }

    #[test]
    fn cookies_are_kept_until_they_are_taken_back_and_no_more_than_some() {
        let reach = Reach::new("http://127.0.0.1:1/mcp").unwrap();
        let set = |line: &str| {
            reach.keep(&HeaderMap::from_iter([(SET_COOKIE, HeaderValue::from_str(line).unwrap())]));
            reach.cookies().map(|cookies| cookies.to_str().unwrap().to_owned())
        };
        assert_eq!(set("no cookie").as_deref(), None);
        assert_eq!(set("b=2; Path=/; Secure").as_deref(), Some("b=2"));
        assert_eq!(set("a=1=1").as_deref(), Some("a=1=1; b=2"));
        assert_eq!(set("a=; Max-Age=0").as_deref(), Some("b=2"));
        assert_eq!(set(&format!("c={}", "x".repeat(MAX_COOKIE))).as_deref(), Some("b=2"));
        for n in 0..100 {
            set(&format!("n{n}=1"));
        }
        assert_eq!(reach.cookies.lock().unwrap().len(), MAX_COOKIES);
    }
}
