//! YAML as a tree that remembers where everything stands.
//!
//! A file's faults are all reported at once, which a derived deserializer cannot do: it stops at the first. So the parser's
//! events become this tree, and whoever asked reads it piece by piece. A crate of its own, since the parser is generic: it
//! becomes code here, which is built for speed, and not in a program that is built small.

mod tree;

use std::borrow::Cow;

pub use tree::{Parsed, parse, parse_first};

/// A place in a file, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// Why a text is no tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub at: Position,
    /// What is wrong, as a sentence.
    pub message: String,
}

/// A node of the tree.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    /// Where it begins.
    pub at: Position,
    /// What it is.
    pub kind: Kind<'a>,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum Kind<'a> {
    /// A scalar.
    Scalar {
        /// Its text.
        text: Cow<'a, str>,
        /// True when it was written without quotes.
        plain: bool,
    },
    /// A list.
    Sequence(Vec<Node<'a>>),
    /// A mapping in the file's order.
    Mapping(Vec<(Node<'a>, Node<'a>)>),
}

impl Node<'_> {
    /// Names the kind for messages.
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar { .. } if self.is_null() => "nothing",
            Kind::Scalar { .. } => "a single value",
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
        }
    }

    /// Says whether this is null: `~`, `null` or nothing at all.
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, plain: true } if matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Returns a scalar's text; null has none.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } if !self.is_null() => Some(text),
            Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_) => None,
        }
    }
}
