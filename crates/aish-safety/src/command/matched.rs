//! Names of files that a program matches itself, as no shell does: `git log -p -- '.e*'`, `grep -r --include='.e?v' x`,
//! `unzip -p a.zip '.en?'`.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::ids::List;
use aish_program_format::pattern::{Class, Classes};
use aish_program_format::{Change, Trait};
use aish_programs::words::credentials;

use super::arguments::{Arguments, Role};
use super::path::{self, Place};
use super::word::{Taint, Word};
use crate::rules::{programs, secret_names};

/// Options whose value says which files are searched; they may be shortened.
const INCLUDING: &[&str] = &["--include", "--glob", "--iglob", "--type-add", "--file-search-regex"];
/// The same by one letter.
const INCLUDING_LETTERS: &[&str] = &["-g", "-G"];
/// The most names that the braces of a pattern are taken apart to.
const MAX_NAMES: usize = 64;

/// Says whether a program is told to match files that hold keys or passwords, and may show what is in them.
pub(super) fn means_secrets(program: &str, arguments: &Arguments<'_>) -> bool {
    let Some(known) = programs::find(program) else { return false };
    if known.facts().change == Change::Repository {
        // Behind a sub-command stand paths, and behind the text that `grep` looks for.
        let searches = arguments.operand(0).is_some_and(|(_, word, _)| word.text == "grep");
        let paths = arguments.operands().skip(if searches { 2 } else { 1 });
        // Behind a colon stands a file of a commit: `HEAD:token`.
        let is_of_a_commit = |text: &str| {
            let file = text.split_once(':').and_then(|(_, path)| path.rsplit('/').next());
            file.is_some_and(secret_names::tells_of_a_file)
        };
        let mut paths = paths.map(|(_, word, _)| word.text.as_str());
        // They are files, and no names of commits: what git knows of none of them is shown.
        let compares = arguments.has("--no-index");
        let is_plain = |text: &str| path::seen(text, false, None, None).is_plainly_secret();
        return paths.any(|text| {
            means(without_magic(text)) || !text.starts_with(':') && is_of_a_commit(text) || compares && is_plain(text)
        });
    }
    if known.is(Trait::Decodes) {
        return arguments.operands().any(|(_, word, _)| means(&word.text));
    }
    known.is(Trait::SearchesContent)
        && (INCLUDING_LETTERS.iter().any(|letter| arguments.values(letter).any(|value| means(&value.text)))
            || arguments.options().any(|(at, text)| {
                let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
                let value = value.or_else(|| arguments.words.get(at + 1).map(|word| word.text.as_str()));
                name.len() > 3 && INCLUDING.iter().any(|known| known.starts_with(name)) && value.is_some_and(means)
            }))
}

/// Says whether a header `Name: value` tells a server who asks; no file's content is that by the ending of the name alone.
fn is_credential(header: &str, taint: Taint) -> bool {
    let name = header.split_once(':').map_or("", |(name, _)| name.trim()).to_ascii_lowercase();
    credentials::HEADERS.contains(&name.as_str())
        || !taint.has(Taint::CONTENT) && credentials::HEADER_ENDS.iter().any(|ending| name.ends_with(ending))
}

/// Says of each operand whether it may be secret: headers that tell a server who asks, but for those behind whose `:@` a file
/// stands.
pub(super) fn spares(program: &str, classes: Classes) -> impl Fn(&Word) -> bool + use<> {
    let headers = classes == Classes::of(Class::Secret) && programs::is(program, Trait::HeaderItems);
    move |word| headers && is_credential(&word.text, word.taint) && !word.text.contains(":@")
}

/// Goes through the options and their values; without those by which a server is told who asks, where that is wanted.
pub(super) fn option_words<'a>(arguments: &'a Arguments<'_>, others: bool) -> impl Iterator<Item = &'a Word> {
    let mut before = "";
    arguments.iter().filter_map(move |(word, role)| {
        let text = word.text.as_str();
        let previous = core::mem::replace(&mut before, text);
        let (option, value) = match role {
            Role::Operand { .. } => return None,
            Role::Value => (previous, text),
            Role::Option if text.starts_with("--") => text.split_once('=')?,
            Role::Option => text.split_at_checked(2).unwrap_or((text, "")),
        };
        // The last letter of a cluster is what takes the value.
        let is = |known: &str| {
            option == known
                || !option.starts_with("--") && known.len() == 2 && option.ends_with(known.trim_matches('-'))
        };
        let tells = credentials::OPTIONS.iter().any(|known| is(known))
            || (is("-H") || is("--header")) && is_credential(value, word.taint);
        (!(others && tells)).then_some(word)
    })
}

/// Says whether an option with which a program opens more than its words name has a file that holds secrets by an ordinary
/// name: the lines of it are shown.
pub(super) fn lists_secrets(program: &str, arguments: &Arguments<'_>) -> bool {
    programs::find(program).is_some_and(|known| {
        known.tables().texts(known.facts().opens.more).any(|option| {
            arguments.values(option).any(|value| path::seen(&value.text, value.glob, None, None).is_plainly_secret())
        })
    })
}

