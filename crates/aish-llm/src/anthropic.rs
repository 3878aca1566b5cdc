//! Anthropic's messages API.

mod body;
pub(crate) mod decoder;
mod event;

use std::sync::Arc;

use aish_types::BoxFuture;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use tokio_util::sync::CancellationToken;

use crate::anthropic::decoder::AnthropicDecoder;
use crate::assembly::first_free_id;
use crate::endpoint::Endpoint;
use crate::event::ChatError;
use crate::exchange::{Opened, exchange};
use crate::http::{HttpClient, body_of, media_type, refusal, secret_header};
use crate::listing::{self, fetch, is_unknown_model, with_names};
use crate::names::{NameRule, WireNames};
use crate::options::ModelOptions;
use crate::provider::{EventStream, Provider};
use crate::quirks::LearnedQuirks;
use crate::request::ChatRequest;

/// The version of the API that is spoken.
const VERSION: &str = "2023-06-01";

/// A model behind `POST E/v1/messages`.
pub struct AnthropicProvider {
    inner: Arc<Inner>,
}

struct Inner {
    options: ModelOptions,
    http: HttpClient,
    quirks: LearnedQuirks,
}

impl AnthropicProvider {
    /// Makes a provider; no connection is opened before the first request. Names are always strict here.
    pub fn new(endpoint: Endpoint, options: ModelOptions) -> Self {
        let http = HttpClient::new(endpoint, options.connect_timeout);
        Self { inner: Arc::new(Inner { options, http, quirks: LearnedQuirks::new(true) }) }
    }
}

impl Provider for AnthropicProvider {
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

    fn count_tokens<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Option<u64>> {
        // There is no tokenizer behind the API, only a count of whole requests.
        Box::pin(std::future::ready(None))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ChatError>> {
        Box::pin(async move {
            let list = fetch(&self.inner.http, self.inner.headers()?, &self.inner.options).await?;
            Ok(listing::names(&list))
        })
    }

    fn context_size(&self) -> BoxFuture<'_, Option<u64>> {
        Box::pin(std::future::ready(None))
    }
}

impl Inner {
    async fn open(&self, request: &ChatRequest) -> Result<Opened<AnthropicDecoder>, ChatError> {
        let at_first = self.quirks.get();
        loop {
            let quirks = self.quirks.get();
            let names = WireNames::new(NameRule::Strict, request);
            let body = body::body(&self.options, quirks, &names, request)
                .map_err(|error| ChatError::Unreadable(format!("the request cannot be written: {error}")))?;
            let builder = self.http.post("/v1/messages", body)?.headers(self.headers()?);
            let response = self.http.send(builder).await?;
            if response.status().is_success() {
                let notice = quirks.notice(at_first);
                let decoder = AnthropicDecoder::new(names, first_free_id(&request.messages));
                return Ok(Opened { kind: media_type(&response), body: body_of(response)?, decoder, notice });
            }
            let error = refusal(response, &self.options).await;
            // A quirk is learned once, so this ends.
            if !self.quirks.learn(quirks, &error) {
                return Err(self.explained(error).await);
            }
        }
    }

    /// Adds the server's models to a refusal of our model's name.
    async fn explained(&self, error: ChatError) -> ChatError {
        let is_ours = matches!(&error, ChatError::Refused { status: 404, .. }) || is_unknown_model(&error);
        if !is_ours {
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
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        if let Some(key) = &self.options.key {
            secret_header(&mut headers, "x-api-key", "", key)?;
        }
        Ok(headers)
    }
}
