//! Model Context Protocol: a client that is a source of tools, and a server that offers ours.
//!
//! Reading order: [`client`] (a server from the configuration becomes a source of tools), [`server`] (what a program
//! implements to be a server, and the two ways to serve it). The protocol itself is done by rmcp, none of whose types
//! leave this crate. This crate never decides whether a call may run: that is the gate's, and a server's handler asks it.

pub mod client;
mod lines;
pub mod server;
