//! The decision: the first word, then the weight of the rest.

use alloc::format;
use alloc::string::String;

use crate::environment::Environment;
use crate::evidence::{Evidence, is_known, weigh};
use crate::token::{Tokens, Word, tokenize};
use crate::typo;
use crate::words::language::{STARTERS, STRONG, has};
use crate::words::{commands, subcommands};

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
    let tokens = tokenize(line);
    if let Some(decided) = by_shape(line, &tokens) {
        return decided;
    }
    let words: &[Word] = &tokens.words;
    let rest = skip_assignments(words);
    let Some((first, arguments)) = rest.split_first() else { return decision(Route::Shell, "an assignment") };
    decide_command(first, arguments, line, &tokens, env)
}

/// What the shape of the whole line says before any word is looked up.
fn by_shape(line: &str, tokens: &Tokens) -> Option<Decision> {
    let first = tokens.words.first()?;
    let text = first.text.as_str();
    if line.starts_with("((") || line.starts_with("[[ ") || line.starts_with("[ ") || line.starts_with("{ ") {
        return Some(decision(Route::Shell, "a shell construct"));
    }
    if line.starts_with('(') && line.ends_with(')') && tokens.words.len() > 1 && !text.ends_with(')') {
        return Some(decision(Route::Shell, "a subshell"));
    }
    if line.starts_with('$') || line.starts_with('`') {
        return Some(decision(Route::Shell, "an expansion"));
    }
    if line.starts_with(['>', '<']) {
        return Some(decision(Route::Shell, "a redirection"));
    }
    if text.ends_with("()") || tokens.words.get(1).is_some_and(|word| word.text == "()") {
        return Some(decision(Route::Shell, "a function"));
    }
    None
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

fn decide_command(first: &Word, arguments: &[Word], line: &str, tokens: &Tokens, env: &dyn Environment) -> Decision {
    let name = first.text.as_str();
    if let Some(decided) = keyword(name, arguments, tokens, env) {
        return decided;
    }
    if is_path_of_program(name) {
        let evidence = weigh(name, line, tokens, arguments, env);
        return if evidence.language >= 5 && evidence.shell == 0 {
            decision(Route::Ai, reasons("a path, but ", &evidence.language_reasons))
        } else {
            decision(Route::Shell, "the path of a program")
        };
    }
    if commands::PREFIXES.binary_search(&name).is_ok() && is_known(name, env) {
        let inner = skip_flags(name, arguments);
        if let Some((first, rest)) = inner.split_first()
            && inner.len() < arguments.len() + 1
            && !first.quoted
            && is_known(&first.text, env)
        {
            return decide_command(first, rest, line, tokens, env);
        }
    }
    let evidence = weigh(name, line, tokens, arguments, env);
    let own = arguments.iter().take_while(|word| word.command == first.command).count();
    let arguments = arguments.get(..own).unwrap_or_default();
    if env.is_command(name) || (is_known(name, env) && !has(STARTERS, name)) {
        return known(name, arguments, &evidence, env);
    }
    unknown(name, arguments, line, &evidence, tokens, env)
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
            condition || body || (is_known(second, env) && !plain && !arguments.is_empty())
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
        "function" => arguments.len() <= 3 && tokens.groups > 0,
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

/// Skips the flags of a command that runs another, and the one value that some of its flags take.
fn skip_flags<'a>(name: &str, arguments: &'a [Word]) -> &'a [Word] {
    let mut rest = arguments;
    while let Some((word, tail)) = rest.split_first() {
        let text = word.text.as_str();
        let takes_value = matches!(
            (name, text),
            ("sudo" | "doas", "-u" | "-g" | "-C" | "-p")
                | ("nice", "-n")
                | ("watch", "-n")
                | ("xargs", "-n" | "-I" | "-P" | "-d" | "-L")
        );
        if text.starts_with('-') {
            rest = if takes_value { tail.get(1..).unwrap_or_default() } else { tail };
        } else if is_assignment(word) || (name == "timeout" && text.chars().next().is_some_and(|c| c.is_ascii_digit()))
        {
            rest = tail;
        } else {
            break;
        }
    }
    rest
}

