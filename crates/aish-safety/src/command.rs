//! The judgement of a command line by its parsed effect.
//!
//! Order: [`bounds`] (size and nesting, before anything recurses), `walk` (the tree), `expand` (words), `run` (one
//! program: built-ins, functions, wrappers, rules), and the strictest part decides. Fails closed: what cannot be parsed
//! is asked, what is past a bound or decodes and runs is halted.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::analysis::Analysis;
use crate::brought::Brought;
use crate::change::Changes;
use crate::policy::PolicyRules;
use crate::verdict::{Judgement, Verdict};

pub mod bounds;
pub mod explain;

mod apart;
pub(crate) mod arguments;
mod arithmetic;
mod attributes;
mod braces;
mod broken;
pub(crate) mod budget;
mod builtin;
mod chosen;
mod code;
mod compound;
mod continued;
mod counts;
mod decode;
mod doubtful;
mod elements;
mod escape;
mod expand;
mod fed;
mod fields;
mod filters;
mod fish;
mod glued;
mod harmless;
mod help;
mod hint;
mod history;
mod leads_out;
mod lists;
mod matched;
mod memo;
mod mode;
mod named;
mod of_shell;
mod opened;
mod otherwise;
mod outputs;
mod parameter;
pub(crate) mod path;
mod pattern;
mod picked;
mod placed;
mod placeholders;
mod plain_line;
mod policy_rules;
mod printed;
mod processes;
pub(crate) mod read_by_dash;
pub(crate) mod read_otherwise;
mod reading;
mod readonly;
mod reason;
mod record;
mod redirect;
mod regular;
mod rounds;
mod run;
mod secrets;
mod setting;
mod setting_builtins;
mod simple;
mod span;
mod special;
mod split;
mod spread;
mod sql;
mod state;
mod substitutions;
mod suspect;
mod syntax;
mod table;
mod unwrap;
mod variable_option;
mod walk;
mod ways;
pub(crate) mod word;
mod zsh;

pub use explain::Part;
pub(crate) use explain::render;
pub use harmless::settings_files;
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
    /// Names of variables that programs get from the environment: to assign one changes it for them.
    pub exported: Arc<BTreeSet<String>>,
    /// Which files of settings stand in the folder or above it.
    pub brought: Brought,
    /// Files and folders of ours (config, policy, audit, history, binary) that nothing but a person may change.
    pub protected: Vec<String>,
    /// Files of the project that only a person may change. The folder of the command and those above it stand for the
    /// project as a whole, and naming one of them names none of these.
    pub protected_in_project: Vec<String>,
}

/// Analyses one command line under a policy's rules: they raise any part, and let through what would only be asked.
/// Pure, linear, never panics on purpose; past a bound the verdict is the strictest.
pub fn analyse(command: &str, surroundings: &Surroundings, rules: &PolicyRules) -> Analysis {
    analyse_without(None, command, surroundings, rules)
}

/// Analyses a program with its arguments, no shell involved.
pub fn analyse_argv(words: &[String], surroundings: &Surroundings, rules: &PolicyRules) -> Analysis {
    analyse_fed(words, None, surroundings, rules)
}

/// Analyses a program with its arguments and what it is given on its standard input, no shell involved: a shell or an
/// interpreter runs what it reads there.
pub fn analyse_fed(
    words: &[String],
    input: Option<&str>,
    surroundings: &Surroundings,
    rules: &PolicyRules,
) -> Analysis {
    let size: usize = words.iter().map(String::len).sum();
    if size > bounds::MAX_BYTES || words.iter().any(|word| word.contains('\0')) {
        let judgement = Judgement::new(Verdict::Halt, "bounds.size", "is longer than 64 KiB, or holds a NUL byte");
        return Analysis::of_parts(judgement, Vec::new(), Changes::default(), Vec::new());
    }
    let mut walker = walk::Walker::new(surroundings, None);
    walker.rules = rules;
    walker.record = Some(record::Record::default());
    let words: Vec<word::Word> = words.iter().map(|word| word::Word::literal(word.as_str())).collect();
    walker.run(&words, &stream(input));
    let changes = record::changes(&mut walker);
    conclude(walker, changes)
}

