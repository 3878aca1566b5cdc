//! Names that a regular expression may match, as patterns of the shell: wider than it is, never narrower.

use alloc::string::String;
use alloc::vec::Vec;
use core::iter::Peekable;
use core::str::Chars;

/// The most names that an expression is taken apart to.
const MAX_NAMES: usize = 32;

/// Bytes of an expression from which on it is taken for one that may match anything.
const MAX_LENGTH: usize = 256;

/// A pattern that files of keys and passwords fit.
const ANYTHING: &str = ".e*";

/// What an expression is held against.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Against {
    /// All of a path.
    Path,
    /// Any part of a name.
    PartOfName,
}

/// Returns patterns of which each path that an expression matches fits one.
pub(super) fn named_by(expression: &str, against: Against) -> Vec<String> {
    let names = (expression.len() <= MAX_LENGTH)
        .then(|| alternatives(&mut expression.chars().peekable(), against))
        .filter(|names| names.len() <= MAX_NAMES);
    names.unwrap_or_else(|| alloc::vec![String::from(ANYTHING)])
}

/// Reads alternatives up to the end of their group.
fn alternatives(letters: &mut Peekable<Chars<'_>>, against: Against) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let (names, ends) = sequence(letters, against);
        all.extend(names);
        if ends != Some('|') || all.len() > MAX_NAMES {
            return all;
        }
    }
}

/// Reads what stands in a row; returns the names, and what ended it.
fn sequence(letters: &mut Peekable<Chars<'_>>, against: Against) -> (Vec<String>, Option<char>) {
    let mut names = alloc::vec![String::new()];
    // What was read last, and not put behind the names yet: something may follow that says how often it stands there.
    let mut unit: Vec<String> = Vec::new();
    // An expression for a part of a name fits all around it.
    let mut open = against == Against::PartOfName && letters.peek() != Some(&'^');
    let mut end = None;
    let mut anchored = false;
    while let Some(letter) = letters.next() {
        let (letter, escaped) = match letter {
            '\\' => (letters.next().unwrap_or_default(), true),
            letter => (letter, false),
        };
        if matches!(letter, '|' | ')') {
            end = Some(letter);
            break;
        }
        if matches!(letter, '+' | '?' | '{') || letter == '*' && !escaped {
            if letter == '{' {
                letters.by_ref().take_while(|letter| *letter != '}').for_each(drop);
            }
            unit = alloc::vec![String::from("*")];
            continue;
        }
        if core::mem::take(&mut open) {
            names = alloc::vec![String::from("*")];
        }
        put(&mut names, &unit);
        anchored = letter == '$' && !escaped;
        unit = match letter {
            '^' | '$' if !escaped => Vec::new(),
            'b' | 'B' | '<' | '>' | 'A' | 'z' | 'Z' if escaped => Vec::new(),
            '(' => alternatives(letters, Against::Path),
            '[' if !escaped => alloc::vec![class(letters)],
            '.' if !escaped => alloc::vec![String::from("?")],
            'w' | 'W' | 'd' | 'D' | 's' | 'S' | 'h' | 'H' if escaped => alloc::vec![String::from("?")],
            letter => alloc::vec![String::from(letter)],
        };
        if names.len() > MAX_NAMES || unit.len() > MAX_NAMES {
            return (alloc::vec![String::new(); MAX_NAMES + 1], None);
        }
    }
    put(&mut names, &unit);
    if against == Against::PartOfName && !anchored {
        put(&mut names, &[String::from("*")]);
    }
    (names, end)
}

/// Puts each of several endings behind each name.
fn put(names: &mut Vec<String>, ends: &[String]) {
    if ends.is_empty() || names.len().saturating_mul(ends.len()) > MAX_NAMES * MAX_NAMES {
        return;
    }
    *names = names.iter().flat_map(|name| ends.iter().map(move |end| alloc::format!("{name}{end}"))).collect();
}

/// Reads a set of letters behind its bracket. One with a slash in it would end a name.
fn class(letters: &mut Peekable<Chars<'_>>) -> String {
    let mut text = String::from("[");
    let mut first = true;
    for letter in letters.by_ref() {
        text.push(letter);
        if letter == ']' && !first {
            break;
        }
        first = first && letter == '^';
    }
    if text.contains('/') { String::from("?") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::secret_names::may_name_key;

    #[test]
    fn expressions_that_fit_secret_files_are_told() {
        let means = |text: &str, against| named_by(text, against).iter().any(|name| may_name_key(name));
        for text in [
            r".*/\.en.",
            r".*\.env",
            r".*/\.\(env\|npmrc\)",
            r".*/\.(env|npmrc)",
            r".*env",
            r".*/\.e[nm]v",
            r".*/\.env?",
            r".*\.\(rs\|env\)",
            r".*/id_.sa",
            r".*/id_\(rsa\|dsa\)",
            r".*/\.e.\{1\}v",
            r".*/\.(foo)?env",
            r".*/[.]env",
            r"[^/]*/\.en.",
        ] {
            assert!(means(text, Against::Path), "{text}: {:?}", named_by(text, Against::Path));
        }
        for text in [
            r".*",
            r"\./.*",
            r".*\.rs",
            r".*\.\(c\|h\)",
            r".*\.(rs|toml)$",
            r"./src/.*",
            r".*/test_.*\.py",
            r"[^/]*\.md",
            r".*(rb|js)$",
            r".*\.\(c\|h\|cpp\)",
        ] {
            assert!(!means(text, Against::Path), "{text}: {:?}", named_by(text, Against::Path));
        }
        for text in [r"^\.en.$", r"\.env", "env", r"\.(pem|key)$", "id_rsa"] {
            assert!(means(text, Against::PartOfName), "{text}: {:?}", named_by(text, Against::PartOfName));
        }
        for text in [".", r"\.md$", r"^src", "main", r"\.(rs|toml)$", r"^test_.*\.py$", "config"] {
            assert!(!means(text, Against::PartOfName), "{text}: {:?}", named_by(text, Against::PartOfName));
        }
    }
}
