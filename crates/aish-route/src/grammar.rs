//! Whether a line is a compound command of bash: a loop, a condition, a group, a subshell, a function, in a pipe or list
//! with whatever else.
//!
//! A recursive-descent parser over the grammar of bash's manual; what `bash -n` says of the same text is the test's
//! oracle. Words are read as far as it takes to find their ends.

use alloc::string::String;
use alloc::vec::Vec;

mod compound;
mod word;

/// How deep commands may be nested.
const DEPTH: usize = 48;

/// Says whether bash would parse all of a text, and a compound command is in it outside of words. Bounded in depth; what
/// is deeper is none.
pub fn is_compound(text: &str) -> bool {
    let mut parser = Parser { chars: text.chars().collect(), ..Parser::default() };
    let parsed = parser.list(&[]).is_some();
    parsed && parser.at == parser.chars.len() && parser.compounds > 0
}

/// How often text is read a second time, as it was not what it began like (`((`, `coproc`).
const RETRIES: usize = 16;

/// Where the text is no command of bash: nothing more is said of it.
type Parsed<T = ()> = Option<T>;

#[derive(Default)]
struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    retries: usize,
    /// Compound commands so far, those within words left out.
    compounds: usize,
    /// The command before is a compound one with nothing behind it, so that a reserved word may follow.
    closed: bool,
    /// Here-documents whose bodies begin at the next newline, and whether tabs before their lines go.
    heredocs: Vec<(String, bool)>,
}

/// Reserved words that no command begins with.
const MISPLACED: &[&str] = &["then", "do", "done", "fi", "esac", "elif", "else", "}"];