/// Makes a stream of a text. One that is longer than what is read of a command hides what it holds.
fn stream(input: Option<&str>) -> word::Stream {
    match input {
        None => word::Stream::default(),
        Some(text) if text.len() > bounds::MAX_BYTES => word::Stream::unknown(word::Taint::DECODED),
        Some(text) => word::Stream::known(text),
    }
}

/// Analyses a command line as if one wrapper were not in the table, or the [`FALLBACK`] not there: the check that each of
/// them is needed.
pub fn analyse_without(
    wrapper: Option<&str>,
    command: &str,
    surroundings: &Surroundings,
    rules: &PolicyRules,
) -> Analysis {
    let mut walker = walk::Walker::new(surroundings, wrapper);
    walker.rules = rules;
    walker.record = Some(record::Record::default());
    let line = &*continued::joined(command).text;
    walker.set_again = Rc::new(doubtful::set_again(line));
    walker.text(command, &word::Stream::default());
    walker.comments(line);
    // A function that nothing calls changes nothing now; what it would do is judged all the same.
    let changes = record::changes(&mut walker);
    walker.uncalled();
    // What the line is to others is judged with what is left: all of it together keeps to the bound.
    let others = Others { wrapper, surroundings, rules, budget: walker.budget.rest() };
    if walker.verdict() == Verdict::Allow
        && let Some(names) = walker.found_again()
        && others.is_more_with(names, line, &mut walker.kept)
    {
        walker.again_counts();
    }
    if walker.verdict() == Verdict::Allow
        && let Some(line) = read_otherwise::with_comments_as_words(line)
        && others.is_more(&line)
    {
        walker.comment_counts(command);
    }
    if walker.verdict() == Verdict::Allow
        && let Some(line) = fish::as_fish_reads(line)
        && others.is_more(&line)
    {
        walker.fish_counts(command);
    }
    let reads = walker.reads_of(command);
    Analysis { reads, ..conclude(walker, changes) }
}

/// How a line is judged once more: as another shell reads it, or where the values of some variables are guesses.
struct Others<'a> {
    wrapper: Option<&'a str>,
    surroundings: &'a Surroundings,
    rules: &'a PolicyRules,
    budget: budget::Budget,
}

impl Others<'_> {
    /// Says whether a line that another shell reads of the same text is not allowed.
    fn is_more(&self, line: &str) -> bool {
        let line = &*continued::joined(line).text;
        self.is_more_with(doubtful::set_again(line), line, &mut walk::Kept::default())
    }

    /// Says whether a line is not allowed where the values of some variables are guesses; what was parsed of it is there.
    fn is_more_with(&self, set_again: BTreeSet<String>, line: &str, kept: &mut walk::Kept) -> bool {
        let mut walker = walk::Walker::drawing_on(self.surroundings, self.wrapper, self.budget.clone());
        walker.rules = self.rules;
        walker.set_again = Rc::new(set_again);
        walker.kept = core::mem::take(kept);
        walker.text(line, &word::Stream::default());
        walker.comments(line);
        walker.uncalled();
        walker.finish().0.is_none_or(|judgement| judgement.verdict != Verdict::Allow)
    }
}

/// Judges statements for a database; none where nothing of them is worth a word.
pub(crate) fn judge_sql(text: &str, surroundings: &Surroundings) -> Option<Judgement> {
    let mut walker = walk::Walker::new(surroundings, None);
    sql::judge(&mut walker, "sql", text);
    walker.finish().0
}

fn conclude(mut walker: walk::Walker<'_>, changes: Changes) -> Analysis {
    let matched = core::mem::take(&mut walker.matched);
    let (judgement, parts) = walker.finish();
    let judgement =
        judgement.unwrap_or_else(|| Judgement::new(Verdict::Ask, "empty", "holds no command that could be judged"));
    Analysis::of_parts(judgement, parts, changes, matched)
}
