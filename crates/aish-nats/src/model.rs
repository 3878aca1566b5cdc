//! The port to who answers: one provider, or the broker over several.

use std::sync::Arc;

use aish_llm::broker::{Broker, CallOptions};
use aish_llm::provider::{EventStream, Provider};
use aish_llm::request::ChatRequest;
use tokio_util::sync::CancellationToken;

/// Who answers.
pub trait Model: Send + Sync {
    /// Returns the configured name of the model that answers unless another is named.
    fn name(&self) -> String;

    /// Returns whether a request may name this model.
    fn has(&self, name: &str) -> bool;

    /// Asks, and returns the stream of the answer.
    fn ask(&self, request: ChatRequest, named: Option<&str>, cancel: CancellationToken) -> EventStream;
}

/// One provider, without retry or fallback.
pub struct SingleModel(pub Arc<dyn Provider>);

impl Model for SingleModel {
    fn name(&self) -> String {
        self.0.model().into()
    }

    fn has(&self, name: &str) -> bool {
        self.0.model() == name
    }

    fn ask(&self, request: ChatRequest, _named: Option<&str>, cancel: CancellationToken) -> EventStream {
        self.0.stream(request, cancel)
    }
}

impl Model for Broker {
    fn name(&self) -> String {
        self.chain().default.clone()
    }

    fn has(&self, name: &str) -> bool {
        self.model(name).is_some()
    }

    fn ask(&self, request: ChatRequest, named: Option<&str>, cancel: CancellationToken) -> EventStream {
        let options = CallOptions { model: named.map(String::from), ..CallOptions::default() };
        self.stream(request, options, cancel)
    }
}
