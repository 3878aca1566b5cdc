//! Words: source text to the arguments that a program gets, as far as they are known.
//!
//! Our own and linear: the word grammar of the parser library takes exponential time on brackets that are not closed.

use alloc::string::String;
use alloc::vec::Vec;

use super::braces::Expanded;
use super::budget::{Budget, Work};
use super::fields::{Fields, Splitting};
use super::span::closing;
use super::walk::Walker;
use super::word::{HOLE, SHORT_LIVED, Stream, Taint, Word};
use super::{braces, escape, path};

/// The deepest nesting of expansions inside one another.
const MAX_UNFOLDING: usize = 96;

/// The most different letters that `IFS` splits at.
const MAX_SEPARATORS: usize = 64;

/// What stands around a text in which expansions count, and blanks do not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Quotes,
    /// A here-document, where quotes are letters.
    Document,
}

impl Walker<'_> {
    /// Expands a word's source into arguments: braces, tilde, variables, substitutions, splitting.
    pub(crate) fn expand(&mut self, source: &str) -> Vec<Word> {
        if is_plain(source) {
            return alloc::vec![Word::literal(source)];
        }
        let mut words = self.expanded(source);
        for word in words.iter_mut().filter(|word| word.glob && word.text.contains("[^")) {
            word.text = path::either_way(&word.text);
        }
        words
    }

    fn expanded(&mut self, source: &str) -> Vec<Word> {
        self.glob_qualifiers(source);
        let expanded = braces::expand(source, &self.budget);
        if expanded == Expanded::Same && source.contains("{$") {
            self.fish_braces(source);
        }
        self.otherwise.braces |= expanded != Expanded::Same;
        match expanded {
            // It begins a name of a file.
            _ if self.read_as.braces && source.starts_with('{') => {
                self.fields(&alloc::format!("./{source}"), Splitting::AtBlanks)
            }
            _ if self.read_as.braces => self.fields(source, Splitting::AtBlanks),
            Expanded::Same => self.fields(source, Splitting::AtBlanks),
            Expanded::Words(words) => words.iter().flat_map(|word| self.fields(word, Splitting::AtBlanks)).collect(),
            // As it stands it may halt; what else it comes to is not known.
            Expanded::TooMany => {
                let mut words = self.fields(source, Splitting::AtBlanks);
                words.push(Word::unknown(Taint::NONE));
                words
            }
        }
    }

    /// Expands a word's source into exactly one text, as in an assignment, a redirect or double quotes.
    pub(crate) fn expand_one(&mut self, source: &str) -> Word {
        if is_plain(source) {
            return Word::literal(source);
        }
        self.glob_qualifiers(source);
        let mut fields = self.fields(source, Splitting::Never).into_iter();
        let mut word = fields.next().unwrap_or_default();
        for more in fields {
            word.text.push(' ');
            word.text.push_str(&more.text);
            word.taint = word.taint | more.taint;
        }
        word
    }

    /// Expands the body of a here-document, where quotes are letters.
    pub(crate) fn expand_document(&mut self, source: &str) -> Word {
        let mut fields = Fields { open: true, budget: self.budget.clone(), ..Fields::default() };
        if self.budget.pay(Work::Scan, source.len().saturating_mul(2)) {
            self.double_quoted(source, &mut fields, Around::Document);
        }
        fields.current
    }

    fn fields(&mut self, source: &str, splitting: Splitting) -> Vec<Word> {
        if !self.budget.pay(Work::Scan, source.len().saturating_mul(2)) {
            return alloc::vec![Word::unknown(Taint::NONE)];
        }
        let mut out = Fields {
            separators: self.separators(),
            budget: self.budget.clone(),
            unsplit: self.read_as.split,
            ..Fields::default()
        };
        let mut rest = source;
        let mut at_start = true;
        while let Some(letter) = rest.chars().next() {
            let after = rest.get(letter.len_utf8()..).unwrap_or_default();
            rest = match letter {
                '\\' => match after.chars().next() {
                    Some('\n') => after.get(1..).unwrap_or_default(),
                    Some(next) => {
                        out.push_literal(next);
                        after.get(next.len_utf8()..).unwrap_or_default()
                    }
                    None => after,
                },
                '\'' => {
                    let (inside, tail) = after.split_once('\'').unwrap_or((after, ""));
                    self.fish_quote(inside);
                    out.push_quoted(inside);
                    tail
                }
                '"' => self.quoted(after, &mut out),
                '$' => self.dollar(after, &mut out, splitting),
                '`' => self.backquoted(after, &mut out, splitting),
                '~' if at_start => self.tilde(after, &mut out),
                _ => {
                    out.push(letter);
                    after
                }
            };
            at_start = splitting == Splitting::Never && matches!(letter, ':' | '=');
        }
        out.split();
        self.otherwise.split |= out.differs;
        out.done
    }

    pub(super) fn separators(&self) -> String {
        let value = self.state.variables.get("IFS").and_then(|values| values.first()?.first());
        let mut out = String::new();
        for letter in value.map_or("", |word| word.text.as_str()).chars().take(MAX_SEPARATORS) {
            if !out.contains(letter) {
                out.push(letter);
            }
        }
        out
    }

    /// Reads a double-quoted part whose opening quote is behind; returns what follows it.
    fn quoted<'s>(&mut self, text: &'s str, out: &mut Fields) -> &'s str {
        out.open = true;
        let end = closing_quote(text, &self.budget);
        self.double_quoted(text.get(..end).unwrap_or(text), out, Around::Quotes);
        text.get(end + 1..).unwrap_or_default()
    }

    fn double_quoted(&mut self, text: &str, out: &mut Fields, around: Around) {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let after = rest.get(letter.len_utf8()..).unwrap_or_default();
            rest = match letter {
                '\\' => match after.chars().next() {
                    Some('\n') => after.get(1..).unwrap_or_default(),
                    Some(next @ ('$' | '`' | '\\')) => {
                        out.push_literal(next);
                        after.get(1..).unwrap_or_default()
                    }
                    Some('"') if around == Around::Quotes => {
                        out.push_literal('"');
                        after.get(1..).unwrap_or_default()
                    }
                    _ => {
                        out.push_literal('\\');
                        after
                    }
                },
                '$' if after.starts_with('\'') || after.starts_with('"') => {
                    out.push_literal('$');
                    after
                }
                '$' => self.dollar(after, out, Splitting::Never),
                '`' => self.backquoted(after, out, Splitting::Never),
                _ => {
                    out.push_literal(letter);
                    after
                }
            };
        }
    }

    fn tilde<'s>(&mut self, after: &'s str, out: &mut Fields) -> &'s str {
        let end = after.find(['/', ':']).unwrap_or(after.len());
        let name = after.get(..end).unwrap_or_default();
        match name {
            "" => out.push_quoted("~"),
            "+" => {
                let folder = self.folder_text();
                out.push_quoted(&folder);
            }
            "-" => self.push_visited(out),
            _ if is_of_stack(name) => self.push_visited(out),
            _ if name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.')) => {
                out.push_quoted("~");
                out.push_quoted(name);
            }
            _ => {
                out.push_literal('~');
                return after;
            }
        }
        after.get(end..).unwrap_or_default()
    }

    /// Puts in one of the folders that the line was in.
    fn push_visited(&self, out: &mut Fields) {
        out.push_literal(HOLE);
        out.current.taint = out.current.taint | self.taint_of_visited();
    }

    fn backquoted<'s>(&mut self, after: &'s str, out: &mut Fields, splitting: Splitting) -> &'s str {
        let mut inside = String::new();
        let mut letters = after.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '`' => {
                    let stream = self.substitute(&inside);
                    out.insert(&substituted(stream), splitting);
                    return after.get(at + 1..).unwrap_or_default();
                }
                '\\' => match letters.next() {
                    Some((_, next @ ('`' | '\\' | '$'))) => inside.push(next),
                    Some((_, next)) => {
                        inside.push('\\');
                        inside.push(next);
                    }
                    None => {}
                },
                _ => inside.push(letter),
            }
        }
        out.push_literal(HOLE);
        ""
    }

    /// Reads what follows a `$`; returns the rest.
    fn dollar<'s>(&mut self, after: &'s str, out: &mut Fields, splitting: Splitting) -> &'s str {
        if self.unfolding >= MAX_UNFOLDING {
            self.refuse("", "bounds.nesting", "is nested too deep to be understood");
            out.push_literal(HOLE);
            return "";
        }
        self.unfolding += 1;
        let rest = self.unfold(after, out, splitting);
        self.unfolding -= 1;
        rest
    }

    /// Notes that a word is another one where `$` before a quote is a letter.
    fn other_quotes(&mut self, out: &mut Fields) {
        self.otherwise.quotes = true;
        out.current.taint = out.current.taint | Taint::QUOTED;
    }

    fn unfold<'s>(&mut self, after: &'s str, out: &mut Fields, splitting: Splitting) -> &'s str {
        let tail = after.get(1..).unwrap_or_default();
        match after.chars().next() {
            Some('(') if tail.starts_with('(') => self.arithmetic_or_substitution(tail, out, splitting),
            Some('(') => self.substitution(tail, out, splitting),
            Some('[') => self.old_brackets(tail, out, splitting),
            Some('{') => self.braced(tail, out, splitting),
            Some('\'' | '"') if self.read_as.quotes => {
                out.push_literal('$');
                after
            }
            Some('\'') => {
                self.other_quotes(out);
                let (text, rest) = escape::ansi_c(tail);
                self.terminal(&text);
                out.push_quoted(&text);
                rest
            }
            Some('"') => {
                self.other_quotes(out);
                self.quoted(tail, out)
            }
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
                let end = after.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
                self.plain_parameter(after, end.unwrap_or(after.len()), out, splitting)
            }
            Some(letter) if letter.is_ascii_digit() || "@*#?-$!".contains(letter) => {
                self.plain_parameter(after, 1, out, splitting)
            }
            _ => {
                out.push_literal('$');
                after
            }
        }
    }

    /// Reads `$[…]` behind its bracket: a sum.
    fn old_brackets<'s>(&mut self, tail: &'s str, out: &mut Fields, splitting: Splitting) -> &'s str {
        let end = closing(tail, '[', ']', &self.budget).unwrap_or(tail.len());
        let inside = tail.get(..end).unwrap_or_default();
        self.old_brackets_of_dash(inside);
        let word = self.arithmetic(inside);
        out.insert(&word, splitting);
        tail.get(end + 1..).unwrap_or_default()
    }

    /// Reads `${…}` behind its bracket.
    fn braced<'s>(&mut self, tail: &'s str, out: &mut Fields, splitting: Splitting) -> &'s str {
        let Some(end) = closing(tail, '{', '}', &self.budget) else {
            self.inline_commands(tail.trim_end_matches('}'));
            out.push_literal(HOLE);
            return "";
        };
        let inside = tail.get(..end).unwrap_or_default();
        match self.inline_commands(inside).or_else(|| self.zsh_parameter(inside)) {
            Some(word) => {
                out.insert(&word, splitting);
                out.loose = true;
            }
            None => self.parameter(inside, splitting, out),
        }
        tail.get(end + 1..).unwrap_or_default()
    }

    /// Reads a parameter without brackets, whose name ends at a place.
    fn plain_parameter<'s>(&mut self, after: &'s str, end: usize, out: &mut Fields, splitting: Splitting) -> &'s str {
        let (name, rest) = after.split_at_checked(end).unwrap_or((after, ""));
        self.parameter(name, splitting, out);
        self.behind_parameter(name, rest, out);
        rest
    }

    /// Reads `$((…))`, or `$((…) …)`, behind its first bracket.
    fn arithmetic_or_substitution<'s>(&mut self, tail: &'s str, out: &mut Fields, splitting: Splitting) -> &'s str {
        if let Some(end) = closing(tail, '(', ')', &self.budget)
            && !tail.get(..end).unwrap_or_default().trim_end().ends_with(')')
        {
            // `$( (…) … )`: a substitution that begins with a subshell.
            return self.substitution(tail, out, splitting);
        }
        let inner = tail.get(1..).unwrap_or_default();
        let Some(end) = closing(inner, '(', ')', &self.budget) else {
            out.push_literal(HOLE);
            return "";
        };
        if !inner.get(end + 1..).is_some_and(|rest| rest.starts_with(')')) {
            return self.substitution(tail, out, splitting);
        }
        let word = self.arithmetic(inner.get(..end).unwrap_or_default());
        out.insert(&word, splitting);
        inner.get(end + 2..).unwrap_or_default()
    }

    /// Follows what zsh takes behind a parameter without brackets: an index, and changes such as `:t` and `:s/a/b/`.
    fn behind_parameter(&mut self, name: &str, rest: &str, out: &mut Fields) {
        self.zsh_index(name, rest);
        let is_indexed = rest.starts_with('[');
        // `[@]` makes several arguments, in quotes too.
        out.loose |= is_indexed;
        let changes =
            rest.strip_prefix(':').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_alphabetic()));
        if is_indexed || changes {
            out.current.taint = out.current.taint | Taint::GUESSED;
        }
    }

    fn parameter(&mut self, inside: &str, splitting: Splitting, out: &mut Fields) {
        let words = self.parameter_words(inside);
        let is_unset = |word: &Word| word.taint.has(Taint::UNSET) || word.text.is_empty();
        if splitting == Splitting::AtBlanks && (words.is_empty() || words.iter().any(is_unset)) {
            self.otherwise.vanishes = true;
            out.vanishes |= self.read_as.vanishes;
        }
        // Behind `!` and in a name that stands for another may be `@`.
        let loose = inside.contains(['@', '!']) && inside != "!" || self.state.refers;
        let every = inside.ends_with("[@]") || inside == "@" || splitting == Splitting::AtBlanks;
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                if every {
                    out.split();
                } else {
                    out.push_literal(' ');
                }
            }
            out.insert(word, splitting);
            out.loose |= loose;
            if splitting == Splitting::AtBlanks && inside.ends_with("PATH") && word.text.contains(':') {
                // A list to fish, whose elements are between the colons.
                out.current.taint = out.current.taint | Taint::GUESSED;
                out.loose = true;
            }
        }
    }

    fn substitution<'s>(&mut self, text: &'s str, out: &mut Fields, splitting: Splitting) -> &'s str {
        let end = closing(text, '(', ')', &self.budget).or_else(|| text.rfind(')')).unwrap_or(text.len());
        let stream = self.substitute(text.get(..end).unwrap_or_default());
        let word = substituted(stream);
        if word.text.is_empty() && splitting == Splitting::AtBlanks {
            out.differs = true;
            out.vanishes |= out.unsplit;
        }
        out.insert(&word, splitting);
        text.get(end + 1..).unwrap_or_default()
    }
}

