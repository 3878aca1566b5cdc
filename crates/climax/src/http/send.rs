//! The call: the token is added here, and the answer is bounded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aish_mcp::client::is_loopback;
use aish_types::{ToolOutcome, sanitize};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::{Value, json};

use super::request::Outgoing;
use super::{Api, Hosts, Method, Scheme};
use crate::expand::Variables;
use crate::run::Limits;

/// Bytes of an answer that are read; the rest is left on the wire.
const MAX_BYTES: usize = 256 * 1024;
/// Redirects within the origin that one call follows.
const MAX_REDIRECTS: usize = 4;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// The shortest token that is taken out of an answer which repeats it.
const SECRET: usize = 8;

/// Sends requests: a client an origin.
pub(crate) struct Sender {
    hosts: Hosts,
    world: Arc<dyn Variables>,
    clients: Mutex<HashMap<String, Client>>,
}

/// A token that may go along.
struct Token {
    scheme: Scheme,
    env: String,
    value: String,
}

/// What came back.
struct Answer {
    status: StatusCode,
    media: String,
    /// The character set that it names.
    charset: Option<String>,
    /// How the body is packed, where it is: nothing here was asked for.
    packed: Option<String>,
    body: Vec<u8>,
    truncated: bool,
    /// Where the server sent us and we did not go.
    elsewhere: Option<String>,
}

impl Sender {
    pub(crate) fn new(hosts: Hosts, world: Arc<dyn Variables>) -> Self {
        Self { hosts, world, clients: Mutex::default() }
    }

    /// Calls the API. A failure is an outcome.
    pub(crate) async fn call(&self, api: &Api, outgoing: Outgoing, limits: Limits) -> ToolOutcome {
        let started = Instant::now();
        let limit = Duration::try_from_secs_f64(limits.timeout_s).unwrap_or(Duration::MAX);
        let (origin, is_safe) = (api.origin(), outgoing.method.is_safe());
        let token = match self.token(api) {
            Ok(token) => token,
            Err(why) => return ToolOutcome::failure(why),
        };
        let answered = tokio::select! {
            answered = tokio::time::timeout(limit, self.answer(&outgoing, token.as_ref())) => answered,
            () = limits.cancel.cancelled() => return ToolOutcome::failure("The call was cancelled"),
        };
        let may_have_run = if is_safe { "" } else { "; it may have been carried out" };
        let mut outcome = match answered {
            Ok(Ok(answer)) => outcome_of(answer, token.as_ref()),
            Ok(Err(why)) => ToolOutcome::failure(format!("{origin} could not be asked: {why}")),
            Err(_) => ToolOutcome::failure(format!(
                "{origin} gave no answer in {} s (limit timeout){may_have_run}",
                limits.timeout_s
            )),
        };
        outcome.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Some(Value::Object(facts)) = &mut outcome.structured {
            facts.insert("duration_ms".into(), outcome.duration_ms.into());
        }
        outcome
    }

    /// Returns the token, where the API wants one and it may go there.
    fn token(&self, api: &Api) -> Result<Option<Token>, String> {
        let Some(auth) = &api.auth else { return Ok(None) };
        let (env, origin) = (&auth.env, api.origin());
        if !self.hosts.holds(env, &origin) {
            return Err(format!(
                "Nothing was sent: nobody confirmed that the token in {env} may go to {origin}. `climax import --openapi FILE \
                 --auth-env {env} --server {}` confirms it",
                api.url
            ));
        }
        match self.world.get(env).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()) {
            Some(value) => Ok(Some(Token { scheme: auth.scheme.clone(), env: env.clone(), value })),
            None => Err(format!("Nothing was sent: the variable {env} is not set, and {origin} wants the token in it")),
        }
    }

    /// Sends, and follows redirects within the origin alone.
    async fn answer(&self, outgoing: &Outgoing, token: Option<&Token>) -> Result<Answer, String> {
        let client = self.client(&outgoing.url)?;
        let (mut method, mut url, mut with_body) = (outgoing.method, outgoing.url.clone(), true);
        for _ in 0..=MAX_REDIRECTS {
            let request = request(&client, method, &url, outgoing, with_body, token)?;
            let response = client.execute(request).await.map_err(why)?;
            let Some((place, status)) = moved(&response) else { return read(response, None).await };
            let as_get = status == StatusCode::SEE_OTHER && method != Method::Head;
            let is_repeatable = method.is_safe()
                || as_get
                || matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
            if place.origin() != outgoing.url.origin() || !is_repeatable {
                return read(response, Some(place.origin().ascii_serialization())).await;
            }
            if as_get {
                (method, with_body) = (Method::Get, false);
            }
            url = place;
        }
        Err(format!("it redirects more than {MAX_REDIRECTS} times"))
    }

    fn client(&self, url: &Url) -> Result<Client, String> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let origin = url.origin().ascii_serialization();
        if let Some(client) = clients.get(&origin) {
            return Ok(client.clone());
        }
        // Fails when a provider is installed already, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .user_agent(concat!("climax/", env!("CARGO_PKG_VERSION")));
        if is_loopback(url) {
            builder = builder.no_proxy();
        }
        if url.scheme() == "http" {
            // Reading the system's certificates takes time that only https needs.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(why)?;
        clients.insert(origin, client.clone());
        Ok(client)
    }
}

