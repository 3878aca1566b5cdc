//! What one assignment sets: its name, its index and its value, with what is there before.

use alloc::vec::Vec;

use aish_programs::words::builtins;
use brush_parser::ast;

use super::super::state::Body;
use super::super::walk::Walker;
use super::super::word::{HOLE, Stream, Taint, Word};
use super::Assigned;
use crate::rules::Effect;
use crate::verdict::Verdict;

impl Walker<'_> {
    pub(super) fn assignment(&mut self, assignment: &ast::Assignment) -> Assigned {
        let (name, index) = match &assignment.name {
            ast::AssignmentName::VariableName(name) => (name.clone(), None),
            ast::AssignmentName::ArrayElementName(name, index) => {
                // An index is evaluated, with the substitutions in it.
                let index = self.index(name, index);
                self.state.note_key(name, &index);
                self.element(name, &index, &assignment.value);
                (name.clone(), Some(index))
            }
        };
        let mut value = self.assigned_value(&name, &assignment.value);
        self.assigned_by_dash(assignment, index.as_ref(), &value);
        // The name alone is the first element to bash, which may be none of these.
        for word in value.iter_mut().filter(|_| super::super::elements::chooses_elements(assignment)) {
            word.taint = word.taint | Taint::GUESSED;
        }
        if self.state.is_computed(&name) {
            for word in &value {
                self.evaluated(word);
            }
        }
        let value = match (assignment.append, &assignment.value) {
            (true, _) => self.put_behind(&name, &assignment.value, value),
            (false, ast::AssignmentValue::Scalar(_)) => self.put_first(&name, value),
            (false, ast::AssignmentValue::Array(_)) => value,
        };
        Assigned { name, value }
    }

    /// Expands the value of an assignment.
    fn assigned_value(&mut self, name: &str, value: &ast::AssignmentValue) -> Vec<Word> {
        match value {
            ast::AssignmentValue::Scalar(word) => alloc::vec![self.expand_one(&word.value)],
            ast::AssignmentValue::Array(items) => {
                self.keys(name, items);
                let words = items.iter().flat_map(|(_, word)| self.expand(&word.value)).collect();
                self.names_found(words)
            }
        }
    }

    /// Puts a value behind that of its variable.
    fn put_behind(&mut self, name: &str, written: &ast::AssignmentValue, mut value: Vec<Word>) -> Vec<Word> {
        let is_scalar = matches!(written, ast::AssignmentValue::Scalar(_));
        if is_scalar
            && self.state.look_up(name).is_none()
            && let [word] = value.as_mut_slice()
        {
            // What it is put behind is not known, or nothing.
            word.taint = word.taint | self.taint_of_any(core::slice::from_ref(word));
            word.text.insert(0, HOLE);
        }
        let Some(mut old) = self.state.look_up(name) else { return value };
        if let (true, [old], [new]) = (is_scalar, old.as_mut_slice(), value.as_slice()) {
            if old.text.len() + new.text.len() < 65_536 {
                old.text.push_str(&new.text);
                old.taint = old.taint | new.taint;
            }
            return alloc::vec![old.clone()];
        }
        if old.len() >= 1_000 {
            return value;
        }
        old.extend(value);
        old
    }

    /// Puts a value in the place of that of its variable: only the first of a list is another one then, in bash.
    fn put_first(&self, name: &str, mut value: Vec<Word>) -> Vec<Word> {
        if let Some(values) = self.state.variables.get(name)
            && let Some(list) = values.iter().find(|list| list.len() > 1)
        {
            value.extend(list.iter().skip(1).cloned());
        }
        value
    }

    /// Follows the keys of a table that is set as a whole; one of aliases sets those.
    fn keys(&mut self, name: &str, items: &[(Option<ast::Word>, ast::Word)]) {
        for key in items.iter().filter_map(|(key, _)| key.as_ref()) {
            let key = self.index(name, &key.value);
            self.state.note_key(name, &key);
        }
        if builtins::ALIAS_TABLES.contains(&name) {
            for (key, value) in items {
                let key = key.as_ref().map_or_else(Word::default, |key| self.expand_one(&key.value));
                let value = self.expand_one(&value.value);
                self.alias_in_table(name, &key, &value);
            }
        }
    }

    /// Judges what the assignment of one element does beside keeping it: tables of aliases and functions, and zsh's
    /// `mapfile`, which writes the file.
    fn element(&mut self, name: &str, index: &Word, value: &ast::AssignmentValue) {
        let ast::AssignmentValue::Scalar(value) = value else { return };
        if name == "mapfile" && index.text.contains(|letter: char| !letter.is_ascii_digit()) {
            self.write_file(index, &Stream::unknown(Taint::NONE));
        }
        if builtins::ALIAS_TABLES.contains(&name) {
            let value = self.expand_one(&value.value);
            self.alias_in_table(name, index, &value);
        }
    }

    /// Defines an alias or a function by its entry in the shell's own table of them.
    fn alias_in_table(&mut self, table: &str, name: &Word, value: &Word) {
        if table.ends_with("functions") {
            self.state.functions.insert(name.text.clone(), Body::Text(value.text.clone()));
        } else {
            self.state.aliases.insert(name.text.clone(), value.text.clone());
        }
        self.within("an alias".into(), |walker| {
            walker.apart_from(|walker| walker.text(&value.text, &Stream::default()))
        });
        self.note_plain(&name.text, Verdict::Ask, Effect::Write, "shell.alias", "defines an alias or a function");
    }
}
