//! The words of a shell line, for colour alone: quick, never wrong enough to matter, and every byte in exactly one token.

use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The word that names a command.
    Command,
    /// Quoted text with its quotes.
    Quoted,
    /// `$name`, `${…}`.
    Variable,
    /// `|`, `&&`, `;`, `>`.
    Operator,
    /// A word that begins with a dash.
    Flag,
    /// From `#` to the end of the line.
    Comment,
    /// Any other word, and white space.
    Word,
}

/// Splits a line into tokens that cover it wholly.
pub(super) fn tokens(line: &str) -> Vec<(Kind, Range<usize>)> {
    let mut scanner = Scanner { line, at: 0, command: true, out: Vec::new() };
    while scanner.at < line.len() {
        scanner.step();
    }
    scanner.out
}

struct Scanner<'a> {
    line: &'a str,
    at: usize,
    /// The next word names a command.
    command: bool,
    out: Vec<(Kind, Range<usize>)>,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// Takes bytes up to the first character that `end` says ends the token; at least one character.
    fn take(&mut self, kind: Kind, end: impl Fn(char) -> bool) {
        let rest = self.rest();
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = rest.char_indices().skip(1).find(|&(_, c)| end(c)).map_or(rest.len(), |(at, _)| at).max(first);
        self.out.push((kind, self.at..self.at + length));
        self.at += length;
    }

    fn step(&mut self) {
        let Some(first) = self.rest().chars().next() else { return };
        let at_word_start = self.at == 0
            || self
                .line
                .get(..self.at)
                .and_then(|before| before.chars().next_back())
                .is_some_and(|c| c.is_whitespace() || ";&|(".contains(c));
        match first {
            c if c.is_whitespace() => {
                if c == '\n' {
                    self.command = true;
                }
                self.take(Kind::Word, |c| !c.is_whitespace() || c == '\n');
            }
            '\'' | '"' => self.quoted(first),
            '$' => self.variable(),
            '#' if at_word_start => self.take(Kind::Comment, |c| c == '\n'),
            '|' | '&' | ';' | '(' | ')' => {
                self.take(Kind::Operator, |c| !"|&;()".contains(c));
                self.command = true;
            }
            '<' | '>' => self.take(Kind::Operator, |c| !"<>&".contains(c)),
            '-' if at_word_start && !self.command => self.word(Kind::Flag),
            _ => self.plain_word(),
        }
    }

    fn word(&mut self, kind: Kind) {
        self.take(kind, |c| c.is_whitespace() || "|&;()<>'\"$".contains(c));
    }

    fn plain_word(&mut self) {
        let kind = if self.command { Kind::Command } else { Kind::Word };
        let from = self.at;
        self.word(kind);
        let word = self.line.get(from..self.at).unwrap_or_default();
        // `NAME=value command` and the words that a command follows.
        let assigns = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if self.command && assigns {
            if let Some((kind, _)) = self.out.last_mut() {
                *kind = Kind::Word;
            }
            return;
        }
        self.command = matches!(
            word,
            "sudo"
                | "env"
                | "time"
                | "nohup"
                | "exec"
                | "command"
                | "then"
                | "do"
                | "else"
                | "if"
                | "while"
                | "until"
                | "!"
                | "{"
        ) && kind == Kind::Command;
    }

    fn quoted(&mut self, quote: char) {
        self.command = false;
        let mut escaped = false;
        let rest = self.rest();
        let end = rest.char_indices().skip(1).find(|&(_, c)| {
            let ends = c == quote && !escaped;
            escaped = quote == '"' && c == '\\' && !escaped;
            ends
        });
        let length = end.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        self.out.push((Kind::Quoted, self.at..self.at + length));
        self.at += length;
    }

    fn variable(&mut self) {
        self.command = false;
        let rest = self.rest();
        let length = match rest.chars().nth(1) {
            Some('{') => rest.find('}').map_or(rest.len(), |at| at + 1),
            Some('(') => {
                self.command = true;
                2
            }
            Some(c) if c.is_alphanumeric() || c == '_' => rest
                .char_indices()
                .skip(1)
                .find(|&(_, c)| !(c.is_alphanumeric() || c == '_'))
                .map_or(rest.len(), |(at, _)| at),
            Some(c) if "?!$#@*-".contains(c) => 2,
            _ => 1,
        };
        self.out.push((Kind::Variable, self.at..self.at + length));
        self.at += length;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, expected: &[(Kind, &str)]) {
        let found: Vec<(Kind, &str)> = tokens(line)
            .into_iter()
            .map(|(kind, range)| (kind, &line[range]))
            .filter(|(_, text)| !text.trim().is_empty())
            .collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn names_the_words() {
        use Kind::{Command, Comment, Flag, Operator, Quoted, Variable, Word};
        check(
            "ls -la | grep \"a b\" > out # x",
            &[
                (Command, "ls"),
                (Flag, "-la"),
                (Operator, "|"),
                (Command, "grep"),
                (Quoted, "\"a b\""),
                (Operator, ">"),
                (Word, "out"),
                (Comment, "# x"),
            ],
        );
        check(
            "A=1 sudo rm $HOME/x",
            &[(Word, "A=1"), (Command, "sudo"), (Command, "rm"), (Variable, "$HOME"), (Word, "/x")],
        );
        check("echo 'open", &[(Command, "echo"), (Quoted, "'open")]);
        check("a && b; c", &[(Command, "a"), (Operator, "&&"), (Command, "b"), (Operator, ";"), (Command, "c")]);
        check("echo $(date)", &[(Command, "echo"), (Variable, "$("), (Command, "date"), (Operator, ")")]);
    }

    proptest! {
        #[test]
        fn every_byte_is_in_one_token(line in r#"[a-z日 \n'"$(){}|&;<>#=\\-]{0,40}"#) {
            let mut at = 0;
            for (_, range) in tokens(&line) {
                prop_assert_eq!(range.start, at);
                prop_assert!(range.end > range.start);
                prop_assert!(line.get(range.clone()).is_some());
                at = range.end;
            }
            prop_assert_eq!(at, line.len());
        }
    }
}
