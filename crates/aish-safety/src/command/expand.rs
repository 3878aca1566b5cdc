//! Words: source text to the arguments that a program gets, as far as they are known.
//!
//! Our own and linear: the word grammar of the parser library takes exponential time on brackets that are not closed.

use alloc::string::String;
use alloc::vec::Vec;

use super::braces::Expanded;
use super::budget::{Budget, Work};
use super::span::closing;
use super::walk::Walker;
use super::word::{HOLE, SHORT_LIVED, Stream, Taint, Word, is_numeric};
use super::{braces, escape};

/// The longest text that one word may expand to, in bytes.
const MAX_WORD: usize = 64 * 1024;

/// The deepest nesting of expansions inside one another.
const MAX_UNFOLDING: usize = 96;

/// The most different letters that `IFS` splits at.
const MAX_SEPARATORS: usize = 64;

/// Letters that make a group of a bracket behind them a pattern: `@(a|b)`.
pub(crate) const GROUPS: &[char] = &['@', '!', '+', '?', '*'];

/// Builds fields from the pieces of one word.
#[derive(Default)]
struct Fields {
    done: Vec<Word>,
    current: Word,
    /// True where the current field exists though its text may be empty.
    open: bool,
    /// True where the current field may become several, by what is not known of it.
    loose: bool,
    /// What splits beside blanks: the value of `IFS`, where the line sets it.
    separators: String,
    /// What pays for the text that is put in.
    budget: Budget,
    /// True where the word is read as zsh and fish do, which split no value at blanks.
    unsplit: bool,
    /// True where those shells make other words of it.
    differs: bool,
    /// True where fish makes no word of it at all, for a substitution in it that writes nothing.
    vanishes: bool,
}

impl Fields {
    fn push(&mut self, letter: char, quoted: bool) {
        if !quoted && (matches!(letter, '*' | '?' | '[') || letter == '(' && self.current.text.ends_with(GROUPS)) {
            self.current.glob = true;
        }
        self.loose |= letter == HOLE;
        self.current.text.push(letter);
        self.open = true;
    }

    fn push_quoted(&mut self, text: &str) {
        self.current.text.push_str(text);
        self.open = true;
    }

    fn split(&mut self) {
        if core::mem::take(&mut self.open) {
            self.current.whole = !core::mem::take(&mut self.loose);
            let mut word = core::mem::take(&mut self.current);
            // The program of this name: a bracket by itself stands for nothing else.
            word.glob &= word.text != "[";
            if !self.vanishes {
                self.done.push(word);
            }
        }
    }

    /// Puts in what an expansion gave.
    fn insert(&mut self, word: &Word, quoted: bool) {
        self.current.taint = self.current.taint | word.taint;
        if self.current.text.len() + word.text.len() > MAX_WORD || !self.budget.pay(Work::Scan, word.text.len()) {
            self.push(HOLE, true);
            return;
        }
        if quoted {
            self.push_quoted(&word.text);
            return;
        }
        let is_loose = self.loose;
        let splits = self.separators.contains(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | HOLE));
        for letter in word.text.chars() {
            let separates = matches!(letter, ' ' | '\t' | '\n') || self.separators.contains(letter);
            self.differs |= separates;
            if separates && !self.unsplit {
                let taint = self.current.taint;
                self.split();
                self.current.taint = taint;
            } else {
                self.push(letter, false);
            }
        }
        if !splits && is_numeric(&word.text) && !word.taint.has(Taint::UNSET) {
            // Nothing splits a number, where there is one.
            self.loose = is_loose;
        }
        self.current.glob |= word.glob;
    }
}

