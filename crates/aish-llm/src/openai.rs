//! OpenAI-compatible servers: llama.cpp, Ollama, vLLM, OpenRouter, OpenAI, Gemini's compatible endpoint and others.

mod body;
mod chunk;
pub(crate) mod decoder;
pub(crate) mod extras;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aish_types::BoxFuture;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::assembly::first_free_id;
use crate::endpoint::Endpoint;
use crate::event::ChatError;
use crate::exchange::{Opened, exchange};
use crate::http::{HttpClient, body_of, media_type, read_text, refusal, secret_header};
use crate::listing::{self, fetch, is_unknown_model, with_names};
use crate::names::{NameRule, WireNames};
use crate::openai::decoder::OpenAiDecoder;
use crate::openai::extras::CallExtras;
use crate::options::{ModelOptions, Names};
use crate::provider::{EventStream, Provider};
use crate::quirks::LearnedQuirks;
use crate::request::ChatRequest;

/// What lists of models call the size of a context: vLLM, OpenRouter, Groq, Mistral.
const CONTEXT_KEYS: [&str; 4] = ["max_model_len", "context_length", "context_window", "max_context_length"];

/// How often a refusal may teach a quirk within one request.
const MAX_LESSONS: usize = 4;

/// A model behind `POST E/v1/chat/completions`.
pub struct OpenAiProvider {
    inner: Arc<Inner>,
}

struct Inner {
    options: ModelOptions,
    http: HttpClient,
    quirks: LearnedQuirks,
    extras: Arc<CallExtras>,
    /// The endpoint has counted tokens.
    has_counted: AtomicBool,
}

impl OpenAiProvider {
    /// Makes a provider; no connection is opened before the first request.
    pub fn new(endpoint: Endpoint, options: ModelOptions) -> Self {
        let strict = match options.names {
            Names::Strict => true,
            Names::Dotted => false,
            // Public services refuse dots, local servers take them.
            Names::ByEndpoint => endpoint.is_https(),
        };
        let http = HttpClient::new(endpoint, options.connect_timeout);
        Self {
            inner: Arc::new(Inner {
                options,
                http,
                quirks: LearnedQuirks::new(strict),
                extras: Arc::default(),
                has_counted: AtomicBool::new(false),
            }),
        }
    }

    /// Returns the server's address.
    pub fn endpoint(&self) -> &Endpoint {
        self.inner.http.endpoint()
    }
}

impl Provider for OpenAiProvider {
    fn model(&self) -> &str {
        &self.inner.options.model
    }

    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> EventStream {
        let inner = Arc::clone(&self.inner);
        let limits = inner.options.limits();
        let endpoint = inner.http.endpoint().to_string();
        let opening = Box::pin(async move { inner.open(&request).await });
        exchange(opening, limits, endpoint, cancel)
    }

