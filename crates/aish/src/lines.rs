//! Lines of standard input for the commands that judge or route one a line.

use std::io::{self, Read, Write};

use crate::arguments::LineFlags;

/// Reads all of standard input and calls `each` with every line; what it returns is printed.
///
/// Invalid UTF-8 is replaced. A broken pipe ends quietly.
///
/// # Errors
/// When standard input cannot be read or standard output cannot be written.
pub fn for_each(flags: &LineFlags, mut each: impl FnMut(&str) -> String) -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let end = if flags.nul { '\0' } else { '\n' };
    let text = text.strip_suffix(end).unwrap_or(&text);
    if bytes.is_empty() {
        return Ok(());
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in text.split(end) {
        let line = if flags.nul { line } else { line.strip_suffix('\r').unwrap_or(line) };
        match out.write_all(each(line).as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            result => result?,
        }
        let end = if flags.nul && !flags.json { b"\0" } else { b"\n" };
        match out.write_all(end) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            result => result?,
        }
    }
    match out.flush() {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
