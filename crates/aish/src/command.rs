//! The commands of the command line, one a file.

pub mod ask;
pub mod check;
pub mod config;
pub mod confine;
pub mod cost;
pub mod doctor;
pub mod hook;
pub mod init;
pub mod interactive;
pub mod line;
pub mod manual;
pub mod mcp;
pub mod memory;
pub mod model;
pub mod norris;
pub mod policy;
pub mod project;
pub mod route;
pub mod sandbox;
pub mod service;
pub mod sessions;
pub mod sources;
pub mod tokenize;
pub mod tools;
pub mod trial;
pub mod undo;
