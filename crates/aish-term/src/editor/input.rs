//! What a read gives.

use std::io;

/// A line as it was entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The text, with newlines where it spans lines.
    pub text: String,
    /// The route that was shown was flipped with Shift-Tab.
    pub flipped: bool,
}

/// What came of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A line.
    Line(Line),
    /// Ctrl-C; what was typed is thrown away.
    Interrupted,
    /// Ctrl-D on an empty line, or the end of the input.
    EndOfInput,
    /// A key that the binary bound to a command of its own; the line stays for the next read.
    HostCommand(String),
}

/// Why no line could be read.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// The editor's thread could not be started.
    #[error("the line editor cannot start")]
    Thread(#[source] io::Error),
    /// The editor's thread has ended.
    #[error("the line editor has ended")]
    Ended,
    /// The terminal could not be read or written.
    #[error("the terminal cannot be read")]
    Terminal(#[source] io::Error),
}
