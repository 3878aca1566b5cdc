//! The HTTP client of one endpoint, and what its errors mean.

use std::sync::OnceLock;
use std::time::Duration;

use aish_types::Secret;
use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Response, redirect};
use tokio::time::timeout;

use crate::endpoint::Endpoint;
use crate::event::ChatError;
use crate::failure::Failure;
use crate::sse::Body;

/// How long an idle connection is kept for the next request. llama.cpp, vLLM and most others close theirs after 5 s, and
/// a request that meets the closing is lost; behind https the servers are patient, and a new connection is dear.
const KEPT: Duration = Duration::from_secs(4);

/// Builds its client on first use: loading root certificates takes 3 to 13 ms, and only https needs them.
pub(crate) struct HttpClient {
    endpoint: Endpoint,
    connect_timeout: Duration,
    client: OnceLock<Result<Client, String>>,
}

impl HttpClient {
    pub(crate) fn new(endpoint: Endpoint, connect_timeout: Duration) -> Self {
        Self { endpoint, connect_timeout, client: OnceLock::new() }
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Starts a POST of a JSON body.
    pub(crate) fn post(&self, path: &str, body: Vec<u8>) -> Result<reqwest::RequestBuilder, ChatError> {
        let request = self.client()?.post(self.endpoint.join(path));
        Ok(request.header(CONTENT_TYPE, "application/json").body(body))
    }

    /// Starts a GET.
    pub(crate) fn get(&self, path: &str) -> Result<reqwest::RequestBuilder, ChatError> {
        Ok(self.client()?.get(self.endpoint.join(path)))
    }

    /// Sends a request and returns the head of the reply, whatever its status.
    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, ChatError> {
        request.send().await.map_err(|error| ChatError::Connect {
            endpoint: self.endpoint.to_string(),
            cause: if error.is_timeout() { "timed out".into() } else { cause(&error) },
        })
    }

    fn client(&self) -> Result<&Client, ChatError> {
        let built = self.client.get_or_init(|| self.build().map_err(|error| cause(&error)));
        built.as_ref().map_err(|cause| ChatError::Connect { endpoint: self.endpoint.to_string(), cause: cause.clone() })
    }

    fn build(&self) -> reqwest::Result<Client> {
        // Fails when a provider is installed already, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        // A redirect would carry the conversation to a server that nobody named.
        let mut builder = Client::builder()
            .connect_timeout(self.connect_timeout)
            .redirect(redirect::Policy::none())
            .user_agent(concat!("aish/", env!("CARGO_PKG_VERSION")));
        if !self.endpoint.is_https() {
            builder = builder.tls_certs_only([]).pool_idle_timeout(KEPT);
        }
        if self.endpoint.is_loopback() {
            builder = builder.no_proxy();
        }
        builder.build()
    }
}

/// Returns the innermost cause of an error in words, without the URL.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Puts a secret into a header whose value is never shown.
pub(crate) fn secret_header(
    headers: &mut HeaderMap,
    name: &'static str,
    prefix: &str,
    key: &Secret,
) -> Result<(), ChatError> {
    let mut value = HeaderValue::from_str(&format!("{prefix}{}", key.expose().trim())).map_err(|_| {
        ChatError::Unauthorized { status: 0, message: "the key has characters that no header can carry".into() }
    })?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}

/// Returns a reply's body as bytes.
pub(crate) fn body(response: Response) -> Body {
    response.bytes_stream().map(|part| part.map_err(|error| cause(&error))).boxed()
}

/// Returns a reply's media type, in lower case, without parameters.
pub(crate) fn media_type(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The longest body of a reply that is no stream, in bytes.
const MAX_DOCUMENT: usize = 32 * 1024 * 1024;

/// Reads a whole body; what is no UTF-8 is replaced.
pub(crate) async fn read_text(mut body: Body) -> Result<String, ChatError> {
    let mut bytes = Vec::new();
    while let Some(part) = body.next().await {
        let part = part.map_err(ChatError::Interrupted)?;
        bytes.extend_from_slice(&part);
        if bytes.len() > MAX_DOCUMENT {
            return Err(ChatError::Unreadable(format!("the reply is longer than {MAX_DOCUMENT} bytes")));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a refusal's body, within two seconds, and says what it means.
pub(crate) async fn refusal(response: Response, key: Option<&Secret>) -> ChatError {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    if response.status().is_redirection() {
        let to = headers.get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or("nowhere");
        return ChatError::Refused { status, message: format!("the server moved to {to}; set the endpoint to it") };
    }
    let text = timeout(Duration::from_secs(2), read_text(body(response))).await;
    let text = text.ok().and_then(Result::ok).unwrap_or_default();
    Failure::from_body(&text).without(key).of_status(status, &headers)
}
