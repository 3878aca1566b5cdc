//! What speaks for a command and what for language, counted.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Trait;

use crate::environment::Environment;
use crate::fit;
use crate::token::{Tokens, Word};
use crate::typo;
use crate::words::english::is_english;
use crate::words::language::{FOREIGN, LINKS, NARRATIVE, PARTICLES, STRONG, VERBS, WEAK, has};
use crate::words::programs::{self, is, takes_files};

/// Points for each side, with what gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Points for a command.
    pub shell: i32,
    /// Points for language.
    pub language: i32,
    /// Of the points for language, those that no word of language gave, only how words stand.
    pub guess: i32,
    /// Arguments that are plain words: no flag, number, path, quote or known name.
    pub plain: usize,
    /// Of these, the common English words.
    pub english: usize,
    /// Function words that may also be names.
    pub weak: usize,
    /// True when the first argument is a sub-command that is known, or a slip for one.
    pub subcommand: bool,
    /// True when the line ends in a question mark.
    pub question: bool,
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

    pub(crate) fn guess(&mut self, points: i32, reason: &str) {
        self.guess += points;
        self.language(points, reason);
    }

    pub(crate) fn language(&mut self, points: i32, reason: &str) {
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
    let own = arguments.iter().take_while(|word| word.command == arguments.first().map_or(0, |first| first.command));
    let own: Vec<&Word> = own.filter(|word| !word.redirected).collect();
    if command == "at" && fit::is_time(&own) {
        evidence.shell(6, "a time");
        return evidence;
    }
    let mut pattern = is(command, Trait::Pattern);
    for (index, word) in own.iter().enumerate() {
        if pattern && !word.text.starts_with('-') && !matches!(word.text.as_str(), "vs" | "versus") {
            pattern = false;
            continue;
        }
        if has(WEAK, &word.text) && fit::names_file(command, &own, index) {
            evidence.plain += 1;
            continue;
        }
        let clause = matches!(word.text.as_str(), "how" | "what" | "why") && !is(command, Trait::FreeText);
        if index > 0 && clause && !word.quoted && own.get(index + 1).is_some_and(|next| is_word(&next.text)) {
            evidence.language(8, &format!("the word `{}`", word.text));
            continue;
        }
        argument(command, (index, own.len() - 1), word, env, &mut evidence);
    }
    let weak = i32::try_from(evidence.weak).unwrap_or(i32::MAX / 4).min(50);
    if evidence.language == 0 && (weak == 1 && own.len() <= 3 || weak > 0 && fit::all_names(command, &own)) {
        evidence.language(weak.min(2), "a small word");
    } else if weak > 0 {
        evidence.language(2 * weak, "small words");
    }
    if evidence.language < 100 {
        fit::weigh(command, &own, env, &mut evidence);
    }
    asks_kindly(command, &own, &mut evidence);
    if ends_in_glob(command, &own, &evidence) {
        evidence.shell(2, "a pattern");
    } else {
        ending(line, arguments, &mut evidence);
    }
    evidence
}

/// `git status please`, `npm run the tests`: what no sub-command, flag or file makes an operand.
fn asks_kindly(command: &str, own: &[&Word], evidence: &mut Evidence) {
    const KIND: &[&str] = &["please", "pls", "plz"];
    const DETERMINERS: &[&str] = &["the", "my", "our", "your", "these", "those", "this"];
    if is(command, Trait::FreeText) {
        return;
    }
    let is_operand = |word: &&&Word| !word.text.starts_with('-');
    let searched = usize::from(is(command, Trait::Pattern));
    if let [.., before, last] = own
        && !last.quoted
        && KIND.contains(&last.text.trim_end_matches(['!', '.']))
        && !before.text.starts_with('-')
        && own.iter().filter(is_operand).count() > searched
    {
        evidence.language(6, "a request");
    }
    let says = |pair: &[&Word]| match pair {
        [word, next] => {
            !word.quoted && !next.quoted && DETERMINERS.contains(&word.text.as_str()) && is_word(&next.text)
        }
        _ => false,
    };
    if evidence.subcommand && own.windows(2).any(says) {
        evidence.language(3, "words of a sentence");
    }
}

pub(crate) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_alphabetic)
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
    env.is_command(word) || programs::is_well_known(word)
}

