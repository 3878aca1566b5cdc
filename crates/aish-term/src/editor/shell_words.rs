//! The colours of a shell line: what the shell's scanner found, put in terms of colour. Every byte is in exactly one span.

use std::ops::Range;

use aish_syntax::{Kind as Found, Role, scan};

/// What is coloured alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The word that names a command, and the shell's own words.
    Command,
    /// Quoted text with its quotes.
    Quoted,
    /// `$name`, `${…}`, `$(`.
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

/// Splits a line into spans that cover it wholly.
pub(super) fn tokens(line: &str) -> Vec<(Kind, Range<usize>)> {
    let scan = scan(line);
    let mut out: Vec<(Kind, Range<usize>)> = Vec::with_capacity(scan.tokens.len());
    for token in &scan.tokens {
        let word = scan.word_of(token);
        let text = line.get(token.range()).unwrap_or_default();
        let kind = match (token.kind, word.map(|word| word.role)) {
            (Found::Quote | Found::Quoted | Found::Heredoc, _) => Kind::Quoted,
            (Found::Variable | Found::Arithmetic, _) => Kind::Variable,
            (Found::Substitution, _) => {
                if text == ")" {
                    Kind::Operator
                } else {
                    Kind::Variable
                }
            }
            (Found::Operator | Found::Redirection, _) => Kind::Operator,
            (Found::Comment, _) => Kind::Comment,
            (Found::Blank | Found::Newline, _) => Kind::Word,
            (Found::Text | Found::Apostrophe | Found::Escaped, Some(Role::Command | Role::Keyword)) => Kind::Command,
            (Found::Text | Found::Apostrophe | Found::Escaped, Some(Role::Argument))
                if word.is_some_and(|word| line.get(word.range()).is_some_and(|word| word.starts_with('-'))) =>
            {
                Kind::Flag
            }
            (Found::Text | Found::Apostrophe | Found::Escaped, _) => Kind::Word,
        };
        match out.last_mut() {
            // A quote with what is in it, a variable with its braces.
            Some((last, range)) if *last == kind && matches!(kind, Kind::Quoted | Kind::Variable) => {
                range.end = token.end
            }
            _ => out.push((kind, token.range())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use aish_testkit::shell_lines::ShellLines;
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
        check(
            "echo \"$(id) a\"",
            &[(Command, "echo"), (Quoted, "\""), (Variable, "$("), (Command, "id"), (Operator, ")"), (Quoted, " a\"")],
        );
    }

    /// What is coloured as a command is what the scanner, and so routing and completion, take for one.
    #[test]
    fn commands_are_coloured_where_they_stand() {
        for line in ShellLines::new(5).take(2_000) {
            let coloured = tokens(&line);
            for word in scan(&line).words {
                let begin = coloured.iter().find(|(_, range)| range.contains(&word.start)).map(|(kind, _)| *kind);
                let is_plain = line[word.range()].bytes().all(|byte| byte.is_ascii_alphanumeric());
                let is_command = matches!(word.role, Role::Command | Role::Keyword);
                if is_plain {
                    assert_eq!(begin == Some(Kind::Command), is_command, "{line:?}: {:?}", &line[word.range()]);
                }
            }
        }
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
