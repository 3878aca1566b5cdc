//! What may have been meant where the grammar cannot go on.

use crate::builtin::calculator::functions;
use crate::builtin::calculator::tree::Tree;

/// Says it as the end of an error: `rest` is what could not be read of `text`, `read` what could, if that is something.
pub(super) fn hint(text: &str, rest: &str, read: Option<&Tree>) -> &'static str {
    match read {
        _ if is_open(text) => "; a bracket is not closed",
        Some(Tree::Name(name)) if functions::is_function(name) => "; a function has brackets round its arguments",
        Some(Tree::Name(_)) => "",
        Some(_) => between(rest),
        None => before(rest),
    }
}

/// Says what may have been meant by what stands behind a whole expression.
fn between(rest: &str) -> &'static str {
    match rest.chars().next() {
        Some(',') => "; a comma stands between arguments, numbers are written 1234.5 or 1_234.5",
        Some('\'') => "; numbers are written 1234.5 or 1_234.5",
        Some('=' | '<' | '>') => "; nothing can be assigned or compared",
        Some('!') if rest.starts_with("!=") => "; nothing can be assigned or compared",
        Some(c) if c.is_ascii_digit() || matches!(c, '(' | '√') => "; a product is written with *",
        Some(_) if functions::is_known(&word_of(rest)) => "; a product is written with *",
        _ => before(rest),
    }
}

/// Returns the word that a text begins with, in small letters.
fn word_of(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').take(16).collect::<String>().to_lowercase()
}

/// Says whether a bracket is opened and not closed.
fn is_open(text: &str) -> bool {
    let count = |brackets: [char; 2]| text.chars().filter(|c| brackets.contains(c)).count();
    count(['(', '[']) > count([')', ']'])
}

/// Says what may have been meant by what no expression begins with.
fn before(rest: &str) -> &'static str {
    match rest.chars().next() {
        Some('$' | '€' | '£' | '¥') => "; amounts are written without their currency",
        _ => "",
    }
}
