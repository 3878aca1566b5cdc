//! The client: a server from the user's configuration becomes a source of tools.
//!
//! [`McpClient`] keeps one server connected and is a `ToolSource`; [`ServerPool`] keeps all of them. Nothing here
//! blocks: servers are reached in the background, and what happens to them is told to a [`StatusSink`].
//! Reading order: [`ServerOptions`], [`Ports`], [`McpClient`], [`ServerPool`].

mod activity;
mod asked_secret;
mod call;
mod connection;
mod definition;
mod gated;
mod handler;
mod header;
mod health;
mod http;
mod http_sse;
mod import;
mod listing;
mod loopback;
mod mcp;
mod normalize;
mod oauth;
mod open_calls;
mod options;
mod pool;
mod ports;
mod probe;
mod process;
mod silence;
mod sse;
mod stdio;
mod version;
mod watched;

pub use call::RequestError;
pub use gated::{GatedCall, NotCalled};
pub use health::ServerFault;
pub use http::is_loopback;
pub use import::{ImportError, ImportedServer, Unset, WrittenEndpoint, expand, folded as folded_alias, import};
pub use loopback::LoopbackSignIn;
pub use mcp::{ConnectError, McpClient, ServerState};
pub use oauth::{OAuthOptions, may_be_opened};
pub use options::{Endpoint, Era, ServerOptions};
pub use pool::clean_alias;
pub use pool::{ServerPool, ServerRow};
pub use ports::{Caller, Person, Ports, SignIn, Silent, Status, StatusSink, TokenStore, Writer};
pub use probe::{TargetReport, test_target};
