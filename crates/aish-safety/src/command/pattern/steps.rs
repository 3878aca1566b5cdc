//! The words that a pattern begins with: whether they stand among a command's operands, and what is behind them.

use aish_program_format::pattern::Step;
use aish_program_format::tables::List;
use aish_program_format::{Rule, Tables, Trait};
use aish_programs::words::questions;

use super::{Subject, allows};
use crate::rules::programs;

impl Subject<'_> {
    /// Finds the words that a pattern begins with, one behind the other; returns the number of the first operand behind them.
    pub(super) fn first_behind(&self, tables: &Tables, steps: &[Step], strict: Option<Rule<'_>>) -> Option<usize> {
        let sure = strict.is_some_and(allows);
        let mut search = Search { subject: self, tables, strict, sure, next: 0, skipping: false };
        for step in steps {
            match step {
                Step::Skip => search.skipping = true,
                Step::Word(globs) => {
                    search.find(*globs)?;
                    search.skipping = false;
                }
            }
        }
        Some(search.next)
    }

    /// Says whether a verb of the program that only asks makes what stands behind it a name.
    fn asks(&self) -> bool {
        !programs::is(self.program, Trait::SeveralVerbs)
    }
}

/// A search for the words that a pattern begins with.
struct Search<'a, 'b> {
    subject: &'b Subject<'a>,
    tables: &'b Tables,
    /// The rule where it allows, or takes a halt back.
    strict: Option<Rule<'b>>,
    /// Whether it allows.
    sure: bool,
    /// The number of the next operand.
    next: usize,
    /// Whether others may stand before the word that is sought.
    skipping: bool,
}

impl Search<'_, '_> {
    /// Goes behind the next operand that fits one of a pattern's words; none where something stands in front of it.
    fn find(&mut self, globs: List) -> Option<()> {
        let (subject, arguments) = (self.subject, self.subject.arguments);
        while let Some((at, word, loose)) = arguments.operand(self.next) {
            // Behind `--` stand names: no sub-command that a rule which allows may rely on.
            if self.sure && arguments.is_behind_the_end(at) {
                return None;
            }
            self.next += 1;
            // An option in front of it that is harmless takes a word or takes none: `git --no-pager commit status` commits.
            let before = at.checked_sub(1).and_then(|before| arguments.words.get(before));
            let loose = match self.strict.zip(before).filter(|_| loose) {
                Some((rule, before)) if takes_next(rule, &before.text) => continue,
                Some(_) => false,
                None => loose,
            };
            if self.tables.texts(globs).any(|glob| subject.fits(glob, &word.text)) {
                return Some(());
            }
            if !loose && (!self.skipping || questions::VERBS.contains(&word.text.as_str()) && subject.asks()) {
                return None;
            }
        }
        None
    }
}

/// Says whether an option of a rule takes the next word, so that this one is no operand.
fn takes_next(rule: Rule<'_>, option: &str) -> bool {
    let holds = |text: &str| rule.tables().holds(rule.row().values, text);
    let last = option.chars().next_back().filter(|_| !option.starts_with("--"));
    holds(option) || last.is_some_and(|last| holds(alloc::format!("-{last}").as_str()))
}
