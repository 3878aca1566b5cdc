//! Providers of language models, and the broker that asks them: streaming, delta assembly, retry and fallback,
//! token counts, prices.
//!
//! Reading order: [`request`], [`event`], [`provider`]. This crate never runs a tool and never prints.

pub mod event;
pub mod provider;
pub mod request;

pub use event::{ChatError, FinishReason, StreamEvent};
pub use provider::{EventStream, Provider};
pub use request::{ChatRequest, Purpose, ToolSpec};
