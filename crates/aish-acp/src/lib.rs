//! An agent for editors over the Agent Client Protocol, version 1: JSON-RPC, one message a line.
//!
//! Reading order: [`host`] (the port to whoever runs sessions), [`prompt`] (what an editor sends), [`update`] (what it is
//! shown), [`client`] (one session's way to the editor), [`agent`] (the connection). This crate runs nothing, reads no
//! files and decides nothing: it translates. The types of the protocol's own crate stay inside.

pub mod agent;
pub mod client;
pub mod host;
mod line_codec;
pub mod prompt;
pub mod update;

pub use agent::{Facts, ServeError, serve};
pub use client::Client;
pub use host::{History, Host, HostError, HostFuture, Listed, Mode, Opened, Server, Stop, Wanted};
pub use prompt::Prompt;
pub use update::{Choice, Content, Diff, Kind, Permission, PermissionOption, Reply, Status, Update};
