//! The decision: the first word, then the weight of the rest.

use alloc::format;
use alloc::string::String;

use aish_program_format::Trait;

use crate::environment::Environment;
use crate::evidence::{Evidence, is_known, is_path, weigh};
use crate::token::{Tokens, Word, tokenize};
use crate::words::english::is_english;
use crate::words::language::{NARRATIVE, STARTERS, STRONG, VERBS, has};
use crate::words::programs::{self, is};

mod known;
mod unknown;

pub use unknown::corrected;

/// Where a line goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// To the live shell.
    Shell,
    /// To the model.
    Ai,
    /// The person is asked.
    Ask,
}

impl Route {
    /// Returns the word that is shown and written: `shell`, `ai`, `ask`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Ai => "ai",
            Self::Ask => "ask",
        }
    }
}

/// A route with the reason in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Where the line goes.
    pub route: Route,
    /// Why.
    pub reason: String,
}

/// Commands before a command (`sudo nice …`) that are looked through.
const DEPTH: usize = 8;

fn decision(route: Route, reason: impl Into<String>) -> Decision {
    Decision { route, reason: reason.into() }
}

/// Decides about a line that has no prefix. Pure, and linear in the line's length.
pub fn decide(line: &str, env: &dyn Environment) -> Decision {
    let line = line.trim();
    if line.is_empty() {
        return decision(Route::Shell, "nothing to do");
    }
    if line.starts_with('#') {
        return decision(Route::Shell, "a comment");
    }
    let line = without_remark(line, env);
    let tokens = tokenize(line);
    if let Some(decided) = by_shape(line, &tokens, env) {
        return decided;
    }
    let words: &[Word] = &tokens.words;
    let rest = skip_assignments(words);
    let Some((first, arguments)) = rest.split_first() else { return decision(Route::Shell, "an assignment") };
    decide_command(first, arguments, line, &tokens, env, 0)
}

/// Takes a remark off a command, as pages put it behind theirs: `df -h   # how full the disks are`.
fn without_remark<'l>(line: &'l str, env: &dyn Environment) -> &'l str {
    let may_have_one = line.contains(" # ") && !line.contains('\n');
    if !may_have_one || !line.split_whitespace().next().is_some_and(|first| is_known(first, env)) {
        return line;
    }
    let scan = aish_syntax::scan(line);
    let remark = scan.tokens.iter().find(|token| token.kind == aish_syntax::Kind::Comment);
    remark.and_then(|remark| line.get(..remark.start)).map_or(line, str::trim_end)
}

/// What the shape of the whole line says before any word is looked up.
fn by_shape(line: &str, tokens: &Tokens, env: &dyn Environment) -> Option<Decision> {
    if aish_syntax::is_compound(line) {
        return Some(decision(Route::Shell, "a compound command"));
    }
    let first = tokens.words.first()?;
    let text = first.text.as_str();
    if matches!(line, "{" | "(")
        || line.starts_with("((")
        || line.starts_with("[[ ")
        || line.starts_with("[ ")
        || line.starts_with("{ ")
    {
        return Some(decision(Route::Shell, "a shell construct"));
    }
    if line.starts_with('(') && line.contains(')') && tokens.words.len() > 1 && !text.ends_with(')') {
        let inner = text.trim_start_matches('(');
        if line.ends_with(')') || is_known(inner, env) || is_path_of_program(inner) {
            return Some(decision(Route::Shell, "a subshell"));
        }
    }
    let tells =
        tokens.words.iter().skip(1).filter(|word| has(STRONG, &word.text) || has(NARRATIVE, &word.text)).count();
    if line.starts_with('$') && tells == 0 || line.starts_with('`') && tokens.words.len() <= 2 {
        return Some(decision(Route::Shell, "an expansion"));
    }
    if line.starts_with('$') {
        return Some(decision(Route::Ai, "it tells about a variable"));
    }
    if first.quoted && (first.expands || text.contains('/')) && tells == 0 {
        return Some(decision(Route::Shell, "the path of a program"));
    }
    if is_assignment(first) && text.contains("=(") {
        return Some(decision(Route::Shell, "an assignment"));
    }
    if line.starts_with(['>', '<']) || line.starts_with("&>") || is_numbered_redirection(line) && tells == 0 {
        return Some(decision(Route::Shell, "a redirection"));
    }
    if text.ends_with("()") || tokens.words.get(1).is_some_and(|word| word.text == "()") {
        return Some(decision(Route::Shell, "a function"));
    }
    None
}

