//! What an HTTP answer is: a refusal, a stream of events, messages, or nothing of use.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use http::StatusCode;
use reqwest::Response;
use reqwest::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError, StreamableHttpError};
use serde_json::Value;

use super::reach::sending;
use super::{Failure, HttpError, MAX_BODY, repair};
use crate::client::version;

/// Bytes of a refusal that are read, and how long they are waited for.
const REFUSAL: usize = 4096;
const REFUSAL_WAIT: Duration = Duration::from_secs(1);
/// How long a server that is not ready is left alone, at first and at most.
const FIRST_RETRY: Duration = Duration::from_millis(250);
const LONGEST_RETRY: Duration = Duration::from_secs(2);
/// How long a body may pause before it is looked at whether it is whole.
pub(in crate::client) const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn is_refusal(failure: &Failure) -> bool {
    matches!(failure, StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_))
}

/// The message for a refused scope.
pub(super) fn refused_scope(scope: Option<&str>) -> String {
    match scope {
        Some(scope) => format!("the server refuses access (HTTP 403): it wants the scope {scope:?}"),
        None => "the server refuses access (HTTP 403)".to_owned(),
    }
}

pub(super) fn header(response: &Response, name: &str) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_owned())
}

/// 401 and 403 end an exchange; of a 403 without a challenge the body may say why.
pub(super) async fn refusal(response: Response) -> Result<Response, Failure> {
    let challenge = header(&response, WWW_AUTHENTICATE.as_str());
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge.unwrap_or_default())))
        }
        StatusCode::FORBIDDEN => match challenge {
            Some(challenge) => {
                let scope = parameter(&challenge, "scope");
                Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope)))
            }
            None => {
                let mut words = refused_scope(None);
                if let Some(said) = said(response).await {
                    words.push_str(": ");
                    words.push_str(&said);
                }
                Err(StreamableHttpError::Client(HttpError(words)))
            }
        },
        _ => Ok(response),
    }
}

/// Reads what a refusal says: the message of a JSON body, or its first line.
async fn said(mut response: Response) -> Option<String> {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > REFUSAL {
                break;
            }
        }
    };
    // What came until then is as good.
    let _ = tokio::time::timeout(REFUSAL_WAIT, read).await;
    body.truncate(REFUSAL);
    let json = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    let places = ["/error/message", "/error_description", "/message", "/detail", "/error"];
    let told = places.iter().find_map(|place| json.pointer(place)?.as_str().map(str::to_owned));
    let text = told.unwrap_or_else(|| String::from_utf8_lossy(&body).into_owned());
    let text = aish_types::sanitize(text.trim());
    let line: String = text.lines().next().unwrap_or_default().chars().take(200).collect();
    (!line.is_empty() && !line.starts_with('<')).then_some(line)
}

/// Finds a parameter of a challenge.
fn parameter(challenge: &str, name: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find(&format!("{name}="))?;
    let rest = challenge.get(at + name.len() + 1..)?;
    match rest.strip_prefix('"') {
        Some(quoted) => Some(quoted.split('"').next()?.to_owned()),
        None => Some(rest.split([',', ' ']).next()?.to_owned()),
    }
}

/// Returns whether a body is a stream of events: by how it begins, and where that says nothing by its content type.
pub(super) fn is_event_stream(kind: Option<&str>, begin: &[u8]) -> bool {
    let text = begin.trim_ascii_start();
    match text.first() {
        None | Some(b'{' | b'[') => false,
        Some(b':') => true,
        Some(_) => {
            is_labelled(kind)
                || ["data:", "event:", "id:", "retry:"].iter().any(|field| text.starts_with(field.as_bytes()))
        }
    }
}

/// Returns whether a content type says that a body is a stream of events.
pub(super) fn is_labelled(kind: Option<&str>) -> bool {
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

/// Reads until the body shows what it is; a byte order mark is no part of it.
pub(super) async fn begin(
    body: &mut (impl futures_util::Stream<Item = reqwest::Result<Bytes>> + Unpin),
) -> Result<Bytes, Failure> {
    let mut begin = Vec::new();
    while let Some(chunk) = body.next().await {
        begin.extend_from_slice(&chunk.map_err(|error| StreamableHttpError::Client(sending(error)))?);
        if begin.starts_with(b"\xEF\xBB\xBF") {
            begin.drain(..3);
        }
        let is_mark = b"\xEF\xBB\xBF".starts_with(&begin);
        if !is_mark && begin.iter().any(|byte| !byte.is_ascii_whitespace()) {
            break;
        }
        if begin.len() > MAX_BODY {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: MAX_BODY });
        }
    }
    Ok(begin.into())
}

