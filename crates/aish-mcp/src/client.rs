//! The client: a server from the user's configuration becomes a source of tools.
//!
//! [`McpClient`] keeps one server connected and is a `ToolSource`; [`ServerPool`] keeps all of them. Nothing here
//! blocks: servers are reached in the background, and what happens to them is told to a [`StatusSink`].
//! Reading order: [`ServerOptions`], [`Ports`], [`McpClient`], [`ServerPool`].

mod call;
mod connection;
mod definition;
mod handler;
mod http;
mod lines;
mod listing;
mod mcp;
mod normalize;
mod options;
mod pool;
mod ports;
mod probe;
mod process;
mod sse;

pub use mcp::{ConnectError, McpClient, ServerState};
pub use options::{Endpoint, ServerOptions};
pub use pool::{ServerPool, ServerRow};
pub use ports::{Person, Ports, Silent, Status, StatusSink, Writer};
pub use probe::{TargetReport, test_target};