fn argument(
    command: &str,
    (index, last_index): (usize, usize),
    word: &Word,
    env: &dyn Environment,
    evidence: &mut Evidence,
) {
    let text = word.text.as_str();
    let free_text = is(command, Trait::FreeText);
    if text.is_empty() {
        return;
    }
    if text.len() > 1 && text.starts_with('-') && text != "--" && !text.starts_with("---") {
        evidence.shell(3, "a flag");
    } else if word.quoted {
        evidence.shell(2, "a quoted argument");
    } else if word.expands && (text.starts_with('$') || !text.ends_with('?')) {
        evidence.shell(2, "an expansion");
    } else if index == 0 && programs::has_subcommand(command, text) {
        evidence.subcommand = true;
        evidence.shell(3, &format!("a sub-command of {command}"));
    } else if last_index < 2 && programs::always_takes(command, text) {
        evidence.shell(3, "a usual operand");
    } else if index == 0
        && typo::meant_subcommand(command, text).is_some()
        && !(last_index == 0 && programs::is_plural(command, text))
    {
        evidence.subcommand = true;
        evidence.shell(3, &format!("a slip for a sub-command of {command}"));
    } else if is_path(text) {
        evidence.shell(if env.exists(text) { 3 } else { 2 }, "a path");
    } else if !free_text && env.exists(text) && !has(STRONG, text) {
        evidence.shell(2, "the name of a file");
    } else if is(command, Trait::Commands) && is_known(text, env) && !has(STRONG, text) {
        evidence.shell(2, "the name of a command");
    } else if is_shape_of_argument(text) {
        evidence.shell(1, "the shape of an argument");
    } else if !free_text {
        if index == 0 && (has(STRONG, text) || text == "or") {
            evidence.language(3, "a word that continues a sentence");
        }
        let links = has(LINKS, text) && last_index > 0 && !is(command, Trait::Links);
        if links && (index < last_index || index == 0) {
            evidence.language(3, "a word that links others");
        } else {
            plain(text, evidence);
        }
    }
}

fn plain(text: &str, evidence: &mut Evidence) {
    let bare = text.trim_end_matches([',', '.', '?', '!', ':', ';']);
    let is_word = is_word(bare);
    if matches!(bare, "vs" | "versus") {
        evidence.language(6, "a comparison");
    } else if has(VERBS, bare) {
        evidence.language(6, &format!("the verb `{bare}`"));
    } else if has(STRONG, bare) || has(NARRATIVE, bare) {
        evidence.language(3, &format!("the word `{bare}`"));
    } else if has(WEAK, bare) {
        evidence.weak += 1;
    } else if has(FOREIGN, bare) {
        evidence.language(2, &format!("the word `{bare}`"));
    } else if !bare.is_ascii() {
        if PARTICLES.iter().any(|particle| bare.contains(particle)) {
            evidence.language(3, "words of a sentence");
        } else if is_word {
            evidence.language(1, "a word that is not ASCII");
        }
    } else if is_word {
        evidence.plain += 1;
        evidence.english += usize::from(is_english(bare));
    }
    if text.ends_with([',', ':']) && is_word {
        evidence.language(2, "a comma");
    }
}

pub(crate) fn is_path(text: &str) -> bool {
    text.starts_with(['/', '~']) && text.len() > 1
        || text.starts_with("./")
        || text.starts_with("../")
        || text == "."
        || text == ".."
        || text == "/"
        || text == "~"
        || (text.contains('/') && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-@:".contains(c)))
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

/// `ls ?`, `cat file?`, `grep x ?`: nothing but names behind a command that takes names of files, so that the mark is a
/// pattern. Behind a pattern of its own a common word or a
/// program's name with the mark is rather the end of a question.
fn ends_in_glob(command: &str, own: &[&Word], evidence: &Evidence) -> bool {
    let is_name = |word: &&&Word| !word.text.starts_with('-');
    let Some(last) = own.last().filter(|word| word.text.ends_with('?') && !word.quoted) else { return false };
    let bare = last.text.trim_end_matches('?');
    let is_said = is_english(bare) || programs::is_well_known(bare);
    let most = match (takes_files(command), is(command, Trait::Pattern)) {
        (_, true) if own.len() > 1 && !is_said => 3,
        (true, _) => 2,
        _ => return false,
    };
    evidence.language <= 1 && own.iter().filter(is_name).count() <= most
}

fn ending(line: &str, arguments: &[Word], evidence: &mut Evidence) {
    let line = line.trim_end();
    if line.ends_with(['?', '？', '؟', '！', '。']) {
        let last = arguments.last().map_or("", |word| word.text.as_str());
        if !is_path(last) && !last.starts_with('$') {
            evidence.question = true;
            evidence.language(4, "a question mark at the end");
        }
    } else if line.ends_with(['.', '!'])
        && arguments.len() > 2
        && arguments.last().is_some_and(|word| !is_path(&word.text))
    {
        evidence.language(2, "the end of a sentence");
    }
}
