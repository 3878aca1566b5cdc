//! Forms of a line that bash, zsh and fish, or a terminal, read in several ways, or that are judged by a guess: what holds one is
//! asked about, whatever it does.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

mod lists;
mod quotes;

/// Says what in a text is read in several ways; none where nothing is. Its lines are put together already. Linear in the text's length, but for the words in braces.
pub(crate) fn doubt(text: &str) -> Option<&'static str> {
    if text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t')) {
        return Some("holds control characters, which a terminal acts on");
    }
    if text.split("<<").skip(1).any(|rest| rest.trim_start_matches('-').trim_start().starts_with(['$'])) {
        return Some("ends a here-document in a way that shells read differently");
    }
    if text.split(">&").skip(1).any(is_odd_descriptor) {
        return Some("names a file where a descriptor is meant");
    }
    let goes_on = text.trim_end().contains([';', '\n', '&', '|']);
    if goes_on && (words(text).any(|word| matches!(word, "readonly" | "nameref")) || declares_otherwise(text)) {
        return Some("gives a variable a property that changes what is assigned to it");
    }
    if computes_keys(text) {
        return Some("computes the key of a list");
    }
    if defines_again(text) {
        return Some("defines a function twice");
    }
    if text.contains("@P}") || text.split("${").skip(1).any(evaluates) {
        return Some("runs what is in the value of a variable");
    }
    if super::apart::comes_apart(text) {
        return Some("has lines that run by themselves where a shell does not take one before them");
    }
    quotes::doubt(text)
}

/// Says whether a list that is assigned has a key with a command in it, behind its bracket or a blank: `([$(ls)]=1)`.
fn computes_keys(text: &str) -> bool {
    text.contains("=(")
        && text.match_indices('[').any(|(at, _)| {
            let is_key = text.get(..at).is_some_and(|before| before.ends_with(['(', ' ', '\t', '\n']));
            let end = text.get(at..).and_then(|rest| rest.split_once("]=").or_else(|| rest.split_once("]+=")));
            is_key && end.is_some_and(|(key, _)| key.contains(['(', '`']))
        })
}

/// Says whether a function is defined more than once.
fn defines_again(text: &str) -> bool {
    let mut names = BTreeSet::new();
    text.match_indices("()").any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default().trim_end();
        let from =
            before.rfind(|letter: char| letter.is_whitespace() || ";|&({".contains(letter)).map_or(0, |at| at + 1);
        before.get(from..).is_some_and(|name| !name.is_empty() && !names.insert(name))
    })
}

/// Says whether what stands behind `>&` is neither a plain descriptor nor a plain name.
fn is_odd_descriptor(rest: &str) -> bool {
    let word = rest.trim_start_matches([' ', '\t']);
    let word =
        word.split(|letter: char| letter.is_whitespace() || ";|&<>()".contains(letter)).next().unwrap_or_default();
    word.starts_with('+')
        || word.len() > 1
            && (word.starts_with('-') || word.ends_with('-'))
            && word.bytes().any(|byte| byte.is_ascii_digit())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || ";|&()".contains(letter))
}

/// `declare -r`, `typeset -n`, `local -R 2`.
fn declares_otherwise(text: &str) -> bool {
    let mut declares = false;
    words(text).any(|word| {
        let is_option = word.starts_with(['-', '+']);
        let found = declares && is_option && word.contains(['r', 'n', 'L', 'R', 'Z', 'T']);
        declares = matches!(word, "declare" | "typeset" | "local" | "export") || declares && is_option;
        found
    })
}

/// Says whether what stands behind `${` begins with flags of zsh of which one runs what is in the value (`(e)`).
fn evaluates(text: &str) -> bool {
    let flags = text.trim_start_matches(['#', '^', '=', '~', '+']).strip_prefix('(');
    flags.is_some_and(|flags| flags.split(')').next().unwrap_or_default().contains('e'))
}

pub(super) fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Returns the variables that a text sets more than once, as far as its words tell: their values are guesses where a loop, a
/// part of a pipe or a function sets them.
pub(crate) fn set_again(text: &str) -> BTreeSet<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    // `{name}>` and `{name[0]}<` set it to a number.
    let mut opened = None;
    for (at, sign) in text.match_indices(['{', '}']) {
        let inside = if sign == "{" { None } else { opened.take().and_then(|from| text.get(from..at)) };
        if sign == "{" {
            opened = Some(at + 1);
        }
        if let Some(inside) = inside.filter(|_| text.get(at + 1..).is_some_and(|rest| rest.starts_with(['<', '>']))) {
            *times.entry(inside.split('[').next().unwrap_or_default()).or_default() += 2;
        }
    }
    for word in words(text) {
        let Some((name, _)) = word.split_once('=') else { continue };
        let name = name.trim_end_matches('+').split('[').next().unwrap_or_default().trim_start_matches(['"', '\'']);
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            *times.entry(name).or_default() += 1;
        }
    }
    times.into_iter().filter(|(_, times)| *times > 1).map(|(name, _)| String::from(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_lines_are_plain() {
        for line in [
            "find . ! -name '*.rs'",
            "[[ ! -f x ]] && echo 'no!'",
            "echo \"done!\"",
            "awk '!seen[$0]++' f",
            "[ a != b ]",
            "ls [!a]*",
            "echo ${x:-y} ${#x} ${!x} $! $$ x.$$ \"/tmp/$$\" '$$('",
            "diff <(sort a) <(sort b)",
            "ls 2>&1 | head >&2",
            "cat <<'E'\nx\nE",
            "echo {1..5}",
            "ls ~/x ~root",
            "find \"`pwd`\" -type f",
            "declare -A m",
            "ls {a,'b c'} {a,b}",
            "{ ls a, b; }",
            "jq '{a, b}' \"{c, d}\"",
        ] {
            assert_eq!(doubt(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_read_in_several_ways_is_doubtful() {
        for line in [
            "sort {-o ,c} f",
            "find d \u{3000}-delete",
            "sed $'a x\\C-jw c' f",
            "find d $'\\-delete'",
            "find d $'\\x{2d}delete'",
            "echo a!'b'",
            "echo {a..z..2}",
            "set n TOKEN; echo $$n",
            "echo \"$$n\"",
            "echo $${a; ls; echo }",
            "echo \"$$(x\"",
            "echo $$[ f",
        ] {
            assert!(doubt(line).is_some(), "{line}");
        }
    }

    #[test]
    fn long_texts_are_read_in_time() {
        for part in ["{", "{a ,", "{a.", "!'", "$'\\a'", "a=", "()"] {
            let _ = doubt(&part.repeat(60_000 / part.len()));
        }
    }
}
