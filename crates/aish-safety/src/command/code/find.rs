//! Calls in general code, with their string arguments.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use aish_programs::words::calls;

use super::super::budget::{Budget, Work};
use super::literal;

/// What two strings side by side are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// One string.
    Joined,
    /// Two arguments.
    Apart,
}

/// One call found in code.
pub(super) struct Call {
    /// The last part of the callee: `rmtree` of `shutil.rmtree`.
    pub(super) name: String,
    /// The string literals among its arguments, in order; those that are added together as one.
    pub(super) strings: Vec<String>,
    /// The source of its arguments.
    pub(super) source: String,
    /// True where an argument is not a literal.
    pub(super) open: bool,
}

impl Call {
    /// Makes a call with one string for its only argument.
    fn of(name: &str, string: String) -> Self {
        Self { name: name.into(), strings: vec![string], source: String::new(), open: false }
    }
}

/// The most bytes of arguments without brackets that are read for one text; it has half as many.
const MAX_UNBRACKETED: usize = 131_072;

/// Finds calls: `name(…)`, `name "…"`, backticks, `qx{…}`, `%x(…)`.
pub(super) fn find(text: &str, beside: Beside, budget: &Budget) -> Vec<Call> {
    let mut finder =
        Finder { text, beside, budget, calls: Vec::new(), name: String::new(), at: 0, left: MAX_UNBRACKETED };
    while let Some(rest) = text.get(finder.at..).filter(|rest| !rest.is_empty() && !budget.is_spent()) {
        finder.step(rest);
    }
    finder.calls
}

/// Goes through code and keeps the calls in it.
struct Finder<'t> {
    text: &'t str,
    beside: Beside,
    budget: &'t Budget,
    calls: Vec<Call>,
    /// The name that ends where it is.
    name: String,
    /// Where it is in the text.
    at: usize,
    /// Arguments without brackets may hold other such calls, and so on.
    left: usize,
}

impl Finder<'_> {
    /// Reads what `rest` begins with.
    fn step(&mut self, rest: &str) {
        let letter = rest.chars().next().unwrap_or(' ');
        let starred = letter == '*' && self.beside == Beside::Apart && !self.name.is_empty();
        if letter.is_alphanumeric() || matches!(letter, '_' | '!' | '$') || starred {
            self.name.push(letter);
            self.at += letter.len_utf8();
            return;
        }
        match letter {
            '[' if rest.starts_with("[[") && is_listed(&self.name) => self.long_string(rest),
            '(' | '{' | '[' | '<' | '/' if self.runs_what_it_brackets() => {
                self.command(literal::bracketed(rest, self.budget));
            }
            '(' => self.bracket(rest),
            // A template of JavaScript and a command of the others look alike.
            '`' => self.command(literal::read(rest, self.budget)),
            '\'' | '"' => self.string(rest),
            ' ' | '\t' if !self.name.is_empty() => self.unbracketed(rest),
            _ => self.at += letter.len_utf8(),
        }
        self.name.clear();
    }

    /// Says whether the name is an operator whose brackets hold a command: `qx{…}` of Perl, `%x(…)` of Ruby.
    fn runs_what_it_brackets(&self) -> bool {
        matches!(self.name.as_str(), "qx" | "x")
    }

    /// Keeps a call whose argument is a long string of Lua.
    fn long_string(&mut self, rest: &str) {
        let inside = rest.get(2..).unwrap_or_default();
        let end = inside.find("]]").unwrap_or(inside.len());
        self.calls.push(Call::of(&self.name, inside.get(..end).unwrap_or_default().to_string()));
        self.at += 2 + end;
    }

    /// Keeps a literal of so many bytes that is run as a command, where there is one.
    fn command(&mut self, read: Option<(String, usize)>) {
        let Some((value, length)) = read else {
            self.at += 1;
            return;
        };
        self.calls.push(Call::of("system", value));
        self.at += length;
    }

    /// Keeps the call of the name before a bracket.
    fn bracket(&mut self, rest: &str) {
        let inside = rest.get(1..).unwrap_or_default();
        if !self.name.is_empty() && self.calls.len() < 2_000 {
            let end = close(inside, self.budget);
            self.keep(inside.get(..end).unwrap_or_default());
        }
        self.at += 1;
    }

    /// Goes past a string, and keeps it where it runs itself.
    fn string(&mut self, rest: &str) {
        let read = literal::read(rest, self.budget);
        self.at += read.as_ref().map_or(1, |(_, length)| *length);
        if let Some((value, length)) = read
            && runs_itself(rest.get(length..).unwrap_or_default())
        {
            self.calls.push(Call::of("system", value));
        }
    }

    /// Keeps the call of the name before blanks, where arguments without brackets stand behind them.
    fn unbracketed(&mut self, rest: &str) {
        let after = rest.trim_start_matches([' ', '\t']);
        whole_name(&mut self.name, self.text.get(..self.at).unwrap_or_default());
        if after.starts_with(['\'', '"', '[', '~']) && is_listed(&self.name) {
            self.keep_up_to(after, &[';', '\n']);
        } else if self.runs_what_it_brackets()
            && let Some((value, _)) = literal::bracketed(after, self.budget)
        {
            self.calls.push(Call::of("system", value));
        } else if is_listed(&self.name)
            && after.starts_with(|letter: char| letter == '$' || letter == '<' || letter.is_alphabetic())
        {
            // `exec q{…}` holds brackets of its own.
            self.keep_up_to(after, if after.starts_with('q') { &[';', '\n'] } else { &[';', '\n', '}'] });
        }
        self.at += rest.len() - after.len();
    }

    /// Keeps the call of the name with the arguments up to one of these letters.
    fn keep_up_to(&mut self, after: &str, ends: &[char]) {
        let end = end_of_arguments(after, ends, (self.beside, self.left), self.budget);
        self.left -= end;
        self.keep(after.get(..end).unwrap_or_default());
    }

    /// Keeps the call of the name with these arguments.
    fn keep(&mut self, arguments: &str) {
        self.calls.push(call(&self.name, arguments, self.beside, self.budget));
    }
}

