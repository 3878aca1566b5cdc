//! Anthropic's messages API.

mod body;
pub(crate) mod decoder;
mod event;
mod state;

use aish_types::Secret;
use reqwest::header::{HeaderMap, HeaderValue};

use crate::event::ChatError;
use crate::exchange::Decoder;
use crate::http::secret_header;
use crate::messages::decoder::MessagesDecoder;
use crate::names::WireNames;
use crate::wire::{Asked, Seal, Wire, Written};

/// The version of the API that is spoken.
const VERSION: &str = "2023-06-01";

/// The wire `POST E/v1/messages`. Names are always strict here.
pub(crate) struct Messages;

impl Wire for Messages {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn headers(&self, key: Option<&Secret>, headers: &mut HeaderMap) -> Result<(), ChatError> {
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        key.map_or(Ok(()), |key| secret_header(headers, "x-api-key", "", key))
    }

    fn write(&self, asked: &Asked<'_>) -> serde_json::Result<Written> {
        body::body(asked)
    }

    fn read(&self, names: WireNames, first_free_id: usize, seal: Seal) -> Box<dyn Decoder> {
        Box::new(MessagesDecoder::new(names, first_free_id, seal))
    }
}