/// Says whether a word only tells what is left out: `--exclude=.env`, or what stands behind `--exclude`.
pub(super) fn leaves_out(before: Option<&Word>, word: &Word) -> bool {
    word.text.starts_with("--exclude=") || before.is_some_and(|before| before.text == "--exclude")
}

/// Options with which no operand is what is looked for, or the script.
const PATTERNS: &[&str] = &["-e", "-f", "--regexp", "--file"];

/// Says whether a text is the name of a file that a program opens, and no pattern, script, option or value: a word, or the
/// value in a word that is an option (`--from-file=token`).
pub(super) fn opens(program: &str, arguments: &Arguments<'_>, word: &Word, text: &str) -> bool {
    let Some(known) = programs::find(program) else { return false };
    if known.is(Trait::NameOnly) || !(known.is(Trait::Files) || known.facts().output.shows_files()) {
        return false;
    }
    // Of what is looked for, and of scripts, the operands tell; elsewhere a value may be a file as well.
    let quotes = known.is(Trait::SearchesContent) || known.is(Trait::Quotes) && !known.is(Trait::Sieve);
    if !quotes {
        let is_value = text.len() < word.text.len();
        return arguments.iter().any(|(one, role)| (is_value || role != Role::Option) && core::ptr::eq(one, word));
    }
    // Which operand is the script is not known where an option takes two values (`jq --rawfile name file`).
    let more = || known.tables().texts(known.facts().opens.more).any(|option| arguments.has(option));
    let by_option = PATTERNS.iter().any(|option| arguments.has(option)) || !known.is(Trait::SearchesContent) && more();
    arguments.operands().skip(usize::from(!by_option)).any(|(_, one, _)| core::ptr::eq(one, word))
}

/// Says whether a program goes through all that lies in a home folder, hidden files too, and may show what is in them.
pub(super) fn goes_through_homes(program: &str, arguments: &Arguments<'_>, lies: impl Fn(&Word) -> Where) -> bool {
    let Some(known) = programs::find(program) else { return false };
    let given = |options: List| known.tables().texts(options).any(|option| option == "*" || arguments.has(option));
    let opens = &known.facts().opens;
    if !given(opens.below) {
        return false;
    }
    let hidden = given(opens.hidden);
    let holds = |word: &Word| match lies(word) {
        Where::Elsewhere => false,
        Where::Home => hidden,
        Where::Settings => true,
    };
    let has_pattern = known.is(Trait::SearchesContent) && !PATTERNS.iter().any(|option| arguments.has(option));
    let mut folders = arguments.operands().skip(usize::from(has_pattern)).map(|(_, word, _)| word).peekable();
    // Where no folder is named, the one that the line is in is searched.
    folders.peek().is_none() && holds(&Word::literal(".")) || folders.any(holds)
}

/// Where a folder lies that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// The root, or a home: what is hidden in it holds secrets.
    Home,
    /// The settings of a person.
    Settings,
    /// Anywhere else.
    Elsewhere,
}

impl Where {
    /// Says where a place lies.
    pub(super) fn of(place: &Place) -> Self {
        match place.holds_secrets() {
            true if place.is_root() || place.is_home() => Self::Home,
            true => Self::Settings,
            false => Self::Elsewhere,
        }
    }
}

/// Says whether a pattern means files of keys or passwords; where it has braces, one of the names that they make.
fn means(text: &str) -> bool {
    if text.starts_with('!') {
        return false;
    }
    let mut names = alloc::vec![String::from(text)];
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let Some((before, inner, after)) = braced(&name) else {
            // Behind a colon stands what belongs to a type of files.
            let (_, last) = name.rsplit_once(':').unwrap_or(("", &name));
            if [name.as_str(), last].iter().any(|name| means_one(name)) {
                return true;
            }
            continue;
        };
        if names.len() > MAX_NAMES {
            return true;
        }
        let made: Vec<String> = inner.split(',').map(|one| alloc::format!("{before}{one}{after}")).collect();
        names.extend(made);
    }
    false
}

fn means_one(text: &str) -> bool {
    secret_names::may_name_key(text) || path::seen(text, false, None, None).is_secret()
}

/// Takes the innermost braces of a pattern apart that come first.
fn braced(text: &str) -> Option<(&str, &str, &str)> {
    let (head, after) = text.split_once('}')?;
    let (before, inner) = head.rsplit_once('{')?;
    Some((before, inner, after))
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
    use super::*;

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
            ("tar", &["xOf", "a.tar", "--wildcards", "*env"]),
            ("rg", &["x", "-g", "*.{rs,{env,pem}}"]),
            ("rg", &["x", "--type-add", "x:.e*", "-tx"]),
            ("git", &["show", "HEAD", "--", "*env"]),
            ("unzip", &["-p", "a.zip", "*env"]),
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
            ("rg", &["x", "-g", "*.{rs,toml}"]),
            ("rg", &["x", "--type-add", "x:*.foo", "-tx"]),
        ] {
            assert!(!is_meant(program, words), "{program} {words:?}");
        }
    }
}
