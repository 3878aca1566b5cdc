//! How a run ends, and how a model says that it does.

use aish_safety::Judgement;

use crate::limits::Limit;

/// Whether the model looked again before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// It did.
    Yes,
    /// It could not: the request for that failed, or a limit was reached.
    No,
}

/// How a run ended; every run ends in one of these ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The goal is reached, as the model says.
    Done(Checked),
    /// The model says that it cannot reach the goal.
    GaveUp,
    /// The model said nothing more that could be run or read.
    Stuck,
    /// A limit was reached.
    Limit(Limit),
    /// Something that only a person may let through, and nobody did; or the person ended the run there.
    Halted(Judgement),
    /// A request to the model failed.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

impl End {
    /// Returns the word that is shown and logged.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::GaveUp => "gave_up",
            Self::Stuck => "stuck",
            Self::Limit(_) => "limit",
            Self::Halted(_) => "halted",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Returns whether a text begins a line with the words by which a model gives up.
pub(super) fn gives_up(text: &str) -> bool {
    lines(text).any(|line| begins(line, "not done") || line.starts_with("BLOCKED"))
}

/// Returns whether a text begins a line with the word by which a model says that it is done.
pub(super) fn claims_done(text: &str) -> bool {
    lines(text).any(|line| begins(line, "done"))
}

/// Returns the lines without the marks of headings, lists and emphasis before them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.trim_start_matches(['*', '_', '#', '>', '-', ' ', '\t', '`']))
}

/// Returns whether a line begins with a word, whatever the case of its letters, and no longer word goes on from there.
fn begins(line: &str, word: &str) -> bool {
    let Some((head, rest)) = line.split_at_checked(word.len()) else { return false };
    head.eq_ignore_ascii_case(word) && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn giving_up_is_a_line_of_its_own() {
        for text in
            ["NOT DONE: no compiler", "I tried.\n**NOT DONE** - no rights", "Not done, sorry", "BLOCKED: no network"]
        {
            assert!(gives_up(text), "{text}");
        }
        for text in ["This is not done by hand.", "DONE", "notdone", "NOT DONEX", "It was blocked: then not", "", "é"]
        {
            assert!(!gives_up(text), "{text}");
        }
        for text in ["DONE", "done.", "# Done: all of it", "x\n- DONE"] {
            assert!(claims_done(text), "{text}");
        }
        assert!(!claims_done("NOT DONE") && !claims_done("1. Get it done"));
    }
}