impl Walker<'_> {
    /// Expands a word's source into arguments: braces, tilde, variables, substitutions, splitting.
    pub(crate) fn expand(&mut self, source: &str) -> Vec<Word> {
        if is_plain(source) {
            return alloc::vec![Word::literal(source)];
        }
        self.glob_qualifiers(source);
        let expanded = braces::expand(source, &self.budget);
        self.braced |= expanded != Expanded::Same;
        match expanded {
            // It begins a name of a file.
            _ if self.braceless && source.starts_with('{') => self.fields(&alloc::format!("./{source}"), false),
            _ if self.braceless => self.fields(source, false),
            Expanded::Same => self.fields(source, false),
            Expanded::Words(words) => words.iter().flat_map(|word| self.fields(word, false)).collect(),
            // As it stands it may halt; what else it comes to is not known.
            Expanded::TooMany => {
                let mut words = self.fields(source, false);
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
        let mut fields = self.fields(source, true).into_iter();
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
            self.double_quoted(source, &mut fields, true);
        }
        fields.current
    }

    fn fields(&mut self, source: &str, whole: bool) -> Vec<Word> {
        if !self.budget.pay(Work::Scan, source.len().saturating_mul(2)) {
            return alloc::vec![Word::unknown(Taint::NONE)];
        }
        let mut out = Fields {
            separators: self.separators(),
            budget: self.budget.clone(),
            unsplit: self.unsplit,
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
                        out.push(next, true);
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
                '$' => self.dollar(after, &mut out, whole),
                '`' => self.backquoted(after, &mut out, whole),
                '~' if at_start => self.tilde(after, &mut out),
                _ => {
                    out.push(letter, false);
                    after
                }
            };
            at_start = whole && matches!(letter, ':' | '=');
        }
        out.split();
        self.differs |= out.differs;
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
        self.double_quoted(text.get(..end).unwrap_or(text), out, false);
        text.get(end + 1..).unwrap_or_default()
    }

    fn double_quoted(&mut self, text: &str, out: &mut Fields, document: bool) {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let after = rest.get(letter.len_utf8()..).unwrap_or_default();
            rest = match letter {
                '\\' => match after.chars().next() {
                    Some('\n') => after.get(1..).unwrap_or_default(),
                    Some(next @ ('$' | '`' | '\\')) => {
                        out.push(next, true);
                        after.get(1..).unwrap_or_default()
                    }
                    Some('"') if !document => {
                        out.push('"', true);
                        after.get(1..).unwrap_or_default()
                    }
                    _ => {
                        out.push('\\', true);
                        after
                    }
                },
                '$' if after.starts_with('\'') || after.starts_with('"') => {
                    out.push('$', true);
                    after
                }
                '$' => self.dollar(after, out, true),
                '`' => self.backquoted(after, out, true),
                _ => {
                    out.push(letter, true);
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
                out.push('~', true);
                return after;
            }
        }
        after.get(end..).unwrap_or_default()
    }

    /// Puts in one of the folders that the line was in.
    fn push_visited(&self, out: &mut Fields) {
        out.push(HOLE, true);
        out.current.taint = out.current.taint | self.taint_of_visited();
    }

    fn backquoted<'s>(&mut self, after: &'s str, out: &mut Fields, quoted: bool) -> &'s str {
        let mut inside = String::new();
        let mut letters = after.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '`' => {
                    let stream = self.substitute(&inside);
                    out.insert(&substituted(stream), quoted);
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
        out.push(HOLE, true);
        ""
    }

    /// Reads what follows a `$`; returns the rest.
    fn dollar<'s>(&mut self, after: &'s str, out: &mut Fields, quoted: bool) -> &'s str {
        if self.unfolding >= MAX_UNFOLDING {
            self.refuse("", "bounds.nesting", "is nested too deep to be understood");
            out.push(HOLE, true);
            return "";
        }
        self.unfolding += 1;
        let rest = self.unfold(after, out, quoted);
        self.unfolding -= 1;
        rest
    }

    fn unfold<'s>(&mut self, after: &'s str, out: &mut Fields, quoted: bool) -> &'s str {
        let tail = after.get(1..).unwrap_or_default();
        match after.chars().next() {
            Some('(') if tail.starts_with('(') => {
                if let Some(end) = closing(tail, '(', ')', &self.budget)
                    && !tail.get(..end).unwrap_or_default().trim_end().ends_with(')')
                {
                    // `$( (…) … )`: a substitution that begins with a subshell.
                    return self.substitution(tail, out, quoted);
                }
                let inner = tail.get(1..).unwrap_or_default();
                let Some(end) = closing(inner, '(', ')', &self.budget) else {
                    out.push(HOLE, true);
                    return "";
                };
                if !inner.get(end + 1..).is_some_and(|rest| rest.starts_with(')')) {
                    return self.substitution(tail, out, quoted);
                }
                let word = self.arithmetic(inner.get(..end).unwrap_or_default());
                out.insert(&word, quoted);
                inner.get(end + 2..).unwrap_or_default()
            }
            Some('(') => self.substitution(tail, out, quoted),
            Some('[') => {
                let end = closing(tail, '[', ']', &self.budget).unwrap_or(tail.len());
                let inside = tail.get(..end).unwrap_or_default();
                if !quoted {
                    self.old_brackets_of_dash(inside);
                }
                let word = self.arithmetic(inside);
                out.insert(&word, quoted);
                tail.get(end + 1..).unwrap_or_default()
            }
            Some('{') => {
                let Some(end) = closing(tail, '{', '}', &self.budget) else {
                    self.inline_commands(tail.trim_end_matches('}'));
                    out.push(HOLE, true);
                    return "";
                };
                let inside = tail.get(..end).unwrap_or_default();
                match self.inline_commands(inside).or_else(|| self.zsh_parameter(inside)) {
                    Some(word) => {
                        out.insert(&word, quoted);
                        out.loose = true;
                    }
                    None => self.parameter(inside, quoted, out),
                }
                tail.get(end + 1..).unwrap_or_default()
            }
            Some('\'') => {
                let (text, rest) = escape::ansi_c(tail);
                self.terminal(&text);
                out.push_quoted(&text);
                rest
            }
            Some('"') => self.quoted(tail, out),
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
                let end = after
                    .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
                    .unwrap_or(after.len());
                let name = after.get(..end).unwrap_or_default();
                self.parameter(name, quoted, out);
                let rest = after.get(end..).unwrap_or_default();
                self.behind_parameter(name, rest, out);
                rest
            }
            Some(letter) if letter.is_ascii_digit() || "@*#?-$!".contains(letter) => {
                let name = after.get(..1).unwrap_or_default();
                self.parameter(name, quoted, out);
                self.behind_parameter(name, tail, out);
                tail
            }
            _ => {
                out.push('$', true);
                after
            }
        }
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

    fn parameter(&mut self, inside: &str, quoted: bool, out: &mut Fields) {
        let words = self.parameter_words(inside);
        // Behind `!` and in a name that stands for another may be `@`.
        let loose = inside.contains(['@', '!']) && inside != "!" || self.state.refers;
        let every = inside.ends_with("[@]") || inside == "@" || !quoted;
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                if every {
                    out.split();
                } else {
                    out.push(' ', true);
                }
            }
            out.insert(word, quoted);
            out.loose |= loose;
        }
    }

    fn substitution<'s>(&mut self, text: &'s str, out: &mut Fields, quoted: bool) -> &'s str {
        let end = closing(text, '(', ')', &self.budget).or_else(|| text.rfind(')')).unwrap_or(text.len());
        let stream = self.substitute(text.get(..end).unwrap_or_default());
        let word = substituted(stream);
        if word.text.is_empty() && !quoted {
            out.differs = true;
            out.vanishes |= out.unsplit;
        }
        out.insert(&word, quoted);
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
        Some(text) => Word { text: text.trim_end_matches('\n').into(), taint: stream.taint, ..Word::default() },
        None => listed(stream.taint),
    }
}

/// A word of which only the source is known; what is made again anyway stands below a folder for short-lived files.
pub(crate) fn listed(taint: Taint) -> Word {
    let text = if taint.has(Taint::ROUTINE) { String::from(SHORT_LIVED) } else { String::from(HOLE) };
    Word { text, taint, ..Word::default() }
}
