//! What other shells make of words that bash reads in its own way.

/// What shells read otherwise than bash.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Otherwise {
    /// Values are not split at blanks, in zsh and fish.
    pub(crate) split: bool,
    /// Lists in braces are one word, in dash.
    pub(crate) braces: bool,
    /// A word with a variable that is not set is none, in fish.
    pub(crate) vanishes: bool,
    /// A `$` before a quote is a letter, in dash, and before a double one in zsh.
    pub(crate) quotes: bool,
}
