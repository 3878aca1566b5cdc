//! YAML as a tree that remembers where everything stands.
//!
//! A file's faults are all reported at once, which a derived deserializer cannot do: it stops at the first. So the parser's
//! events become this tree, and [`fields`] reads it piece by piece. What a plain scalar means follows YAML 1.1, as in the
//! files that exist (`yes` is a boolean where one is wanted, and the text `yes` where text is wanted).

pub(crate) mod fields;
pub(crate) mod scalar;
mod tree;

pub(crate) use fields::Fields;
pub(crate) use tree::parse;

use std::borrow::Cow;

use crate::fault::Position;

/// A node of the tree.
#[derive(Debug, Clone)]
pub(crate) struct Node<'a> {
    /// Where it begins.
    pub(crate) at: Position,
    /// What it is.
    pub(crate) kind: Kind<'a>,
}

/// What a node is.
#[derive(Debug, Clone)]
pub(crate) enum Kind<'a> {
    /// A scalar: its text, and whether it was written without quotes.
    Scalar { text: Cow<'a, str>, plain: bool },
    /// A list.
    Sequence(Vec<Node<'a>>),
    /// A mapping in the file's order.
    Mapping(Vec<(Node<'a>, Node<'a>)>),
}

impl<'a> Node<'a> {
    /// Names the kind for messages.
    pub(crate) fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar { .. } if self.is_null() => "nothing",
            Kind::Scalar { .. } => "a single value",
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
        }
    }

    /// Says whether this is null: `~`, `null` or nothing at all.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, plain: true } if matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Returns a scalar's text; null has none.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } if !self.is_null() => Some(text),
            Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_) => None,
        }
    }
}
