//! The terminal as the question sees it.

use std::io;

use crate::capability::Capabilities;

/// A key that was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D, or the end of the input.
    EndOfInput,
    /// A key without a meaning here.
    Other,
}

/// A terminal that a question is asked on. Dropping it gives the terminal's modes back.
pub trait AskTerminal {
    /// Returns what it can show; asked anew for each page, as it may be resized.
    fn capabilities(&self) -> Capabilities;

    /// Writes text at once; a newline is a newline in any mode.
    ///
    /// # Errors
    /// When the terminal is closed.
    fn write(&mut self, text: &str) -> io::Result<()>;

    /// Sets aside what was typed up to now, shows a choice, and waits for a key that `answers` it. A key that others
    /// follow at once is text and no answer: it is set aside with them. Ctrl-C is given back whatever `answers` says.
    ///
    /// # Errors
    /// When the terminal is closed.
    fn offer(&mut self, choice: &str, answers: &dyn Fn(Key) -> bool) -> io::Result<Key>;

    /// Sets aside what was typed up to now, and says why it was not taken.
    ///
    /// # Errors
    /// When the terminal is closed.
    fn refuse(&mut self, text: &str) -> io::Result<()> {
        self.write(text)
    }

    /// Lets a text be edited; none where the edit was given up.
    ///
    /// # Errors
    /// When the terminal is closed.
    fn edit(&mut self, label: &str, text: &str) -> io::Result<Option<String>>;

    /// Keeps what the person said beside a no: what is to be done instead.
    fn keep_words(&mut self, words: String);
}
