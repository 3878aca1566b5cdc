//! What a model's tokens say: text, reasoning and calls, told apart as they arrive.

pub(crate) mod splitter;
pub(crate) mod utf8;

pub(crate) use splitter::{Piece, Splitter};
pub(crate) use utf8::Utf8;
