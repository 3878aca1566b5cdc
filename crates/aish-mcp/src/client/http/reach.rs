//! The way to a server: the HTTP client, redirects, and failures in words.

use std::time::Duration;

use reqwest::header::LOCATION;
use reqwest::{Response, StatusCode, Url};

use super::HttpError;

/// The most redirects that one message follows.
const MAX_REDIRECTS: usize = 4;

/// Why a client for a URL could not be made.
pub(in crate::client) fn client(url: &str) -> Result<reqwest::Client, HttpError> {
    let parsed = Url::parse(url).map_err(|error| HttpError(format!("the URL is not valid: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(HttpError("the URL must begin with http:// or https://".into()));
    }
    // A token must not follow a redirect to another server.
    let origin = parsed.origin();
    let redirect = reqwest::redirect::Policy::custom(move |attempt| {
        let follows = attempt.previous().len() < MAX_REDIRECTS && attempt.url().origin() == origin;
        // A POST would become a GET: those are followed by `send`.
        if follows && !is_move(attempt.status()) { attempt.follow() } else { attempt.stop() }
    });
    let mut builder = reqwest::Client::builder()
        .redirect(redirect)
        .connect_timeout(Duration::from_secs(10))
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
    builder.build().map_err(|error| HttpError(chain(&error)))
}

/// Returns whether a URL is on this machine.
pub(in crate::client) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
        }
        None => false,
    }
}

/// Writes an error with its causes, without repeating the URL.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = String::new();
    let mut current = Some(error);
    while let Some(error) = current {
        let line = error.to_string();
        if !text.ends_with(&line) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&line);
        }
        current = error.source();
    }
    text
}

pub(super) fn sending(error: reqwest::Error) -> HttpError {
    HttpError(chain(&error.without_url()))
}

/// Sends a request, and again with its body where the server says that its place is another one of its own.
pub(super) async fn send(client: &reqwest::Client, request: reqwest::RequestBuilder) -> Result<Response, HttpError> {
    let mut request = request.build().map_err(sending)?;
    for _ in 0..MAX_REDIRECTS {
        let again = request.try_clone();
        let response = client.execute(request).await.map_err(sending)?;
        match (moved(&response), again) {
            (Some(place), Some(again)) => {
                request = again;
                *request.url_mut() = place;
            }
            (Some(_) | None, _) => return Ok(response),
        }
    }
    Err(HttpError("the server redirects without end".into()))
}

fn is_move(status: StatusCode) -> bool {
    matches!(status, StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND)
}

/// Where a resource moved to, if that is on the same server.
fn moved(response: &Response) -> Option<Url> {
    let location = response.headers().get(LOCATION).filter(|_| is_move(response.status()))?;
    let place = response.url().join(location.to_str().ok()?).ok()?;
    (place.origin() == response.url().origin()).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_of_the_web_are_taken() {
        for url in ["file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "-x", ""] {
            assert!(client(url).is_err(), "{url}");
        }
        client("http://127.0.0.1:1/mcp").unwrap();
        assert!(is_loopback(&Url::parse("http://[::1]:8/").unwrap()));
        assert!(!is_loopback(&Url::parse("http://127.0.0.1.evil.example/").unwrap()));
    }
}
