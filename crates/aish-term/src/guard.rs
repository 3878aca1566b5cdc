//! Terminal modes that are always given back.

use std::io;

use crossterm::terminal;

/// Raw mode for as long as the guard lives; given back on every way out, a panic included.
#[derive(Debug)]
pub struct RawGuard {
    /// Raw mode was on before, and stays on.
    nested: bool,
}

impl RawGuard {
    /// Switches the terminal to raw mode.
    ///
    /// # Errors
    /// When there is no terminal or its modes cannot be set.
    pub fn enter() -> io::Result<Self> {
        let nested = terminal::is_raw_mode_enabled().unwrap_or(false);
        if !nested {
            terminal::enable_raw_mode()?;
        }
        Ok(Self { nested })
    }
}

impl Drop for RawGuard {
    fn drop(&mut self) {
        if !self.nested
            && let Err(error) = terminal::disable_raw_mode()
        {
            tracing::debug!(%error, "the terminal's modes could not be given back");
        }
    }
}
