//! Colours code of the common languages by its words: comments, quotes, numbers, keywords, names.
//!
//! A grammar for each of these costs tens of milliseconds to compile before its first line, which is more than all else
//! that a reply costs; words cost microseconds.

use anstyle::Style;

use super::language::{Language, Quote, Shape};
use crate::styled::Styled;
use crate::theme::Theme;

/// What a line begins within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Comment,
    Quote(Quote),
}

/// Where the colouring of a block of code stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer {
    language: &'static Language,
    inside: Inside,
}

impl Lexer {
    pub(super) fn new(language: &'static Language) -> Self {
        Self { language, inside: Inside::Nothing }
    }

    /// Colours the next line.
    pub(super) fn line(&mut self, text: &str, theme: &Theme) -> Styled {
        let mut scan = Scan { lexer: self, theme, text, at: 0, command: true, out: Styled::default() };
        if scan.lexer.language.shape == Shape::Diff {
            scan.diff();
        } else {
            scan.run();
        }
        scan.out
    }
}

struct Scan<'a> {
    lexer: &'a mut Lexer,
    theme: &'a Theme,
    text: &'a str,
    at: usize,
    /// The next word names a command.
    command: bool,
    out: Styled,
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, length: usize, style: Style) {
        let text = self.text;
        let part = text.get(self.at..self.at + length).unwrap_or_default();
        self.out.push(style, part);
        self.at += length.max(1);
    }

    fn diff(&mut self) {
        let style = match self.text.chars().next() {
            Some('+') => self.theme.good,
            Some('-') => self.theme.bad,
            Some('@') => self.theme.dim,
            _ => Style::new(),
        };
        self.take(self.text.len(), style);
    }

    fn run(&mut self) {
        while self.at < self.text.len() {
            match self.lexer.inside {
                Inside::Comment => self.comment(),
                Inside::Quote(quote) => self.quoted(quote, 0),
                Inside::Nothing => self.step(),
            }
        }
        if let Inside::Quote(quote) = self.lexer.inside
            && !quote.lines
        {
            self.lexer.inside = Inside::Nothing;
        }
    }

    fn step(&mut self) {
        let language = self.lexer.language;
        let Some(first) = self.rest().chars().next() else { return };
        if first.is_whitespace() {
            let length = self.rest().find(|c: char| !c.is_whitespace()).unwrap_or(self.rest().len());
            return self.take(length, Style::new());
        }
        if let Some((open, _)) = language.block_comment
            && self.rest().starts_with(open)
        {
            self.lexer.inside = Inside::Comment;
            return self.comment_from(open.len());
        }
        if self.at_word_start()
            && language.line_comments.iter().any(|mark| self.rest().starts_with(mark))
            && !self.is_directive()
        {
            return self.take(self.rest().len(), self.theme.comment);
        }
        if let Some(quote) = language.quotes.iter().find(|quote| self.rest().starts_with(quote.open)) {
            self.command = false;
            self.lexer.inside = Inside::Quote(*quote);
            return self.quoted(*quote, quote.open.len());
        }
        if first.is_ascii_digit() {
            let length = self
                .rest()
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'))
                .unwrap_or(self.rest().len());
            return self.take(length, self.theme.constant);
        }
        if is_name(first) || matches!(first, '$' | '#' | '@' | '~') {
            return self.word(first);
        }
        if matches!(first, '|' | '&' | ';' | '(' | '{') {
            self.command = true;
        }
        self.take(first.len_utf8(), Style::new());
    }

    /// `#` in a shell word, and `//` in a URL, begin no comment.
    fn at_word_start(&self) -> bool {
        let before = self.text.get(..self.at).and_then(|before| before.chars().next_back());
        before.is_none_or(|c| !(is_name(c) || matches!(c, ':' | '$' | '{' | '/' | '\\')) || c.is_whitespace())
    }

    /// `#include` is no comment where `#` is not one; `#[…]` and shebangs are left to the language's own marks.
    fn is_directive(&self) -> bool {
        let end = self.rest().find(char::is_whitespace).unwrap_or(self.rest().len());
        self.rest().get(..end).is_some_and(|word| self.lexer.language.keywords.split(' ').any(|known| known == word))
    }

    fn comment(&mut self) {
        self.comment_from(0);
    }

    fn comment_from(&mut self, skip: usize) {
        let close = self.lexer.language.block_comment.map_or("", |(_, close)| close);
        let rest = self.rest();
        let end = rest.get(skip..).and_then(|rest| rest.find(close)).map(|at| skip + at + close.len());
        let length = end.unwrap_or(rest.len());
        if end.is_some() {
            self.lexer.inside = Inside::Nothing;
        }
        self.take(length, self.theme.comment);
    }

    fn quoted(&mut self, quote: Quote, skip: usize) {
        let rest = self.rest();
        let mut escaped = false;
        let mut end = None;
        for (at, c) in rest.char_indices().skip_while(|&(at, _)| at < skip) {
            if escaped {
                escaped = false;
            } else if quote.escapes && c == '\\' {
                escaped = true;
            } else if rest.get(at..).is_some_and(|rest| rest.starts_with(quote.close)) {
                end = Some(at + quote.close.len());
                break;
            }
        }
        // An apostrophe that is never closed on its line is none: prose, a lifetime, a shell's `it's`.
        let Some(length) = end.or_else(|| quote.lines.then_some(rest.len())) else {
            self.lexer.inside = Inside::Nothing;
            return self.take(skip.max(1), Style::new());
        };
        if end.is_some() {
            self.lexer.inside = Inside::Nothing;
        }
        let style = if self.lexer.language.shape == Shape::Keys && self.followed_by(length, &[':']) {
            self.theme.name
        } else {
            self.theme.string
        };
        self.take(length, style);
    }

    fn followed_by(&self, length: usize, marks: &[char]) -> bool {
        self.rest().get(length..).is_some_and(|after| after.trim_start_matches(' ').starts_with(marks))
    }

    fn word(&mut self, first: char) {
        let shape = self.lexer.language.shape;
        let dashes = matches!(shape, Shape::Shell | Shape::Keys | Shape::Tags);
        let rest = self.rest();
        let length = rest
            .char_indices()
            .skip(1)
            .find(|&(_, c)| !(is_name(c) || (dashes && first != '$' && matches!(c, '-' | '.'))))
            .map_or(rest.len(), |(at, _)| at);
        let word = rest.get(..length).unwrap_or_default();
        let language = self.lexer.language;
        let is_word = |known: &str| known == word || (language.caseless && known.eq_ignore_ascii_case(word));
        let among = |words: &str| words.split(' ').any(is_word);
        let keyword = among(language.keywords);
        let before = self.text.get(..self.at).and_then(|before| before.chars().next_back());
        let style = if keyword && (shape != Shape::Keys || self.command) {
            self.theme.keyword
        } else if among(language.constants) {
            self.theme.constant
        } else if first == '$' {
            self.theme.variable
        } else {
            match shape {
                Shape::Shell if self.command && !self.followed_by(length, &['=']) => self.theme.name,
                Shape::Keys if self.followed_by(length, &[':', '=']) => self.theme.name,
                Shape::Tags if matches!(before, Some('<' | '/')) => self.theme.name,
                Shape::Tags if self.followed_by(length, &['=']) => self.theme.constant,
                Shape::Calls if self.followed_by(length, &['(', '!']) || first.is_uppercase() => self.theme.name,
                Shape::Calls | Shape::Shell | Shape::Keys | Shape::Tags | Shape::Diff => Style::new(),
            }
        };
        // After some keywords, and after an assignment, a command follows.
        let leads = matches!(word, "then" | "do" | "else" | "if" | "elif" | "while" | "until");
        self.command = shape == Shape::Shell && self.command && (leads || self.followed_by(length, &['=']));
        self.take(length, style);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::language::{all, named};
    use super::*;

    /// Writes the words that are coloured, with what they are.
    fn shown(language: &str, lines: &str) -> String {
        let theme = Theme::dark();
        let mut lexer = Lexer::new(named(language).unwrap());
        let kinds = [
            (theme.keyword, "keyword"),
            (theme.name, "name"),
            (theme.string, "string"),
            (theme.constant, "constant"),
            (theme.comment, "comment"),
            (theme.bad, "removed"),
        ];
        let mut out = Vec::new();
        for line in lines.lines() {
            for span in lexer.line(line, &theme).spans {
                if let Some((_, kind)) = kinds.iter().find(|(style, _)| *style == span.style)
                    && !span.text.trim().is_empty()
                {
                    out.push(format!("{kind} {}", span.text.trim()));
                }
            }
        }
        out.join("\n")
    }

    #[test]
    fn languages() {
        insta::assert_snapshot!(shown("rust", "let x: Vec<&'a str> = foo(1); // why\n/* a\nb */ \"s\\\"t\""), @r#"
        keyword let
        name Vec
        name foo
        constant 1
        comment // why
        comment /* a
        comment b */
        string "s\"t"
        "#);
        insta::assert_snapshot!(shown("python", "def f(x):\n    return \"\"\"a\n    b\"\"\" if x else None  # c"), @r#"
        keyword def
        name f
        keyword return
        string """a
        string b"""
        keyword if
        keyword else
        constant None
        comment # c
        "#);
        insta::assert_snapshot!(shown("bash", "for f in *.txt; do echo \"$f\" 'x y' | grep -v '#'; done # end\nA=1 ls http://x//y"), @r#"
        keyword for
        keyword in
        keyword do
        name echo
        string "$f"
        string 'x y'
        name grep
        string '#'
        keyword done
        comment # end
        constant 1
        name ls
        "#);
        insta::assert_snapshot!(shown("json", "{\"a\": [1, true, \"b\"]}"), @r#"
        name "a"
        constant 1
        constant true
        string "b"
        "#);
        insta::assert_snapshot!(shown("yaml", "key: value # c\nlist:\n  - it's 5"), @r"
        name key
        comment # c
        name list
        constant 5
        ");
        insta::assert_snapshot!(shown("sql", "SELECT count(*) FROM t WHERE a = 'x' -- c"), @r"
        keyword SELECT
        name count
        keyword FROM
        keyword WHERE
        string 'x'
        comment -- c
        ");
        insta::assert_snapshot!(shown("html", "<a href=\"x\">text</a> <!-- c -->"), @r#"
        name a
        constant href
        string "x"
        name a
        comment <!-- c -->
        "#);
        insta::assert_snapshot!(shown("c", "#include <stdio.h>\nint main(void) { return 0; }"), @r"
        keyword #include
        keyword int
        name main
        keyword void
        keyword return
        constant 0
        ");
    }

    #[test]
    fn no_name_stands_for_two_languages() {
        let mut names: Vec<&str> = all().flat_map(|language| language.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    proptest! {
        #[test]
        fn every_character_is_kept(
            which in 0..all().count(),
            lines in prop::collection::vec(r#"[a-z日 "'`#/*<>!$=:(){}0-9-]{0,30}"#, 0..5)
        ) {
            let mut lexer = Lexer::new(all().nth(which).unwrap());
            for line in lines {
                prop_assert_eq!(lexer.line(&line, &Theme::dark()).text(), line);
            }
        }
    }
}
