//! What judging one line may cost.
//!
//! One budget is shared by everything that is done for a line: each text that is scanned, parsed, decoded or copied, each
//! command that is judged, and each guess about what may be a command draws from it before it is done. A line that
//! spends it halts, whatever was found until then. Text that is made is paid for like text that is read, so that the
//! budget bounds memory too.

use alloc::rc::Rc;
use alloc::string::String;
use core::cell::Cell;

use super::bounds::MAX_BYTES;

/// What one line may cost, in units of about a nanosecond on a machine of the year 2024.
///
/// The costs below follow from the times of 948 scripts of a Debian system and of 341 shapes of 64 KiB that are made to be slow,
/// the least of three each; in the worst of them a unit takes 1.7.
const LIMIT: u64 = 35_000_000;

/// What kinds of work cost, in units a byte of text or a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Looking at a byte of text, or copying it.
    Scan,
    /// Looking for the bracket that closes another, past quotes and other brackets, a byte of text.
    Close,
    /// Looking for what code calls, a byte of it.
    Code,
    /// Looking through the statements of a database, a byte of them.
    Statement,
    /// Turning a byte of a line into tokens.
    Tokenize,
    /// One step of the parser.
    Parse,
    /// Sorting one argument of a program and holding rules against it.
    Argument,
    /// Judging one command.
    Command,
    /// Calling a function.
    Call,
    /// Trying all programs that a pattern may stand for.
    Pattern,
    /// Keeping one part of what was found.
    Note,
    /// Holding one rule against a program.
    Rule,
    /// Saying what kind of place a path of ordinary length names.
    Place,
    /// Looking below a folder whose path is longer than ordinary ones are, a byte beyond that, for all that a command names.
    Path,
    /// Beginning with a text in a language of its own, however short it is: what it may hold is looked for word by word.
    Text,
}

impl Work {
    const fn cost(self) -> u64 {
        match self {
            Self::Scan => 2,
            Self::Close => 16,
            Self::Code => 60,
            Self::Statement => 40,
            Self::Tokenize => 45,
            Self::Parse => 470,
            Self::Argument => 700,
            Self::Command => 2_500,
            Self::Call => 20_000,
            Self::Pattern => 100_000,
            Self::Note => 700,
            Self::Rule => 190,
            Self::Place => 2_300,
            Self::Path => 200,
            Self::Text => 20_000,
        }
    }
}

/// Returns by how many bytes the path of a folder is longer than ordinary ones, which cost what a place costs.
pub(crate) fn beyond_ordinary(folder: &str) -> usize {
    folder.len().saturating_sub(256)
}

/// A budget; clones draw from the same.
#[derive(Debug, Clone)]
pub(crate) struct Budget(Rc<Cell<u64>>);

impl Default for Budget {
    fn default() -> Self {
        Self(Rc::new(Cell::new(LIMIT)))
    }
}

impl Budget {
    /// Pays for work before it is done; false, and nothing is left, where there is not enough.
    #[must_use]
    pub(crate) fn pay(&self, work: Work, pieces: usize) -> bool {
        self.pay_units(work.cost().saturating_mul(u64::try_from(pieces).unwrap_or(u64::MAX)))
    }

    /// Pays a number of units, such as [`Budget::spent_since`] returned.
    #[must_use]
    pub(crate) fn pay_units(&self, units: u64) -> bool {
        let left = self.0.get().saturating_sub(units);
        self.0.set(left);
        left > 0
    }

    /// Returns a budget of its own of what is left: whoever spends it has not spent this one.
    pub(crate) fn rest(&self) -> Self {
        Self(Rc::new(Cell::new(self.0.get())))
    }

    /// Spends all that is left: nothing more is to be understood of the line.
    pub(crate) fn spend_all(&self) {
        self.0.set(0);
    }

    /// Finds a letter, and pays for looking for it.
    pub(crate) fn find(&self, text: &str, letter: char) -> Option<usize> {
        if self.is_spent() {
            return None;
        }
        let found = text.find(letter);
        self.pay(Work::Scan, found.unwrap_or(text.len())).then_some(found)?
    }

    /// Puts `to` in place of each `from`; none where the result is longer than [`MAX_BYTES`] or cannot be paid.
    pub(crate) fn replaced(&self, text: &str, from: &str, to: &str) -> Option<String> {
        if !self.pay(Work::Scan, text.len()) {
            return None;
        }
        let times = if from.is_empty() { text.len() + 1 } else { text.matches(from).count() };
        let size = text.len().saturating_add(times.saturating_mul(to.len()));
        (size <= MAX_BYTES && self.pay(Work::Scan, size)).then(|| text.replace(from, to))
    }

    /// Says whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    /// Returns how many units are left.
    pub(crate) fn left(&self) -> u64 {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_draw_from_one_budget_and_what_is_spent_stays_spent() {
        let budget = Budget::default();
        let other = budget.clone();
        assert!(other.pay(Work::Scan, 10));
        assert_eq!(budget.left(), LIMIT - 10 * Work::Scan.cost());
        assert!(!other.pay(Work::Parse, usize::MAX));
        assert!(budget.is_spent() && !budget.pay(Work::Scan, 0) && !budget.pay_units(0));
    }
}
