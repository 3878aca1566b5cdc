//! Whether the shell would read on: open quotes, open blocks, a line that ends in an operator.
//!
//! One pass with a stack of what is open; what bash says of the same text is the test's oracle.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

/// Says whether a shell line is unfinished, so that the editor opens another line. Linear in the text's length.
pub fn is_unfinished(text: &str) -> bool {
    let mut scan = Scan { chars: text.chars().collect(), at_start: true, ..Scan::default() };
    scan.run();
    scan.reads_on()
}

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `"`
    Quote,
    /// A backtick.
    Backtick,
    /// `(` of a subshell, an array, a substitution.
    Paren,
    /// `((` and `$((`: no comments, no here-documents.
    Arithmetic,
    /// `${`
    Parameter,
    /// `[[`
    Test,
    /// A pattern's `(` in a `case` or an extended glob.
    Pattern,
    If,
    Loop,
    /// `case` before its `in`, and while patterns are expected or a branch runs.
    Case,
    Brace,
    /// `f()` or `function f` whose body has not begun.
    Body,
}

#[derive(Default)]
struct Scan {
    chars: Vec<char>,
    at: usize,
    open: Vec<Open>,
    /// The word that is being read, and whether some of it was quoted.
    word: String,
    quoted: bool,
    /// A command may start here, so that keywords count.
    at_start: bool,
    /// The next word names a function.
    names_function: bool,
    /// The line so far ends in `|`, `&&`, `||`.
    joined: bool,
    /// A quote or a continuation was open at the end.
    cut: bool,
    waiting_for_tag: Option<bool>,
    heredocs: VecDeque<(String, bool)>,
}

