//! Patches in the format that models of the GPT and Codex families write.
//!
//! An envelope of `*** Begin Patch` and `*** End Patch`, in it sections `*** Add File: `, `*** Delete File: ` and
//! `*** Update File: ` (with `*** Move to: `), in those hunks that `@@` begins, with lines that start with a blank, `-` or
//! `+`. Everything is read before anything is applied.

/// The most bytes of a patch.
const LONGEST: usize = 4 * 1024 * 1024;

/// The most files of a patch.
const MOST_FILES: usize = 200;

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// A file is made.
    Add {
        /// Its path.
        path: String,
        /// Its text.
        text: String,
    },
    /// A file is taken away.
    Delete {
        /// Its path.
        path: String,
    },
    /// A file gets other content, and perhaps another name.
    Update {
        /// Its path.
        path: String,
        /// The path that it has afterwards, where that is another.
        to: Option<String>,
        /// What changes, from top to bottom.
        hunks: Vec<Hunk>,
    },
}

/// One change of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines that stand above it somewhere, from the outermost to the innermost.
    pub headings: Vec<String>,
    /// Its lines.
    pub lines: Vec<Line>,
    /// True when it ends where the file ends.
    pub at_end: bool,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// It stays.
    Same(String),
    /// It goes.
    Old(String),
    /// It comes.
    New(String),
}

/// Why a patch cannot be read or applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// It is no patch.
    #[error("line {line} of the patch: {why}")]
    Format {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// What a hunk says stands in the file does not.
    #[error("{path}: hunk {hunk} does not fit: its lines are not in the file{}; read the file again", after(.first))]
    Missing {
        /// The file.
        path: String,
        /// The hunk, counted from 1.
        hunk: usize,
        /// Its first line that must be there.
        first: String,
    },
    /// What a hunk says stands in the file more than once.
    #[error(
        "{path}: hunk {hunk} fits at several places, at lines {lines}; add lines around it, or a heading behind @@"
    )]
    Ambiguous {
        /// The file.
        path: String,
        /// The hunk, counted from 1.
        hunk: usize,
        /// The first places, counted from 1.
        lines: String,
    },
}

fn after(first: &str) -> String {
    if first.is_empty() { String::new() } else { format!(" (it begins with '{first}')") }
}

/// Reads a patch; the shell words that models write around one are taken off.
///
/// # Errors
/// When it is none, is longer than 4 MiB, or changes more than 200 files.
pub fn parse(text: &str) -> Result<Vec<Section>, PatchError> {
    let fault = |line: usize, why| PatchError::Format { line: line + 1, why };
    if text.len() > LONGEST {
        return Err(fault(0, "it is longer than 4 MiB"));
    }
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.lines().collect();
    let begin = lines.iter().position(|line| line.trim() == "*** Begin Patch");
    let begin = begin.ok_or(fault(0, "it does not begin with *** Begin Patch"))?;
    let mut reader = Reader { sections: Vec::new() };
    for (at, line) in lines.iter().enumerate().skip(begin + 1) {
        if line.trim_end() == "*** End Patch" {
            return reader.finish().map_err(|why| fault(at, why));
        }
        reader.line(line).map_err(|why| fault(at, why))?;
        if reader.sections.len() > MOST_FILES {
            return Err(fault(at, "it changes more than 200 files"));
        }
    }
    Err(fault(lines.len(), "it does not end with *** End Patch"))
}

struct Reader {
    sections: Vec<Section>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let path = |rest: &str| match rest.trim() {
            "" => Err("a file has no name"),
            path => Ok(path.to_owned()),
        };
        if let Some(rest) = line.strip_prefix("*** Add File: ") {
            self.check()?;
            self.sections.push(Section::Add { path: path(rest)?, text: String::new() });
        } else if let Some(rest) = line.strip_prefix("*** Delete File: ") {
            self.check()?;
            self.sections.push(Section::Delete { path: path(rest)? });
        } else if let Some(rest) = line.strip_prefix("*** Update File: ") {
            self.check()?;
            self.sections.push(Section::Update { path: path(rest)?, to: None, hunks: Vec::new() });
        } else {
            return match self.sections.last_mut() {
                Some(Section::Add { text, .. }) => {
                    text.push_str(line.strip_prefix('+').ok_or("each line of a new file begins with +")?);
                    text.push('\n');
                    Ok(())
                }
                Some(Section::Update { to, hunks, .. }) => in_update(line, to, hunks),
                Some(Section::Delete { .. }) | None if line.trim().is_empty() => Ok(()),
                Some(Section::Delete { .. }) | None => Err("a file is named before its lines"),
            };
        }
        Ok(())
    }

    /// Checks the section that ends here.
    fn check(&self) -> Result<(), &'static str> {
        let changes = |hunk: &Hunk| hunk.lines.iter().any(|line| !matches!(line, Line::Same(_)));
        match self.sections.last() {
            Some(Section::Update { to: None, hunks, .. }) if !hunks.iter().any(changes) => {
                Err("the section before changes nothing")
            }
            Some(Section::Update { hunks, .. }) if hunks.iter().any(|hunk| hunk.lines.is_empty()) => {
                Err("a hunk of the section before has no lines")
            }
            Some(Section::Add { .. } | Section::Delete { .. } | Section::Update { .. }) | None => Ok(()),
        }
    }

    fn finish(self) -> Result<Vec<Section>, &'static str> {
        self.check()?;
        if self.sections.is_empty() { Err("it changes nothing") } else { Ok(self.sections) }
    }
}

