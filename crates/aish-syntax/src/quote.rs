//! Inside words: quotes, escapes, expansions, brackets.

use crate::level::{Arithmetic, Open};
use crate::scanner::Scanner;
use crate::token::Kind;

impl Scanner<'_> {
    /// A backslash with what is behind it.
    pub(crate) fn escape(&mut self, kind: Kind) {
        if self.byte(1) == Some(b'\n') {
            let inside = self.top().open.is_in_word();
            return self.emit(if inside { kind } else { Kind::Blank }, 2);
        }
        if !self.top().open.is_in_word() {
            self.begin_word();
            self.quote_word();
        }
        self.is_continued = self.byte(1).is_none() && self.limit == self.text.len();
        let length = 1 + self.width(1);
        self.emit(kind, length);
    }

    /// An apostrophe: a quote, or a letter of language.
    pub(crate) fn apostrophe(&mut self) {
        if let Some(part) = self.top().word.filter(|part| !part.is_quoted) {
            let before = self.text.get(part.start..self.at).unwrap_or_default();
            let behind = self.text.get(self.at + 1..).unwrap_or_default();
            if (self.is_letter)(before, behind) {
                return self.emit(Kind::Apostrophe, 1);
            }
        }
        self.begin_word();
        self.quote_word();
        self.single_quote(1);
    }

    /// Up to the next `'`; the mark before it has so many bytes. Behind `$'` a backslash takes the meaning of a character.
    pub(crate) fn single_quote(&mut self, mark: usize) {
        let escapes = mark == 2;
        self.emit(Kind::Quote, mark);
        let begin = self.at;
        let mut length = 0;
        while let Some(byte) = self.byte(length).filter(|byte| *byte != b'\'') {
            length += if byte == b'\\' && escapes { 1 + self.width(length + 1) } else { 1 };
        }
        self.emit(Kind::Quoted, length);
        if self.byte(0).is_some() {
            self.emit(Kind::Quote, 1);
        } else if self.limit == self.text.len() {
            self.quote = Some(('\'', begin));
        }
    }

    /// Opens `"…"`, behind so many bytes.
    pub(crate) fn double_quote(&mut self, begin: usize) {
        if !self.top().open.is_in_word() {
            self.begin_word();
            self.quote_word();
        }
        self.open(Open::Quote);
        self.emit(Kind::Quote, begin);
    }

    /// Takes more of `"…"`.
    pub(crate) fn quoted(&mut self) {
        match self.byte(0) {
            Some(b'"') => {
                self.emit(Kind::Quote, 1);
                self.close();
            }
            Some(b'\\') => self.escape(Kind::Quoted),
            Some(b'`') => self.open_backtick(),
            Some(b'$') => self.dollar(),
            _ => {
                let length = self.run_length(|byte| matches!(byte, b'"' | b'\\' | b'`' | b'$'));
                self.emit(Kind::Quoted, length);
            }
        }
    }

    /// Takes more of `${…}`. A single quote counts there even inside double quotes.
    pub(crate) fn parameter(&mut self) {
        match self.byte(0) {
            Some(b'}') => {
                self.emit(Kind::Variable, 1);
                self.close();
            }
            Some(b'\\') => self.escape(Kind::Variable),
            Some(b'\'') => self.single_quote(1),
            Some(b'"') => self.double_quote(1),
            Some(b'`') => self.open_backtick(),
            Some(b'$') => self.dollar(),
            _ => {
                let length = self.run_length(|byte| matches!(byte, b'}' | b'\\' | b'\'' | b'"' | b'`' | b'$'));
                self.emit(Kind::Variable, length);
            }
        }
    }

    /// What text is inside of what is open.
    fn plain_kind(&self) -> Kind {
        match self.top().open {
            Open::Quote => Kind::Quoted,
            Open::Parameter => Kind::Variable,
            Open::Arithmetic(_) => Kind::Arithmetic,
            _ => Kind::Text,
        }
    }

    /// Takes more of what is in brackets: arithmetic, a subscript, a pattern.
    pub(crate) fn brackets(&mut self) {
        let open = self.top().open;
        let kind = self.plain_kind();
        let (opening, closing) = match open {
            Open::Arithmetic(Arithmetic::Old) | Open::Subscript => (b'[', b']'),
            _ => (b'(', b')'),
        };
        match self.byte(0) {
            Some(b'\\') => self.escape(kind),
            Some(b'\'') => self.single_quote(1),
            Some(b'"') => self.double_quote(1),
            Some(b'`') => self.open_backtick(),
            Some(b'$') => self.dollar(),
            Some(byte) if byte == opening => {
                self.top_mut().brackets += 1;
                if opening == b'(' {
                    self.note_brackets();
                }
                self.emit(kind, 1);
            }
            Some(byte) if byte == closing => self.close_bracket(kind),
            Some(b';') => {
                if let Open::Arithmetic(Arithmetic::Loop(count)) = open
                    && self.top().brackets == 2
                {
                    self.top_mut().open = Open::Arithmetic(Arithmetic::Loop(count + 1));
                }
                self.emit(kind, 1);
            }
            _ => {
                let length = self.run_length(|byte| {
                    matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'$' | b';' | b'(' | b')' | b'[' | b']')
                });
                self.emit(kind, length);
            }
        }
    }

    fn close_bracket(&mut self, kind: Kind) {
        let level = *self.top();
        let is_command = matches!(level.open, Open::Arithmetic(Arithmetic::Command | Arithmetic::Loop(_)));
        if is_command && level.brackets == 2 {
            if self.byte(1) == Some(b')') {
                self.emit(kind, 2);
                return self.arithmetic_done(level.open);
            }
            return self.not_arithmetic();
        }
        self.top_mut().brackets -= 1;
        self.emit(kind, 1);
        if level.brackets == 1 {
            self.close();
        }
    }

    /// What a `$` begins.
    pub(crate) fn dollar(&mut self) {
        let in_word = self.top().open.is_in_word();
        if !in_word {
            self.begin_word();
        }
        let in_quote = self.top().open == Open::Quote;
        match (self.byte(1), self.byte(2)) {
            (Some(b'('), Some(b'(')) => self.open_arithmetic(Arithmetic::Expansion, 3),
            (Some(b'['), _) => self.open_arithmetic(Arithmetic::Old, 2),
            (Some(b'('), _) => {
                self.emit(Kind::Substitution, 2);
                self.open(Open::Substitution);
            }
            (Some(b'{'), _) => {
                self.open(Open::Parameter);
                self.emit(Kind::Variable, 2);
            }
            (Some(b'\''), _) if !in_quote => {
                self.quote_word();
                self.single_quote(2);
            }
            (Some(b'"'), _) if !in_quote => self.double_quote(2),
            (Some(byte), _) if byte == b'_' || byte.is_ascii_alphabetic() => {
                let name = self.rest().bytes().skip(1).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
                self.emit(Kind::Variable, 1 + name.count());
            }
            (Some(byte), _) if byte.is_ascii_digit() || b"?!$#@*-".contains(&byte) => self.emit(Kind::Variable, 2),
            _ => self.emit(self.plain_kind(), 1),
        }
    }

    pub(crate) fn open_arithmetic(&mut self, which: Arithmetic, length: usize) {
        self.open(Open::Arithmetic(which));
        self.top_mut().brackets = if which == Arithmetic::Old { 1 } else { 2 };
        self.emit(Kind::Arithmetic, length);
    }

    /// Opens a backtick. What is between two is found first: no quote in it hides the second.
    pub(crate) fn open_backtick(&mut self) {
        if !self.top().open.is_in_word() {
            self.begin_word();
        }
        let mut length = 1;
        let end = loop {
            match self.byte(length) {
                None => break None,
                Some(b'`') => break Some(self.at + length),
                Some(b'\\') => length += 1 + self.width(length + 1),
                Some(_) => length += 1,
            }
        };
        self.emit(Kind::Substitution, 1);
        self.open(Open::Backtick);
        self.in_backticks = true;
        self.heredocs_before = self.heredocs.len();
        self.limit = end.unwrap_or(self.text.len());
    }

    pub(crate) fn close_backtick(&mut self) {
        let index = self.levels.iter().rposition(|level| level.open == Open::Backtick).unwrap_or_default();
        self.drop_above(index + 1);
        self.end_word();
        // A keyword may have opened something.
        self.drop_above(index + 1);
        self.close();
        self.heredocs.truncate(self.heredocs_before);
        self.in_backticks = false;
        self.limit = self.text.len();
        self.emit(Kind::Substitution, 1);
    }

    /// `((…))` is closed.
    fn arithmetic_done(&mut self, open: Open) {
        if let Open::Arithmetic(Arithmetic::Loop(semicolons)) = open {
            if semicolons != 2 {
                self.broken();
            }
            self.close();
            return self.loop_counted();
        }
        self.close_command();
    }
}
