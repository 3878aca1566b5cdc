//! What help is asked about: a program itself, or sub-commands of it that are known. A word that nobody knows may name
//! what is run: an image, a script, an alias, a plug-in of the folder.

use aish_program_format::pattern::Step;
use aish_program_format::{Program, Trait};
use aish_programs::words::help::{MAKES, STARTS};

use super::super::word::Word;

/// Says whether a request for help is about the program or sub-commands of its own, none of which runs the next word.
pub(super) fn is_own(program: Program<'_>, words: &[Word]) -> bool {
    if program.is(Trait::HelpAnywhere) {
        return true;
    }
    let mut topics = words.iter().filter(|word| !word.text.starts_with('-') && word.text != "help").peekable();
    while let Some(word) = topics.next() {
        if !is_word_of(program, &word.text) || topics.peek().is_some() && runs_next(program, &word.text) {
            return false;
        }
    }
    // What stands behind the request is about nothing that is run.
    words.iter().skip_while(|word| !word.text.starts_with('-')).all(|word| word.text.starts_with('-'))
}

/// Says whether a word is one of the sub-commands that are known of a program.
fn is_word_of(program: Program<'_>, word: &str) -> bool {
    let (tables, facts) = (program.tables(), program.facts());
    let in_path = |path: &str| path.split(' ').any(|step| step.split('|').any(|one| one == word));
    tables.holds(facts.subcommands, word)
        || word == "version" && program.is(Trait::HelpFirst)
        || tables.texts(facts.local).any(in_path)
        || program.wrappers().any(|(_, used)| tables.holds(used.after, word))
        || program.rules().any(|rule| {
            let holds = |step: &Step| matches!(step, Step::Word(globs) if rule.tables().holds(*globs, word));
            rule.steps().iter().any(holds)
        })
}

/// Says whether a program runs what is named behind a word: what its wrappers stand behind, and words that say so.
fn runs_next(program: Program<'_>, word: &str) -> bool {
    let tables = program.tables();
    let wraps = program.wrappers().any(|(_, used)| tables.texts(used.after).last() == Some(word));
    let is_tasks = program.is(Trait::Tasks);
    wraps
        || is_tasks && MAKES.contains(&word)
        || (is_tasks || program.wrappers().next().is_some()) && STARTS.contains(&word)
}
