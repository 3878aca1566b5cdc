//! Fenced code at the top level, which is written line by line as it comes.

use super::highlight::Code;

/// An open fence (CommonMark 0.31, 4.5).
#[derive(Debug, Clone)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    /// The language after the fence, its first word.
    pub(super) language: String,
    /// Where the colouring stands.
    pub(super) code: Code,
}

impl Fence {
    /// Reads the line that opens a fence.
    pub(super) fn open(line: &str) -> Option<Self> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = line.trim_start_matches(' ');
        let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = rest.chars().take_while(|&c| c == mark).count();
        if indent > 3 || length < 3 {
            return None;
        }
        let info = rest.trim_start_matches(mark).trim();
        let language = info.split([' ', ',', '{', '\t']).next().unwrap_or_default().to_owned();
        let code = Code::new(&language);
        Some(Self { mark, length, indent, language, code })
    }

    /// Says whether a line closes it.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = line.trim_start_matches(' ');
        let length = rest.chars().take_while(|&c| c == self.mark).count();
        indent <= 3 && length >= self.length && rest.trim_start_matches(self.mark).trim().is_empty()
    }

    /// Takes the fence's own indentation off a line of code.
    pub(super) fn stripped<'a>(&self, line: &'a str) -> &'a str {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        line.get(spaces.min(self.indent)..).unwrap_or(line)
    }

    /// Returns the fence as it is shown.
    pub(super) fn shown(&self) -> String {
        self.mark.to_string().repeat(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_and_closes() {
        let fence = Fence::open("  ````rust,ignore").unwrap();
        assert_eq!(fence.language, "rust");
        assert!(!fence.is_closed_by("```"));
        assert!(fence.is_closed_by("   `````  "));
        assert!(!fence.is_closed_by("    ````"));
        assert!(!fence.is_closed_by("~~~~"));
        assert_eq!(fence.stripped("    x"), "  x");
        assert!(Fence::open("``").is_none());
    }
}
