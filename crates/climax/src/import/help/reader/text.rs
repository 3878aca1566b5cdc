//! The texts of lines: gaps, sentences, what says nothing.

use super::super::{Help, Subcommand, is_command_word};
use super::{MAX_DESCRIPTION, MAX_INDENT};

/// Returns how far a line is indented, in columns.
pub(super) fn width(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 8 } else { 1 }).sum()
}

/// Lines that say nothing of what the command does: versions, complaints about `--help`.
pub(super) fn is_noise(body: &str) -> bool {
    let lower = body.to_lowercase();
    let mut words = body.split(' ');
    let is_name_alone = words
        .next()
        .and_then(|word| word.rsplit_once('/'))
        .is_some_and(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.'))
        && words.next().is_none_or(|word| word.contains(['/', '-']));
    let is_version = is_name_alone
        || body.split_whitespace().nth(1).is_some_and(|word| {
            let word = word.trim_start_matches(['v', '(']);
            word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
        });
    let complaint = ["unknown option", "invalid option", "unrecognized option", "illegal option", "warning", "error"];
    is_version || complaint.iter().any(|words| lower.contains(words)) || !body.contains(char::is_alphabetic)
}

/// Cuts a text behind its first sentence.
pub(super) fn first_sentence(text: &str) -> String {
    let end = text
        .match_indices(". ")
        .map(|(at, _)| at)
        .find(|&at| at > 8 && !text.get(..at).unwrap_or_default().ends_with("e.g"));
    let text = end.map_or(text, |end| text.get(..=end).unwrap_or(text));
    let cut = text.char_indices().nth(MAX_DESCRIPTION).map_or(text.len(), |(at, _)| at);
    text.get(..cut).unwrap_or(text).trim().to_owned()
}

/// Splits a line at the first gap of two blanks or more.
pub(super) fn columns(body: &str) -> (&str, &str) {
    match body.find("  ").or_else(|| body.find('\t')) {
        Some(at) => {
            let (left, right) = body.split_at(at);
            (left.trim(), right.trim())
        }
        None => (body.trim(), ""),
    }
}

/// Splits the line of an option at the gap behind its last flag: `-b,  --background  go there`.
pub(super) fn option_columns(body: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some(at) = body.get(from..).and_then(|rest| rest.find("  ").or_else(|| rest.find('\t'))) {
        let (left, right) = body.split_at_checked(from + at).unwrap_or((body, ""));
        let (left, right) = (left.trim(), right.trim());
        let goes_on =
            right.starts_with("--") && !right.contains("---") || left.ends_with(',') && right.starts_with('-');
        if !goes_on {
            return (left, right);
        }
        from = body.len() - right.len();
    }
    (body.trim(), "")
}

/// Says whether what begins with the program's name is a sentence about it, and no form.
pub(super) fn is_about_program(body: &str) -> bool {
    let ends = body.ends_with(['.', ',']) && !body.ends_with("..");
    ends || [" a ", " an ", " the ", " is "].iter().any(|word| body.contains(word))
}

/// Says whether what might go on with a form is a sentence.
pub(super) fn is_sentence(body: &str) -> bool {
    let plain = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || matches!(c, ',' | '\''));
    let ends = body.ends_with(['.', ':', '!']) && !body.ends_with("...") && !body.ends_with("..");
    ends || body.split_whitespace().filter(plain).count() >= 3
}

/// Finds sub-commands in lists that no heading names, as git's: indented, a word, a gap, a description.
pub(super) fn without_heading(text: &str) -> Vec<Subcommand> {
    let mut found: Vec<Subcommand> = Vec::new();
    for line in text.lines() {
        let body = line.trim();
        let indent = line.len() - line.trim_start().len();
        let (name, about) = columns(body);
        let fits = (1..=MAX_INDENT).contains(&indent) && is_command_word(name) && !about.is_empty();
        if fits && !found.iter().any(|command| command.name == name) {
            let shown = Help { about: about.to_owned(), ..Help::default() };
            found.push(Subcommand { name: name.to_owned(), listed: true, shown });
        }
    }
    if found.len() > 2 { found } else { Vec::new() }
}
