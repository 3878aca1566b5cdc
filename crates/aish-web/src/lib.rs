//! Pages of the web for a model: one GET of an address that a person saw whole, as markdown.
//!
//! It connects to addresses of the public internet alone, which are looked up once for each hop and pinned for the
//! connection. It never sends a cookie, a credential or a body, never asks a proxy, and never parses what a stranger wrote in
//! this process: that is done by a child with little time and memory ([`markdown`]).

pub mod address;
mod fetch;
pub mod markdown;
mod resolve;
mod url;

pub use fetch::Web;
pub use resolve::{Resolve, SystemResolver};
