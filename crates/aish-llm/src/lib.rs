//! Providers of language models, and the broker that asks them: streaming, delta assembly, retry and fallback,
//! token counts, prices.
//!
//! Reading order: [`request`], [`event`], [`provider`]; [`remote`] on one of three wires (`api`, `wire`: `chat`, `responses`, `messages`) over `exchange`,
//! `sse`, `assembly`, `quirks` and `failure`; then [`broker`] with [`router`], [`pacing`], [`spend`], [`prices`]; then [`tokens`] and [`discovery`]. This crate never runs a tool and never prints.

pub mod abilities;
mod api;
pub mod endpoint;
pub mod event;
pub mod options;
pub mod provider;
pub mod request;

mod assembly;
mod call_ids;
mod encoded;
mod exchange;
mod failure;
mod http;
mod lenient;
mod listing;
mod names;
mod peek;
mod quirks;
mod retry_after;
mod schema;
mod sse;
pub mod think;

mod chat;
mod messages;
mod responses;

pub mod remote;
mod wire;

pub mod discovery;

pub mod broker;
mod estimate;
pub mod pacing;
pub mod prices;
pub mod router;
pub mod spend;
pub mod tokens;
pub mod traffic;

pub use abilities::Abilities;
pub use api::Api;
pub use broker::{Broker, BrokerModel, CallOptions, Chain};
pub use discovery::{Found, LocalServers, ProviderKind};
pub use endpoint::{Endpoint, EndpointError};
pub use estimate::IMAGE_TOKENS;
pub use event::{ChatError, FinishReason, SentKey, StreamEvent};
pub use options::{Images, KeyCommand, KeyCommandError, ModelOptions, Names, ParseThinkingError, Thinking};
pub use pacing::{Pacer, RetryPolicy, SystemPacer};
pub use prices::{KnownModel, LongPrompt, Price};
pub use provider::{EventStream, Provider, text_of};
pub use remote::RemoteProvider;
pub use request::{ChatRequest, Purpose, ToolSpec};
pub use router::RouterRule;
pub use spend::{BookedCall, PlannedCall, Reservation, SpendGuard, SpendRefusal};
pub use tokens::{Support, TemplateOverhead, TokenCount, TokenCounter, TokenizerChoice, TokenizerId, UseEndpoint};
pub use traffic::Traffic;
