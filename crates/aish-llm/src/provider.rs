//! The port to one model.

use std::pin::Pin;

use aish_types::BoxFuture;
use futures_util::{Stream, StreamExt as _};
use tokio_util::sync::CancellationToken;

use crate::abilities::Abilities;
use crate::api::Api;
use crate::event::{ChatError, StreamEvent};
use crate::request::ChatRequest;

/// A model's answer as it arrives. After an error nothing follows.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<StreamEvent, ChatError>> + Send>>;

/// Reads an answer to its end and returns its text. What was offered beside text is passed over.
///
/// # Errors
/// As the stream.
pub async fn text_of(mut stream: EventStream) -> Result<String, ChatError> {
    let mut text = String::new();
    while let Some(event) = stream.next().await {
        match event? {
            StreamEvent::Text(piece) => text.push_str(&piece),
            StreamEvent::TextWasReasoning => text.clear(),
            StreamEvent::Reasoning(_)
            | StreamEvent::State(_)
            | StreamEvent::ToolCall(_)
            | StreamEvent::MalformedCall { .. }
            | StreamEvent::Usage(_)
            | StreamEvent::Notice(_)
            | StreamEvent::Finished(_) => {}
        }
    }
    Ok(text)
}

/// One model behind one wire format: an OpenAI-compatible endpoint, Anthropic, or the embedded model.
pub trait Provider: Send + Sync {
    /// Returns the name of the model as it is shown and booked.
    fn model(&self) -> &str;

    /// Sends a request once (no retry) and returns the stream. Cancelling ends the stream and the request at once.
    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> EventStream;

    /// Counts the tokens of a text with the server's own tokenizer; none when it has none or does not answer in time.
    fn count_tokens<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Option<u64>>;

    /// Asks the server for the names of its models, which tries its address and its key too; empty when it has no list.
    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ChatError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Returns the wire that is spoken now; none for a model without one.
    fn api(&self) -> Option<Api> {
        None
    }

    /// Returns what the server's refusals have taught in this session, in words.
    fn learned(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Asks the server what the model can do; none when it does not say. What it cannot do is not asked of it from then on.
    fn abilities(&self) -> BoxFuture<'_, Option<Abilities>> {
        Box::pin(std::future::ready(None))
    }

    /// Asks the server that beside a request, once, where nobody waits for the answer: it holds from the next one on. Needs
    /// a runtime.
    fn ask_abilities_beside(&self) {}

    /// Returns what the server has said of the model in this session, and what is published of it.
    fn known_abilities(&self) -> Option<&Abilities> {
        None
    }

    /// Asks the server for the real size of its context in tokens; none when it does not say.
    fn context_size(&self) -> BoxFuture<'_, Option<u64>> {
        Box::pin(async move { self.abilities().await?.context })
    }
}
