//! Where in a line the cursor stands.

use aish_syntax::{Kind, Role, Token, Word, scan};

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
        let line = before.get(begin..).unwrap_or_default();
        let scan = scan(line);
        let word = scan.end.word.and_then(|index| scan.words.get(index));
        let word_at = word.map_or(line.len(), |word| word.start);
        let text = |token: &Token| line.get(token.range()).unwrap_or_default();
        let of_word = scan.tokens.iter().rev().take_while(|token| token.start >= word_at);
        let behind_sign = of_word
            .filter(|token| token.kind == Kind::Text && token.word == scan.end.word)
            .find_map(|token| text(token).rfind('=').map(|at| token.start + at + 1));
        let start = scan.end.quote.map_or(behind_sign.unwrap_or(word_at), |(_, at)| at);
        let typed = line.get(start..).unwrap_or_default();
        let assigned = line.get(word_at..start).filter(|name| scan.end.is_command && aish_syntax::is_assignment(name));
        let is_option = scan.end.is_command && typed.starts_with('-');
        let is_command = scan.end.is_command && assigned.is_none() && !is_option;
        let names = scan.words.iter().rfind(|word| {
            word.role == Role::Command && word.command == scan.end.command && word.end <= word_at && !is_command
        });
        let range = names.map_or(word_at..word_at + assigned.map_or(0, str::len), Word::range);
        let command = line.get(range.clone()).unwrap_or_default();
        let behind = line.get(range.end..start).unwrap_or_default();
        Self {
            start: begin + start,
            typed,
            quote: scan.end.quote.map(|(quote, _)| quote),
            is_command: is_command && !before.starts_with('?'),
            is_first_argument: !command.is_empty() && behind.trim().is_empty() && scan.end.quote.is_none(),
            command,
            command_at: begin + range.start,
        }
    }

    /// Says whether `--` stands before the word: what begins with `-` behind it is no option.
    pub(super) fn ends_options(&self, before: &str) -> bool {
        let words = before.get(self.command_at..self.start).unwrap_or_default();
        words.split_whitespace().any(|word| word == "--")
    }

    /// Says whether the word may be a folder that lies in one of `CDPATH`.
    pub(super) fn looks_elsewhere(&self) -> bool {
        matches!(self.command, "cd" | "pushd")
            && self.quote.is_none()
            && !self.typed.starts_with(['/', '.', '~', '$', '-'])
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
            ("echo \"$(gi", "gi", ""),
            ("echo \"$(git ch", "ch", "git"),
            ("echo \"$(date) fi", "$(date) fi", "echo"),
            ("if gi", "gi", ""),
            ("for x in a b; do gi", "gi", ""),
            ("sudo -u root gi", "gi", "root"),
            ("sudo --us", "--us", "sudo"),
            ("cat x > fi", "fi", "cat"),
            ("ls # fi", "", "ls"),
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
