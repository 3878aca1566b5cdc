//! One scanner of shell lines: what is coloured, completed, routed, read on and bounded is cut in the same places.
//!
//! Reading order: [`token`] (what comes out), `level` (what may be open), `scanner` (the pass over the text), `quote`
//! (inside words), `operator` (between words), `command` (what a word is to its command), [`is_unfinished`].
//!
//! The scanner is a pushdown automaton over bash's grammar: it takes each byte once, keeps what is open on a stack of its
//! own, and knows at each place what bash would take there. It expands nothing and runs nothing. What stands in a
//! here-document is one token. Aliases are not followed.
#![no_std]

extern crate alloc;

mod command;
mod level;
mod operator;
mod quote;
mod scanner;
pub mod token;

pub use token::{End, Kind, Role, Scan, Token, Word};

use scanner::Scanner;

/// The most levels that are followed: what is nested deeper is one token of text, and counts as broken.
pub const MOST_LEVELS: usize = 512;

/// Scans a text as bash would read it with `extglob`. Linear in its length.
pub fn scan(text: &str) -> Scan {
    Scanner::new(text, |_, _| false).run()
}

/// Scans a line that may be language: `is_letter` says of an apostrophe inside a word, by what stands before it in the word
/// and behind it in the text, that it is a letter (`don't`) and opens no quote. Called once for each such apostrophe.
pub fn scan_language(text: &str, is_letter: fn(&str, &str) -> bool) -> Scan {
    Scanner::new(text, is_letter).run()
}

/// Says whether bash would read another line before it runs a text: something is open, or the text ends in an operator
/// that needs a command. A text that is wrong before its end is not unfinished: bash complains of it at once.
pub fn is_unfinished(text: &str) -> bool {
    scan(text).end.is_unfinished
}

/// Says whether bash would take all of a text, and a compound command (a loop, a condition, a group, a function) is in it
/// outside of words.
pub fn is_compound(text: &str) -> bool {
    let end = scan(text).end;
    end.compounds > 0 && !end.is_unfinished && !end.is_broken
}

/// Says whether a word as it is written begins an assignment: `NAME=`, `NAME+=`, `NAME[…]=`.
pub fn is_assignment(word: &str) -> bool {
    let name = word.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let behind = word.get(name..).unwrap_or_default();
    if name == 0 || word.starts_with(|letter: char| letter.is_ascii_digit()) {
        return false;
    }
    let behind = match behind.strip_prefix('[') {
        Some(inside) => inside.find(']').and_then(|end| inside.get(end + 1..)).unwrap_or_default(),
        None => behind,
    };
    behind.starts_with('=') || behind.starts_with("+=")
}
