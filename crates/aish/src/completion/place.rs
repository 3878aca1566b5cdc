//! Where in a line the cursor stands.

/// The word before the cursor, and what it is to its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place<'a> {
    /// Where the word begins, in bytes; behind its quote where it is in one.
    pub(super) start: usize,
    /// The word as far as it is typed.
    pub(super) typed: &'a str,
    /// The quote that is open.
    pub(super) quote: Option<char>,
    /// True when the word is a command itself.
    pub(super) is_command: bool,
    /// True when only the command stands before the word.
    pub(super) is_first_argument: bool,
    /// The command that the word belongs to.
    pub(super) command: &'a str,
    /// Where that begins, in bytes.
    pub(super) command_at: usize,
}

impl<'a> Place<'a> {
    /// Looks at the line up to the cursor.
    pub(super) fn find(before: &'a str) -> Self {
        // `!` and `?` choose the way of the whole line.
        let begin = usize::from(before.starts_with(['!', '?']) && !before.starts_with("!!"));
        let mut start = begin;
        let mut command_start = begin;
        let mut quote = None;
        let mut escaped = false;
        for (at, c) in before.char_indices().skip(begin) {
            let next = at + c.len_utf8();
            match quote {
                Some('"') if escaped => {}
                Some(open) if c == open => quote = None,
                Some(_) => {}
                None if escaped => {}
                None if c == '\'' || c == '"' => {
                    quote = Some(c);
                    start = next;
                }
                None if "|;&(\n".contains(c) => {
                    start = next;
                    command_start = next;
                }
                None if c.is_whitespace() || ")<>=".contains(c) => start = next,
                None => {}
            }
            escaped = c == '\\' && !escaped && quote != Some('\'');
        }
        let typed = before.get(start..).unwrap_or_default();
        let is_around = |c: char| matches!(c, '"' | '\'') || c.is_whitespace();
        let mut command_at = command_start;
        let command = loop {
            let rest = before.get(command_at..start).unwrap_or_default();
            let earlier = rest.trim_start_matches(is_around);
            command_at += rest.len() - earlier.len();
            let word = earlier.split(is_around).next().unwrap_or_default();
            if !matches!(word, "sudo" | "doas" | "time" | "nohup" | "command") {
                break word;
            }
            command_at += word.len();
        };
        let behind = before.get(command_at + command.len()..start).unwrap_or_default();
        Self {
            start,
            typed,
            quote,
            is_command: command.is_empty() && !before.starts_with('?'),
            is_first_argument: !command.is_empty() && behind.trim_matches(is_around).is_empty() && quote.is_none(),
            command,
            command_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_behind_blanks_quotes_and_operators() {
        for (before, typed, command) in [
            ("ls", "ls", ""),
            ("ls -l sr", "sr", "ls"),
            ("a|b", "b", ""),
            (r"cat my\ fi", r"my\ fi", "cat"),
            ("cat 'my fi", "my fi", "cat"),
            ("cat \"a b\" c", "c", "cat"),
            (r#"cat "a\"b c"#, r#"a\"b c"#, "cat"),
            ("x=1", "1", "x="),
            ("dd if=/de", "/de", "dd"),
            ("sudo gi", "gi", ""),
            ("sudo git ch", "ch", "git"),
            ("!gi", "gi", ""),
            ("?explain sr", "sr", "explain"),
            ("cd x && ma", "ma", ""),
            ("", "", ""),
        ] {
            let place = Place::find(before);
            assert_eq!((place.typed, place.command), (typed, command), "{before:?}");
        }
        assert!(Place::find("git ch").is_first_argument);
        assert!(!Place::find("git checkout ma").is_first_argument);
        assert!(!Place::find("?wh").is_command);
        assert_eq!(Place::find("cat \"a").quote, Some('"'));
    }
}