/// `2>&1 make`, `3<file cat`: the number of a descriptor right before the arrow.
fn is_numbered_redirection(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['>', '<'])
}

fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.text.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn skip_assignments(words: &[Word]) -> &[Word] {
    let count = words.iter().take_while(|word| is_assignment(word)).count();
    words.get(count..).unwrap_or_default()
}

fn decide_command(
    first: &Word,
    arguments: &[Word],
    line: &str,
    tokens: &Tokens,
    env: &dyn Environment,
    depth: usize,
) -> Decision {
    let name = first.text.as_str();
    if let Some(decided) = keyword(name, arguments, tokens, env) {
        return decided;
    }
    if is_path_of_program(name) || is_path_below(name, env) {
        let evidence = weigh(name, line, tokens, arguments, env);
        return if evidence.language >= evidence.shell + 2 && tells_of(arguments, &evidence) {
            decision(Route::Ai, reasons("a path, but ", &evidence.language_reasons))
        } else {
            decision(Route::Shell, "the path of a program")
        };
    }
    if depth < DEPTH && is(name, Trait::Prefix) && is_known(name, env) {
        let inner = skip_flags(name, arguments);
        if let Some((first, rest)) = inner.split_first()
            && inner.len() < arguments.len() + 1
            && !first.quoted
            && is_known(&first.text, env)
        {
            return decide_command(first, rest, line, tokens, env, depth + 1);
        }
    }
    let evidence = weigh(name, line, tokens, arguments, env);
    let own = arguments.iter().take_while(|word| word.command == first.command).count();
    let arguments = arguments.get(..own).unwrap_or_default();
    if !is_known(name, env) {
        return unknown::decide(first, arguments, line, &evidence, tokens, env);
    }
    let installed = env.is_command(name) || is(name, Trait::Builtin);
    if installed {
        return known::decide(name, arguments, &evidence, env);
    }
    // A word that is also English, and no program here, needs more than a plain word behind it.
    let is_word = is_english(name) || has(STARTERS, name);
    if is_word
        && evidence.language == 0
        && arguments.len() == 1
        && evidence.shell == 0
        && !has(STARTERS, name)
        && !is(name, Trait::Commands)
    {
        return decision(Route::Ask, format!("`{name}` is no program here, but elsewhere it is one"));
    }
    if is_word && !is(name, Trait::Commands) && evidence.shell == 0 && (!arguments.is_empty() || has(STARTERS, name)) {
        return decision(Route::Ai, format!("`{name}` is no program here, and the rest reads as language"));
    }
    if is_word && joined(arguments) {
        return decision(
            Route::Ai,
            format!("`{name}` is no program here, and what is named is joined as in a sentence"),
        );
    }
    known::decide(name, arguments, &evidence, env)
}

/// `main.py and notes.txt`, `a to b`: names with a word of language between them, and no option.
fn joined(arguments: &[Word]) -> bool {
    let inner = arguments.len().checked_sub(1).and_then(|end| arguments.get(1..end)).unwrap_or_default();
    let joins = |word: &Word| !word.quoted && matches!(word.text.as_str(), "and" | "to" | "into" | "with" | "from");
    inner.iter().any(joins) && !arguments.iter().any(|word| word.text.starts_with('-'))
}