fn in_update(line: &str, to: &mut Option<String>, hunks: &mut Vec<Hunk>) -> Result<(), &'static str> {
    if let Some(rest) = line.strip_prefix("*** Move to: ") {
        if !hunks.is_empty() || to.is_some() || rest.trim().is_empty() {
            return Err("*** Move to: stands once, right behind *** Update File:");
        }
        *to = Some(rest.trim().to_owned());
        return Ok(());
    }
    if line.trim_end() == "*** End of File" {
        hunks.last_mut().ok_or("*** End of File ends a hunk")?.at_end = true;
        return Ok(());
    }
    if let Some(rest) = line.strip_prefix("@@") {
        let heading = rest.trim().trim_end_matches("@@").trim();
        // A range of lines of a unified difference says nothing here: places are found by what stands there.
        let heading = if heading.starts_with('-') && heading.contains(" +") { "" } else { heading };
        match hunks.last_mut().filter(|hunk| hunk.lines.is_empty()) {
            Some(open) => open.headings.extend((!heading.is_empty()).then(|| heading.to_owned())),
            None => hunks.push(Hunk {
                headings: (!heading.is_empty()).then(|| heading.to_owned()).into_iter().collect(),
                ..Hunk::default()
            }),
        }
        return Ok(());
    }
    // What other formats say of a last line: whether it has an end follows from the file here.
    if line.starts_with("\\ No newline") {
        return Ok(());
    }
    if hunks.last().is_none_or(|hunk| hunk.at_end) {
        hunks.push(Hunk::default());
    }
    let hunk = hunks.last_mut().ok_or("a hunk is missing")?;
    hunk.lines.push(match line.chars().next() {
        None => Line::Same(String::new()),
        Some(' ') => Line::Same(line.get(1..).unwrap_or_default().to_owned()),
        Some('-') => Line::Old(line.get(1..).unwrap_or_default().to_owned()),
        Some('+') => Line::New(line.get(1..).unwrap_or_default().to_owned()),
        Some(_) => return Err("a line of a hunk begins with a blank, - or +"),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read_whole() {
        let text = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+x\n+\n*** Delete File: b\n\
                    *** Update File: c\n*** Move to: d\n@@ fn f\n one\n-two\n+TWO\n*** End of File\n*** End Patch\nEOF\n";
        let hunk = Hunk {
            headings: vec!["fn f".into()],
            lines: vec![Line::Same("one".into()), Line::Old("two".into()), Line::New("TWO".into())],
            at_end: true,
        };
        let expected = vec![
            Section::Add { path: "a.txt".into(), text: "x\n\n".into() },
            Section::Delete { path: "b".into() },
            Section::Update { path: "c".into(), to: Some("d".into()), hunks: vec![hunk] },
        ];
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn what_is_no_patch_is_told() {
        let cases = [
            ("hello", "does not begin"),
            ("*** Begin Patch\n*** Add File: a\n+x\n", "does not end"),
            ("*** Begin Patch\n*** End Patch", "changes nothing"),
            ("*** Begin Patch\n*** Add File: \n*** End Patch", "no name"),
            ("*** Begin Patch\n*** Add File: a\nx\n*** End Patch", "begins with +"),
            ("*** Begin Patch\nx\n*** End Patch", "named before"),
            ("*** Begin Patch\n*** Update File: a\n@@\n x\n*** End Patch", "changes nothing"),
            ("*** Begin Patch\n*** Update File: a\n\\ No newline at end of file\n*** End Patch", "changes nothing"),
            ("*** Begin Patch\n*** Update File: a\nxyz\n*** End Patch", "begins with a blank"),
        ];
        for (text, words) in cases {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
