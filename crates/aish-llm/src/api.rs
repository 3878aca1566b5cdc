//! Which wire a server is spoken to over.

use aish_types::Secret;

use crate::endpoint::Endpoint;

/// Makes [`Api`] of a table: each wire with its word in the configuration.
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