/// Says whether a source text is its own expansion.
fn is_plain(source: &str) -> bool {
    !source.is_empty() && !source.bytes().any(|byte| b"\\'\"$`~*?[{(".contains(&byte))
}

/// Says whether a name behind a tilde is that of a folder on the stack: `~2`, `~+1`.
fn is_of_stack(name: &str) -> bool {
    let number = name.strip_prefix(['+', '-']).unwrap_or(name);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Finds the closing double quote, past substitutions inside.
fn closing_quote(text: &str, budget: &Budget) -> usize {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '"' => return at,
            '$' => {
                let after = text.get(at + 1..).unwrap_or_default();
                let (open, close) = match after.chars().next() {
                    Some('(') => ('(', ')'),
                    Some('{') => ('{', '}'),
                    _ => continue,
                };
                if let Some(length) = closing(after.get(1..).unwrap_or_default(), open, close, budget) {
                    let end = at + 2 + length;
                    while letters.clone().next().is_some_and(|(next, _)| next <= end) {
                        letters.next();
                    }
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Turns a substitution's output into a word: line ends at the end are cut.
pub(crate) fn substituted(stream: Stream) -> Word {
    match stream.text {
        Some(text) if text.is_empty() && stream.taint.has(Taint::ASSUMED) => listed(stream.taint),
        Some(text) => Word { text: text.trim_end_matches('\n').into(), taint: stream.taint, ..Word::default() },
        None => listed(stream.taint),
    }
}

/// A word of which only the source is known; what is made again anyway stands below a folder for short-lived files.
pub(crate) fn listed(taint: Taint) -> Word {
    let text = if taint.has(Taint::ROUTINE) { String::from(SHORT_LIVED) } else { String::from(HOLE) };
    Word { text, taint, ..Word::default() }
}
