//! Standard output for data, standard error for everything else.

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

use aish_types::{is_dangerous, sanitize};

/// Why data is not where it was to go.
static FAULT: OnceLock<String> = OnceLock::new();

/// Writes data. A closed standard output is no error: whoever reads has read enough. Another fault is kept for the end.
pub(super) fn data(text: &str) {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.unwrap_or_else(|error| not_written(&error));
}

/// Keeps why something could not be written.
pub(super) fn not_written(error: &std::io::Error) {
    if error.kind() != ErrorKind::BrokenPipe {
        FAULT.get_or_init(|| error.to_string());
    }
}

/// Returns why data is not where it was to go.
pub(super) fn fault() -> Option<&'static str> {
    FAULT.get().map(String::as_str)
}

/// Writes a line of data, safe for a terminal.
pub(super) fn line(text: &str) {
    data(&format!("{}\n", sanitize(text)));
}

/// Writes JSON on a line, for programs and safe for a terminal: what would control it or hide stands as `\u…`, which is the same
/// text.
pub(super) fn json(text: &str) {
    let mut out = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if is_dangerous(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out.push('\n');
    data(&out);
}

/// Tells a person something.
pub(super) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", sanitize(text));
}
