//! What is wrong with a configuration, with its place.

use std::fmt;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is lost: an unknown key.
    Warning,
    /// A value is not used.
    Error,
}

/// What a fault takes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// All that a file says, or all of the configuration.
    Whole,
    /// The value of a key, or of all keys of a section.
    Key(String),
    /// Nothing that is known: no key has this name.
    UnknownKey(String),
    /// A wish of a project that its reader does not allow.
    Refused,
}

/// One fault, shown as `FILE:LINE:COLUMN: error: MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// The file or the variable.
    pub place: String,
    /// Line and column, both from 1; none for a variable or a flag.
    pub position: Option<(usize, usize)>,
    /// What it takes away.
    pub about: About,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, ": {severity}: {}", self.message)
    }
}

/// A text whose places are told by line and column.
pub struct Lines<'t> {
    text: &'t str,
    /// Where each line begins: a file may have very many settings.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text.
    pub fn of(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// Returns line and column, both from 1, of a byte offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let offset = if self.text.is_char_boundary(offset) { offset } else { self.text.len() };
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or_default();
        let column = self.text.get(start..offset).unwrap_or_default().chars().count() + 1;
        (line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_one_in_lines_and_letters() {
        let lines = Lines::of("a\nüb\n\nc");
        for (offset, expected) in [
            (0, (1, 1)),
            (1, (1, 2)),
            (2, (2, 1)),
            (4, (2, 2)),
            (5, (2, 3)),
            (6, (3, 1)),
            (7, (4, 1)),
            (8, (4, 2)),
            (99, (4, 2)),
            (3, (4, 2)),
        ] {
            assert_eq!(lines.position(offset), expected, "{offset}");
        }
        assert_eq!(Lines::of("").position(0), (1, 1));
    }
}
