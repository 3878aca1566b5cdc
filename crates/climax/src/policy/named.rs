//! Names that a policy has of tools and arguments: a misspelt one would bound nothing.

use crate::fault::Position;

/// A name in a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The tool.
    pub tool: String,
    /// The argument, where the name is one.
    pub arg: Option<String>,
    /// Where it stands.
    pub at: Position,
}
