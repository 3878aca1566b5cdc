//! Programs that code starts and then writes commands or statements to.

/// Write to what was started.
pub(crate) const FEED: &[&str] = &[
    "print",
    "write",
    "puts",
    "input",
    "communicate",
    "stdin",
    "send",
    "say",
    "<<",
    "put-string",
    "display",
    "format",
];

/// Words by which code says how it opens what it starts.
pub(crate) const MODES: &[&str] =
    &["w", "r", "a", "rw", "wb", "rb", "w+", "r+", "|-", "-|", "pipe", "ignore", "inherit", "utf8"];
