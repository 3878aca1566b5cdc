//! A first word that is no command: a word of language, a slip, or a program that is not known.

use alloc::format;
use alloc::string::String;

use aish_program_format::Trait;

use super::{Decision, Route, decision, known, reasons};
use crate::environment::Environment;
use crate::evidence::{Evidence, is_known, weigh};
use crate::token::{Tokens, Word};
use crate::typo;
use crate::words::english::is_english;
use crate::words::language::{FOREIGN, GREETINGS, NARRATIVE, STARTERS, STRONG, WEAK, has};
use crate::words::programs::is;

pub(super) fn decide(
    first: &Word,
    arguments: &[Word],
    line: &str,
    evidence: &Evidence,
    tokens: &Tokens,
    env: &dyn Environment,
) -> Decision {
    let name = first.text.as_str();
    let bare = name.trim_end_matches(['?', ',', '!', '.', ':', ';']);
    let named = evidence.language == 0 && evidence.shell > 0 && evidence.plain == 0 && is(name, Trait::Requests);
    if evidence.shell > evidence.language
        && let Some(decided) = slip_in_english(name, arguments, evidence)
    {
        return decided;
    }
    if !named && (has(STARTERS, bare) || has(STRONG, bare) || has(GREETINGS, bare)) {
        return decision(Route::Ai, format!("`{name}` begins a question or a request"));
    }
    if let Some(decided) = by_its_look(name, bare, line, env) {
        return decided;
    }
    let margin = evidence.shell - evidence.language;
    if let Some(decided) = slip_in_english(name, arguments, evidence) {
        return decided;
    }
    if is_english(bare) || has(WEAK, bare) || has(FOREIGN, bare) || has(NARRATIVE, bare) {
        return if margin >= 5 && is_name_of_program(name) {
            decision(Route::Shell, reasons("it has the shape of a command: ", &evidence.shell_reasons))
        } else {
            decision(Route::Ai, format!("`{name}` is a word and no command"))
        };
    }
    if GREETINGS.iter().any(|greeting| name.len() >= 4 && typo::is_slip_for(name, greeting)) && margin <= 0 {
        return decision(Route::Ai, format!("`{name}` reads as a greeting"));
    }
    if let Some(decided) = slip(name, line, arguments, tokens, env) {
        return decided;
    }
    if name.split('-').any(|part| part.len() > 2 && (has(FOREIGN, part) || has(GREETINGS, part))) {
        return decision(Route::Ai, format!("`{name}` is a word of language"));
    }
    if arguments.is_empty() {
        return alone(name, line);
    }
    if !is_name_of_program(name) {
        return decision(Route::Ai, format!("`{name}` is no command, and the rest reads as language"));
    }
    if evidence.language == 0 && [".sh", ".py", ".pl", ".rb", ".js"].iter().any(|ending| name.ends_with(ending)) {
        return decision(Route::Shell, format!("`{name}` is the name of a script"));
    }
    let generic = arguments.first().is_some_and(|word| SUBCOMMANDS.contains(&word.text.as_str()));
    if margin >= 3 && evidence.plain <= 3
        || evidence.language == 0 && evidence.shell >= 1 && evidence.plain <= 1
        || generic && arguments.len() <= 3 && evidence.language <= 1 && evidence.english < arguments.len().max(2)
    {
        return decision(Route::Shell, reasons("it has the shape of a command: ", &evidence.shell_reasons));
    }
    decision(Route::Ai, format!("`{name}` is no command, and the rest reads as language"))
}

/// What no command looks like, or a command that a sign was typed into.
fn by_its_look(name: &str, bare: &str, line: &str, env: &dyn Environment) -> Option<Decision> {
    if !name.is_ascii() && name.chars().any(char::is_alphabetic) {
        return Some(decision(Route::Ai, format!("`{name}` is a word of language")));
    }
    if let Some(known) = glued(name, env) {
        return Some(decision(Route::Shell, format!("`{name}` is a slip for `{known}`")));
    }
    if bare != name && !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Some(decision(Route::Ai, format!("no command ends like `{name}`")));
    }
    if name.chars().next().is_some_and(|c| c.is_ascii_digit())
        || line.starts_with(['-', '+', '"', '\'', '“', '«', '¿', '¡', '*', '%', '^'])
    {
        return Some(decision(Route::Ai, "no command begins like this"));
    }
    None
}

