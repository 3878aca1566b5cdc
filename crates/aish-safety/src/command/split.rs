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
    let tables = wrapper.tables();
    let valued = |option: &str| wrapper.takes().any(|known| known == option);
    let mut out = Split { options: Vec::new(), operands: Vec::new() };
    let mut at = 0;
    let mut ended = false;
    while let Some(word) = arguments.get(at) {
        let text = word.text.as_str();
        if ended || text == "-" || !text.starts_with('-') {
            if !(assigns && is_assignment(text) && out.operands.is_empty()) {
                out.operands.push(at);
                if out.operands.len() >= most {
                    return out;
                }
            }
            at += 1;
            continue;
        }
        at += 1;
        if text == "--" {
            ended = true;
            continue;
        }
        let with = |text: &str| Word { text: text.into(), ..word.clone() };
        if let Some((option, value)) = text.split_once('=')
            && text.starts_with("--")
        {
            out.options.push((option, Some(with(value))));
            continue;
        }
        if wrapper.words().any(|known| known == text) {
            out.options.push((text, None));
            continue;
        }
        if valued(text) {
            out.options.push((text, arguments.get(at).cloned()));
            at += 1;
            continue;
        }
        if text.starts_with("--") {
            out.options.push((text, None));
            continue;
        }
        // A cluster: each letter an option, the last with a value perhaps behind it.
        let mut rest = text.get(1..).unwrap_or_default();
        let (mut taken, mut whole) = (false, false);
        while let Some(letter) = rest.chars().next() {
            let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
            let Some(option) = wrapper
                .takes()
                .find(|known| known.strip_prefix('-').is_some_and(|known| known.chars().eq(core::iter::once(letter))))
            else {
                match short_name(letter) {
                    Some(name) => out.options.push((name, None)),
                    None if whole => {}
                    None => {
                        // The cluster's own text, once.
                        whole = true;
                        out.options.push((text, None));
                    }
                }
                rest = tail;
                continue;
            };
            let shell_like = wrapper.forms().iter().any(|form| {
                matches!(form, Form::Code { options, language: Language::Shell, prefix }
                    if tables.text(*prefix).is_empty() && tables.holds(*options, option))
            });
            if tail.is_empty()
                || shell_like && tail.chars().all(|letter| letter.is_ascii_alphabetic()) && tail.len() < 4
            {
                out.options.push((option, arguments.get(at).cloned()));
                taken = true;
            } else {
                out.options.push((option, Some(with(tail))));
                break;
            }
            rest = tail;
        }
        at += usize::from(taken);
    }
    out
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
