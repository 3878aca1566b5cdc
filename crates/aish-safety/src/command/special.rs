//! Variables that a shell reads itself, or that programs take from it and act on, where a line sets one.
//!
//! Every assignment goes through [`State::assign`], which notes such a name; it is asked about once the command that set
//! it has been walked. Where the value stands in the line (`X=…`, `export X=…`), it is judged as what programs take it for.
//! Before a command, what is put into its environment is judged by what the command is.

use alloc::string::String;

use aish_programs::words::Settable;

use aish_programs::words::variables::OPENED;

use super::simple::Assigned;
use super::state::State;
use super::walk::Walker;
use super::word::{HOLE, NUMERIC, Taint, Word, is_numeric};
use crate::rules::Effect;
use crate::rules::variables::{is_inherited, names_code, settable};
use crate::verdict::Verdict;

/// Says whether a variable may be set to a value without a question: a shell reads it not at all, or only as what is
/// harmless.
fn may_be_set(name: &str, value: &[Word]) -> bool {
    match settable(bare(name)) {
        // A shell or a program shows it, or says that it is no good.
        Some(_) if value.iter().any(|word| word.taint.has(Taint::SECRET)) => false,
        None | Some(Settable::Freely) => true,
        Some(Settable::Numbers) => {
            value.iter().all(|word| is_plain_number(&word.text) && !word.taint.has(Taint::ASSUMED))
        }
        Some(Settable::Not) => false,
    }
}

/// Returns a name without an index and the mark of `+=`.
pub(crate) fn bare(name: &str) -> &str {
    let name = name.split(['[', '?']).next().unwrap_or_default();
    name.strip_suffix('+').unwrap_or(name)
}

/// Says whether a text holds numbers and nothing that a shell computes.
pub(crate) fn is_plain_number(text: &str) -> bool {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_plain = letter.is_ascii_digit()
            || matches!(letter, '.' | '-' | '+' | ' ')
            || letter == HOLE && letters.next() == Some(NUMERIC);
        if !is_plain {
            return false;
        }
    }
    true
}

impl State {
    /// Notes that a variable is set, where a shell reads it itself.
    pub(super) fn note_special(&mut self, name: &str, value: &[Word]) {
        let referred = self.referred(name);
        let name = referred.as_deref().unwrap_or(name);
        if self.special.is_none() && !may_be_set(name, value) {
            self.special = Some(String::from(bare(name)));
        }
    }
}

impl State {
    /// Notes that a variable gets a value that nobody judged as what programs take it for: a command, code, or a place.
    pub(super) fn note_taken(&mut self, name: &str) {
        let referred = self.referred(name);
        let name = bare(referred.as_deref().unwrap_or(name));
        let is_taken = OPENED.contains(&name) || names_code(name) || is_inherited(name);
        if self.special.is_none() && is_taken {
            self.special = Some(String::from(name));
        }
    }

    /// Notes that a variable is set whose values are computed, to what may run something then.
    pub(super) fn note_computed(&mut self, name: &str, value: &[Word]) {
        let runs = |word: &Word| {
            word.taint.has(Taint::ASSUMED)
                || !is_numeric(&word.text)
                || word.text.contains(|letter: char| letter.is_alphabetic() || "[`$".contains(letter))
        };
        let referred = self.referred(name);
        let name = referred.as_deref().unwrap_or(name);
        if self.special.is_none() && value.iter().any(runs) && self.is_computed(bare(name)) {
            self.special = Some(String::from(bare(name)));
        }
    }
}

impl Walker<'_> {
    /// Asks about the special variable that the last commands set, if they did.
    pub(crate) fn ask_special(&mut self) {
        if let Some(name) = self.state.special.take() {
            self.ask_about_special(&name);
        }
    }

    fn ask_about_special(&mut self, name: &str) {
        let mut reason = String::from("sets ");
        super::reason::push_shown(&mut reason, name);
        reason.push_str(match settable(name) {
            None => ", which programs take from the shell and act on",
            Some(_) => ", which the shell itself acts on",
        });
        self.note_plain(name, Verdict::Ask, Effect::Run, "shell.special-variable", &reason);
    }

    /// Judges what stands before a command: a built-in sees all of it; for another program a shell computes what is given
    /// to a variable that holds a number, and what the program makes of it is judged elsewhere.
    pub(crate) fn specials_before(&mut self, assigned: &[Assigned], is_builtin: bool) {
        for one in assigned {
            if one.name != "IFS" {
                self.shown_by_shell(&one.value);
            }
            let counts = settable(bare(&one.name)) == Some(Settable::Numbers);
            if (is_builtin || counts) && !may_be_set(&one.name, &one.value) {
                self.ask_about_special(&one.name);
            }
        }
    }
}
