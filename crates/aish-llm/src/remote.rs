//! A model behind HTTP, on any of the three wires.
//!
//! The order of a request: it is written for the wire and for what is known of the server; a refusal that names what is
//! wrong changes that one thing for the session, and the request goes out again. Nothing is repeated that a server has
//! begun to answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aish_types::{BoxFuture, Secret};
use futures_util::StreamExt as _;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::abilities::Abilities;
use crate::api::Api;
use crate::assembly::first_free_id;
use crate::chat::Chat;
use crate::endpoint::Endpoint;
use crate::event::{ChatError, SentKey};
use crate::exchange::{OpenReply, exchange};
use crate::http::{HttpClient, body_of, json_of, media_type, refusal};
use crate::listing::{self, fetch, is_unknown_model, with_names};
use crate::messages::Messages;
use crate::names::{NameRule, WireNames};
use crate::options::{ModelOptions, Names};
use crate::provider::{EventStream, Provider};
use crate::quirks::{LearnedQuirks, Quirks};
use crate::request::ChatRequest;
use crate::responses::Responses;
use crate::wire::{Asked, Seal, Wire};

/// How often a refusal may teach something within one request.
const MAX_LESSONS: usize = 6;

/// A model behind `POST E/v1/chat/completions`, `E/v1/responses` or `E/v1/messages`.
pub struct RemoteProvider {
    inner: Arc<Inner>,
    /// Asks the server what the model can do, beside the first request; ends with the provider.
    asking: OnceLock<Asking>,
}

struct Inner {
    api: Api,
    options: ModelOptions,
    http: HttpClient,
    quirks: LearnedQuirks,
    /// The key that a command gave.
    key: OnceLock<Secret>,
    /// The endpoint has counted tokens.
    has_counted: AtomicBool,
    /// What published data says that the model can do.
    published: Abilities,
    /// What the server said first, with that where it said nothing.
    said: OnceLock<Abilities>,
}

/// A task that is aborted when nobody waits for it any more.
struct Asking(tokio::task::AbortHandle);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Api {
    /// Returns what speaks it.
    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            Self::Chat => &Chat,
            Self::Responses => &Responses,
            Self::Messages => &Messages,
        }
    }
}

impl RemoteProvider {
    /// Makes a provider on a wire; no connection is opened before the first request.
    pub fn new(api: Api, endpoint: Endpoint, options: ModelOptions) -> Self {
        let strict = match (api, options.names) {
            (Api::Messages | Api::Responses, _) | (Api::Chat, Names::Strict) => true,
            (Api::Chat, Names::Dotted) => false,
            // Public services refuse dots, local servers take them.
            (Api::Chat, Names::ByEndpoint) => endpoint.is_https(),
        };
        let http = HttpClient::new(endpoint, &options);
        let published = crate::prices::known(&options.model).map(|known| known.abilities).unwrap_or_default();
        let quirks = LearnedQuirks::new(strict);
        quirks.presume(&published, options.temperature.is_some());
        let (key, said, has_counted) = (OnceLock::new(), OnceLock::new(), AtomicBool::new(false));
        let inner = Inner { api, options, http, quirks, key, has_counted, published, said };
        Self { inner: Arc::new(inner), asking: OnceLock::new() }
    }

    /// Makes a provider on chat completions.
    pub fn chat(endpoint: Endpoint, options: ModelOptions) -> Self {
        Self::new(Api::Chat, endpoint, options)
    }

    /// Makes a provider on Anthropic's messages.
    pub fn messages(endpoint: Endpoint, options: ModelOptions) -> Self {
        Self::new(Api::Messages, endpoint, options)
    }
}

impl Provider for RemoteProvider {
    fn model(&self) -> &str {
        &self.inner.options.model
    }

    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> EventStream {
        let inner = Arc::clone(&self.inner);
        let limits = inner.options.limits(request.max_tokens);
        let endpoint = inner.http.endpoint().to_string();
        let opener = Arc::clone(&inner);
        let opening = Box::pin(async move { opener.open(&request).await });
        let events = exchange(opening, limits, endpoint, cancel);
        events.map(move |event| event.map_err(|error| inner.discreet(error))).boxed()
    }

    fn count_tokens<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Option<u64>> {
        Box::pin(async move {
            // There is no tokenizer behind Anthropic's API, only a count of whole requests.
            let limit = Some(self.inner.options.tokenize_timeout).filter(|_| self.inner.api != Api::Messages)?;
            timeout(limit, self.inner.tokenize(text)).await.ok().flatten()
        })
    }

