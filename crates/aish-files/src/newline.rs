//! Line ends: texts are compared with LF alone, and written with the line ends of their file.

/// A text whose CRLF became LF, with the way back to its bytes.
pub(crate) struct Unified {
    /// The text.
    pub(crate) text: String,
    /// Where in `text` an LF had a CR before it, ascending.
    dropped: Vec<usize>,
}

impl Unified {
    pub(crate) fn of(raw: &str) -> Self {
        let mut text = String::with_capacity(raw.len());
        let mut dropped = Vec::new();
        let mut rest = raw;
        while let Some(at) = rest.find("\r\n") {
            text.push_str(rest.get(..at).unwrap_or_default());
            dropped.push(text.len());
            text.push('\n');
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        text.push_str(rest);
        Self { text, dropped }
    }

    /// Returns where in the raw text a place of this one is; the place of an LF is before its CR.
    pub(crate) fn raw(&self, at: usize) -> usize {
        at + self.dropped.partition_point(|&dropped| dropped < at)
    }

    /// Says how a line that begins or ends at a place should end: as the next line end after it, else as the one before.
    pub(crate) fn style(&self, at: usize) -> &'static str {
        let next = self.text.get(at..).and_then(|rest| rest.find('\n')).map(|found| at + found);
        let nearest = next.or_else(|| self.text.get(..at).and_then(|before| before.rfind('\n')));
        match nearest {
            Some(found) if self.dropped.binary_search(&found).is_ok() => "\r\n",
            Some(_) | None => "\n",
        }
    }
}

/// Writes a text of LF with these line ends.
pub(crate) fn with_ends(text: &str, ends: &str) -> String {
    if ends == "\n" { text.to_owned() } else { text.replace('\n', ends) }
}

/// Takes the CR of each CRLF away.
pub(crate) fn unify(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back_to_the_bytes() {
        let raw = "a\r\nb\nc\r\n\rd";
        let unified = Unified::of(raw);
        assert_eq!(unified.text, "a\nb\nc\n\rd");
        let back: Vec<usize> = (0..=unified.text.len()).map(|at| unified.raw(at)).collect();
        assert_eq!(back, [0, 1, 3, 4, 5, 6, 8, 9, 10]);
        assert_eq!(
            (unified.style(0), unified.style(2), unified.style(4), unified.style(7)),
            ("\r\n", "\n", "\r\n", "\r\n")
        );
        assert_eq!(Unified::of("x").style(1), "\n");
    }
}
