//! How what is known of a program is written, and the tables that are made of it.
//!
//! Reading order: [`verdict`], [`effect`], [`fact`], [`form`], [`writes`], [`loses`], [`act`] and [`pattern`] say what can be known; [`file`] is how it is
//! written; [`builder`] and [`compile`] make [`tables`] of it. The tables of this program are in `aish-programs`, made
//! when that is compiled; those of a person's own files are made when a program runs. [`words`] are lists that belong to no
//! program.
//! Nothing here reads a file.
#![no_std]

extern crate alloc;

pub mod act;
pub mod builder;
pub mod compile;
pub mod effect;
pub mod fact;
pub mod facts;
pub mod file;
pub mod form;
pub mod ids;
pub mod loses;
pub mod opens;
pub mod pattern;
pub mod tables;
pub mod verdict;
pub mod words;
pub mod writes;

pub use act::Act;
pub use effect::Effect;
pub use fact::{Change, Output, Trait};
pub use form::{Form, Language};
pub use tables::{Program, Rule, Tables, Wrapper};
pub use verdict::Verdict;
pub use writes::{Place, Writes};
