//! Scripted model server, fake MCP server, terminal sessions and case runner for tests.
//!
//! Everything here runs on the loopback interface and on plain threads, so that tests with and without an
//! asynchronous runtime can use it. Nothing of it is part of a program that a person installs.

pub mod case;
pub mod llama_server;
pub mod mcp_clients;
pub mod mcp_server;
pub mod model_server;
pub mod nats_server;
pub mod pages;
pub mod ports;
pub mod proxy;
pub mod pty;
mod sentence_model;
pub mod shell_lines;
mod signal;
mod skip;
pub mod terminal;
pub mod tls;

pub use sentence_model::sentence_model;
pub use signal::send_signal;
pub use skip::{is_missing, skip};
