//! Identifiers as types of their own, so that one cannot stand in for another. Copies share their text.

use alloc::string::String;
use alloc::sync::Arc;
use core::borrow::Borrow;
use core::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps a text as this kind of id, unchanged.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        // Keys are looked up by plain text.
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

id! {
    /// Names one session: one run of the shell, or one channel of the chat service.
    SessionId
}
id! {
    /// Names one tool call inside a session, as the model or the client gave it.
    CallId
}
id! {
    /// Names one request of a client of the chat service, so that a repeated request is answered once.
    RequestId
}
id! {
    /// Names a source of tools by its configuration (`builtin`, `cli:git`, `mcp:files`, `nats:dice`), never by the name it gives itself.
    SourceId
}
id! {
    /// The full name under which a tool is shown and called: `calculator`, `alias.tool`.
    ToolName
}

impl ToolName {
    /// Splits at the first dot into alias and tool; a name without a dot has no alias.
    pub fn split(&self) -> (Option<&str>, &str) {
        match self.0.split_once('.') {
            Some((alias, tool)) => (Some(alias), tool),
            None => (None, &self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_splits_at_the_first_dot() {
        assert_eq!(ToolName::new("files.read.all").split(), (Some("files"), "read.all"));
        assert_eq!(ToolName::new("calculator").split(), (None, "calculator"));
    }
}
