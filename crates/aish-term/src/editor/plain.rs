//! Reads lines without escape sequences: a dumb terminal, or no terminal at all.

use std::io::{self, Write};

use super::input::{Input, Line};
use super::port::Wholeness;
use super::prompt::DrawnPrompt;
use super::session::Shared;
use crate::cooked;

/// Reads a line and those that continue it; none where the read was given up. Bytes that are no UTF-8 are replaced,
/// terminal control is taken out.
pub(super) fn read(
    prompt: &DrawnPrompt,
    shared: &Shared,
    initial: &str,
    given_up: &dyn Fn() -> bool,
    output: &mut dyn Write,
) -> io::Result<Option<Input>> {
    let mut text = initial.to_owned();
    let mut shown = format!("{}{initial}", prompt.plain());
    loop {
        let show = || {
            output.write_all(shown.as_bytes())?;
            output.flush()
        };
        let Some(mut bytes) = cooked::line(show, given_up)? else {
            // The terminal has shown the key on the line that is gone now.
            writeln!(output)?;
            return Ok(None);
        };
        if bytes.is_empty() {
            let input = if text.is_empty() { Input::EndOfInput } else { Input::Line(Line { text, flipped: false }) };
            return Ok(Some(input));
        }
        let ended = bytes.last() == Some(&b'\n');
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        // Keys that edit a line elsewhere come as what they send.
        text.push_str(&aish_types::sanitize(&String::from_utf8_lossy(&bytes)));
        if !ended || shared.wholeness(&text) == Wholeness::Whole {
            return Ok(Some(Input::Line(Line { text, flipped: false })));
        }
        text.push('\n');
        prompt.plain_continuation().clone_into(&mut shown);
    }
}
