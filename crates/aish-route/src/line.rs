//! The prefixes of a line: `!` forces the shell, `?` the model, `:` before a letter is a meta command.

/// A line after its prefix was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// Nothing but blanks.
    Empty,
    /// `!x`: `x` goes to the shell.
    Shell(&'a str),
    /// `?x`: `x` goes to the model.
    Question(&'a str),
    /// `:name rest`: name and rest.
    Meta(&'a str, &'a str),
    /// No prefix: to be routed.
    Plain(&'a str),
}

/// Looks at a line's prefix.
pub fn parse_line(line: &str) -> Line<'_> {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return Line::Empty;
    }
    if let Some(rest) = trimmed.strip_prefix('!') {
        // `!!` and `! cmd` are the shell's own history and negation.
        if !rest.starts_with(['!', ' ']) && !rest.is_empty() {
            return Line::Shell(rest.trim());
        }
        return Line::Shell(if rest.starts_with('!') { trimmed } else { rest.trim() });
    }
    if let Some(rest) = trimmed.strip_prefix('?') {
        return if rest.trim().is_empty() { Line::Empty } else { Line::Question(rest.trim()) };
    }
    if let Some(rest) = trimmed.strip_prefix(':')
        && rest.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        return Line::Meta(name, rest.trim());
    }
    Line::Plain(trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        for (line, expected) in [
            ("", Line::Empty),
            ("  ", Line::Empty),
            ("?", Line::Empty),
            ("!ls -la", Line::Shell("ls -la")),
            ("! ls", Line::Shell("ls")),
            ("!!", Line::Shell("!!")),
            ("?what is 17*23", Line::Question("what is 17*23")),
            (":help", Line::Meta("help", "")),
            (":model  cloud ", Line::Meta("model", "cloud")),
            (": > file", Line::Plain(": > file")),
            (":", Line::Plain(":")),
            ("ls", Line::Plain("ls")),
        ] {
            assert_eq!(parse_line(line), expected, "{line:?}");
        }
    }
}
