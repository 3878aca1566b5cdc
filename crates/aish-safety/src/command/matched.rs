//! Names of files that a program matches itself, as no shell does: `git log -p -- '.e*'`, `grep -r --include='.e?v' x`,
//! `unzip -p a.zip '.en?'`.

use aish_program_format::{Change, Trait};

use super::arguments::Arguments;
use super::path;
use crate::rules::{programs, secret_places};

/// Options whose value says which files are searched; they may be shortened.
const INCLUDING: &[&str] = &["--include", "--glob", "--iglob"];
/// The same by one letter.
const INCLUDING_LETTER: &str = "-g";

/// Says whether a program is told to match files that hold keys or passwords, and may show what is in them.
pub(super) fn means_secrets(program: &str, arguments: &Arguments<'_>) -> bool {
    let Some(known) = programs::find(program) else { return false };
    if known.facts().change == Change::Repository {
        // Behind a sub-command stand paths, and behind the text that `grep` looks for.
        let searches = arguments.operand(0).is_some_and(|(_, word, _)| word.text == "grep");
        let paths = arguments.operands().skip(if searches { 2 } else { 1 });
        return paths.map(|(_, word, _)| word).any(|word| means(without_magic(&word.text)));
    }
    if known.is(Trait::Decodes) {
        return arguments.operands().any(|(_, word, _)| means(&word.text));
    }
    known.is(Trait::SearchesContent)
        && (arguments.values(INCLUDING_LETTER).any(|value| means(&value.text))
            || arguments.options().any(|(at, text)| {
                let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
                let value = value.or_else(|| arguments.words.get(at + 1).map(|word| word.text.as_str()));
                name.len() > 3 && INCLUDING.iter().any(|known| known.starts_with(name)) && value.is_some_and(means)
            }))
}

fn means(text: &str) -> bool {
    !text.starts_with('!') && (secret_places::names_key(text) || path::seen(text, false, None, None).is_secret())
}

/// Takes off what says how git matches a path; nothing is left of a path that is left out.
fn without_magic(text: &str) -> &str {
    let Some(rest) = text.strip_prefix(':') else { return text };
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((words, _)) if words.contains("exclude") => "",
        Some((_, path)) => path,
        None if rest.starts_with(['!', '^']) => "",
        None => rest.trim_start_matches('/'),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::command::Word;

    fn is_meant(program: &str, words: &[&str]) -> bool {
        let words: Vec<Word> = words.iter().map(|text| Word::literal(*text)).collect();
        means_secrets(program, &Arguments::new(program, &words))
    }

    #[test]
    fn patterns_that_mean_files_of_keys_are_told() {
        for (program, words) in [
            ("git", &["log", "-p", "--", ".e*"][..]),
            ("git", &["show", "HEAD", "--", ":(icase).NPMRC"]),
            ("git", &["grep", "x", "--", ":(top).pgpass"]),
            ("git", &["log", "-p", "--", ":/.en[v]"]),
            ("grep", &["-r", "x", "--include=.e?v", "."]),
            ("grep", &["-r", "x", "--incl", ".n*rc", "."]),
            ("rg", &["x", "-g", ".env*"]),
            ("rg", &["x", "-g.env*"]),
            ("rg", &["x", "--iglob", ".ENV"]),
            ("unzip", &["-p", "a.zip", ".en?"]),
            ("tar", &["-xOf", "a.tar", "--wildcards", ".en?"]),
        ] {
            assert!(is_meant(program, words), "{program} {words:?}");
        }
        for (program, words) in [
            ("git", &["log", "-p", "--", "*.rs"][..]),
            ("git", &["log", "-p", "--", ":(exclude).e*"]),
            ("git", &["log", "-p", "--", ":!.e*"]),
            ("git", &["grep", ".e*"]),
            ("git", &["log", "-p", "--", ".*"]),
            ("grep", &["-r", "x", "--include=*.conf", "."]),
            ("rg", &["x", "-g", "!.env*"]),
            ("unzip", &["-p", "a.zip", "*.txt"]),
        ] {
            assert!(!is_meant(program, words), "{program} {words:?}");
        }
    }
}
