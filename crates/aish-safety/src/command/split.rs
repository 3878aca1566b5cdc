//! A wrapper's arguments, split where its table entry says.

use alloc::vec::Vec;

use aish_program_format::tables::List;
use aish_program_format::{Form, Language, Tables, Wrapper};

use super::word::Word;

/// A wrapper's arguments, split where the table says.
pub(crate) struct Split<'w> {
    /// Options with their values: the value, where there is one.
    pub(crate) options: Vec<(&'w str, Option<Word>)>,
    /// Where the operands begin among the arguments, and each operand's place.
    pub(crate) operands: Vec<usize>,
}

/// Checks the sub-commands behind which a wrapper stands; returns the arguments behind them.
pub(crate) fn behind<'w>(tables: &Tables, after: List, arguments: &'w [Word]) -> Option<&'w [Word]> {
    let mut rest = arguments;
    for part in tables.texts(after) {
        let mut loose = false;
        loop {
            let (word, tail) = rest.split_first()?;
            rest = tail;
            if word.text == part {
                break;
            }
            if word.text.starts_with('-') && word.text.len() > 1 {
                loose = !word.text.contains('=');
            } else if loose {
                loose = false;
            } else {
                return None;
            }
        }
    }
    Some(rest)
}

/// Splits a wrapper's arguments; stops after `most` operands.
pub(crate) fn split<'w>(wrapper: Wrapper<'w>, arguments: &'w [Word], most: usize) -> Split<'w> {
    // Only what starts a program takes assignments before it; elsewhere `x=…` is text like any other.
    let assigns = wrapper.forms().iter().any(|form| matches!(form, Form::Program { .. } | Form::StdinArguments))
        && !wrapper.forms().iter().any(|form| matches!(form, Form::Text { .. }));
    let out = Split { options: Vec::new(), operands: Vec::new() };
    let mut splitter = Splitter { wrapper, arguments, at: 0, out };
    let mut ended = false;
    while let Some(word) = arguments.get(splitter.at) {
        let text = word.text.as_str();
        let at = splitter.at;
        splitter.at += 1;
        if ended || text == "-" || !text.starts_with('-') {
            let operands = &mut splitter.out.operands;
            if assigns && is_assignment(text) && operands.is_empty() {
                continue;
            }
            operands.push(at);
            if operands.len() >= most {
                break;
            }
        } else if text == "--" {
            ended = true;
        } else {
            splitter.take_option(word);
        }
    }
    splitter.out
}

/// A wrapper's arguments while they are split.
struct Splitter<'w> {
    wrapper: Wrapper<'w>,
    arguments: &'w [Word],
    /// The place of the next argument.
    at: usize,
    out: Split<'w>,
}

impl<'w> Splitter<'w> {
    /// Takes an argument that begins with a dash, and its value where that stands behind it.
    fn take_option(&mut self, word: &'w Word) {
        let text = word.text.as_str();
        if let Some((option, value)) = text.split_once('=')
            && text.starts_with("--")
        {
            self.out.options.push((option, Some(part(word, value))));
        } else if self.wrapper.words().any(|known| known == text) {
            self.out.options.push((text, None));
        } else if self.wrapper.takes().any(|known| known == text) {
            self.out.options.push((text, self.arguments.get(self.at).cloned()));
            self.at += 1;
        } else if text.starts_with("--") {
            self.out.options.push((text, None));
        } else {
            self.take_cluster(word);
        }
    }

    /// Takes a cluster: each letter an option, the last with a value perhaps behind it.
    fn take_cluster(&mut self, word: &'w Word) {
        let text = word.text.as_str();
        let mut rest = text.get(1..).unwrap_or_default();
        let (mut taken, mut whole) = (false, false);
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            let Some(option) = self.valued(letter) else {
                match short_name(letter) {
                    Some(name) => self.out.options.push((name, None)),
                    None if whole => {}
                    None => {
                        // The cluster's own text, once.
                        whole = true;
                        self.out.options.push((text, None));
                    }
                }
                continue;
            };
            let more_letters = rest.len() < 4 && rest.chars().all(|letter| letter.is_ascii_alphabetic());
            if rest.is_empty() || more_letters && self.takes_line(option) {
                self.out.options.push((option, self.arguments.get(self.at).cloned()));
                taken = true;
            } else {
                self.out.options.push((option, Some(part(word, rest))));
                break;
            }
        }
        self.at += usize::from(taken);
    }

    /// Returns the option with a value that a letter of a cluster is.
    fn valued(&self, letter: char) -> Option<&'w str> {
        let is_it = |known: &str| known.chars().eq(core::iter::once(letter));
        self.wrapper.takes().find(|known| known.strip_prefix('-').is_some_and(is_it))
    }

    /// Says whether an option takes a line for a shell, which stands behind a cluster though letters follow: `-cx`.
    fn takes_line(&self, option: &str) -> bool {
        let tables = self.wrapper.tables();
        self.wrapper.forms().iter().any(|form| {
            matches!(form, Form::Code { options, language: Language::Shell, prefix }
                if tables.text(*prefix).is_empty() && tables.holds(*options, option))
        })
    }
}

/// Returns a part of a word as a word.
fn part(word: &Word, text: &str) -> Word {
    Word { text: text.into(), ..word.clone() }
}

/// Returns the option that a letter of a cluster is, where one is asked for by its name.
fn short_name(letter: char) -> Option<&'static str> {
    const NAMES: &[&str] = &["-s", "-n", "-i", "-x", "-l", "-c", "-e"];
    NAMES.iter().find(|name| name.ends_with(letter)).copied()
}

pub(crate) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        // A function that is handed on: `BASH_FUNC_name%%=() {…}`.
        let name = name.strip_suffix("%%").filter(|name| name.starts_with("BASH_FUNC_")).unwrap_or(name);
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
    })
}
