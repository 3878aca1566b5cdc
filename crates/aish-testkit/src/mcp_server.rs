//! A scripted MCP server with the faults of real ones, over standard streams and over raw HTTP.
//!
//! It stands on no MCP library, so that it can break every rule: ids, shapes, framing, content types, status codes,
//! pages, silence and death are data ([`McpScript`]). [`McpScript::lmcp`] is a fake of lmcp 0.5.4.

mod answer;
mod http;
mod script;
mod stdio;
mod stream;

pub use http::HttpServer;
pub use script::{Demand, Framing, GetReply, Ids, McpScript, Unknown};
pub use stdio::serve_stdio;
