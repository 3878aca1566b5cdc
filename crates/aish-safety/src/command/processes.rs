//! Processes that a line chooses: by a name, a port, a job, or the file or variable that keeps an id. To end those is asked
//! about; to end all that run, or what nobody named, is not.

use alloc::vec::Vec;

use aish_program_format::{Act, Output, Trait};

use super::arguments::Arguments;
use super::run::Program;
use super::walk::Walker;
use super::word::{HOLE, Stream, Taint, Word};
use crate::rules::programs;
use crate::verdict::Verdict;

/// The fewest letters of a text that tells some processes from all others.
const FEWEST_LETTERS: usize = 3;

/// What stands for a name or a port that is not known.
const NAME: &str = "4000";

/// Words that stand in the lines of very many processes.
const COMMON: &[&str] = &["usr", "bin", "sbin", "lib", "opt", "home", "root", "pts", "tty", "kworker", "snap"];

/// Letters of options with which a search of content still writes whole lines that hold its pattern.
const WHOLE_LINES: &str = "iwEFaPnu";

impl Walker<'_> {
    /// Returns the mark of what a program writes where its deciding rule says that it picks processes. A name or a port that
    /// is not known is one all the same.
    pub(super) fn picks(&self, program: &Program, rule: &str, words: &[Word]) -> Taint {
        let rules = || programs::find(&program.name).into_iter().flat_map(|known| known.rules());
        if !rules().any(|rule| rule.row().picks) {
            return Taint::NONE;
        }
        let picks = |id: &str| rules().any(|rule| rule.row().picks && rule.id() == id);
        let named: Vec<Word> = words.iter().map(|word| Word::literal(word.text.replace(HOLE, NAME))).collect();
        let chosen = picks(rule)
            || words.iter().any(|word| !word.is_known())
                && self.rule_about(program, &named).is_some_and(|rule| picks(rule.id()));
        let mut names = named.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        if chosen && names.all(|name| self.ends_few(&name.text)) { Taint::CHOSEN } else { Taint::NONE }
    }

    /// Returns the marks of a program's output with those about chosen processes only where they still hold: it passes
    /// text on as it is, leaves lines out, or takes the column of the ids.
    pub(super) fn still_chosen(
        &self,
        kind: Output,
        program: &str,
        arguments: &[Word],
        (stdin, taint): (&Stream, Taint),
    ) -> Taint {
        let bare = taint.without(Taint::CHOSEN).without(Taint::PROCESSES);
        let sorted = Arguments::new(program, arguments);
        let mut operands = sorted.operands().map(|(_, word, _)| word);
        let given = stdin.taint;
        match kind {
            Output::Processes | Output::Whole | Output::Piped | Output::Part | Output::End => taint,
            _ if !given.has(Taint::CHOSEN) && !given.has(Taint::PROCESSES) => bare,
            Output::Filtered if programs::is(program, Trait::SearchesContent) => {
                let (Some(pattern), None) = (operands.next(), operands.next()) else { return bare };
                let are = |letters: &str| sorted.options().all(|(_, text)| is_of(text, letters));
                match are(WHOLE_LINES) && self.tells(&pattern.text) {
                    true => taint | Taint::CHOSEN,
                    // Lines are left out.
                    false if are("vwiEF") => taint,
                    false => bare,
                }
            }
            Output::Scanned => {
                let (Some(script), None) = (operands.next(), operands.next()) else { return bare };
                let Some((condition, is_id)) = column(&script.text) else { return bare };
                let searched = condition.strip_prefix('/').and_then(|text| text.strip_suffix('/'));
                let chosen = given.has(Taint::CHOSEN) || searched.is_some_and(|pattern| self.tells(pattern));
                let counts = searched.is_some() || condition.bytes().all(|byte| b"NR>=!1 ".contains(&byte));
                if is_id && chosen && counts { bare | Taint::CHOSEN } else { bare }
            }
            _ => bare,
        }
    }

    /// Says whether the lines about processes in which a pattern stands are few, by each of its alternatives.
    fn tells(&self, pattern: &str) -> bool {
        let plain = pattern.replace(['[', ']', '\\'], "");
        plain.split('|').all(|one| self.tells_one(one))
    }

    fn tells_one(&self, plain: &str) -> bool {
        let letters = plain.bytes().filter(u8::is_ascii_alphabetic).count();
        letters >= FEWEST_LETTERS
            && plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -_./:=@".contains(&byte))
            && !COMMON.contains(&plain.trim_matches(|letter: char| !letter.is_ascii_alphanumeric()))
            && self.ends_few(plain)
    }

    /// Says whether to end all processes of a name by force would not halt.
    fn ends_few(&self, name: &str) -> bool {
        let mut words: Vec<Word> = programs::stand_in(Act::EndByName).map(Word::literal).collect();
        let Some(program) = words.first().map(|word| Program { name: word.text.clone(), standard: true }) else {
            return false;
        };
        words.push(Word::literal(name));
        let rule = self.rule_about(&program, &words);
        !name.is_empty() && rule.is_some_and(|rule| rule.row().verdict != Verdict::Halt)
    }
}

/// Says whether an option is a cluster of some letters.
fn is_of(option: &str, letters: &str) -> bool {
    option.strip_prefix('-').is_some_and(|cluster| cluster.chars().all(|letter| letters.contains(letter)))
}

/// Takes a program of awk apart that prints one column: the condition, and whether it is one in which ids of processes stand.
fn column(script: &str) -> Option<(&str, bool)> {
    let (condition, body) = script.trim().split_once('{')?;
    let field = body.strip_suffix('}')?.trim().strip_prefix("print")?.trim_start();
    Some((condition.trim(), matches!(field, "$1" | "$2")))
}
