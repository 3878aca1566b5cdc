//! A sentence model: what a text means, as a vector.
//!
//! The model is a BERT of a few layers whose matrices have 8 bits, read out of one file of about 23 MB that [`convert`] makes of the
//! published one. It needs no other program and no library of numbers. Reading order: [`tokens`] (text to pieces of words),
//! [`matrix`] (8-bit products), [`layer`] (one layer), [`model`] (the whole), [`file`](mod@file) (how it is kept), [`convert`]
//! (how that is made). It computes, and opens no files: whoever has the bytes hands them in.

mod convert;
mod file;
mod layer;
mod matrix;
mod model;
mod tokens;
mod vector;

pub use convert::{ConvertError, convert};
pub use file::ModelError;
pub use model::Model;
pub use vector::Vector;

/// The name of the one model that is known here.
pub const NAME: &str = "all-minilm-l6-v2";
/// The name of the file that [`convert`] makes of it, in the folder of models.
pub const FILE: &str = "all-minilm-l6-v2.embedding";
