//! The HTTP client of one endpoint, and what its errors mean.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use aish_types::{Secret, mask, root_cause};
use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Response, redirect};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::encoded::{Coding, decoded};
use crate::endpoint::Endpoint;
use crate::event::{ChatError, SentKey};
use crate::failure::Failure;
use crate::options::ModelOptions;
use crate::sse::{Body, BodyError};

/// How long an idle connection is kept for the next request. llama.cpp, vLLM and most others close theirs after 5 s, and
/// a request that meets the closing is lost; behind https the servers are patient, and a new connection is dear.
const KEPT: Duration = Duration::from_secs(4);

/// Why no client can be made; in words.
#[derive(Debug, Clone, thiserror::Error)]
enum NoClient {
    /// The file of own certificates.
    #[error("the certificates in {path} cannot be read: {cause}")]
    Certificates { path: String, cause: String },
    /// What the client's library says.
    #[error("{0}")]
    Library(String),
}

/// Builds its client on first use: loading root certificates takes 3 to 13 ms, and only https needs them.
pub(crate) struct HttpClient {
    endpoint: Endpoint,
    connect_timeout: Duration,
    /// Own certificates, trusted beside the system's.
    ca_file: Option<PathBuf>,
    client: OnceLock<Result<Client, NoClient>>,
}

impl HttpClient {
    pub(crate) fn new(endpoint: Endpoint, options: &ModelOptions) -> Self {
        let (connect_timeout, ca_file) = (options.connect_timeout, options.ca_file.clone());
        Self { endpoint, connect_timeout, ca_file, client: OnceLock::new() }
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Starts a POST of a JSON body.
    pub(crate) fn post(&self, path: &str, body: Vec<u8>) -> Result<reqwest::RequestBuilder, ChatError> {
        let request = self.client()?.post(self.endpoint.with_login(path));
        Ok(request.header(CONTENT_TYPE, "application/json").body(body))
    }

    /// Starts a GET.
    pub(crate) fn get(&self, path: &str) -> Result<reqwest::RequestBuilder, ChatError> {
        Ok(self.client()?.get(self.endpoint.with_login(path)))
    }

    /// Sends a request and returns the head of the reply, whatever its status.
    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, ChatError> {
        request.send().await.map_err(|error| {
            let endpoint = self.endpoint.to_string();
            let cause = root_cause(&error);
            match is_insecure(&error) {
                true => ChatError::Insecure { endpoint, cause },
                false if error.is_timeout() => ChatError::Connect { endpoint, cause: "timed out".into() },
                // What rustls says of an answer in the clear.
                false if cause.ends_with("InvalidContentType") => {
                    ChatError::Connect { endpoint, cause: "it speaks no TLS; is its address http://?".into() }
                }
                false => ChatError::Connect { endpoint, cause },
            }
        })
    }

    fn client(&self) -> Result<&Client, ChatError> {
        let built = self.client.get_or_init(|| self.build());
        built
            .as_ref()
            .map_err(|cause| ChatError::Connect { endpoint: self.endpoint.to_string(), cause: cause.to_string() })
    }

    /// Reads the file of own certificates.
    fn own_certificates(&self) -> Result<Vec<reqwest::Certificate>, NoClient> {
        let Some(path) = &self.ca_file else { return Ok(Vec::new()) };
        let read = std::fs::read(path).map_err(|error| error.to_string());
        let parsed =
            read.and_then(|text| reqwest::Certificate::from_pem_bundle(&text).map_err(|error| root_cause(&error)));
        parsed.map_err(|cause| NoClient::Certificates { path: path.display().to_string(), cause })
    }

    fn build(&self) -> Result<Client, NoClient> {
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
        let own = self.own_certificates()?;
        if self.endpoint.is_https() && !own.is_empty() {
            builder = builder.tls_certs_merge(own);
        }
        if self.endpoint.is_loopback() {
            builder = builder.no_proxy();
        }
        builder.build().map_err(|error| NoClient::Library(root_cause(&error)))
    }
}

/// Returns whether the two ends cannot come to an encrypted connection, for a certificate above all: another try would bring
/// the same. A connection that is cut or garbled may come about the next time.
fn is_insecure(error: &(dyn std::error::Error + 'static)) -> bool {
    use rustls::Error::{AlertReceived, InvalidCertificate, NoCertificatesPresented, PeerIncompatible};
    // An I/O error hides the error that it was made of from `source`.
    let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    let is_ours = matches!(
        error.downcast_ref::<rustls::Error>(),
        Some(InvalidCertificate(_) | NoCertificatesPresented | PeerIncompatible(_) | AlertReceived(_))
    );
    is_ours || inner.is_some_and(|inner| is_insecure(inner)) || error.source().is_some_and(is_insecure)
}

/// Puts a secret into a header whose value is never shown.
pub(crate) fn secret_header(
    headers: &mut HeaderMap,
    name: &'static str,
    prefix: &str,
    key: &Secret,
) -> Result<(), ChatError> {
    let mut value = HeaderValue::from_str(&format!("{prefix}{}", key.expose().trim())).map_err(|_| {
        let message = "it has characters that no header can carry".into();
        ChatError::Unauthorized { status: 0, message, key: SentKey::Unnamed }
    })?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}

/// Returns a reply's body as bytes, decoded where it was compressed.
///
/// # Errors
/// [`ChatError::Unreadable`] for a compression that is not known here.
pub(crate) fn body_of(response: Response) -> Result<Body, ChatError> {
    let coding = Coding::of(response.headers())?;
    let body = response.bytes_stream().map(|part| part.map_err(|error| BodyError(root_cause(&error)))).boxed();
    Ok(decoded(body, coding))
}

/// Returns a reply's media type, in lower case, without parameters.
pub(crate) fn media_type(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The longest body of a reply that is no stream, in bytes.
const MAX_DOCUMENT: usize = 32 * 1024 * 1024;

/// Reads a whole body; bytes that are not UTF-8 are replaced.
pub(crate) async fn read_text(mut body: Body) -> Result<String, ChatError> {
    let mut bytes = Vec::new();
    while let Some(part) = body.next().await {
        let part = part.map_err(|error| ChatError::Interrupted(error.to_string()))?;
        bytes.extend_from_slice(&part);
        if bytes.len() > MAX_DOCUMENT {
            return Err(ChatError::Unreadable(format!("the reply is longer than {MAX_DOCUMENT} bytes")));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a reply that is JSON; none where it is a refusal or something else.
pub(crate) async fn json_of<T: DeserializeOwned>(response: Response) -> Option<T> {
    if !response.status().is_success() {
        return None;
    }
    serde_json::from_str(&read_text(body_of(response).ok()?).await.ok()?).ok()
}

/// Reads a refusal's body, within two seconds, and says what it means.
pub(crate) async fn refusal(response: Response) -> ChatError {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    if response.status().is_redirection() {
        let to = headers.get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or("nowhere");
        let message = format!("the server moved to {}; set the endpoint to it", mask(to));
        return ChatError::Refused { status, message };
    }
    let text = match body_of(response) {
        Ok(body) => timeout(Duration::from_secs(2), read_text(body)).await.ok().and_then(Result::ok),
        Err(_) => None,
    };
    Failure::from_body(&text.unwrap_or_default()).of_status(status, &headers)
}
