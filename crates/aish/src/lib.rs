//! The shell's own crate: arguments, configuration, wiring, the driver of turns, meta commands.

pub mod config;
