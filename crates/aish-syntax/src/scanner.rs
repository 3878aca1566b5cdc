//! The pass over a text: where it is, what is open, and what was found.

use alloc::string::String;
use alloc::vec::Vec;

use crate::MOST_LEVELS;
use crate::level::{At, Case, Each, Level, Open, Part, Test};
use crate::token::{End, Kind, Role, Scan, Token, Word};

/// A here-document whose lines have not been read.
#[derive(Debug)]
pub(crate) struct Heredoc {
    pub(crate) tag: String,
    pub(crate) strips: bool,
}

pub(crate) struct Scanner<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    /// Where what is between backticks ends, or the text.
    pub(crate) limit: usize,
    /// What is open, never empty while the scan runs.
    pub(crate) levels: Vec<Level>,
    pub(crate) heredocs: Vec<Heredoc>,
    /// Here-documents that were waited for when a backtick was opened.
    pub(crate) heredocs_before: usize,
    pub(crate) is_letter: fn(&str, &str) -> bool,
    /// A quote that does not close, and where its text begins.
    pub(crate) quote: Option<(char, usize)>,
    /// The text ends in a backslash.
    pub(crate) is_continued: bool,
    /// Places where `((` opens two subshells.
    pub(crate) subshells: Vec<usize>,
    /// Levels that are open and stand in words, so that what is in them is no compound command of the text.
    pub(crate) in_words: usize,
    /// Between backticks, where nothing is an error yet.
    pub(crate) in_backticks: bool,
    /// `!`, `time` and `coproc` in a row.
    pub(crate) chain: usize,
    quotes: usize,
    commands: usize,
    scan: Scan,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str, is_letter: fn(&str, &str) -> bool) -> Self {
        let mut scanner = Self {
            text,
            at: 0,
            limit: text.len(),
            levels: Vec::new(),
            heredocs: Vec::new(),
            heredocs_before: 0,
            is_letter,
            quote: None,
            is_continued: false,
            subshells: Vec::new(),
            in_words: 0,
            in_backticks: false,
            chain: 0,
            quotes: 0,
            commands: 0,
            // Most lines have room in these.
            scan: Scan { tokens: Vec::with_capacity(16), words: Vec::with_capacity(8), end: End::default() },
        };
        scanner.open(Open::Text);
        scanner.scan.end.deepest = 0;
        scanner
    }

    pub(crate) fn run(mut self) -> Scan {
        loop {
            if self.at < self.limit {
                if self.levels.len() > MOST_LEVELS {
                    self.give_up();
                } else {
                    self.step();
                }
            } else if self.limit < self.text.len() {
                self.close_backtick();
            } else {
                break;
            }
        }
        self.finish();
        self.scan
    }

    fn step(&mut self) {
        match self.top().open {
            Open::Quote => self.quoted(),
            Open::Parameter => self.parameter(),
            Open::Arithmetic(_) | Open::Subscript | Open::Pattern => self.brackets(),
            Open::Text
            | Open::Subshell
            | Open::Substitution
            | Open::Backtick
            | Open::Group
            | Open::If(_)
            | Open::While(_)
            | Open::Each(_)
            | Open::Case(_)
            | Open::Test(_)
            | Open::Array => self.commands(),
        }
    }

    /// The byte so far ahead; none behind the limit.
    pub(crate) fn byte(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        if at < self.limit { self.text.as_bytes().get(at).copied() } else { None }
    }

    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..self.limit).unwrap_or_default()
    }

    /// Bytes of the character so far ahead; none behind the limit.
    pub(crate) fn width(&self, ahead: usize) -> usize {
        self.text.get(self.at + ahead..self.limit).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    }

    /// Bytes up to the next ASCII byte that ends a run, at least one character.
    pub(crate) fn run_length(&self, ends: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let behind = rest.as_bytes().get(first..).unwrap_or_default();
        first + behind.iter().position(|byte| ends(*byte)).unwrap_or(behind.len())
    }

    #[expect(clippy::indexing_slicing, reason = "the text's own level is never closed")]
    pub(crate) fn top(&self) -> &Level {
        &self.levels[self.levels.len() - 1]
    }

    #[expect(clippy::indexing_slicing, reason = "the text's own level is never closed")]
    pub(crate) fn top_mut(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// Takes bytes as a token, or as more of the last one.
    pub(crate) fn emit(&mut self, kind: Kind, length: usize) {
        let (start, end) = (self.at, (self.at + length).min(self.limit));
        self.at = end;
        if start == end {
            return;
        }
        let word = if matches!(kind, Kind::Blank | Kind::Newline | Kind::Comment | Kind::Heredoc | Kind::Redirection) {
            None
        } else {
            self.top().word.map(|part| part.index)
        };
        let merges = !matches!(kind, Kind::Operator | Kind::Newline | Kind::Substitution | Kind::Quote | Kind::Escaped);
        match self.scan.tokens.last_mut() {
            Some(last) if merges && last.kind == kind && last.word == word => last.end = end,
            _ => self.scan.tokens.push(Token { kind, start, end, word }),
        }
    }

    pub(crate) fn last_kind(&self) -> Option<Kind> {
        self.scan.tokens.last().map(|token| token.kind)
    }

    /// Gives back a word that was taken, as it is the descriptor of a redirection.
    pub(crate) fn take_back(&mut self, part: Part) {
        self.scan.words.truncate(part.index);
        while self.scan.tokens.last().is_some_and(|token| token.start >= part.start) {
            self.scan.tokens.pop();
        }
        self.at = part.start;
        self.top_mut().word = None;
    }

    pub(crate) fn begin_word(&mut self) {
        if self.top().word.is_some() {
            return;
        }
        let (start, index, command) = (self.at, self.scan.words.len(), self.top().command);
        self.scan.words.push(Word { start, end: start, role: Role::Argument, command });
        self.top_mut().word = Some(Part { index, start, is_quoted: false });
    }

    pub(crate) fn quote_word(&mut self) {
        if let Some(part) = &mut self.top_mut().word {
            part.is_quoted = true;
        }
    }

    pub(crate) fn end_word(&mut self) {
        if let Some(part) = self.top_mut().word.take() {
            let end = self.at;
            if let Some(word) = self.scan.words.get_mut(part.index) {
                word.end = end;
            }
            self.word_done(part, self.text.get(part.start..end).unwrap_or_default());
        }
    }

    pub(crate) fn set_role(&mut self, part: Part, role: Role) {
        let command = self.top().command;
        if let Some(word) = self.scan.words.get_mut(part.index) {
            (word.role, word.command) = (role, command);
        }
    }

    /// Opens something at this place.
    pub(crate) fn open(&mut self, open: Open) {
        let word = if open.is_in_word() { self.levels.last().and_then(|level| level.word) } else { None };
        self.levels.push(Level {
            open,
            begin: self.at,
            before: (self.scan.tokens.len(), self.scan.words.len()),
            word,
            at: At::Begin,
            redirect: None,
            is_filled: false,
            is_name: false,
            declares: false,
            brackets: 1,
            command: self.commands,
        });
        self.commands += 1;
        self.quotes += usize::from(open == Open::Quote);
        self.in_words += usize::from(matches!(open, Open::Substitution | Open::Backtick));
        self.note_depth();
    }

    pub(crate) fn note_depth(&mut self) {
        let depth = self.levels.len() - 1 - self.quotes + self.chain;
        self.scan.end.deepest = self.scan.end.deepest.max(depth);
    }

    /// Closes what was opened last.
    pub(crate) fn close(&mut self) {
        if self.levels.len() < 2 {
            return;
        }
        if let Some(level) = self.levels.pop() {
            self.quotes -= usize::from(level.open == Open::Quote);
            self.in_words -= usize::from(matches!(level.open, Open::Substitution | Open::Backtick));
        }
    }

    /// Closes a compound command.
    pub(crate) fn close_command(&mut self) {
        self.close();
        self.scan.end.compounds += usize::from(self.in_words == 0);
        let level = self.top_mut();
        (level.at, level.is_filled) = (At::Closed, true);
    }

    pub(crate) fn count_compound(&mut self) {
        self.scan.end.compounds += usize::from(self.in_words == 0);
    }

    /// Begins a new command in the list.
    pub(crate) fn next_command(&mut self, at: At) {
        let command = self.commands;
        self.commands += 1;
        self.chain = 0;
        let level = self.top_mut();
        (level.at, level.command) = (at, command);
        (level.is_name, level.declares) = (false, false);
        level.redirect = None;
    }

    /// Begins a new list.
    pub(crate) fn next_list(&mut self, open: Open) {
        self.next_command(At::Begin);
        let level = self.top_mut();
        (level.open, level.is_filled) = (open, false);
    }

    pub(crate) fn broken(&mut self) {
        self.scan.end.is_broken |= !self.in_backticks;
    }

    /// Drops what is open above a level, and the words in it end here.
    pub(crate) fn drop_above(&mut self, count: usize) {
        while self.levels.len() > count.max(1) {
            if !self.top().open.is_in_word() {
                self.end_word();
            }
            // A keyword may have closed one.
            if self.levels.len() > count.max(1) {
                self.close();
            }
        }
    }

    /// Goes back to where the last level was opened, as if it had not been.
    pub(crate) fn go_back(&mut self) {
        let Level { begin, before: (tokens, words), .. } = *self.top();
        self.close();
        self.scan.tokens.truncate(tokens);
        self.scan.words.truncate(words);
        self.at = begin;
    }

    fn give_up(&mut self) {
        self.in_backticks = false;
        self.broken();
        self.limit = self.text.len();
        let length = self.limit - self.at;
        self.emit(Kind::Text, length);
    }

    /// Looks at how the text ends. Bash would find a newline there.
    fn finish(&mut self) {
        let mut end = self.scan.end;
        let mut inner = self.levels.iter().rev().take_while(|level| level.open.is_in_word());
        let mark = |level: &Level| if self.text.as_bytes().get(level.begin) == Some(&b'$') { 2 } else { 1 };
        let quote = inner.find(|level| level.open == Open::Quote).map(|level| ('"', level.begin + mark(level)));
        end.quote = self.quote.or(quote);
        if let Some(level) = self.levels.iter().rfind(|level| !level.open.is_in_word()) {
            end.word = level.word.map(|part| part.index);
            end.command = level.command;
            end.is_target = level.redirect.is_some();
            end.is_command = level.open.holds_commands() && !end.is_target && level.at.takes_command();
        }
        let goes_on = self.is_continued || self.quote.is_some();
        if !goes_on && !self.top().open.is_in_word() {
            self.end_word();
            self.newline_done();
        }
        let needs_more = matches!(self.top().at, At::Needed | At::Piped | At::Function | At::FunctionNamed);
        let is_open = self.levels.len() > 1 || needs_more || !self.heredocs.is_empty();
        end.is_broken = self.scan.end.is_broken;
        end.is_unfinished = (goes_on || is_open) && !end.is_broken;
        (end.compounds, end.deepest) = (self.scan.end.compounds, self.scan.end.deepest);
        self.drop_above(1);
        self.end_word();
        self.scan.end = end;
    }

    /// Takes a byte where commands, patterns, tests or the words of an array stand.
    fn commands(&mut self) {
        let Some(byte) = self.byte(0) else { return };
        match byte {
            b' ' | b'\t' => {
                self.end_word();
                let rest = self.rest().bytes();
                self.emit(Kind::Blank, rest.take_while(|byte| matches!(byte, b' ' | b'\t')).count());
            }
            b'\n' => {
                self.end_word();
                self.emit(Kind::Newline, 1);
                self.newline_done();
                self.take_heredocs();
            }
            b'\\' => self.escape(Kind::Escaped),
            b'\'' => self.apostrophe(),
            b'"' => self.double_quote(1),
            b'`' => self.open_backtick(),
            b'$' => self.dollar(),
            b'#' if self.top().word.is_none() => {
                let length = self.rest().find('\n').unwrap_or(self.rest().len());
                self.emit(Kind::Comment, length);
            }
            b'<' | b'>' => self.angle(),
            b'|' | b'&' | b';' => self.operator(),
            b'(' => self.open_parenthesis(),
            b')' => self.close_parenthesis(),
            b'[' if self.may_be_subscript() => {
                self.emit(Kind::Text, 1);
                self.open(Open::Subscript);
            }
            _ => {
                self.begin_word();
                let length = self.run_length(ends_text);
                self.emit(Kind::Text, length);
            }
        }
    }

    /// `name[` where an assignment may stand: bash looks for the closing bracket at once.
    fn may_be_subscript(&self) -> bool {
        let top = self.top();
        let Some(part) = top.word.filter(|part| !part.is_quoted) else { return false };
        let name = self.text.get(part.start..self.at).unwrap_or_default();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let takes = top.open.holds_commands() && top.redirect.is_none() && (top.at.takes_command() || top.declares);
        takes && name.bytes().all(is_name) && !name.starts_with(|letter: char| letter.is_ascii_digit())
    }

    /// Opens a compound command.
    pub(crate) fn open_command(&mut self, open: Open) {
        self.top_mut().is_filled = true;
        self.open(open);
    }
}

/// What ends plain text outside of quotes.
fn ends_text(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\n'
            | b'\\'
            | b'\''
            | b'"'
            | b'`'
            | b'$'
            | b'<'
            | b'>'
            | b'|'
            | b'&'
            | b';'
            | b'('
            | b')'
            | b'['
    )
}

/// `for` and `select`, as they begin.
pub(crate) const EACH: Open = Open::Each(Each::Name);
/// `case`, as it begins.
pub(crate) const CASE: Open = Open::Case(Case::Word);
/// `[[`, as it begins.
pub(crate) const TEST: Open =
    Open::Test(Test { open: 0, words: 0, is_unary: false, is_filled: false, is_regex: false });
