//! Words: quotes, expansions, substitutions, arrays.

use alloc::string::String;

use super::{Parsed, Parser, is_meta};

/// A word without its quotes; expansions in it stand for nothing.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) quoted: bool,
}

impl Parser {
    /// Reads a word; there must be one.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let mut word = Word::default();
        let begin = self.at;
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if self.at == begin || matches!(self.ahead(1), Some('(')) => {
                    if self.ahead(1) != Some('(') {
                        break;
                    }
                    self.at += 2;
                    self.commands(')')?;
                    word.quoted = true;
                }
                // An array, where a name and `=` stand before it.
                '(' if word.text.ends_with('=') && !word.quoted && word.text.len() > 1 => self.array()?,
                c if is_meta(c) => break,
                '\\' => {
                    self.at += 1;
                    let Some(next) = self.peek() else {
                        // A backslash at the end stands for itself.
                        word.text.push('\\');
                        break;
                    };
                    self.at += 1;
                    word.quoted = true;
                    if next != '\n' {
                        word.text.push(next);
                    }
                }
                '\'' => {
                    self.at += 1;
                    self.single(&mut word, false)?;
                }
                '"' => {
                    self.at += 1;
                    self.double(&mut word)?;
                }
                '`' => {
                    self.at += 1;
                    self.backtick()?;
                    word.quoted = true;
                }
                '$' => self.dollar(&mut word, false)?,
                c => {
                    self.at += 1;
                    word.text.push(c);
                }
            }
        }
        (self.at > begin).then_some(word)
    }

    fn single(&mut self, word: &mut Word, escapes: bool) -> Parsed {
        word.quoted = true;
        loop {
            let c = self.peek()?;
            self.at += 1;
            match c {
                '\'' => return Some(()),
                '\\' if escapes => self.at += 1,
                c => word.text.push(c),
            }
        }
    }

    fn double(&mut self, word: &mut Word) -> Parsed {
        word.quoted = true;
        loop {
            match self.peek()? {
                '"' => {
                    self.at += 1;
                    return Some(());
                }
                '\\' => {
                    self.at += 1;
                    word.text.push(self.peek()?);
                    self.at += 1;
                }
                '`' => {
                    self.at += 1;
                    self.backtick()?;
                }
                '$' => self.dollar(word, true)?,
                c => {
                    self.at += 1;
                    word.text.push(c);
                }
            }
        }
    }

    /// Up to the next backtick that no backslash stands before.
    fn backtick(&mut self) -> Parsed {
        loop {
            let c = self.peek()?;
            self.at += 1;
            match c {
                '`' => return Some(()),
                '\\' => self.at += 1,
                _ => {}
            }
        }
    }

    fn dollar(&mut self, word: &mut Word, in_quotes: bool) -> Parsed {
        self.at += 1;
        match self.peek() {
            Some('(') if self.ahead(1) == Some('(') => {
                let begin = self.at;
                self.at += 2;
                if self.arithmetic().is_none() {
                    self.back_to(begin + 1)?;
                    self.commands(')')?;
                }
                word.quoted = true;
            }
            Some('(') => {
                self.at += 1;
                self.commands(')')?;
                word.quoted = true;
            }
            Some('{') => {
                self.at += 1;
                self.parameter(in_quotes)?;
                word.quoted = true;
            }
            Some('\'') if !in_quotes => {
                self.at += 1;
                self.single(word, true)?;
            }
            Some('#' | '$' | '?' | '!' | '*' | '@' | '-') => {
                word.text.push('$');
                self.at += 1;
            }
            _ => word.text.push('$'),
        }
        Some(())
    }

    /// Reads `${…}` behind its brace.
    fn parameter(&mut self, in_quotes: bool) -> Parsed {
        self.deeper(|parser| {
            let mut inside = Word::default();
            loop {
                match parser.peek()? {
                    '}' => {
                        parser.at += 1;
                        return Some(());
                    }
                    '\\' => parser.at += 2,
                    '\'' if !in_quotes => {
                        parser.at += 1;
                        parser.single(&mut inside, false)?;
                    }
                    '"' => {
                        parser.at += 1;
                        parser.double(&mut inside)?;
                    }
                    '`' => {
                        parser.at += 1;
                        parser.backtick()?;
                    }
                    '$' => parser.dollar(&mut inside, in_quotes)?,
                    _ => parser.at += 1,
                }
            }
        })
    }

    /// Reads arithmetic up to `))`, behind `((`.
    pub(super) fn arithmetic(&mut self) -> Parsed {
        self.arithmetic_parts().map(|_| ())
    }

    /// Reads arithmetic, and says how many semicolons are in it outside of parentheses.
    pub(super) fn arithmetic_parts(&mut self) -> Parsed<usize> {
        let mut open = 0_usize;
        let mut semicolons = 0;
        let mut inside = Word::default();
        loop {
            match self.peek()? {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' => {
                    let closed = self.take("))");
                    return closed.then_some(semicolons);
                }
                ';' if open == 0 => semicolons += 1,
                '\\' => self.at += 1,
                '"' => {
                    self.at += 1;
                    self.double(&mut inside)?;
                    continue;
                }
                '$' => {
                    self.deeper(|parser| parser.dollar(&mut inside, true))?;
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads the commands of a substitution with their closing parenthesis. What is in it is a word's.
    fn commands(&mut self, end: char) -> Parsed {
        let compounds = self.compounds;
        self.deeper(|parser| parser.list(&[]))?;
        self.compounds = compounds;
        let closed = self.peek() == Some(end);
        self.at += usize::from(closed);
        closed.then_some(())
    }

    /// Reads the words of an array with its parentheses.
    fn array(&mut self) -> Parsed {
        self.at += 1;
        self.deeper(|parser| {
            loop {
                parser.newlines();
                if parser.take(")") {
                    return Some(());
                }
                parser.word()?;
            }
        })
    }
}
