//! One wire: how a request is written, and how its answer is read.

use aish_types::{Message, ProviderState, Secret};
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::api::Api;
use crate::endpoint::Endpoint;
use crate::event::ChatError;
use crate::exchange::Decoder;
use crate::names::WireNames;
use crate::options::{ModelOptions, Thinking};
use crate::quirks::{Lesson, Quirks};
use crate::request::{ChatRequest, ToolSpec};

/// One wire.
pub(crate) trait Wire: Send + Sync {
    /// Returns the path of a request.
    fn path(&self) -> &'static str;

    /// Adds the headers that the wire wants beside the content type: the key above all.
    fn headers(&self, key: Option<&Secret>, headers: &mut HeaderMap) -> Result<(), ChatError>;

    /// Writes a request.
    fn write(&self, asked: &Asked<'_>) -> serde_json::Result<Written>;

    /// Makes what reads the answer.
    fn read(&self, names: WireNames, first_free_id: usize, seal: Seal) -> Box<dyn Decoder>;
}

/// Characters of a tool's description where OpenAI and Azure bound it.
const MOST_DESCRIPTION: usize = 1024;

/// A request and all that its form depends on.
pub(crate) struct Asked<'a> {
    pub(crate) options: &'a ModelOptions,
    pub(crate) quirks: Quirks,
    pub(crate) names: &'a WireNames,
    pub(crate) request: &'a ChatRequest,
    pub(crate) endpoint: &'a Endpoint,
    /// The longest answer that the server said it gives, in tokens.
    pub(crate) most_tokens: Option<u32>,
}

impl<'a> Asked<'a> {
    /// Returns what is configured or asked for as the longest answer.
    pub(crate) fn max_tokens(&self) -> Option<u32> {
        self.request.max_tokens.or(self.options.max_tokens)
    }

    pub(crate) fn temperature(&self) -> Option<f32> {
        let wanted = self.request.temperature.or(self.options.temperature);
        wanted.filter(|_| !self.quirks.has(Lesson::NoTemperature))
    }

    pub(crate) fn effort(&self) -> Option<&'a str> {
        let own = self.options.effort_for.get(self.request.purpose.as_str());
        own.or(self.options.effort.as_ref()).map(String::as_str).filter(|_| !self.quirks.has(Lesson::NoEffort))
    }

    pub(crate) fn thinking(&self) -> Option<Thinking> {
        self.options.thinking_for.get(self.request.purpose.as_str()).copied().or(self.options.thinking)
    }

    pub(crate) fn schema(&self) -> Option<&'a Value> {
        self.request.schema.as_ref().filter(|_| !self.quirks.has(Lesson::NoSchema))
    }

    /// Returns what a tool does, no longer than the server takes it.
    pub(crate) fn description(&self, tool: &'a ToolSpec) -> &'a str {
        let text = tool.description.as_str();
        let end = text.char_indices().nth(MOST_DESCRIPTION).filter(|_| self.quirks.has(Lesson::ShortDescriptions));
        end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
    }

    /// Returns what of an answer's state goes back: its own model's at its own endpoint, on its own wire.
    pub(crate) fn state(&self, api: Api, message: &'a Message) -> Option<&'a ProviderState> {
        let state = message.state()?;
        let is_ours =
            state.wire == api.as_str() && state.endpoint == self.endpoint.as_str() && state.model == self.options.model;
        (is_ours && !self.quirks.has(Lesson::NoReplay)).then_some(state)
    }

    /// Returns whether the endpoint's host is one of these domains.
    pub(crate) fn is_at(&self, domains: &[&str]) -> bool {
        let host = self.endpoint.host();
        domains.iter().any(|domain| host == *domain || host.ends_with(&format!(".{domain}")))
    }
}

/// A request as it goes out.
pub(crate) struct Written {
    pub(crate) body: Vec<u8>,
    /// A hash of all that the answer will stand behind, where the server binds it to that.
    pub(crate) bound: Option<String>,
}

/// Where an answer comes from, for what of it goes back.
pub(crate) struct Seal {
    pub(crate) endpoint: String,
    pub(crate) model: String,
    pub(crate) bound: Option<String>,
}

impl Seal {
    pub(crate) fn state(self, api: Api, text: String, data: Value) -> Box<ProviderState> {
        let Self { endpoint, model, bound } = self;
        Box::new(ProviderState { wire: api.as_str().to_owned(), endpoint, model, bound, text, data })
    }
}