/// Says whether a string that is followed by this runs as a command: `"…".execute()` of Groovy, `"…".!` of Scala.
fn runs_itself(after: &str) -> bool {
    [".execute(", ".!", ".lineStream", ".lazyLines"].iter().any(|suffix| after.starts_with(suffix))
}

/// Finishes names that are written with `-` or in several words.
fn whole_name(name: &mut String, before: &str) {
    let is_last = |whole: &str| whole.rsplit(['-', ' ']).next() == Some(name.as_str());
    let found = calls::STANDS_FOR.iter().find(|(whole, _)| before.ends_with(whole) && is_last(whole));
    if let Some((_, meaning)) = found {
        name.clear();
        name.push_str(meaning);
    }
}

fn is_listed(name: &str) -> bool {
    name == "open"
        || [calls::RUN, calls::DELETE, calls::DELETE_TREE, calls::QUERY, calls::EVALUATE]
            .iter()
            .any(|table| table.contains(&name))
}

/// Finds where arguments without brackets of their own end, at most 4,096 bytes on, or as many as are left to be read;
/// those of a Lisp end with the bracket around the call.
fn end_of_arguments(after: &str, ends: &[char], (beside, left): (Beside, usize), budget: &Budget) -> usize {
    if beside == Beside::Apart {
        return close(after, budget).min(left);
    }
    let mut most = after.len().min(4_096).min(left);
    while !after.is_char_boundary(most) {
        most -= 1;
    }
    let end = after.get(..most).and_then(|near| near.find(ends)).unwrap_or(most);
    // Where it cannot be paid for, nothing more is understood of the line.
    if budget.pay(Work::Close, end) { end } else { 0 }
}

/// Finds the bracket that closes a call, past string literals; at most 4,096 bytes on.
fn close(inside: &str, budget: &Budget) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = inside.get(at..).filter(|rest| !rest.is_empty() && at < 4_096) {
        if !budget.pay(Work::Close, 1) {
            break;
        }
        let letter = rest.chars().next().unwrap_or(' ');
        match letter {
            '\'' | '"' | '`' => {
                at += literal::read(rest, budget).map_or(1, |(_, length)| length);
                continue;
            }
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
        at += letter.len_utf8();
    }
    at.min(inside.len())
}

fn call(name: &str, source: &str, beside: Beside, budget: &Budget) -> Call {
    let mut strings: Vec<String> = Vec::new();
    let mut between = String::new();
    let mut open = false;
    let mut at = 0;
    // Calls in calls are read again for each of them.
    if !budget.pay(Work::Scan, source.len().saturating_mul(4)) {
        return Call { name: name.into(), strings, source: String::new(), open: true };
    }
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap_or(' ');
        if matches!(letter, '\'' | '"' | '`')
            && let Some((value, length)) = literal::read(rest, budget)
        {
            let glue = between.trim();
            match strings.last_mut() {
                Some(last)
                    if glue.is_empty() && !between.is_empty() && beside == Beside::Joined
                        || matches!(glue, "+" | "." | ".." | "<>" | "++" | "&") =>
                {
                    last.push_str(&value);
                }
                _ => strings.push(value),
            }
            between.clear();
            at += length;
            continue;
        }
        // `q{…}` and `qq{…}` of Perl, `%q(…)` of Ruby.
        let bracket = matches!(letter, '{' | '(' | '[' | '<' | '/' | '|' | '!' | '#');
        // Long names are none of these, and are not looked through again for each bracket.
        let near = between.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
        let near = between.get(near..).filter(|_| bracket).unwrap_or_default();
        let opener = near.rsplit([' ', ',', '*', '(']).next().unwrap_or_default().trim_start_matches('%');
        let quoting = matches!(opener, "q" | "qq" | "Q" | "qw" | "w" | "W");
        if quoting && let Some((value, length)) = literal::bracketed(rest, budget) {
            if matches!(opener, "qw" | "w" | "W") {
                strings.extend(value.split_whitespace().map(String::from));
            } else {
                strings.push(value);
            }
            open = false;
            between.clear();
            at += length;
            continue;
        }
        open |= letter.is_alphanumeric() || letter == '$';
        between.push(letter);
        at += letter.len_utf8();
    }
    Call { name: name.into(), strings, source: source.chars().take(400).collect(), open }
}
