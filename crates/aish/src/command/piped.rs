//! What standard input gives a question.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use aish_process::{Capture, Captured};

use crate::surface::{Shown, Surface};

/// The most of standard input that goes along, in bytes; the middle of more is left out.
const MOST: usize = 64 * 1024;

/// What was read, and what of it does not go along.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Piped {
    /// The text; none where there is none.
    text: Option<String>,
    /// What is said of it.
    said: Option<String>,
}

impl Piped {
    /// Reads standard input to its end when it is no terminal; a terminal is never waited on.
    ///
    /// # Errors
    /// When it cannot be read; a closed one is an empty one.
    fn read() -> io::Result<Self> {
        if io::stdin().is_terminal() {
            return Ok(Self::default());
        }
        let mut capture = Capture::new(MOST);
        match io::copy(&mut io::stdin().lock(), &mut capture) {
            Ok(_) => Ok(Self::of(&capture.finish())),
            Err(error) if error.raw_os_error() == Some(9) => Ok(Self::default()),
            Err(error) => Err(io::Error::new(error.kind(), format!("standard input cannot be read: {error}"))),
        }
    }

    /// Reads it, and says at once what of it does not go along.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn told(surface: &mut dyn Surface, now: Duration) -> io::Result<Option<String>> {
        let piped = Self::read()?;
        piped.said.iter().for_each(|said| surface.show(Shown::Notice(said), now));
        Ok(piped.text)
    }

    fn of(given: &Captured) -> Self {
        let text = given.text();
        let replaced = text.chars().filter(|letter| *letter == char::REPLACEMENT_CHARACTER).count();
        if text.contains('\0') || replaced > 16 && replaced > text.chars().count() / 10 {
            return Self { text: None, said: Some("standard input is binary; it was not sent".to_owned()) };
        }
        let text = aish_types::sanitize(text.trim_end()).into_owned();
        if text.is_empty() {
            return Self::default();
        }
        let said = given
            .truncated()
            .then(|| format!("standard input is longer than {} KiB: its middle was left out", MOST / 1024));
        Self { text: Some(text), said }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_along_is_said() {
        let text = |text: &str| Some(text.to_owned());
        let of = |bytes: &[u8]| {
            let mut capture = Capture::new(MOST);
            capture.push(bytes);
            Piped::of(&capture.finish())
        };
        assert_eq!(of(b"one\n"), Piped { text: text("one"), said: None });
        assert_eq!(of(b" \n"), Piped::default());
        assert_eq!(of(b"caf\xe9"), Piped { text: text("caf\u{fffd}"), said: None });
        let long = of(&b"line\n".repeat(30_000));
        assert!(long.text.is_some_and(|text| text.len() < 70 * 1024));
        assert_eq!(long.said.as_deref(), Some("standard input is longer than 64 KiB: its middle was left out"));
        for bytes in [&b"PNG\0\x01"[..], &[0xff; 300]] {
            assert_eq!(of(bytes).text, None);
            assert!(of(bytes).said.is_some());
        }
    }
}