/// A word that is one slip away from a command which fits the rest of the line.
fn slip(name: &str, line: &str, arguments: &[Word], tokens: &Tokens, env: &dyn Environment) -> Option<Decision> {
    let meant = typo::meant(name)?;
    let decided = decision(Route::Shell, format!("`{name}` is a slip for `{meant}`"));
    if arguments.is_empty() {
        return Some(decided);
    }
    let weighed = weigh(meant, line, tokens, arguments, env);
    let weak = meant.len() == name.len() && name.len() <= 4 && !typo::is_swap(name.as_bytes(), meant.as_bytes());
    let fits = known::decide(meant, arguments, &weighed, env).route == Route::Shell;
    // Nothing but plain words behind it: `moke some tea` is no slip for a command.
    let bare_words = weighed.shell == 0 && (weighed.plain >= 2 || weak);
    let is_named = || arguments.first().is_some_and(|word| is_known(&word.text, env));
    (fits && (!bare_words || is_named())).then_some(decided)
}

/// `got status`: a word of English, one slip away from a command that has a sub-command like the next word.
fn slip_in_english(name: &str, arguments: &[Word], evidence: &Evidence) -> Option<Decision> {
    let second = arguments.first()?.text.as_str();
    if !(is_english(name) || has(NARRATIVE, name) || has(GREETINGS, name))
        || evidence.language > 1
        || arguments.len() > 3
    {
        return None;
    }
    let meant = typo::meant_by_subcommand(name, second)?;
    let route = if arguments.len() == 1 || evidence.shell > 0 { Route::Shell } else { Route::Ask };
    Some(decision(route, format!("`{name}` is a slip for `{meant}`")))
}

/// Returns a line whose first word is no command as it was probably meant: `gti status` is `git status`, `cd..` is `cd ..`.
/// None when nothing that is there is a slip away.
#[must_use]
pub fn corrected(line: &str, env: &dyn Environment) -> Option<String> {
    let line = line.trim();
    let (name, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    if env.is_command(name) {
        return None;
    }
    let second = rest.split_whitespace().next().unwrap_or_default();
    let slip = || typo::meant(name).or_else(|| typo::meant_by_subcommand(name, second));
    let meant = glued(name, env).or_else(|| slip().filter(|meant| env.is_command(meant)).map(String::from))?;
    Some(format!("{meant}{rest}"))
}

/// Sub-commands that most programs with sub-commands have.
const SUBCOMMANDS: &[&str] = &[
    "add", "apply", "auth", "build", "clean", "config", "create", "delete", "deploy", "dev", "get", "help", "init",
    "install", "list", "login", "logs", "ls", "new", "publish", "pull", "push", "remove", "restart", "run", "serve",
    "show", "start", "status", "stop", "sync", "test", "up", "update", "upgrade", "version",
];

/// One word, and no command.
fn alone(name: &str, line: &str) -> Decision {
    if line.ends_with(['?', '!', '.', ',']) {
        decision(Route::Ai, "the end of a sentence")
    } else if name.contains(['-', '_', '.', '/']) || name.chars().any(|c| c.is_ascii_digit()) {
        decision(Route::Shell, format!("`{name}` has the shape of a command's name"))
    } else {
        decision(Route::Ask, format!("`{name}` is not a known command"))
    }
}

fn is_name_of_program(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.+".contains(c))
}

/// `cd..`, `ls-la`, `git-status`, `cat/etc/hosts`: a command with its blank left out, and not `read/write`.
fn glued(name: &str, env: &dyn Environment) -> Option<String> {
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (head, tail) = name.split_at(end);
    ((tail.len() > 1 || tail == "~")
        && is_known(head, env)
        && (tail.starts_with('-')
            || tail.starts_with('/') && (env.exists(tail) || !is_english(head) && !has(STARTERS, head))
            || head == "cd" && tail.starts_with(['.', '~'])))
    .then(|| format!("{head} {tail}"))
}
