//! Questions about what the shell of a database is given.

use alloc::string::String;
use alloc::vec::Vec;

use super::Rest;
use crate::command::{readonly, sql};
use crate::rules::programs;

impl Rest<'_, '_> {
    /// Whether the statements that a database's shell is given only read.
    pub(super) fn only_reads(&self) -> bool {
        let Some(program) = programs::find(self.subject.program) else { return false };
        let (tables, facts) = (program.tables(), program.facts());
        if facts.documents.count > 0 {
            let texts = self.in_options();
            let only_reads = |call: &str| tables.holds(facts.documents, call);
            return !texts.is_empty() && texts.iter().all(|text| readonly::only_reads_documents(text, &only_reads));
        }
        let (texts, database) = (self.statements(), sql::Database::of(self.subject.program));
        !texts.is_empty() && texts.iter().all(|text| sql::only_reads(text, database))
    }

    /// Whether the statements name no table of the database's own: what seems to be one may be a view, which runs what its
    /// maker wrote. Nobody has made a database that begins in memory.
    pub(super) fn names_no_table(&self) -> bool {
        let is_new = self.words().next().is_some_and(|database| database.text == ":memory:");
        is_new || self.statements().iter().all(|text| sql::names_no_table(text))
    }

    /// The statements: those of the program's options, or else the operands behind the first.
    fn statements(&self) -> Vec<String> {
        let mut texts = self.in_options();
        if texts.is_empty() {
            texts.extend(self.words().skip(1).map(|word| word.text.clone()));
        }
        texts
    }

    fn in_options(&self) -> Vec<String> {
        let Some(program) = programs::find(self.subject.program) else { return Vec::new() };
        let options = program.tables().texts(program.facts().statements);
        options.flat_map(|option| self.subject.arguments.values(option)).map(|value| value.text).collect()
    }
}
