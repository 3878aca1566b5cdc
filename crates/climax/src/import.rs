//! Configurations made from `--help`: clap, argparse, cobra, click, yargs, GNU and hand-written styles.
//!
//! [`help`] reads one help text, [`draft`] puts the texts of a program and its sub-commands together. Running the
//! program is the caller's part. [`fig`] reads the specifications of an npm package in the same way, and [`openapi`] makes a tool of each operation of an API. What cannot be read
//! is said and left out; risks are guessed, and nothing is guessed to be `read`: a person must look at the result.

pub mod draft;
pub mod fig;
pub mod help;
pub mod openapi;
mod server;

pub use draft::Draft;
pub use help::{Help, HelpOption, Many, Positional, Subcommand};
pub use server::review;
