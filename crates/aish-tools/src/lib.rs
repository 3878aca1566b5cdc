//! The tool layer: what a tool is, who offers it, and the one door through which calls run.
//!
//! Reading order: [`source`] (the port that every kind of tool implements), [`plan`] (what it makes of a call),
//! [`handler`] and [`parameter`] (tools made of one function), [`registry`], [`schema`], [`executor`], [`door`] (the way of
//! a call through the gate), [`settings`] (what a folder brings), [`builtin`], [`index`].
//! This crate never talks to a network or a terminal; sources in other crates do.

pub mod builtin;
pub mod clock;
pub mod door;
pub mod executor;
pub mod handler;
pub mod index;
pub mod memory;
pub mod parameter;
pub mod plan;
pub mod random;
pub mod registry;
pub mod schema;
pub mod settings;
pub mod source;

pub use builtin::Builtins;
pub use clock::{Clock, SystemClock};
pub use door::{COMMAND, Call, Door, Passed, Ran, Ready};
pub use executor::Executor;
pub use handler::{FixedTools, Handler, handler};
pub use index::{DiscoveryTools, Index};
pub use memory::{Memory, MemoryError, MemoryFuture, MemoryStore, NewMemory, Owner};
pub use parameter::{Parameter, ParameterKind, input_schema};
pub use plan::{Confirm, LookUp, Plan, Run, RunContext};
pub use random::{Random, SystemRandom};
pub use registry::{RegisterError, Registry, function_schema};
pub use settings::brought;
pub use source::{Changes, CheckedCall, ToolSource};