    fn count_tokens<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Option<u64>> {
        Box::pin(async move {
            let limit = self.inner.options.tokenize_timeout;
            timeout(limit, self.inner.tokenize(text)).await.ok().flatten()
        })
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ChatError>> {
        Box::pin(async move {
            let list = fetch(&self.inner.http, self.inner.headers()?, &self.inner.options).await?;
            Ok(listing::names(&list))
        })
    }

    fn context_size(&self) -> BoxFuture<'_, Option<u64>> {
        Box::pin(async move { timeout(Duration::from_secs(5), self.inner.context_size()).await.ok().flatten() })
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

/// Recognises the words for a connection that ended before the reply.
fn is_closed(cause: &str) -> bool {
    ["closed", "reset", "broken pipe"].iter().any(|word| cause.to_lowercase().contains(word))
}

impl Inner {
    async fn open(&self, request: &ChatRequest) -> Result<Opened<OpenAiDecoder>, ChatError> {
        let mut lessons = 0;
        let at_first = self.quirks.get();
        loop {
            let quirks = self.quirks.get();
            let rule = if quirks.strict_names() { NameRule::Strict } else { NameRule::Dotted };
            let names = WireNames::new(rule, request);
            let body = body::body(&self.options, quirks, &names, &self.extras, request)
                .map_err(|error| ChatError::Unreadable(format!("the request cannot be written: {error}")))?;
            let request_builder = self.http.post("/v1/chat/completions", body)?.headers(self.headers()?);
            let response = self.http.send(request_builder).await?;
            if response.status().is_success() {
                let notice = quirks.notice(at_first);
                let decoder = OpenAiDecoder::new(names, first_free_id(&request.messages), Arc::clone(&self.extras));
                return Ok(Opened { kind: media_type(&response), body: body_of(response)?, decoder, notice });
            }
            let error = refusal(response, &self.options).await;
            if lessons == MAX_LESSONS || !self.quirks.learn(quirks, &error) {
                return Err(self.explained(error).await);
            }
            lessons += 1;
        }
    }

    /// Adds the server's models to a refusal of our model's name.
    async fn explained(&self, error: ChatError) -> ChatError {
        if !is_unknown_model(&error) {
            return error;
        }
        let listed = match self.headers() {
            Ok(headers) => fetch(&self.http, headers, &self.options).await.unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        with_names(error, &self.options.model, listing::names(&listed))
    }

    fn headers(&self) -> Result<HeaderMap, ChatError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(key) = &self.options.key {
            secret_header(&mut headers, "authorization", "Bearer ", key)?;
        }
        Ok(headers)
    }

    /// llama.cpp's tokenizer: `POST E/tokenize {content, model}` -> `{tokens: […]}`.
    async fn tokenize(&self, text: &str) -> Option<u64> {
        let body = serde_json::to_vec(&TokenizeBody { content: text, model: &self.options.model }).ok()?;
        let ask = || Some(self.http.post("/tokenize", body.clone()).ok()?.headers(self.headers().ok()?));
        let response = match self.http.send(ask()?).await {
            Ok(response) => response,
            // It closed a kept connection under us, which says nothing about what it can.
            Err(ChatError::Connect { cause, .. }) if self.has_counted.load(Ordering::Relaxed) && is_closed(&cause) => {
                self.http.send(ask()?).await.ok()?
            }
            Err(_) => return None,
        };
        if response.status().as_u16() != 200 {
            return None;
        }
        let reply: Tokenized = serde_json::from_str(&read_text(body_of(response).ok()?).await.ok()?).ok()?;
        self.has_counted.store(true, Ordering::Relaxed);
        u64::try_from(reply.tokens.len()).ok()
    }

    /// The context of a prompt and its answer in tokens: llama.cpp's word, else that of the list of models.
    async fn context_size(&self) -> Option<u64> {
        match self.slot_size().await {
            Some(size) => Some(size),
            None => self.listed_size().await,
        }
    }

    /// llama.cpp's context of one slot: `GET E/props` -> `default_generation_settings.n_ctx`.
    async fn slot_size(&self) -> Option<u64> {
        let reply = self.get_json("/props").await?;
        let size = reply.pointer("/default_generation_settings/n_ctx").or_else(|| reply.get("n_ctx"))?;
        size.as_u64().filter(|size| *size > 0)
    }

    /// `GET E/v1/models` -> the entry of our model: `max_model_len` (vLLM), `context_length` (OpenRouter), and others.
    async fn listed_size(&self) -> Option<u64> {
        let reply = self.get_json("/v1/models").await?;
        let is_ours = |model: &&Value| model.get("id").and_then(Value::as_str) == Some(self.options.model.as_str());
        let model = reply.get("data")?.as_array()?.iter().find(is_ours)?;
        CONTEXT_KEYS.iter().find_map(|key| model.get(*key)?.as_u64()).filter(|size| *size > 0)
    }

    async fn get_json(&self, path: &str) -> Option<Value> {
        let ask = || Some(self.http.get(path).ok()?.headers(self.headers().ok()?));
        let response = match self.http.send(ask()?).await {
            Ok(response) => response,
            Err(ChatError::Connect { cause, .. }) if is_closed(&cause) => self.http.send(ask()?).await.ok()?,
            Err(_) => return None,
        };
        if !response.status().is_success() {
            return None;
        }
        serde_json::from_str(&read_text(body_of(response).ok()?).await.ok()?).ok()
    }
}
