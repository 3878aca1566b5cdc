//! Whether bare words fit what a command takes, or make a title or a sentence with its name.

use alloc::vec::Vec;

use aish_program_format::Trait;

use crate::environment::Environment;
use crate::evidence::{Evidence, is_known, is_path, is_word};
use crate::token::Word;
use crate::words::english::is_english;
use crate::words::language::{NARRATIVE, WEAK, has};
use crate::words::programs::{self, has_subcommands, is, least, limit, takes_files};
use crate::words::topics::{explains, is_topic, only_explains};

/// Weighs the operands of a command as a whole.
pub(crate) fn weigh(command: &str, arguments: &[&Word], env: &dyn Environment, evidence: &mut Evidence) {
    number(command, arguments, evidence);
    subcommand(command, arguments, evidence);
    if let [_, .., last] = arguments
        && !last.quoted
        && only_explains(&last.text)
    {
        evidence.language(6, "a title");
    }
    if is(command, Trait::FreeText) || is(command, Trait::Commands) {
        return;
    }
    // What has a flag, a path, a quote or a number among its operands is no title.
    let bare: Vec<&str> = arguments.iter().filter(|word| is_bare(word)).map(|word| word.text.as_str()).collect();
    let here = bare.iter().any(|word| env.exists(word));
    if bare.is_empty() || bare.len() < arguments.len() || here {
        return;
    }
    sentence(command, &bare, evidence);
    shape(command, &bare, env, evidence);
    title(command, &bare, evidence);
}

/// A word of letters, parts of it joined by hyphens, that no quote protects.
fn is_bare(word: &Word) -> bool {
    !word.quoted && !word.expands && !word.text.is_empty() && word.text.split('-').all(is_word)
}

/// Weighs the number of plain words against what the command takes.
fn number(command: &str, arguments: &[&Word], evidence: &mut Evidence) {
    // What follows a flag may be its value.
    let flagged = |at: usize| at > 0 && arguments.get(at - 1).is_some_and(|before| before.text.starts_with('-'));
    if let Some(most) = limit(command) {
        let compares = is(command, Trait::Compares)
            && arguments.iter().any(|word| matches!(word.text.as_str(), "=" | "==" | "!="));
        let plain = arguments.iter().enumerate().filter(|(at, word)| {
            is_word(&word.text) && !word.quoted && !flagged(*at) && !programs::always_takes(command, &word.text)
        });
        if plain.count() > most && (most == 0 || evidence.english + evidence.weak > 0) && !compares {
            evidence.language(3, "more words than it takes");
        }
    }
    let flags = arguments.iter().any(|word| word.text.starts_with('-'));
    if is(command, Trait::Targets) && evidence.english >= 2 && !flags {
        evidence.language(3, "more words than targets");
    }
    let number = |word: &Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
    if is(command, Trait::NoNumbers) && arguments.iter().enumerate().any(|(at, word)| number(word) && !flagged(at)) {
        evidence.language(3, "a number that is no target");
    }
    if is(command, Trait::NoWord) && arguments.len() == 1 && evidence.english == 1 {
        evidence.language(3, "a word that it does not take");
    }
    let method = arguments.first().filter(|first| !first.quoted).map_or("", |first| first.text.as_str());
    if is(command, Trait::Methods) && method.len() > 1 && method.bytes().all(|byte| byte.is_ascii_lowercase()) {
        evidence.language(if method == "localhost" { 0 } else { 3 }, "no URL");
    }
    let placed = arguments.iter().any(|word| word.text.starts_with('-') || is_path(&word.text));
    if is(command, Trait::Placed) && (arguments.len() < 2 || !placed) {
        evidence.language(3, "fewer operands than it takes");
    }
}

fn subcommand(command: &str, arguments: &[&Word], evidence: &mut Evidence) {
    let Some(first) = arguments.first().filter(|word| !word.quoted) else { return };
    if is(command, Trait::OtherVerbs) || !has_subcommands(command) || evidence.subcommand {
        return;
    }
    let text = first.text.trim_end_matches([',', '?', '!', '.']);
    if is_english(text) || has(NARRATIVE, text) || programs::is_plural(command, text) {
        evidence.language(if arguments.len() > 1 { 3 } else { 2 }, "no sub-command of it");
    } else if text.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) {
        evidence.language(3, "no sub-command of it");
    } else if text.len() >= 4 && is_bare(first) && arguments.len() > 1 && evidence.plain == arguments.len() {
        evidence.guess(2, "no sub-command of it");
    } else if arguments.len() > 2 && evidence.plain > 2 {
        evidence.language(1, "no sub-command of it");
    }
}

/// Weighs many words, and words of another alphabet among several.
fn sentence(command: &str, bare: &[&str], evidence: &mut Evidence) {
    if bare.len() < 3 || takes_files(command) || evidence.subcommand {
        return;
    }
    if bare.iter().any(|word| !word.is_ascii()) {
        evidence.language(2, "words of another language");
    } else if bare.len() >= 4 && (is_open(command) || is(command, Trait::Hosts)) {
        evidence.guess(2, "many words");
    }
}