/// Makes the request that is sent to this URL.
fn request(
    client: &Client,
    method: Method,
    url: &Url,
    outgoing: &Outgoing,
    with_body: bool,
    token: Option<&Token>,
) -> Result<reqwest::Request, String> {
    let method = reqwest::Method::from_bytes(method.as_str().as_bytes()).map_err(|error| error.to_string())?;
    let mut url = url.clone();
    if let Some(Token { scheme: Scheme::Query(name), value, .. }) = token
        && !url.query_pairs().any(|(key, _)| key == name.as_str())
    {
        url.query_pairs_mut().append_pair(name, value);
    }
    let mut builder = client.request(method, url).header(ACCEPT, "application/json, */*;q=0.5");
    let token = token.map(header).transpose()?.flatten();
    // An argument under the token's name would be a second one beside it.
    let is_token = |name: &str| token.as_ref().is_some_and(|(token, _)| token.as_str().eq_ignore_ascii_case(name));
    for (name, value) in outgoing.headers.iter().filter(|(name, _)| !is_token(name)) {
        builder = builder.header(name, value);
    }
    if let Some((name, value)) = token {
        builder = builder.header(name, value);
    }
    if let Some((media, bytes)) = outgoing.body.as_ref().filter(|_| with_body) {
        builder = builder.header(CONTENT_TYPE, media).body(bytes.clone());
    }
    builder.build().map_err(why)
}

/// The header that carries a token.
fn header(token: &Token) -> Result<Option<(HeaderName, HeaderValue)>, String> {
    let unusable = |_| format!("the token in {} holds what no header can hold", token.env);
    let (name, text) = match &token.scheme {
        Scheme::Bearer => (AUTHORIZATION, format!("Bearer {}", token.value)),
        Scheme::Basic => (AUTHORIZATION, format!("Basic {}", STANDARD.encode(&token.value))),
        Scheme::Header(name) => {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| error.to_string())?;
            (name, token.value.clone())
        }
        Scheme::Query(_) => return Ok(None),
    };
    let mut value = HeaderValue::from_str(&text).map_err(unusable)?;
    value.set_sensitive(true);
    Ok(Some((name, value)))
}

/// Where an answer sends us, if it does.
fn moved(response: &Response) -> Option<(Url, StatusCode)> {
    let status = response.status();
    let location = response.headers().get(LOCATION).filter(|_| status.is_redirection())?;
    Some((response.url().join(location.to_str().ok()?).ok()?, status))
}

async fn read(mut response: Response, elsewhere: Option<String>) -> Result<Answer, String> {
    let status = response.status();
    let header = |name: HeaderName| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase()
    };
    let (media, encoding) = (header(CONTENT_TYPE), header(CONTENT_ENCODING));
    let mut parts = media.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_owned();
    let charset = parts.find_map(|part| Some(part.strip_prefix("charset=")?.trim_matches('"').to_owned()));
    let packed = Some(encoding.trim().to_owned()).filter(|how| !matches!(how.as_str(), "" | "identity"));
    let (mut body, mut truncated) = (Vec::new(), false);
    while let Some(chunk) = response.chunk().await.map_err(why)? {
        let room = MAX_BYTES - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            truncated = true;
            break;
        }
    }
    Ok(Answer { status, media, charset, packed, body, truncated, elsewhere })
}

