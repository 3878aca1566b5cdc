//! The server: a program implements [`ServerHandler`] and hands it to [`serve_stdio`] or [`serve_http`].
//!
//! Both eras of the protocol are spoken: with `initialize` (2024-11-05 to 2025-11-25) and without (2026-07-28).
//! A question to the person behind the client ([`CallScope::elicit`]) is a request to the client in the first and
//! an input-required round in the second; a handler sees no difference but that, in the second, it runs again
//! from its start with the answers at hand, so it asks before it acts.

mod adapter;
mod approver;
mod broken;
mod convert;
mod handler;
mod http;
mod input;
mod lines;
mod material;
mod priming;
mod scope;
mod stdio;

pub use approver::{LAYER_QUESTION, question_text};
pub use handler::{CallError, Change, ServerHandler, ServerInfo};
pub use http::{HttpOptions, ServeHttpError, serve_http};
pub use material::{
    Completion, Part, Prompt, PromptArgument, PromptMessage, Resource, ResourceContent, ResourceTemplate,
};
pub use scope::{CallScope, ClientFacts, ElicitAnswer, ElicitError, LogLevel};
pub use stdio::{ServeStdioError, StdioOptions, serve_stdio, serve_streams};
