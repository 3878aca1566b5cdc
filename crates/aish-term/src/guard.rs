//! Terminal modes that are always given back.

use std::io;
use std::time::Duration;

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::{execute, terminal};

/// For how long is looked for keys that are there: in no time at all the library looks for none, and less than a
/// millisecond it does not wait.
pub(crate) const AT_ONCE: Duration = Duration::from_micros(100);

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

/// Gives the terminal its own modes before this process is stopped; says whether [`resume`] has to take them again.
pub(crate) fn pause() -> bool {
    let raw = terminal::is_raw_mode_enabled().unwrap_or(false);
    if raw {
        let given = execute!(io::stderr(), DisableBracketedPaste).and_then(|()| terminal::disable_raw_mode());
        if let Err(error) = given {
            tracing::debug!(%error, "the terminal's modes could not be given back");
        }
    }
    raw
}

/// Takes the terminal's modes again.
pub(crate) fn resume() {
    let taken = terminal::enable_raw_mode().and_then(|()| execute!(io::stderr(), EnableBracketedPaste));
    if let Err(error) = taken {
        tracing::debug!(%error, "the terminal's modes could not be taken again");
    }
}