/// What ends a word.
fn is_meta(c: char) -> bool {
    c.is_whitespace() || matches!(c, '|' | '&' | ';' | '(' | ')' | '<' | '>')
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> Option<char> {
        self.chars.get(self.at + count).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(index, c)| self.ahead(index) == Some(c))
    }

    fn take(&mut self, text: &str) -> bool {
        let is_there = self.starts(text);
        if is_there {
            self.at += text.chars().count();
        }
        is_there
    }

    /// Does something one level deeper.
    fn deeper<T>(&mut self, act: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        let done = if self.depth > DEPTH { None } else { act(self) };
        self.depth -= 1;
        done
    }

    /// Goes back to read on from another place.
    fn back_to(&mut self, at: usize) -> Parsed {
        self.at = at;
        self.retries += 1;
        (self.retries <= RETRIES).then_some(())
    }

    /// Skips blanks, line continuations and a comment, but no newline.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some('\n') => return,
                Some(c) if c.is_whitespace() => self.at += 1,
                Some('\\') if self.ahead(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Takes a newline with the here-documents behind it.
    fn newline(&mut self) -> bool {
        if !self.take("\n") {
            return false;
        }
        for (tag, strips) in core::mem::take(&mut self.heredocs) {
            while self.at < self.chars.len() {
                let line: String = self.chars.iter().skip(self.at).take_while(|&&c| c != '\n').collect();
                self.at = (self.at + line.chars().count() + 1).min(self.chars.len());
                let line = if strips { line.trim_start_matches('\t') } else { &line };
                if line == tag {
                    break;
                }
            }
        }
        true
    }

    fn newlines(&mut self) {
        loop {
            self.blanks();
            if !self.newline() {
                return;
            }
        }
    }

    /// Reads the next word without taking it; reserved words are unquoted.
    fn reserved(&self) -> String {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        rest.iter().take(10).take_while(|&&c| !is_meta(c)).collect()
    }

    fn keyword(&mut self, word: &str) -> bool {
        let is_next = self.reserved() == word;
        if is_next {
            self.at += word.chars().count();
        }
        is_next
    }

    /// Reads commands up to one of some reserved words, a closing parenthesis, a case's end of branch, or the end. There
    /// is at least one where `ends` names any.
    fn list(&mut self, ends: &[&str]) -> Parsed {
        let mut count = 0;
        loop {
            self.newlines();
            match self.peek() {
                None | Some(')') => break,
                Some(';') if matches!(self.ahead(1), Some(';' | '&')) => break,
                Some(_) => {}
            }
            let word = self.reserved();
            if ends.contains(&word.as_str()) {
                break;
            }
            self.and_or()?;
            count += 1;
            self.blanks();
            match (self.peek(), self.ahead(1)) {
                (Some(';'), Some(';' | '&')) | (None | Some(')' | '\n'), _) => {}
                (Some(';' | '&'), _) => self.at += 1,
                _ if self.closed && ends.contains(&self.reserved().as_str()) => {}
                _ => return None,
            }
        }
        (count > 0 || ends.is_empty()).then_some(())
    }

    fn and_or(&mut self) -> Parsed {
        loop {
            self.pipeline()?;
            self.blanks();
            if !(self.take("&&") || self.take("||")) {
                return Some(());
            }
            self.newlines();
        }
    }

    fn pipeline(&mut self) -> Parsed {
        let mut is_timed = false;
        loop {
            self.blanks();
            if self.keyword("time") {
                is_timed = true;
                self.blanks();
                let _ = self.keyword("-p");
                self.blanks();
                let _ = self.keyword("--");
            } else if self.reserved() == "!" {
                self.at += 1;
                is_timed = true;
            } else {
                break;
            }
        }
        // `time` and `!` may stand alone.
        if is_timed && matches!(self.peek(), None | Some(';' | '\n')) {
            return Some(());
        }
        loop {
            self.command()?;
            self.blanks();
            if self.starts("||") || !(self.take("|&") || self.take("|")) {
                return Some(());
            }
            self.newlines();
            // It turns the status of a whole pipe.
            if self.reserved() == "!" {
                return None;
            }
        }
    }

    fn command(&mut self) -> Parsed {
        self.blanks();
        if self.compound()? {
            self.compounds += 1;
            let end = self.at;
            self.redirections()?;
            let behind = self.chars.get(end..self.at).unwrap_or_default();
            self.closed = behind.iter().all(|c| c.is_whitespace());
            return Some(());
        }
        self.closed = false;
        self.simple(true)
    }

    /// Reads a simple command, or a function `name() …` where one may be.
    fn simple(&mut self, names_function: bool) -> Parsed {
        let mut parts = 0;
        let mut words = 0;
        loop {
            self.blanks();
            if self.redirection()? {
                parts += 1;
                continue;
            }
            match self.peek() {
                None | Some('\n' | ';' | '&' | '|' | ')') => break,
                // Behind the first word there are the parentheses of a function, and no others.
                Some('(') => {
                    if words != 1 || parts != 1 {
                        return None;
                    }
                    self.at += 1;
                    self.blanks();
                    return if self.take(")") && names_function { self.function() } else { None };
                }
                Some(_) => {
                    let word = self.word()?;
                    words += 1;
                    parts += 1;
                    if words == 1 && !word.quoted && MISPLACED.contains(&word.text.as_str()) {
                        return None;
                    }
                }
            }
        }
        (parts > 0).then_some(())
    }

    /// Reads a function's body, behind its name.
    fn function(&mut self) -> Parsed {
        self.newlines();
        if !self.compound()? {
            return None;
        }
        self.compounds += 1;
        self.redirections()
    }

    fn redirections(&mut self) -> Parsed {
        loop {
            self.blanks();
            if !self.redirection()? {
                return Some(());
            }
        }
    }

    /// Reads a redirection, if one is next.
    fn redirection(&mut self) -> Parsed<bool> {
        let before = self.at;
        if self.take("{") {
            while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                self.at += 1;
            }
            if !(self.take("}") && matches!(self.peek(), Some('<' | '>')) && self.at > before + 2) {
                self.at = before;
                return Some(false);
            }
        } else {
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.at += 1;
            }
        }
        if self.starts("&>") && self.at == before {
            let _ = self.take("&>>") || self.take("&>");
            return self.target();
        }
        if !matches!(self.peek(), Some('<' | '>')) || matches!(self.ahead(1), Some('(')) && self.at == before {
            self.at = before;
            return Some(false);
        }
        if self.take("<<<") {
            return self.target();
        }
        if self.take("<<") {
            let strips = self.take("-");
            self.blanks();
            let tag = self.word()?;
            self.heredocs.push((tag.text, strips));
            return Some(true);
        }
        let operators = ["<>", "<&", ">&", ">>", ">|", "<", ">"];
        if !operators.iter().any(|operator| self.take(operator)) {
            return None;
        }
        self.target()
    }

    fn target(&mut self) -> Parsed<bool> {
        self.blanks();
        self.word().map(|_| true)
    }
}

#[cfg(test)]
mod tests;
