//! The commands of the command line, one a file.

pub mod check;
pub mod route;