/// Shell keywords are commands only with their grammar.
fn keyword(name: &str, arguments: &[Word], tokens: &Tokens, env: &dyn Environment) -> Option<Decision> {
    let second = arguments.first().map_or("", |word| word.text.as_str());
    let third = arguments.get(1).map_or("", |word| word.text.as_str());
    let is_shell = match name {
        "if" | "while" | "until" => {
            let condition = second.starts_with('[') || second == "!" || second == "((" || second.starts_with('(');
            let body = tokens.words.iter().any(|word| word.first && matches!(word.text.as_str(), "then" | "do"));
            let plain = arguments.iter().any(|word| has(STRONG, &word.text));
            let words = arguments.iter().filter(|word| !word.quoted && is_english(&word.text)).count();
            condition || body || (is_known(second, env) && !plain && words < 3)
        }
        "for" | "select" => {
            third == "in" && (second.len() == 1 || !has(STRONG, second)) && second != "each" && second != "all"
                || second.starts_with('(')
        }
        "case" => {
            third == "in"
                || arguments.iter().any(|word| word.text == "in" && word.command == 0)
                    && arguments.first().is_some_and(|word| word.expands)
        }
        "function" => tokens.groups > 0 && (third.starts_with(['{', '(']) || second.ends_with("()")),
        "then" | "do" | "done" | "fi" | "esac" | "else" | "elif" => arguments.is_empty(),
        "!" => return None,
        _ => return None,
    };
    Some(if is_shell {
        decision(Route::Shell, format!("the shell's `{name}`"))
    } else {
        decision(Route::Ai, format!("`{name}` without its grammar reads as language"))
    })
}

fn is_path_of_program(name: &str) -> bool {
    name.starts_with("./")
        || name.starts_with("../")
        || name.starts_with("~/")
        || name == "~"
        || name == ".."
        || (name.starts_with('/') && name.len() > 1)
}

/// `bin/tool`, `target/debug/tool`, `.venv/bin/python`: the path of a program without `./`, and not `and/or`.
fn is_path_below(name: &str, env: &dyn Environment) -> bool {
    #[rustfmt::skip]
    const FOLDERS: &[&str] = &[
        "app", "bin", "build", "dist", "examples", "exe", "hack", "lib", "libexec", "node_modules", "out", "sbin",
        "script", "scripts", "src", "target", "test", "tests", "tools", "utils", "vendor", "venv", "xtask",
    ];
    let Some((folder, rest)) = name.split_once('/') else { return false };
    if folder.is_empty() || rest.is_empty() || rest.starts_with('/') || !is_path(name) || name.contains(':') {
        return false;
    }
    let is_named = |text: &str| text.chars().any(|c| matches!(c, '.' | '_' | '-') || c.is_ascii_digit());
    FOLDERS.contains(&folder) || is_named(name) || rest.split('/').count() > 2 || env.exists(name)
}

/// Says whether what stands behind a path tells of it or asks, and does not only hold a word that an argument may be.
fn tells_of(arguments: &[Word], evidence: &Evidence) -> bool {
    let own = || arguments.iter().filter(|word| !word.quoted).map(|word| word.text.as_str());
    let strong = own().filter(|text| has(STRONG, text)).count();
    evidence.question || strong > 1 || own().any(|text| has(NARRATIVE, text) || has(VERBS, text))
}

/// Skips the flags of a command that runs another, and the one value that some of its flags take.
fn skip_flags<'a>(name: &str, arguments: &'a [Word]) -> &'a [Word] {
    let mut rest = arguments;
    while let Some((word, tail)) = rest.split_first() {
        let text = word.text.as_str();
        if text.starts_with('-') {
            rest = if programs::takes_value(name, text) { tail.get(1..).unwrap_or_default() } else { tail };
        } else if is_assignment(word)
            || (text.starts_with(|letter: char| letter.is_ascii_digit()) && programs::skips_operand(name))
        {
            rest = tail;
        } else {
            break;
        }
    }
    rest
}

fn reasons(start: &str, reasons: &[String]) -> String {
    let mut text = String::from(start);
    if reasons.is_empty() {
        text.push_str("more words than a command has");
    }
    for (index, reason) in reasons.iter().take(3).enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(reason);
    }
    text
}

#[cfg(test)]
mod tests;
