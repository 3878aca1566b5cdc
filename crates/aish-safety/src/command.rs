//! The judgement of a command line by its parsed effect.
//!
//! Order: [`bounds`] (size and nesting, before anything recurses), `walk` (the tree), `expand` (words), `run` (one
//! program: built-ins, functions, wrappers, rules), and the strictest part decides. Fails closed: what cannot be parsed
//! is asked, what is past a bound or decodes and runs is halted.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::policy::PolicyRules;
use crate::verdict::{Judgement, Verdict};

pub mod bounds;
pub mod explain;

mod arguments;
mod arithmetic;
mod braces;
mod broken;
mod builtin;
mod code;
mod compound;
mod decode;
mod escape;
mod expand;
mod filters;
mod help;
mod hint;
mod memo;
mod mode;
mod named;
mod parameter;
mod path;
mod pattern;
mod plain_line;
mod readonly;
pub(crate) mod record;
mod redirect;
mod run;
mod setting;
mod simple;
mod span;
mod split;
mod spread;
mod sql;
mod state;
mod suspect;
mod syntax;
mod table;
mod unwrap;
mod walk;
mod word;

pub use explain::{Explanation, Part};
pub use hint::FALLBACK;
pub(crate) use path::glob_match;
pub(crate) use pattern::{Pattern, Subject};
pub(crate) use word::Word;

/// What is known around a command when it is judged; values, read by nobody here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// The working directory, absolute.
    pub folder: Option<String>,
    /// The person's home folder, absolute.
    pub home: Option<String>,
    /// Shell aliases, name to text.
    pub aliases: BTreeMap<String, String>,
    /// Shell functions, name to body.
    pub functions: BTreeMap<String, String>,
    /// Variables whose values are known.
    pub variables: BTreeMap<String, String>,
    /// Files and folders of ours (config, policy, audit, history, binary) that nothing but a person may change.
    pub protected: Vec<String>,
}

/// Judges one command line. Pure, linear, never panics on purpose; past a bound it is the strictest verdict.
pub fn judge_command(command: &str, surroundings: &Surroundings) -> Judgement {
    explain(command, surroundings).judgement
}

/// Judges one command line under a policy's rules: they raise any part, and let through what would only be asked.
pub fn judge_command_under(command: &str, surroundings: &Surroundings, rules: &PolicyRules) -> Judgement {
    explain_under(command, surroundings, rules).judgement
}

/// Judges a program with its arguments under a policy's rules.
pub fn judge_argv_under(words: &[String], surroundings: &Surroundings, rules: &PolicyRules) -> Judgement {
    explain_words(words, surroundings, rules).judgement
}

/// Judges one command line under a policy's rules and says what each part of it does.
pub fn explain_under(command: &str, surroundings: &Surroundings, rules: &PolicyRules) -> Explanation {
    let mut walker = walk::Walker::new(surroundings, None);
    walker.rules = rules;
    walker.text(command, &word::Stream::default());
    walker.uncalled();
    conclude(walker)
}

/// Judges statements for a database; none where nothing of them is worth a word.
pub(crate) fn judge_sql(text: &str, surroundings: &Surroundings) -> Option<Judgement> {
    let mut walker = walk::Walker::new(surroundings, None);
    sql::judge(&mut walker, "sql", text);
    walker.finish().0
}

/// Returns the ids of the rules that match some part of a command, whatever they say.
pub(crate) fn matched(command: &str, surroundings: &Surroundings, rules: &PolicyRules) -> Vec<String> {
    let mut walker = walk::Walker::new(surroundings, None);
    walker.rules = rules;
    walker.text(command, &word::Stream::default());
    walker.uncalled();
    core::mem::take(&mut walker.matched)
}

/// Judges a program with its arguments, no shell involved.
pub fn judge_argv(words: &[String], surroundings: &Surroundings) -> Judgement {
    explain_argv(words, surroundings).judgement
}

/// Judges one command line and says what each part of it does.
pub fn explain(command: &str, surroundings: &Surroundings) -> Explanation {
    explain_without(None, command, surroundings)
}

/// Judges a program with its arguments and says what each part of it does.
pub fn explain_argv(words: &[String], surroundings: &Surroundings) -> Explanation {
    explain_words(words, surroundings, &crate::policy::rule::NONE)
}

fn explain_words(words: &[String], surroundings: &Surroundings, rules: &PolicyRules) -> Explanation {
    let size: usize = words.iter().map(String::len).sum();
    if size > bounds::MAX_BYTES || words.iter().any(|word| word.contains('\0')) {
        let judgement = Judgement::new(Verdict::Halt, "bounds.size", "is longer than 64 KiB, or holds a NUL byte");
        return Explanation { judgement, parts: Vec::new() };
    }
    let mut walker = walk::Walker::new(surroundings, None);
    walker.rules = rules;
    let words: Vec<word::Word> = words.iter().map(|word| word::Word::literal(word.as_str())).collect();
    walker.run(&words, &word::Stream::default());
    conclude(walker)
}

/// Judges a command line as if one wrapper were not in the table, or the [`FALLBACK`] not there: the check that each of
/// them is needed.
pub fn explain_without(wrapper: Option<&str>, command: &str, surroundings: &Surroundings) -> Explanation {
    let mut walker = walk::Walker::new(surroundings, wrapper);
    walker.text(command, &word::Stream::default());
    walker.uncalled();
    conclude(walker)
}

fn conclude(walker: walk::Walker<'_>) -> Explanation {
    let (judgement, parts) = walker.finish();
    let judgement =
        judgement.unwrap_or_else(|| Judgement::new(Verdict::Ask, "empty", "holds no command that could be judged"));
    Explanation { judgement, parts }
}
