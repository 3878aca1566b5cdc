//! Words of `test`, `[` and `printf` that turn out to be `-v`, the option behind which a name stands: bash evaluates the index
//! of such a name, and what a format with `%n` is given is a name, too.

use super::path::glob_match;
use super::word::{HOLE, Taint, Word, is_numeric};

/// Operators of `test` between two words.
const BETWEEN: &[&str] =
    &["=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "=~"];

/// Operators of `test` before a word, but for those that take the name of a variable.
const BEFORE: &[&str] = &[
    "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-t", "-u", "-w", "-x", "-G", "-L", "-N",
    "-O", "-S", "-n", "-o", "-z",
];

/// Returns a word of a built-in that may be the name of a variable, because another that is not known may be an option, or
/// because it may itself become both.
pub(super) fn perhaps_named<'w>(name: &str, arguments: &'w [Word]) -> Option<&'w Word> {
    match name {
        "test" => tested(arguments),
        "[" => match arguments.split_last() {
            Some((last, inside)) if last.text == "]" => tested(inside),
            _ => tested(arguments),
        },
        "printf" => printed(arguments),
        // `-d $x` with `y PATH` in the variable.
        "read" | "mapfile" | "readarray" => arguments.iter().find(|word| splits(word)),
        _ => None,
    }
}

/// Says whether a word may be any.
fn is_open(word: &Word) -> bool {
    word.taint.has(Taint::ASSUMED) || !word.is_known() && !is_numeric(&word.text)
}

/// Says whether a word may become several, or is a list.
fn splits(word: &Word) -> bool {
    !word.whole && is_open(word)
}

/// Says whether a word may come to nothing: a number that is not there.
fn may_vanish(word: &Word) -> bool {
    !word.whole && !word.is_known()
}

/// Says whether a word may be the option that takes a name.
fn may_be_option(word: &Word) -> bool {
    let finds = word.glob && word.is_known() && ["-v", "-R"].iter().any(|option| glob_match(&word.text, option));
    let before = word.text.split(HOLE).next().unwrap_or_default();
    let begins = "-v".starts_with(before) || "-R".starts_with(before);
    finds || is_open(word) && (splits(word) || begins || word.taint.has(Taint::ASSUMED))
}

/// Goes through the words of a test.
fn tested(words: &[Word]) -> Option<&Word> {
    if let Some(word) = words.iter().find(|word| splits(word) || word.glob && may_be_option(word)) {
        return Some(word);
    }
    if is_understood(words) {
        return None;
    }
    let is_name = |word: &Word| is_open(word) || word.text.contains('[');
    let options = words.iter().enumerate().filter(|(_, word)| may_be_option(word));
    options.filter_map(|(at, _)| words.get(at + 1..)?.iter().find(|word| !may_vanish(word))).find(|word| is_name(word))
}

/// Says whether a test is read in one way whatever its words are that are not known.
fn is_understood(words: &[Word]) -> bool {
    let is = |word: &Word, list: &[&str]| word.is_fixed() && list.contains(&word.text.as_str());
    let mut rest = words;
    loop {
        rest = match rest {
            [_] => return true,
            [_, between, _, tail @ ..] if is(between, BETWEEN) => tail,
            [before, _, tail @ ..] if is(before, BEFORE) => tail,
            [not, tail @ ..] if is(not, &["!"]) => {
                rest = tail;
                continue;
            }
            [_, joint, ..] if is(joint, &["-a", "-o"]) => rest.get(1..).unwrap_or_default(),
            _ => return false,
        };
        rest = match rest {
            [] => return true,
            [joint, tail @ ..] if is(joint, &["-a", "-o"]) => tail,
            _ => return false,
        };
    }
}

/// Goes through the words of `printf`: options, a format, and values.
fn printed(words: &[Word]) -> Option<&Word> {
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first().filter(|(first, _)| first.is_fixed()) {
        rest = match first.text.as_str() {
            "-v" => behind.get(1..).unwrap_or_default(),
            "--" => {
                rest = behind;
                break;
            }
            text if text.starts_with("-v") => behind,
            _ => break,
        };
    }
    let (format, values) = rest.split_first()?;
    // One word that is the format is nothing else.
    if splits(format) || format.glob && may_be_option(format) {
        return Some(format);
    }
    is_open(format).then(|| values.first()).flatten()
}
