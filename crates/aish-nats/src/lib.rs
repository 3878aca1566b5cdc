//! Plugin tools and the chat service, on a bus or without one.
//!
//! Reading order: [`model`] and [`state`] (the ports), [`service`] (the chat service, whatever carries it), [`local`] (the
//! service over lines), [`bus`] (the service on NATS), [`plugin`] (tools that other processes offer).
//! This crate never asks a person: what a call may do is decided by the policy it is given.

pub mod bus;
pub mod events;
pub mod local;
pub mod model;
pub mod plugin;
pub mod service;
pub mod state;

pub use bus::{Bus, BusError, BusOptions, KvState, NatsEvents, connect, serve, without_password};
pub use events::{Events, Silent};
pub use local::serve_lines;
pub use model::{Model, SingleModel};
pub use plugin::{LegacyTool, PluginHub, PluginOptions};
pub use service::options::{Limits, ServiceOptions};
pub use service::{Answered, Service, ServicePorts};
pub use state::{Bucket, LocalState, StateError, StateStore, Stored};
