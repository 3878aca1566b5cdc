//! The tool layer: what a tool is, who offers it, and the one executor that runs it.
//!
//! Reading order: [`source`] (the port that every kind of tool implements), [`handler`] and [`parameter`] (tools made of
//! one function), [`registry`], [`schema`], [`executor`].
//! This crate never talks to a network or a terminal; sources in other crates do.

pub mod clock;
pub mod executor;
pub mod handler;
pub mod near;
pub mod parameter;
pub mod registry;
pub mod schema;
pub mod source;

pub use clock::{Clock, SystemClock};
pub use executor::Executor;
pub use handler::{Handler, handler};
pub use parameter::{Parameter, ParameterKind, input_schema};
pub use registry::{RegisterError, Registry, function_schema};
pub use source::{Changes, RunContext, ToolSource};
