//! What speaks for a command and what for language, counted.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::environment::Environment;
use crate::token::{Tokens, Word};
use crate::words::language::{FOREIGN, STRONG, WEAK, has};
use crate::words::{commands, subcommands};

/// Points for each side, with what gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Points for a command.
    pub shell: i32,
    /// Points for language.
    pub language: i32,
    /// Arguments that are plain words: no flag, number, path, quote or known name.
    pub plain: usize,
    /// What gave the most for a command.
    pub shell_reasons: Vec<String>,
    /// What gave the most for language.
    pub language_reasons: Vec<String>,
}

impl Evidence {
    fn shell(&mut self, points: i32, reason: &str) {
        self.shell += points;
        push_once(&mut self.shell_reasons, reason);
    }

    fn language(&mut self, points: i32, reason: &str) {
        self.language += points;
        push_once(&mut self.language_reasons, reason);
    }
}

fn push_once(reasons: &mut Vec<String>, reason: &str) {
    if !reasons.iter().any(|known| known == reason) {
        reasons.push(reason.into());
    }
}

/// Weighs what stands behind a first word.
pub fn weigh(command: &str, line: &str, tokens: &Tokens, arguments: &[Word], env: &dyn Environment) -> Evidence {
    let mut evidence = Evidence::default();
    operators(tokens, env, &mut evidence);
    if tokens.contractions > 0 {
        evidence.language(3, "an apostrophe inside a word");
    }
    if tokens.open_quote && tokens.contractions == 0 {
        evidence.shell(2, "an open quote");
    }
    let free_text = commands::FREE_TEXT.binary_search(&command).is_ok();
    for (index, word) in
        arguments.iter().filter(|word| word.command == arguments.first().map_or(0, |w| w.command)).enumerate()
    {
        argument(command, index, word, free_text, env, &mut evidence);
    }
    ending(line, arguments, &mut evidence);
    evidence
}

fn operators(tokens: &Tokens, env: &dyn Environment, evidence: &mut Evidence) {
    let later_commands = tokens.words.iter().filter(|word| word.first && word.command > 0);
    let known = later_commands.filter(|word| is_known(&word.text, env)).count() as i32;
    if tokens.pipes > 0 {
        evidence.shell(2 + 2 * known.min(2), "a pipe");
    }
    if tokens.separators > 0 && (known > 0 || tokens.words.iter().all(|word| word.command == 0)) {
        evidence.shell(2 + known.min(1), "a separator of commands");
    }
    if tokens.redirections > 0 {
        evidence.shell(3, "a redirection");
    }
    if tokens.groups > 0 && tokens.words.iter().any(|word| word.expands) {
        evidence.shell(2, "a substitution");
    }
}

/// Says whether a word is a command of any kind, installed or well known.
pub fn is_known(word: &str, env: &dyn Environment) -> bool {
    env.is_command(word)
        || commands::BUILTINS.binary_search(&word).is_ok()
        || commands::WELL_KNOWN.binary_search(&word).is_ok()
}

fn argument(command: &str, index: usize, word: &Word, free_text: bool, env: &dyn Environment, evidence: &mut Evidence) {
    let text = word.text.as_str();
    if text.is_empty() {
        return;
    }
    if text.len() > 1 && text.starts_with('-') && text != "--" && !text.starts_with("---") {
        evidence.shell(3, "a flag");
    } else if word.quoted {
        evidence.shell(2, "a quoted argument");
    } else if word.expands && !text.ends_with('?') {
        evidence.shell(2, "an expansion");
    } else if index == 0 && subcommands::has(command, text) {
        evidence.shell(2, &format!("a sub-command of {command}"));
    } else if is_path(text) {
        evidence.shell(if env.exists(text) { 3 } else { 2 }, "a path");
    } else if !free_text && env.exists(text) && !has(STRONG, text) {
        evidence.shell(2, "the name of a file");
    } else if is_shape_of_argument(text) {
        evidence.shell(1, "the shape of an argument");
    } else if free_text {
    } else {
        plain(text, evidence);
    }
}

fn plain(text: &str, evidence: &mut Evidence) {
    let bare = text.trim_end_matches([',', '.', '?', '!', ':', ';']);
    if has(STRONG, bare) {
        evidence.language(3, &format!("the word `{bare}`"));
    } else if has(WEAK, bare) || has(FOREIGN, bare) {
        evidence.language(2, &format!("the word `{bare}`"));
    } else if !bare.is_ascii() && bare.chars().all(char::is_alphabetic) {
        evidence.language(1, "a word that is not ASCII");
    } else if bare.chars().all(char::is_alphabetic) {
        evidence.plain += 1;
    }
    if text.ends_with(',') && bare.chars().all(char::is_alphabetic) {
        evidence.language(2, "a comma");
    }
}

fn is_path(text: &str) -> bool {
    text.starts_with(['/', '~']) && text.len() > 1
        || text.starts_with("./")
        || text.starts_with("../")
        || text == "."
        || text == ".."
        || text == "/"
        || text == "~"
        || (text.contains('/')
            && !text.ends_with('/')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-@:".contains(c)))
}

/// Names with dots, digits, colons, equals signs: `main.rs`, `8080`, `user@host`, `a=b`, `HEAD~1`.
fn is_shape_of_argument(text: &str) -> bool {
    let body = text.trim_end_matches(['.', ',', '?', '!', ':']);
    if body.is_empty() {
        return false;
    }
    let special = body.chars().any(|c| "=@:~^%+_{}".contains(c))
        || body.contains('.')
        || body.contains('-') && body.chars().any(|c| c.is_ascii_digit());
    special || body.chars().all(|c| c.is_ascii_digit())
}

fn ending(line: &str, arguments: &[Word], evidence: &mut Evidence) {
    let line = line.trim_end();
    if line.ends_with(['?', '？', '؟', '！', '。']) {
        let last = arguments.last().map_or("", |word| word.text.as_str());
        if !is_path(last) {
            evidence.language(4, "a question mark at the end");
        }
    } else if line.ends_with(['.', '!'])
        && arguments.len() > 2
        && arguments.last().is_some_and(|word| !is_path(&word.text))
    {
        evidence.language(2, "the end of a sentence");
    }
}
