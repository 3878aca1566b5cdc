//! Lines of standard input for the commands that judge or route one a line.

use std::io::{self, BufRead as _, Read as _, Write as _};

use crate::arguments::LineFlags;

/// Bytes of a line that are looked at: more than any command may have, so that what is longer is answered as too long.
const LONGEST: u64 = 1 << 20;

/// Calls `each` with every line of standard input as it comes; what it returns is printed before more is waited for.
///
/// Invalid UTF-8 is replaced. Of a line of more than 1 MiB its beginning stands for all of it. A broken pipe ends quietly.
///
/// # Errors
/// When standard input cannot be read or standard output cannot be written.
pub fn for_each(flags: &LineFlags, each: impl FnMut(&str) -> String) -> io::Result<()> {
    match answer(flags, each) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn answer(flags: &LineFlags, mut each: impl FnMut(&str) -> String) -> io::Result<()> {
    let end = if flags.nul { b'\0' } else { b'\n' };
    let end_of_answer = if flags.nul && !flags.json { b"\0" } else { b"\n" };
    let mut input = io::BufReader::with_capacity(64 * 1024, io::stdin().lock());
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut bytes = Vec::new();
    while input.by_ref().take(LONGEST).read_until(end, &mut bytes)? > 0 {
        if !bytes.ends_with(&[end]) {
            input.skip_until(end)?;
        }
        let line = bytes.strip_suffix(&[end]).unwrap_or(&bytes);
        let line = if flags.nul { line } else { line.strip_suffix(b"\r").unwrap_or(line) };
        out.write_all(each(&String::from_utf8_lossy(line)).as_bytes())?;
        out.write_all(end_of_answer)?;
        // Who asks line by line waits for the answer.
        if !input.buffer().contains(&end) {
            out.flush()?;
        }
        bytes.clear();
    }
    out.flush()
}
