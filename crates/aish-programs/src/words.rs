//! The lists of `words/`, one module a file, laid out when this crate is compiled. Each is in order.

pub use aish_program_format::Language;
pub use aish_program_format::words::{Arguments, Settable};

include!(concat!(env!("OUT_DIR"), "/words.rs"));
