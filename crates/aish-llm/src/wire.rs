//! The three wires behind one trait: how a request is written, and how its answer is read.

use aish_types::{Message, ProviderState, Secret};
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::chat::Chat;
use crate::endpoint::Endpoint;
use crate::event::ChatError;
use crate::exchange::Decoder;
use crate::messages::Messages;
use crate::names::WireNames;
use crate::options::{ModelOptions, Thinking};
use crate::quirks::{Lesson, Quirks};
use crate::request::ChatRequest;
use crate::responses::Responses;

/// Makes [`Api`] of a table: each wire with its word in the configuration. What speaks it has the name of its variant.
macro_rules! wires {
    ($($(#[$about:meta])* $name:ident = $word:literal;)*) => {
        /// Which wire is spoken.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Api {
            $($(#[$about])* $name,)*
        }

        impl Api {
            /// The words of the configuration: `auto` for what a server is known to want, and each wire's.
            pub const WORDS: &'static [&'static str] = &["auto", $($word),*];

            /// Returns the word of the configuration.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Returns the wire of a word; none for `auto`.
            pub fn named(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$name),)*
                    _ => None,
                }
            }

            pub(crate) fn wire(self) -> &'static dyn Wire {
                match self {
                    $(Self::$name => &$name,)*
                }
            }
        }
    };
}

wires! {
    /// OpenAI's chat completions, which most servers speak.
    Chat = "chat";
    /// OpenAI's Responses, without state on the server.
    Responses = "responses";
    /// Anthropic's messages.
    Messages = "messages";
}

impl Api {
    /// Returns the wire that a server is known to want: by its host, else by whose key is sent.
    pub fn of(endpoint: &Endpoint, key: Option<&Secret>) -> Self {
        let host = endpoint.host();
        let is = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
        let is_anthropic = is("anthropic.com") || key.is_some_and(|key| key.expose().trim().starts_with("sk-ant-"));
        if is_anthropic {
            Self::Messages
        } else if is("api.openai.com") || is("api.x.ai") {
            Self::Responses
        } else {
            Self::Chat
        }
    }
}

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

    /// Returns what of an answer's state goes back: its own model's at its own endpoint, on its own wire.
    pub(crate) fn state(&self, api: Api, message: &'a Message) -> Option<&'a ProviderState> {
        let state = message.state()?;
        let is_ours = state.wire == api.as_str()
            && state.endpoint == self.endpoint.to_string()
            && state.model == self.options.model;
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