pub(super) async fn read(
    begin: Bytes,
    mut body: impl futures_util::Stream<Item = reqwest::Result<Bytes>> + Unpin,
) -> Result<Vec<u8>, Failure> {
    let mut all = begin.to_vec();
    loop {
        match tokio::time::timeout(PAUSE, body.next()).await {
            Ok(Some(Ok(chunk))) => all.extend_from_slice(&chunk),
            Ok(None) => break,
            // A body that is whole but for its announced length, or that is never ended, is still an answer.
            Ok(Some(Err(_))) | Err(_) if repair::is_whole(&all) => break,
            Ok(Some(Err(error))) => return Err(StreamableHttpError::Client(sending(error))),
            Err(_) => {}
        }
        if all.len() > MAX_BODY {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: MAX_BODY });
        }
    }
    Ok(all)
}

/// How long a server that is not ready is left alone before it is asked again, `retries` times until now; none where it is
/// ready, or wants more time than an answer may take.
pub(super) fn pause(response: &Response, retries: u32) -> Option<Duration> {
    let busy = [
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::BAD_GATEWAY,
        StatusCode::SERVICE_UNAVAILABLE,
        StatusCode::GATEWAY_TIMEOUT,
    ];
    let pause = match header(response, RETRY_AFTER.as_str()) {
        Some(seconds) => Duration::from_secs(seconds.trim().parse().ok()?),
        None => FIRST_RETRY * 2_u32.saturating_pow(retries),
    };
    (busy.contains(&response.status()) && pause <= LONGEST_RETRY).then_some(pause)
}

/// Returns whether an answer means that the session is not known any more; some servers do not say it with 404.
pub(super) fn is_lost_session(status: StatusCode, body: &[u8]) -> bool {
    let says_so = || String::from_utf8_lossy(body).to_ascii_lowercase().contains("session");
    status == StatusCode::GONE || status == StatusCode::BAD_REQUEST && says_so()
}

/// Returns whether an answer to a greeting means that messages are not posted to this address, as servers of 2024-11-05
/// answer.
fn takes_no_posts(status: StatusCode, body: &[u8]) -> bool {
    let refused = status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS;
    refused || status == StatusCode::NOT_IMPLEMENTED || status.is_success() && body.trim_ascii().is_empty()
}

/// What the status of a refused greeting means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::client) enum Refused {
    /// The server does not take messages at its address.
    NoPosts,
    /// It wants another version of the protocol.
    Version(ProtocolVersion),
}

/// Says what a status without an answer means that a greeting got.
pub(super) fn refused(status: StatusCode, body: &[u8]) -> Option<Refused> {
    let version = status.is_client_error().then(|| version::named(&String::from_utf8_lossy(body))).flatten();
    version.map(Refused::Version).or_else(|| takes_no_posts(status, body).then_some(Refused::NoPosts))
}

/// Says what is wrong with an answer without a message.
pub(super) fn useless(status: StatusCode, body: &[u8], request: &Value, retry_after: Option<String>) -> HttpError {
    let method = request.get("method").and_then(Value::as_str).unwrap_or("a message");
    let text = String::from_utf8_lossy(body);
    let text = aish_types::sanitize(text.trim());
    let begin: String = text.lines().next().unwrap_or_default().chars().take(120).collect();
    let mut line = match (status.is_success(), begin.is_empty()) {
        (true, true) => format!("the server answered {method} with nothing"),
        (true, false) => format!("the server answered {method} with what is no message: {begin}"),
        (false, true) => format!("the server answered {method} with HTTP {status}"),
        (false, false) => format!("the server answered {method} with HTTP {status}: {begin}"),
    };
    if let Some(when) = retry_after {
        let unit = if when.bytes().all(|byte| byte.is_ascii_digit()) { " s" } else { "" };
        line.push_str(&format!(" (it may be tried again after {}{unit})", aish_types::visible(&when)));
    }
    HttpError(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_found_in_a_challenge() {
        let challenge = r#"Bearer error="insufficient_scope", scope="files:write admin", resource_metadata="x""#;
        assert_eq!(parameter(challenge, "scope").as_deref(), Some("files:write admin"));
        assert_eq!(parameter("Bearer scope=a, b=c", "scope").as_deref(), Some("a"));
        assert_eq!(parameter("Bearer", "scope"), None);
    }
}