/// Weighs plain words where operands of another shape are usual.
fn shape(command: &str, bare: &[&str], env: &dyn Environment, evidence: &mut Evidence) {
    let Some(first) = bare.first().copied() else { return };
    let english = bare.iter().filter(|word| word.split('-').all(is_english) || has(WEAK, word)).count();
    if programs::has_shape(command, first) == Some(false) && !evidence.subcommand {
        evidence.guess(if english > 0 || first.len() >= 4 { 3 } else { 1 }, "a word where it takes none");
    } else if bare.len() < least(command) && is_english(first) {
        let pattern = is(command, Trait::Pattern);
        evidence.guess(if pattern { 2 } else { 3 }, "fewer operands than it takes");
    } else if is(command, Trait::Paths) && english > 0 {
        evidence.guess(2, "no path");
    } else if is(command, Trait::Interpreter) && bare.len() >= 2 && bare.get(1).is_some_and(|word| word.len() >= 3) {
        evidence.guess(3, "words that are no script");
    } else if is(command, Trait::Hosts)
        && bare.get(1).is_some_and(|second| is_english(second) && !(bare.len() == 2 && is_known(second, env)))
    {
        evidence.guess(2, "a word that is no command");
    } else if is(command, Trait::Pattern) && bare.len() >= 3 && english >= 2 {
        evidence.guess(3, "words that are no files");
    } else if matches!(first, "two" | "both") && bare.len() > 1 {
        evidence.language(3, "a numeral");
    } else if english >= 2 && !evidence.subcommand && is_open(command) {
        evidence.guess(2, "words of language");
    }
}

/// Says whether nothing is known of what a command takes.
fn is_open(command: &str) -> bool {
    !takes_files(command)
        && limit(command).is_none()
        && !has_subcommands(command)
        && !is(command, Trait::Pattern)
        && !is(command, Trait::Targets)
        && !is(command, Trait::Names)
}

/// Weighs words that name what one reads about: `bash arrays`, `git bisect tutorial`.
fn title(command: &str, bare: &[&str], evidence: &mut Evidence) {
    let Some(last) = bare.last().copied() else { return };
    let operands = bare.len() - usize::from(evidence.subcommand);
    if operands == 0 {
        return;
    }
    if last == "help" && bare.len() > 2 {
        evidence.language(6, "a call for help");
    }
    let files = takes_files(command) || is(command, Trait::Pattern);
    let points = match (explains(last), is_topic(last)) {
        (true, _) if evidence.subcommand => 6,
        (true, _) if files && operands == 1 && !is(command, Trait::Editor) => 0,
        (true, _) => 4,
        (false, true) if evidence.subcommand && operands == 1 => 5,
        (false, true) if evidence.subcommand => 6,
        (false, true) if files && operands == 1 && !is(command, Trait::Editor) => 0,
        (false, true) if files => 2,
        (false, true) if is(command, Trait::Targets) && operands == 1 => 0,
        (false, true) => 4,
        (false, false) => 0,
    };
    if explains(last) {
        evidence.language(points, "a title");
    } else if points > 0 {
        evidence.guess(points, "a title");
    }
}

/// Says whether a small word names a file: the lone operand of a command that takes files, or a letter among letters.
pub(crate) fn names_file(command: &str, own: &[&Word], index: usize) -> bool {
    let text = |at: usize| own.get(at).map_or("", |word| word.text.as_str());
    let letter = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_lowercase());
    if text(index) == "a" {
        let before = index.checked_sub(1).map_or("", text);
        return letter(text(index + 1)) || letter(before) || index + 1 == own.len() && takes_files(command);
    }
    own.len() == 1 && takes_files(command)
}

/// Says whether all words are a time as at(1) takes it: `now + 5 minutes`, `5pm tomorrow`, `noon`.
pub(crate) fn is_time(own: &[&Word]) -> bool {
    let is_clock = |text: &str| {
        let digits = text.trim_end_matches("am").trim_end_matches("pm");
        !digits.is_empty() && digits.chars().all(|letter| letter.is_ascii_digit() || "+:./-".contains(letter))
    };
    let is_part = |word: &&Word| is_clock(&word.text) || TIME.contains(&word.text.to_lowercase().as_str());
    !own.is_empty() && own.iter().all(is_part)
}

/// Words of times.
#[rustfmt::skip]
const TIME: &[&str] = &[
    "now", "noon", "midnight", "teatime", "today", "tomorrow", "next", "minute", "minutes", "min", "hour", "hours",
    "day", "days", "week", "weeks", "month", "months", "am", "pm", "mon", "monday", "tue", "tuesday", "wed",
    "wednesday", "thu", "thursday", "fri", "friday", "sat", "saturday", "sun", "sunday", "utc",
];

/// Says whether every operand of a command may be the name of a file.
pub(crate) fn all_names(command: &str, own: &[&Word]) -> bool {
    takes_files(command) && own.iter().all(|word| is_bare(word))
}
