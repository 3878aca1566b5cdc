//! Standard output for data, standard error for everything else.

use std::io::Write;

use aish_types::sanitize;

/// Writes data. A closed standard output is no error: whoever reads has read enough.
pub(super) fn data(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes a line of data, safe for a terminal.
pub(super) fn line(text: &str) {
    data(&format!("{}\n", sanitize(text)));
}

/// Tells a person something.
pub(super) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", sanitize(text));
}
