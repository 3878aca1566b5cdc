//! A first word that is a command: what stands behind it decides.

use alloc::format;

use aish_program_format::Trait;

use super::{Decision, Route, decision, reasons};
use crate::environment::Environment;
use crate::evidence::{Evidence, is_known};
use crate::token::Word;
use crate::words::english::is_english;
use crate::words::language::{STARTERS, STRONG, WEAK, has};
use crate::words::programs::{is, removes, takes_files};

pub(super) fn decide(name: &str, arguments: &[Word], evidence: &Evidence, env: &dyn Environment) -> Decision {
    let Some(first) = arguments.first() else { return alone(name) };
    if is(name, Trait::FreeText) {
        return free_text(name, arguments, evidence);
    }
    if is(name, Trait::Commands) && arguments.iter().all(|word| names_command(word, env)) {
        return decision(Route::Shell, format!("`{name}` with the name of a command"));
    }
    if is(name, Trait::Pages) && arguments.len() == 1 && !evidence.question {
        return decision(Route::Shell, format!("`{name}` with the name of a page"));
    }
    let section = first.text.len() == 1 && first.text.bytes().all(|byte| byte.is_ascii_digit());
    if is(name, Trait::Sections) && arguments.len() == 2 && (section || names_command(first, env)) && !evidence.question
    {
        return decision(Route::Shell, format!("`{name}` with a page of `{}`", first.text));
    }
    let strong = arguments.iter().any(|word| has(STRONG, &word.text));
    let counted = matches!(first.text.as_str(), "two" | "both");
    if is(name, Trait::TwoOperands) && arguments.len() == 2 && !strong && !counted && !evidence.question {
        return decision(Route::Shell, format!("`{name}` with two operands"));
    }
    let ambiguous = is(name, Trait::English);
    let language = evidence.language + beyond(name, arguments, evidence, env, ambiguous);
    let shell = evidence.shell + i32::from(!ambiguous);
    if is(name, Trait::Targets) && language == 0 && arguments.len() == 1 && !evidence.subcommand {
        let text = first.text.as_str();
        if is_english(text) && !env.exists(text) {
            return decision(Route::Ask, format!("`{text}` may be a target, or a thing to make"));
        }
    }
    let title = format!("`{name}` is a command, but ");
    match language.saturating_sub(shell) {
        _ if language == 0 => decision(Route::Shell, format!("`{name}` is a command")),
        // How words stand is a reason to ask, not to decide.
        2.. if language - evidence.guess <= shell => decision(Route::Ask, reasons(&title, &evidence.language_reasons)),
        2.. => decision(Route::Ai, reasons(&title, &evidence.language_reasons)),
        1 if ambiguous && !takes_files(name) => decision(Route::Ai, reasons(&title, &evidence.language_reasons)),
        1 => decision(Route::Ask, reasons(&title, &evidence.language_reasons)),
        // A flag does not make a command of a sentence where files would be gone.
        _ if removes(name) && evidence.language - evidence.guess >= 3 => {
            decision(Route::Ask, reasons(&title, &evidence.language_reasons))
        }
        _ => decision(Route::Shell, reasons(&format!("`{name}` is a command with "), &evidence.shell_reasons)),
    }
}

/// A command and nothing else. Some do nothing so, and are what one says to somebody.
fn alone(name: &str) -> Decision {
    if name == "continue" || is(name, Trait::Idle) {
        return decision(Route::Ask, format!("`{name}` does nothing by itself"));
    }
    decision(Route::Shell, format!("`{name}` is a command"))
}

/// Points for language that depend on the command.
fn beyond(name: &str, arguments: &[Word], evidence: &Evidence, env: &dyn Environment, ambiguous: bool) -> i32 {
    let mut points = 0;
    if ambiguous && evidence.english >= 2 {
        points += if takes_files(name) { 1 } else { 2 };
    }
    if ambiguous && evidence.plain >= 1 && evidence.language > 0 {
        points += 1;
    }
    let last = arguments.last().map_or("", |word| word.text.as_str());
    if ambiguous && last.strip_suffix('!').is_some_and(is_english) {
        points += 3;
    }
    if !ambiguous && !evidence.subcommand && evidence.english >= 3 {
        points += 2;
    }
    if is(name, Trait::Commands) && arguments.len() > 1 {
        points += 3;
    }
    let inner = arguments.iter().find(|word| !word.text.starts_with('-'));
    let runs = is(name, Trait::Prefix);
    if runs && inner.is_some_and(|word| !word.quoted && !is_known(&word.text, env) && is_english(&word.text)) {
        points += 3;
    }
    points
}

fn names_command(word: &Word, env: &dyn Environment) -> bool {
    let text = word.text.as_str();
    is_known(text, env)
        || text.starts_with('-')
        || text.chars().all(|c| c.is_ascii_digit())
        || text.contains('-') && text.split('-').next().is_some_and(|head| is_known(head, env))
}

fn free_text(name: &str, arguments: &[Word], evidence: &Evidence) -> Decision {
    let words = || arguments.iter().filter(|word| !word.quoted);
    let narrative = ["does", "doesn't", "prints", "vs", "won't", "or"];
    let tells = arguments.first().is_some_and(|word| narrative.contains(&word.text.as_str()));
    let agrees = is(name, Trait::Answers)
        && words().any(|word| {
            has(STRONG, &word.text)
                || words().count() > 1 && (is_english(&word.text) || has(WEAK, &word.text) || has(STARTERS, &word.text))
        });
    if evidence.shell == 0 && (tells || agrees) {
        return decision(Route::Ai, format!("`{name}` is a command, but the rest is said to someone"));
    }
    decision(Route::Shell, format!("`{name}` takes any text"))
}
