//! Hooks of other coding agents: where an agent reads them, what it sends to them, and which answers it understands.
//!
//! Everything here turns texts and values into texts and values. It judges no command, opens no file and starts no
//! program: the binary reads the payload, judges its command, writes the audit log and prints the answer.
//!
//! Facts about an agent (names of files, events, fields) stand in [`agent`] and, where an agent differs in its payload
//! or its answer, in one match in [`payload`] and [`answer`]. [`server`] does for the settings with MCP servers what [`edit`]
//! does for hooks.

pub mod agent;
pub mod answer;
pub mod decision;
pub mod edit;
pub mod own;
pub mod payload;
pub mod plugin;
pub mod server;