/// A first word that is a command.
fn known(name: &str, arguments: &[Word], evidence: &Evidence, env: &dyn Environment) -> Decision {
    if arguments.is_empty() {
        return decision(Route::Shell, format!("`{name}` is a command"));
    }
    if commands::FREE_TEXT.binary_search(&name).is_ok() {
        return if evidence.language >= 4
            && evidence.shell == 0
            && evidence.language_reasons.iter().any(|r| r.starts_with("a question"))
            && name != "echo"
        {
            decision(Route::Ask, reasons("a command, but ", &evidence.language_reasons))
        } else {
            decision(Route::Shell, format!("`{name}` takes any text"))
        };
    }
    let ambiguous = commands::AMBIGUOUS.binary_search(&name).is_ok();
    let bare = commands::BARE.binary_search(&name).is_ok();
    let first = arguments.first().map_or("", |word| word.text.as_str());
    let mut language = evidence.language;
    if ambiguous && evidence.plain >= 2 {
        language += 2;
    }
    if ambiguous && evidence.plain >= 1 && language > 0 {
        language += 1;
    }
    if bare && evidence.plain > 0 {
        language += 2;
    }
    if name == "which" || name == "type" || name == "whatis" || name == "man" || name == "whereis" {
        let commands_named = arguments.iter().all(|word| is_known(&word.text, env) || word.text.starts_with('-'));
        if commands_named {
            return decision(Route::Shell, format!("`{name}` with the name of a command"));
        }
        language += if arguments.len() > 1 { 3 } else { 0 };
    }
    let mut shell = evidence.shell + i32::from(!ambiguous);
    if subcommands::has(name, first) {
        shell += 1;
    }
    if language == 0 {
        if evidence.shell == 0
            && ambiguous
            && evidence.plain >= 1
            && needs_file(name)
            && evidence.plain == arguments.len()
        {
            return if evidence.plain >= 2 {
                decision(Route::Ai, format!("`{name}` is a command, but nothing behind it exists here"))
            } else {
                decision(Route::Ask, format!("`{name}` is a command, but `{first}` is no file here"))
            };
        }
        return decision(Route::Shell, format!("`{name}` is a command"));
    }
    match language - shell {
        2.. => decision(Route::Ai, reasons(&format!("`{name}` is a command, but "), &evidence.language_reasons)),
        1 if ambiguous => {
            decision(Route::Ai, reasons(&format!("`{name}` is a command, but "), &evidence.language_reasons))
        }
        0 | 1 => decision(Route::Ask, reasons(&format!("`{name}` is a command, but "), &evidence.language_reasons)),
        _ => decision(Route::Shell, reasons(&format!("`{name}` is a command with "), &evidence.shell_reasons)),
    }
}

/// Ambiguous commands whose plain arguments are files or numbers.
fn needs_file(name: &str) -> bool {
    matches!(
        name,
        "cat"
            | "compare"
            | "convert"
            | "cut"
            | "diff"
            | "display"
            | "file"
            | "find"
            | "fold"
            | "format"
            | "head"
            | "import"
            | "install"
            | "join"
            | "kill"
            | "less"
            | "link"
            | "more"
            | "mount"
            | "open"
            | "paste"
            | "patch"
            | "read"
            | "rename"
            | "shred"
            | "sort"
            | "source"
            | "split"
            | "strip"
            | "tail"
            | "top"
            | "tree"
            | "uniq"
            | "unlink"
            | "view"
            | "wc"
            | "test"
            | "last"
            | "free"
            | "who"
            | "time"
            | "at"
            | "date"
            | "watch"
            | "sum"
            | "zip"
    )
}

/// A first word that is no command.
fn unknown(
    name: &str,
    arguments: &[Word],
    line: &str,
    evidence: &Evidence,
    tokens: &Tokens,
    env: &dyn Environment,
) -> Decision {
    let lower = name.to_lowercase();
    let bare = lower.trim_end_matches(['?', ',', '!', '.', ':', ';']);
    let starter = has(STARTERS, bare) || has(STRONG, bare);
    if starter {
        return decision(Route::Ai, format!("`{name}` begins a question or a request"));
    }
    if !name.is_ascii() && name.chars().any(char::is_alphabetic) {
        return decision(Route::Ai, format!("`{name}` is a word of language"));
    }
    if name.chars().next().is_some_and(|c| c.is_ascii_digit())
        || line.starts_with(['-', '+', '"', '\'', '“', '«', '¿', '¡'])
    {
        return decision(Route::Ai, "no command begins like this");
    }
    if let Some(meant) = typo::meant(name) {
        let fits = evidence.language == 0 && (arguments.is_empty() || evidence.shell > 0 || evidence.plain <= 1)
            || evidence.shell >= evidence.language + 2;
        if fits {
            return decision(Route::Shell, format!("`{name}` is a slip for `{meant}`"));
        }
    }
    if let Some(known) = glued(name, env) {
        return decision(Route::Shell, format!("`{name}` is a slip for `{known}`"));
    }
    if evidence.shell >= evidence.language + 3 && is_name_of_program(name) && evidence.plain <= 2 {
        return decision(Route::Shell, reasons("it has the shape of a command: ", &evidence.shell_reasons));
    }
    if arguments.is_empty() {
        return if line.ends_with(['?', '!', '.', ',']) {
            decision(Route::Ai, "the end of a sentence")
        } else if name.contains(['-', '_', '.', '/']) || name.chars().any(|c| c.is_ascii_digit()) {
            decision(Route::Shell, format!("`{name}` has the shape of a command's name"))
        } else {
            decision(Route::Ask, format!("`{name}` is no command that is known"))
        };
    }
    let _ = tokens;
    if evidence.language == 0 && evidence.plain <= 1 && evidence.shell >= 2 && is_name_of_program(name) {
        return decision(Route::Shell, reasons("it has the shape of a command: ", &evidence.shell_reasons));
    }
    decision(Route::Ai, format!("`{name}` is no command, and the rest reads as language"))
}

fn is_name_of_program(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.+".contains(c))
}

/// `cd..`, `ls-la`, `git-status`: a command with its blank left out.
fn glued(name: &str, env: &dyn Environment) -> Option<String> {
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (head, tail) = name.split_at(end);
    (tail.len() > 1 && is_known(head, env) && (tail.starts_with('-') || tail.starts_with('.') || tail.starts_with('/')))
        .then(|| format!("{head} {tail}"))
}

fn reasons(start: &str, reasons: &[String]) -> String {
    let mut text = String::from(start);
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