impl Scan {
    fn reads_on(&self) -> bool {
        self.cut || self.joined || !self.open.is_empty() || !self.heredocs.is_empty()
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn in_quote(&self) -> bool {
        self.open.last() == Some(&Open::Quote)
    }

    /// Inside `${…}` or arithmetic operators and keywords are plain text.
    fn is_inert(&self) -> bool {
        matches!(self.open.last(), Some(Open::Parameter | Open::Arithmetic | Open::Quote))
    }

    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            self.step(c);
        }
        self.end_word();
    }

    fn step(&mut self, c: char) {
        match c {
            '\\' => self.escape(),
            '"' => self.double_quote(),
            '`' => self.toggle(Open::Backtick),
            '$' => self.dollar(),
            _ if self.in_quote() => self.word.push(c),
            '\'' => self.single_quote(false),
            '}' if self.open.last() == Some(&Open::Parameter) => self.close(),
            _ if self.open.last() == Some(&Open::Arithmetic) => self.arithmetic(c),
            _ if self.is_inert() => self.word.push(c),
            '#' if self.word.is_empty() && !self.quoted => self.comment(),
            '(' => self.parenthesis(),
            ')' => self.closing(),
            '<' | '>' => self.redirection(c),
            '|' | '&' | ';' => self.operator(c),
            '\n' => self.line_end(),
            c if c.is_whitespace() => self.end_word(),
            c => self.word.push(c),
        }
    }

    fn escape(&mut self) {
        if self.peek(0).is_none() {
            self.cut = true;
        }
        if let Some(next) = self.peek(0).filter(|&next| next != '\n') {
            self.quoted = true;
            self.word.push(next);
        }
        self.at += 1;
    }

    fn toggle(&mut self, open: Open) {
        self.quoted = true;
        if self.open.contains(&open) {
            // What was left open inside is closed with it, as it is for bash.
            while let Some(last) = self.open.pop() {
                if last == open {
                    break;
                }
            }
        } else {
            self.open.push(open);
            self.at_start = open == Open::Backtick;
        }
    }

    fn double_quote(&mut self) {
        self.quoted = true;
        if self.in_quote() {
            self.open.pop();
        } else {
            self.open.push(Open::Quote);
        }
    }

    /// Up to the next `'`; in `$'…'` a backslash escapes.
    fn single_quote(&mut self, escapes: bool) {
        self.quoted = true;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' => return,
                '\\' if escapes => self.at += 1,
                c => self.word.push(c),
            }
        }
        self.cut = true;
    }

    fn dollar(&mut self) {
        self.word.push('$');
        match (self.peek(0), self.peek(1)) {
            (Some('('), Some('(')) => {
                self.at += 2;
                self.open.push(Open::Arithmetic);
            }
            (Some('('), _) => {
                self.at += 1;
                self.begin(Open::Paren);
            }
            (Some('{'), _) => {
                self.at += 1;
                self.open.push(Open::Parameter);
            }
            (Some('\''), _) if !self.in_quote() => {
                self.at += 1;
                self.single_quote(true);
            }
            (Some('#' | '$'), _) => self.at += 1,
            _ => {}
        }
    }

    /// Opens something that holds commands.
    fn begin(&mut self, open: Open) {
        self.word.clear();
        self.quoted = false;
        self.open.push(open);
        self.at_start = true;
        self.joined = false;
    }

    fn close(&mut self) {
        self.open.pop();
        self.quoted = true;
    }

    fn arithmetic(&mut self, c: char) {
        match c {
            '(' => self.open.push(Open::Pattern),
            ')' if self.peek(0) == Some(')') => {
                self.at += 1;
                self.close();
                self.at_start = false;
            }
            _ => {}
        }
    }

    fn comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn parenthesis(&mut self) {
        let glob = self.word.ends_with(['@', '!', '?', '*', '+']) && self.open.last() != Some(&Open::Test);
        let assigns = self.word.ends_with('=');
        if self.open.last() == Some(&Open::Pattern) || glob || assigns || self.open.last() == Some(&Open::Test) {
            self.open.push(Open::Pattern);
            self.quoted = true;
        } else if !self.word.is_empty() && self.peek(0) == Some(')') {
            self.at += 1;
            self.word.clear();
            self.names_function = false;
            if self.open.last() != Some(&Open::Body) {
                self.open.push(Open::Body);
            }
            self.at_start = true;
        } else if self.peek(0) == Some('(') && self.at_start && self.word.is_empty() {
            self.at += 1;
            self.take_body();
            self.open.push(Open::Arithmetic);
        } else if self.open.last() == Some(&Open::Case) && self.at_start {
            // The optional parenthesis before a pattern.
            self.word.clear();
        } else {
            self.end_word();
            self.take_body();
            self.begin(Open::Paren);
        }
    }

    fn closing(&mut self) {
        if self.word == "esac" {
            self.end_word();
        }
        let in_case = self.open.last() == Some(&Open::Case);
        if self.open.last() == Some(&Open::Pattern) {
            self.open.pop();
            return;
        }
        if in_case {
            // The end of a branch's pattern.
            self.word.clear();
            self.quoted = false;
            self.at_start = true;
            return;
        }
        self.end_word();
        if self.open.last() == Some(&Open::Paren) {
            self.open.pop();
            // It may go on a word in a quote: `"$(x)y"`.
            self.quoted = true;
        }
        self.joined = false;
        self.at_start = false;
    }

    fn redirection(&mut self, c: char) {
        self.end_word();
        if self.open.last() == Some(&Open::Test) {
            return;
        }
        if self.peek(0) == Some('(') {
            self.at += 1;
            return self.begin(Open::Paren);
        }
        if c == '<' && self.peek(0) == Some('<') {
            self.at += 1;
            if self.peek(0) == Some('<') {
                self.at += 1;
                return;
            }
            let strips = self.peek(0) == Some('-');
            self.at += usize::from(strips);
            self.waiting_for_tag = Some(strips);
        } else if matches!(self.peek(0), Some('&' | '|' | '>')) {
            self.at += 1;
        }
    }

    fn operator(&mut self, c: char) {
        self.end_word();
        if self.open.last() == Some(&Open::Pattern) {
            return;
        }
        if c == '&' && self.peek(0) == Some('>') {
            return;
        }
        let doubled = self.peek(0) == Some(c);
        self.at +=
            usize::from(doubled || c == '|' && self.peek(0) == Some('&') || c == ';' && self.peek(0) == Some('&'));
        self.joined = c == '|' || c == '&' && doubled;
        self.at_start = true;
    }

    fn line_end(&mut self) {
        self.end_word();
        if !matches!(self.open.last(), Some(Open::Pattern | Open::Test)) {
            self.at_start = true;
        }
        while let Some((tag, strips)) = self.heredocs.front() {
            if self.peek(0).is_none() {
                return;
            }
            let line: String = self.chars.iter().skip(self.at).take_while(|&&c| c != '\n').collect();
            self.at += line.chars().count();
            let ends = if *strips { line.trim_start_matches('\t') == tag } else { line == *tag };
            if ends {
                self.heredocs.pop_front();
            }
            if self.peek(0) == Some('\n') && (!ends || !self.heredocs.is_empty()) {
                self.at += 1;
            }
        }
    }

    /// A body of a function has begun.
    fn take_body(&mut self) {
        if self.open.last() == Some(&Open::Body) {
            self.open.pop();
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() && !self.quoted {
            return;
        }
        let word = core::mem::take(&mut self.word);
        let quoted = core::mem::take(&mut self.quoted);
        self.joined = false;
        if let Some(strips) = self.waiting_for_tag.take() {
            self.heredocs.push_back((word, strips));
            return;
        }
        if core::mem::take(&mut self.names_function) {
            self.open.push(Open::Body);
            self.at_start = true;
            return;
        }
        if word == "]]" && self.open.last() == Some(&Open::Test) {
            self.open.pop();
            return;
        }
        if quoted || !self.at_start {
            return;
        }
        self.keyword(&word);
    }

    /// A word where a command starts.
    fn keyword(&mut self, word: &str) {
        let opened = match word {
            "if" => Some(Open::If),
            "for" | "select" | "while" | "until" => Some(Open::Loop),
            "case" => Some(Open::Case),
            "{" => Some(Open::Brace),
            "[[" => Some(Open::Test),
            _ => None,
        };
        if let Some(opened) = opened {
            self.take_body();
            self.open.push(opened);
            self.at_start = matches!(word, "if" | "while" | "until" | "{");
            return;
        }
        let closed = match word {
            "fi" => Some(Open::If),
            "done" => Some(Open::Loop),
            "esac" => Some(Open::Case),
            "}" => Some(Open::Brace),
            _ => None,
        };
        if closed.is_some() && self.open.last().copied() == closed {
            self.open.pop();
            self.at_start = false;
            return;
        }
        self.names_function = word == "function";
        self.at_start = matches!(word, "then" | "do" | "else" | "elif" | "!" | "time" | "coproc");
    }
}
