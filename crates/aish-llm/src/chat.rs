//! OpenAI's chat completions: llama.cpp, Ollama, vLLM, OpenRouter, DeepSeek, Mistral, Gemini's compatible endpoint and others.

mod body;
mod chunk;
pub(crate) mod decoder;
mod state;

use aish_types::Secret;
use reqwest::header::HeaderMap;

use crate::chat::decoder::ChatDecoder;
use crate::event::ChatError;
use crate::exchange::Decoder;
use crate::http::secret_header;
use crate::names::WireNames;
use crate::wire::{Asked, Seal, Wire, Written};

/// The wire `POST E/v1/chat/completions`.
pub(crate) struct Chat;

impl Wire for Chat {
    fn path(&self) -> &'static str {
        "/v1/chat/completions"
    }

    fn headers(&self, key: Option<&Secret>, headers: &mut HeaderMap) -> Result<(), ChatError> {
        key.map_or(Ok(()), |key| secret_header(headers, "authorization", "Bearer ", key))
    }

    fn write(&self, asked: &Asked<'_>) -> serde_json::Result<Written> {
        Ok(Written { body: body::body(asked)?, bound: None })
    }

    fn read(&self, names: WireNames, first_free_id: usize, seal: Seal) -> Box<dyn Decoder> {
        Box::new(ChatDecoder::new(names, first_free_id, seal))
    }
}
