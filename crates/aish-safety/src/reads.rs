//! Which files a line opens for their content, where all of them are known from its text.
//!
//! Where the kernel keeps what is hidden out of sight, nobody asks this. Where it does not, a line runs unasked only when
//! each file that it opens is named letter by letter; whoever knows the files says then whether one of them is hidden.

use alloc::vec::Vec;

use crate::change::PathText;

/// The most names that are noted for one line; with more of them nothing is known.
pub(crate) const MAX_NAMED: usize = 1_024;

/// Which files a line opens for their content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reads {
    /// Words that may name one of them; some are no files.
    pub named: Vec<PathText>,
    /// Whether there are no others. What was not looked at is not known.
    pub known: bool,
}
