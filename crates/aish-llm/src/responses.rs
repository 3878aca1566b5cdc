//! OpenAI's Responses API, without state on the server: every request carries the whole conversation.

mod body;
pub(crate) mod decoder;
mod places;

use aish_types::Secret;
use reqwest::header::HeaderMap;

use crate::event::ChatError;
use crate::exchange::Decoder;
use crate::http::secret_header;
use crate::names::WireNames;
use crate::responses::decoder::ResponsesDecoder;
use crate::wire::{Asked, Seal, Wire, Written};

/// The wire `POST E/v1/responses`. Names are always strict here.
pub(crate) struct Responses;

impl Wire for Responses {
    fn path(&self) -> &'static str {
        "/v1/responses"
    }

    fn headers(&self, key: Option<&Secret>, headers: &mut HeaderMap) -> Result<(), ChatError> {
        key.map_or(Ok(()), |key| secret_header(headers, "authorization", "Bearer ", key))
    }

    fn write(&self, asked: &Asked<'_>) -> serde_json::Result<Written> {
        Ok(Written { body: body::body(asked)?, bound: None })
    }

    fn read(&self, names: WireNames, first_free_id: usize, seal: Seal) -> Box<dyn Decoder> {
        Box::new(ResponsesDecoder::new(names, first_free_id, seal))
    }
}