    fn abilities(&self) -> BoxFuture<'_, Option<Abilities>> {
        Box::pin(async move {
            self.inner.ask_abilities().await;
            self.known_abilities().cloned()
        })
    }

    fn ask_abilities_beside(&self) {
        let inner = Arc::clone(&self.inner);
        let ask = move || Asking(tokio::spawn(async move { inner.ask_abilities().await }).abort_handle());
        self.asking.get_or_init(ask);
    }

    fn known_abilities(&self) -> Option<&Abilities> {
        let published = Some(&self.inner.published).filter(|published| **published != Abilities::default());
        self.inner.said.get().or(published)
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ChatError>> {
        Box::pin(async move {
            let inner = &self.inner;
            let headers = inner.headers(inner.api).await?;
            let listed = fetch(&inner.http, headers).await;
            Ok(listing::names(&listed.map_err(|error| inner.discreet(error))?))
        })
    }

    fn api(&self) -> Option<Api> {
        Some(self.inner.quirks.get().api(self.inner.api))
    }

    fn learned(&self) -> Vec<&'static str> {
        self.inner.quirks.get().notices(Quirks::default())
    }
}

#[derive(Serialize)]
struct TokenizeBody<'a> {
    content: &'a str,
    model: &'a str,
}

#[derive(Deserialize)]
struct Tokenized {
    tokens: Vec<serde::de::IgnoredAny>,
}

/// Returns whether a model's name is one part of an address.
fn is_one_part(model: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'@');
    !model.is_empty() && !model.contains("..") && model.bytes().all(is_plain)
}

/// Recognises the words for a connection that ended before the reply.
fn is_closed(cause: &str) -> bool {
    ["closed", "reset", "broken pipe"].iter().any(|word| cause.to_lowercase().contains(word))
}

impl Inner {
    async fn open(&self, request: &ChatRequest) -> Result<OpenReply, ChatError> {
        let mut lessons = 0;
        loop {
            let quirks = self.quirks.get();
            let api = quirks.api(self.api);
            let strict = quirks.strict_names() || api != Api::Chat;
            let names = WireNames::new(if strict { NameRule::Strict } else { NameRule::Dotted }, request);
            let endpoint = self.http.endpoint();
            let most_tokens = self.quirks.most_tokens();
            let asked = Asked { options: &self.options, quirks, names: &names, request, endpoint, most_tokens };
            let written = api
                .wire()
                .write(&asked)
                .map_err(|error| ChatError::Unreadable(format!("the request cannot be written: {error}")))?;
            let builder = self.http.post(api.wire().path(), written.body)?.headers(self.headers(api).await?);
            let response = self.http.send(builder).await?;
            if response.status().is_success() {
                let notices = self.quirks.untold();
                let (endpoint, model) = (endpoint.as_str().to_owned(), self.options.model.clone());
                let seal = Seal { endpoint, model, bound: written.bound };
                let decoder = api.wire().read(names, first_free_id(&request.messages), seal);
                return Ok(OpenReply { kind: media_type(&response), body: body_of(response)?, decoder, notices });
            }
            let error = refusal(response).await;
            if lessons == MAX_LESSONS || !self.quirks.learn(quirks, api, &error, request.schema.is_some()) {
                return Err(self.explained(error).await);
            }
            lessons += 1;
        }
    }

    /// Adds the server's models to a refusal of our model's name.
    async fn explained(&self, error: ChatError) -> ChatError {
        let is_about_model = is_unknown_model(&error)
            || self.api == Api::Messages && matches!(&error, ChatError::Refused { status: 404, .. });
        if !is_about_model {
            return error;
        }
        let listed = match self.headers(self.api).await {
            Ok(headers) => fetch(&self.http, headers).await.unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        with_names(error, &self.options.model, listing::names(&listed))
    }

    async fn headers(&self, api: Api) -> Result<HeaderMap, ChatError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        api.wire().headers(self.key().await?, &mut headers)?;
        Ok(headers)
    }

    /// Says which key was refused, and takes it out of the server's words.
    fn discreet(&self, error: ChatError) -> ChatError {
        let error = match error {
            ChatError::Unauthorized { status, message, key: SentKey::Unnamed } => {
                ChatError::Unauthorized { status, message, key: self.options.sent_key() }
            }
            other => other,
        };
        match self.options.key.as_ref().or_else(|| self.key.get()) {
            Some(key) => error.without(key),
            None => error,
        }
    }

