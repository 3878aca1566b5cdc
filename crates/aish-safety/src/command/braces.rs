//! Brace expansion: `{a,b}` and `{1..9}`, outside quotes.
//!
//! Our own and linear: the word grammar of the parser library takes exponential time on braces that are not closed.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::budget::{Budget, Work};
use super::word::{HOLE, NUMERIC};

/// The most words that one word is expanded into.
const MAX_WORDS: usize = 128;

/// The most braces inside one another.
const MAX_DEPTH: usize = 8;

/// What the braces of a word make of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expanded {
    /// There are none that expand.
    Same,
    /// These words.
    Words(Vec<String>),
    /// More than are looked at.
    TooMany,
}

/// Expands the braces in a word's source text.
pub(crate) fn expand(source: &str, budget: &Budget) -> Expanded {
    if !source.contains('{') || !(source.contains(',') || source.contains("..")) {
        return Expanded::Same;
    }
    let mut most = MAX_WORDS;
    match expand_inner(source, 0, &mut most, budget) {
        None => Expanded::TooMany,
        Some(words) if words.len() > 1 || words.first().is_some_and(|word| word != source) => Expanded::Words(words),
        Some(_) => Expanded::Same,
    }
}

/// What making a word costs beside its text, in bytes that are looked at.
const MADE: usize = 64;

fn expand_inner(source: &str, depth: usize, most: &mut usize, budget: &Budget) -> Option<Vec<String>> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut out = vec![String::new()];
    let mut rest = source;
    while !rest.is_empty() {
        let (plain, braces) = next_braces(rest, budget)?;
        for word in &mut out {
            word.push_str(plain);
        }
        let Some(inside) = braces else { break };
        rest = rest.get(plain.len() + inside.len() + 2..).unwrap_or_default();
        let choices = choices(inside, depth, most, budget)?;
        let mut next = Vec::with_capacity(out.len() * choices.len());
        for word in &out {
            for choice in &choices {
                *most = most.checked_sub(1)?;
                budget.pay(Work::Scan, MADE + word.len() + choice.len()).then_some(())?;
                next.push(format!("{word}{choice}"));
            }
        }
        out = next;
    }
    Some(out)
}

fn choices(inside: &str, depth: usize, most: &mut usize, budget: &Budget) -> Option<Vec<String>> {
    let parts = split_commas(inside);
    if parts.len() > 1 {
        let mut out = Vec::new();
        for part in parts {
            out.extend(expand_inner(part, depth + 1, most, budget)?);
        }
        return Some(out);
    }
    Some(sequence(inside).unwrap_or_else(|| vec![format!("{{{inside}}}")]))
}

fn sequence(inside: &str) -> Option<Vec<String>> {
    let mut ends = inside.split("..");
    let (first, last, None) = (ends.next()?, ends.next()?, ends.next()) else { return None };
    if let (Ok(from), Ok(to)) = (first.parse::<i32>(), last.parse::<i32>()) {
        let (low, high) = (from.min(to), from.max(to));
        if i64::from(high) - i64::from(low) > 64 {
            // The others are numbers that are not looked at.
            return Some(vec![from.to_string(), to.to_string(), String::from_iter([HOLE, NUMERIC])]);
        }
        return Some((low..=high).map(|number| number.to_string()).collect());
    }
    let letter = |text: &str| {
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if letter.is_ascii_alphabetic() => Some(letter),
            _ => None,
        }
    };
    let (from, to) = (letter(first)?, letter(last)?);
    Some((from.min(to)..=from.max(to)).map(|letter| letter.to_string()).collect())
}

/// The most braces that nothing closes which are looked behind.
const MAX_OPEN: usize = 16;

/// Returns the text before the first complete braces that expand, and what is in them; none where too many are not closed.
fn next_braces<'s>(source: &'s str, budget: &Budget) -> Option<(&'s str, Option<&'s str>)> {
    let (mut from, mut unclosed) = (0, 0);
    while let Some(open) = find_open(source, from, budget) {
        let after = source.get(open + 1..).unwrap_or_default();
        if let Some(end) = super::span::closing(after, '{', '}', budget) {
            let inside = after.get(..end).unwrap_or_default();
            if split_commas(inside).len() > 1 || sequence(inside).is_some() {
                return Some((source.get(..open).unwrap_or_default(), Some(inside)));
            }
        } else {
            // Shells go on behind it: `{{a,b}` is `{a {b`.
            unclosed += 1;
            (unclosed <= MAX_OPEN).then_some(())?;
        }
        from = open + 1;
    }
    Some((source, None))
}

/// Finds a brace that is neither quoted nor part of `${`.
fn find_open(source: &str, from: usize, budget: &Budget) -> Option<usize> {
    let mut quote: Option<char> = None;
    let mut before = ' ';
    let mut letters = source.char_indices();
    while let Some((at, letter)) = letters.next() {
        match quote {
            Some(open) => {
                if letter == '\\' && open == '"' {
                    letters.next();
                } else if letter == open {
                    quote = None;
                }
            }
            None => match letter {
                '\\' => {
                    letters.next();
                }
                '\'' | '"' | '`' => quote = Some(letter),
                '(' | '{' if before == '$' => {
                    // A substitution is not looked into.
                    let close = if letter == '(' { ')' } else { '}' };
                    let length = super::span::closing(source.get(at + 1..).unwrap_or_default(), letter, close, budget)?;
                    let end = at + 1 + length;
                    while letters.clone().next().is_some_and(|(next, _)| next <= end) {
                        letters.next();
                    }
                }
                '{' if at >= from => {
                    // Each brace is looked for from the start.
                    return budget.pay(Work::Scan, at).then_some(at);
                }
                _ => {}
            },
        }
        before = letter;
    }
    None
}

fn split_commas(inside: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let mut quote: Option<char> = None;
    let mut letters = inside.char_indices();
    while let Some((at, letter)) = letters.next() {
        match quote {
            Some(open) => {
                if letter == open {
                    quote = None;
                }
            }
            None => match letter {
                '\\' => {
                    letters.next();
                }
                '\'' | '"' => quote = Some(letter),
                '{' | '(' => depth += 1,
                '}' | ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(inside.get(start..at).unwrap_or_default());
                    start = at + 1;
                }
                _ => {}
            },
        }
    }
    parts.push(inside.get(start..).unwrap_or_default());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_expand_as_in_bash() {
        let check = |source: &str, expected: &[&str]| {
            let found = expand(source, &Budget::default());
            let words = expected.iter().map(|word| String::from(*word)).collect::<Vec<_>>();
            assert_eq!(found, if words.is_empty() { Expanded::Same } else { Expanded::Words(words) }, "{source}");
        };
        check("{rm,-rf,/srv}", &["rm", "-rf", "/srv"]);
        check("a{b,c}d{e,f}", &["abde", "abdf", "acde", "acdf"]);
        check("{a,{b,c}}", &["a", "b", "c"]);
        check("x{1..3}", &["x1", "x2", "x3"]);
        check("~/{,.ssh}", &["~/", "~/.ssh"]);
        check("'{a,b}'", &[]);
        check("${a,,}", &[]);
        check("{}", &[]);
        check(&"{a,".repeat(16), &[]);
        check("{{a,b}", &["{a", "{b"]);
        check("{a,{b,c}", &["{a,b", "{a,c"]);
        for many in ["{a,".repeat(40), "{a,b}".repeat(20), "{".repeat(9) + "a,b}" + &",c}".repeat(8)] {
            assert_eq!(expand(&many, &Budget::default()), Expanded::TooMany, "{many}");
        }
    }
}
