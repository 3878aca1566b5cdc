//! Plain values that every crate of aish shares: ids, messages, tool definitions, calls and outcomes,
//! usage, money, secrets, how they are named and where they lie, near names, the sanitiser, the head-and-tail cut,
//! bounded lines, the causes of an error, server-sent events and the protocol of the embedded model's process.
//!
//! This crate never does I/O, never knows a clock or an environment, and depends on no other crate of ours.
#![no_std]

extern crate alloc;

pub mod attachment;
pub mod causes;
pub mod cut;
pub mod embedded;
pub mod id;
pub mod lines;
pub mod mask;
mod mask_named;
pub mod message;
pub mod money;
pub mod near;
pub mod outcome;
pub mod record;
pub mod sanitize;
pub mod schema;
pub mod secret;
pub mod secret_files;
mod secret_name;
pub mod shared;
pub mod sse;
pub mod tool;
pub mod usage;

use alloc::boxed::Box;
use core::future::Future;
use core::pin::Pin;

pub use causes::{chain, root_cause};
pub use cut::{Cut, head_and_tail};
pub use id::{CallId, RequestId, SessionId, SourceId, ToolName};
pub use mask::mask;
pub use mask_named::{mask_named, mask_words};
pub use message::{Block, Message, ProviderState, Role, ToolCall};
pub use money::Money;
pub use outcome::{Ending, Exit, OutcomeNotes, Stopped, ToolOutcome};
pub use sanitize::{is_dangerous, sanitize, visible};
pub use schema::{JsonSchema, MakeSchema};
pub use secret::Secret;
pub use secret_name::{NameContext, is_secret_name};
pub use shared::SharedText;
pub use tool::{CallContext, Hints, Risk, ToolDefinition};
pub use usage::Usage;

/// A boxed future that may be sent between threads; what object-safe asynchronous ports return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