fn outcome_of(answer: Answer, token: Option<&Token>) -> ToolOutcome {
    let mut text = if is_text(&answer) {
        sanitize(&written(&answer)).trim().to_owned()
    } else {
        let packed = answer.packed.iter().flat_map(|how| [how.as_str(), " of "]).collect::<String>();
        format!("[{} bytes of {}, not shown]", answer.body.len(), sanitize(&format!("{packed}{}", answer.media)))
    };
    if let Some(token) = token {
        let name = format!("${}", token.env);
        text = token.spellings().iter().fold(text, |text, spelling| text.replace(spelling, &name));
    }
    let body = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.as_str()));
    let status = answer.status.as_u16();
    if answer.truncated {
        text.push_str(&format!("\n[cut after {MAX_BYTES} bytes]"));
    }
    if let Some(origin) = &answer.elsewhere {
        text.push_str(&format!("\n[it redirects to {origin}, and was not followed]"));
    }
    let is_good = answer.status.is_success();
    if !is_good {
        let reason = answer.status.canonical_reason().unwrap_or_default();
        text.push_str(&format!("\n[HTTP {status} {reason}]"));
    }
    if text.is_empty() {
        text.push_str("(no output)");
    }
    let text = text.trim().to_owned();
    let mut outcome = if is_good { ToolOutcome::success(text) } else { ToolOutcome::reported_failure(text) };
    outcome.truncated = answer.truncated;
    outcome.structured = Some(json!({"status": status, "body": body, "truncated": answer.truncated}));
    outcome
}

impl Token {
    /// How an answer may repeat it: as it is, in a text of JSON, and as it was sent; the longest first.
    fn spellings(&self) -> Vec<String> {
        let json = Value::from(self.value.as_str()).to_string();
        let mut all = vec![self.value.clone(), json.trim_matches('"').to_owned()];
        match &self.scheme {
            Scheme::Basic => {
                all.push(STANDARD.encode(&self.value));
                all.extend(self.value.split_once(':').map(|(_, password)| password.to_owned()));
            }
            Scheme::Query(_) => {
                all.extend([
                    form(&self.value, |byte| format!("%{byte:02X}")),
                    form(&self.value, |byte| format!("%{byte:02x}")),
                ]);
            }
            Scheme::Bearer | Scheme::Header(_) => {}
        }
        // A short one may be a word of its own.
        all.retain(|spelling| spelling.len() >= SECRET);
        all.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
        all
    }
}

/// Writes a text as a query has it.
fn form(text: &str, escaped: fn(u8) -> String) -> String {
    let letter = |byte: u8| match byte {
        b' ' => "+".to_owned(),
        b'-' | b'.' | b'_' | b'*' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => escaped(byte),
    };
    text.bytes().map(letter).collect()
}

/// Reads the text of an answer in the character set that it names, as far as those go that are still in use.
fn written(answer: &Answer) -> String {
    let body = &answer.body;
    let wide = |read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = body.as_chunks::<2>().0.iter().map(|pair| read(*pair)).collect();
        String::from_utf16_lossy(&units).trim_start_matches('\u{feff}').to_owned()
    };
    match (answer.charset.as_deref(), body.get(..2)) {
        (_, Some([0xff, 0xfe])) | (Some("utf-16le"), _) => wide(u16::from_le_bytes),
        (_, Some([0xfe, 0xff])) | (Some("utf-16" | "utf-16be"), _) => wide(u16::from_be_bytes),
        (Some("iso-8859-1" | "latin1" | "windows-1252" | "iso-8859-15"), _) if std::str::from_utf8(body).is_err() => {
            body.iter().map(|byte| char::from(*byte)).collect()
        }
        _ => String::from_utf8_lossy(body).into_owned(),
    }
}

/// Says whether an answer can be shown; one that does not say what it is can where it is UTF-8.
fn is_text(answer: &Answer) -> bool {
    if answer.packed.is_some() {
        return false;
    }
    let media = answer.media.as_str();
    let known = media.starts_with("text/")
        || ["json", "xml", "yaml", "javascript", "x-www-form-urlencoded", "graphql"]
            .iter()
            .any(|word| media.contains(word));
    known || (media.is_empty() && std::str::from_utf8(&answer.body).is_ok())
}

/// Writes an error with its causes; the URL may hold a token.
fn why(error: reqwest::Error) -> String {
    aish_types::chain(&error.without_url())
}
