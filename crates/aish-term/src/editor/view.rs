//! What the prompt shows.

use crate::styled::Styled;

/// A prompt, its template already expanded. All text is sanitised when it is drawn; a newline in it stays one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptView {
    /// Before the line, as far as to the last cell before the first character.
    pub left: Styled,
    /// At the right edge; left out where there is no room.
    pub right: Styled,
    /// Before each further line of input.
    pub continuation: Styled,
    /// Put into the line before anything is typed: what was typed ahead while a command ran. A line that ends in it with
    /// a newline was entered: it is given at once, and what follows waits for the next read.
    pub initial: String,
    /// Shown as a hint on the empty line; the keys that take a hint take it.
    pub suggestion: Option<String>,
    /// The folder that hints prefer and that the history search can be narrowed to.
    pub folder: Option<String>,
}

impl PromptView {
    /// Makes a prompt of plain text.
    pub fn plain(left: &str) -> Self {
        Self { left: Styled::plain(left), continuation: Styled::plain("> "), ..Self::default() }
    }
}
