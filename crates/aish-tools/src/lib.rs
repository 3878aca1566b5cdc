//! The tool layer: what a tool is, who offers it, and the one executor that runs it.
//!
//! Reading order: [`source`] (the port that every kind of tool implements), [`registry`], [`executor`].
//! This crate never talks to a network or a terminal; sources in other crates do.

pub mod executor;
pub mod registry;
pub mod source;

pub use executor::Executor;
pub use registry::Registry;
pub use source::{RunContext, ToolSource};
