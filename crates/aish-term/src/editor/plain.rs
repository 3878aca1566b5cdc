//! Reads lines without escape sequences: a dumb terminal, or no terminal at all.

use std::io::{self, BufRead, Write};

use super::input::{Input, Line};
use super::port::Wholeness;
use super::prompt::DrawnPrompt;
use super::session::Shared;

/// Reads a line and those that continue it. Bytes that are no UTF-8 are replaced, terminal control is taken out.
pub(super) fn read(
    prompt: &DrawnPrompt,
    shared: &Shared,
    initial: &str,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<Input> {
    let mut text = initial.to_owned();
    write!(output, "{}{initial}", prompt.plain())?;
    output.flush()?;
    loop {
        let mut bytes = Vec::new();
        let read = input.read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(if text.is_empty() { Input::EndOfInput } else { Input::Line(Line { text, flipped: false }) });
        }
        let ended = bytes.last() == Some(&b'\n');
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        // Keys that edit a line elsewhere come as what they send.
        text.push_str(&aish_types::sanitize(&String::from_utf8_lossy(&bytes)));
        if !ended || shared.wholeness(&text) == Wholeness::Whole {
            return Ok(Input::Line(Line { text, flipped: false }));
        }
        text.push('\n');
        write!(output, "{}", prompt.plain_continuation())?;
        output.flush()?;
    }
}
