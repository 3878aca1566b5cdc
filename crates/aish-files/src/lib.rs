//! The files of one tree: reading, finding, searching, editing and writing them, and nothing beyond the tree.
//!
//! Order: a [`Tree`] is opened, [`Tree::locate`] finds where a path leads without leaving it, [`Tree::read`] reads it,
//! [`Text`] decodes it, [`edit`] or [`patch`] makes the new content, [`difference`] shows what changes, and
//! [`Tree::replace`] writes it where nothing has changed in between. [`find`] and [`search`] look through the tree.
//!
//! This crate judges nothing and asks nobody; it knows nothing of models or tools. Linux only.

mod difference;
mod edit;
mod find;
mod located;
mod looser;
mod newline;
mod patch;
mod patch_apply;
mod search;
mod text;
mod tree;
mod write;

pub use difference::difference;
pub use edit::{EditError, Edited, edit};
pub use find::{Found, PatternError, find};
pub use located::Located;
pub use patch::{Hunk, Line, PatchError, Section, parse};
pub use patch_apply::apply;
pub use search::{Asked, Searched, search};
pub use text::{Encoding, NotText, Text};
pub use tree::{Content, FileError, MOST_BYTES, Tree, real};
pub use write::Change;