    /// Returns the key; where a command gives it, the command runs once, when it is needed first.
    async fn key(&self) -> Result<Option<&Secret>, ChatError> {
        if let (None, Some(command)) = (&self.options.key, &self.options.key_command) {
            if self.key.get().is_none() {
                let command = command.clone();
                let refused = |message| ChatError::Unauthorized { status: 0, message, key: self.options.sent_key() };
                let given = tokio::task::spawn_blocking(move || command.run()).await;
                let given = given.map_err(|error| refused(error.to_string()))?;
                let key = given.map_err(|error| refused(error.to_string()))?;
                // Another request may have been faster, with the same key.
                drop(self.key.set(key));
            }
            return Ok(self.key.get());
        }
        Ok(self.options.key.as_ref())
    }

    /// llama.cpp's tokenizer: `POST E/tokenize {content, model}` -> `{tokens: […]}`.
    async fn tokenize(&self, text: &str) -> Option<u64> {
        let body = serde_json::to_vec(&TokenizeBody { content: text, model: &self.options.model }).ok()?;
        let headers = self.headers(self.api).await.ok()?;
        let ask = || Some(self.http.post("/tokenize", body.clone()).ok()?.headers(headers.clone()));
        let response = match self.http.send(ask()?).await {
            Ok(response) => response,
            // It closed a kept connection under us, which says nothing about what it can.
            Err(ChatError::Connect { cause, .. }) if self.has_counted.load(Ordering::Relaxed) && is_closed(&cause) => {
                self.http.send(ask()?).await.ok()?
            }
            Err(_) => return None,
        };
        if response.status() != StatusCode::OK {
            return None;
        }
        let reply: Tokenized = json_of(response).await?;
        self.has_counted.store(true, Ordering::Relaxed);
        u64::try_from(reply.tokens.len()).ok()
    }

    /// Asks the server what the model can do, and holds to it.
    async fn ask_abilities(&self) {
        let Ok(Some(abilities)) = timeout(Duration::from_secs(5), self.abilities()).await else { return };
        self.quirks.teach(&abilities);
        drop(self.said.set(abilities.or(self.published.clone())));
    }

    /// What the model can do: llama.cpp's word, else that of the list of models and of what the list names the server.
    async fn abilities(&self) -> Option<Abilities> {
        let model = self.options.model.as_str();
        let known = match self.api {
            // A name may hold anything; one that would be another address is not asked for by itself.
            Api::Messages if is_one_part(model) => self.get_json(&format!("/v1/models/{model}")).await,
            Api::Messages => None,
            Api::Chat | Api::Responses => {
                let props = self.get_json("/props").await.map(|reply| Abilities::props(&reply));
                if props.as_ref().is_some_and(|props| props.context.is_some()) {
                    return props;
                }
                None
            }
        };
        match known {
            Some(entry) => Some(Abilities::listed(&entry)),
            None => self.listed().await,
        }
    }

    /// `GET E/v1/models` -> the entry of our model; local servers say whose they are in it, and more elsewhere.
    async fn listed(&self) -> Option<Abilities> {
        let reply = self.get_json("/v1/models").await?;
        let is_ours = |model: &&Value| model.get("id").and_then(Value::as_str) == Some(self.options.model.as_str());
        let entry = reply.get("data")?.as_array()?.iter().find(is_ours)?;
        let listed = Abilities::listed(entry);
        let more = match entry.get("owned_by").and_then(Value::as_str) {
            Some("library") => {
                let body = serde_json::to_vec(&serde_json::json!({ "model": self.options.model })).ok()?;
                self.post_json("/api/show", body).await.map(|reply| Abilities::shown(&reply))
            }
            Some("organization_owner") if is_one_part(&self.options.model) => {
                let path = format!("/api/v0/models/{}", self.options.model);
                self.get_json(&path).await.map(|reply| Abilities::listed(&reply))
            }
            _ => None,
        };
        Some(more.unwrap_or_default().or(listed))
    }

    async fn post_json(&self, path: &str, body: Vec<u8>) -> Option<Value> {
        let headers = self.headers(self.api).await.ok()?;
        let response = self.http.send(self.http.post(path, body).ok()?.headers(headers)).await.ok()?;
        json_of(response).await
    }

    async fn get_json(&self, path: &str) -> Option<Value> {
        let headers = self.headers(self.api).await.ok()?;
        let ask = || Some(self.http.get(path).ok()?.headers(headers.clone()));
        let response = match self.http.send(ask()?).await {
            Ok(response) => response,
            Err(ChatError::Connect { cause, .. }) if is_closed(&cause) => self.http.send(ask()?).await.ok()?,
            Err(_) => return None,
        };
        json_of(response).await
    }
}
