//! The commands of the command line, one a file.

pub mod ask;
pub mod check;
pub mod config;
pub mod interactive;
pub mod route;
pub mod tools;
