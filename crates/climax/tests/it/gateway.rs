//! MCP servers behind `climax run --servers`.

mod fixture;
mod lazy;
mod limits;
mod overrides;
mod places;
mod questions;
mod real;
mod urls;
