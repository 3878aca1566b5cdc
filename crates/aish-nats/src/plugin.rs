//! Tools that other processes offer on the bus.
//!
//! Reading order: the wire (what is said), the hub (who has registered, with leases), the source (how a tool is
//! called), and [`host`] (the other side: a plugin written in Rust).

pub mod host;
mod hub;
mod legacy;
mod parameters;
mod registration;
mod source;
pub(crate) mod wire;

pub use hub::{PluginHub, PluginOptions};
pub use legacy::LegacyTool;
