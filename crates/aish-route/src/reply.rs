//! A line directly behind a question of the model: some answers are names of programs as well.

use alloc::format;

use crate::decide::{Decision, Route, decide};
use crate::environment::Environment;

/// What came right before a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PriorTurn {
    /// Nothing that a line would be an answer to.
    #[default]
    Other,
    /// An answer of the model that ends with a question.
    Question,
}

impl PriorTurn {
    /// Returns what an answer of the model is to the line behind it.
    pub fn of_answer(text: &str) -> Self {
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if asks(last) { Self::Question } else { Self::Other }
    }
}

/// Words that answer a question, each of them also the name of a program, a builtin or a usual alias: `yes` without an operand
/// floods the terminal, and the others do nothing that a person wants behind a question.
const REPLIES: &[&str] = &["continue", "done", "false", "go", "more", "n", "no", "ok", "true", "y", "yes"];

/// Closes what may stand around a question: marks of markdown, quotes and brackets.
const CLOSING: &[char] = &['*', '_', '`', '"', '\'', '“', '”', '’', '»', ')', ']', ' ', '\t', '\r'];

/// Decides about a line that has no prefix, behind what came before it: a reply that is one word is an answer to a question,
/// whatever program has its name. A word with operands is never taken for one.
pub fn decide_after(prior_turn: PriorTurn, line: &str, env: &dyn Environment) -> Decision {
    let word = line.trim();
    if prior_turn == PriorTurn::Question && REPLIES.contains(&word) {
        return Decision { route: Route::Ai, reason: format!("`{word}` answers the model's question") };
    }
    decide(line, env)
}

/// Says whether a line ends with a question: `Shall I?`, `**Shall I?**`, `Shall I? (yes/no)`, `Delete them [y/N]:`.
fn asks(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches(':');
    let is_question = |text: &str| text.trim_end_matches(CLOSING).ends_with(['?', '？', '؟']);
    if is_question(line) {
        return true;
    }
    // The choice may stand behind the question, in brackets.
    let open = line.trim_end_matches(CLOSING).rfind(['(', '[']).filter(|_| line.contains([')', ']']));
    let Some((before, choice)) = open.and_then(|open| line.split_at_checked(open)) else { return false };
    let choice = choice.to_lowercase();
    is_question(before) || choice.contains("y/n") || choice.contains("yes/no") || choice.contains("yes or no")
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::environment::Names;

    #[test]
    fn answers_that_end_with_a_question_are_told_apart() {
        for (text, expected) in [
            ("Shall I delete them?", PriorTurn::Question),
            ("There are 3.\n\n**Shall I delete them?**\n\n", PriorTurn::Question),
            ("Shall I delete them? (yes/no)", PriorTurn::Question),
            ("Shall I delete them? [y/N]:", PriorTurn::Question),
            ("Delete them (yes/no)", PriorTurn::Question),
            ("Delete them (`yes` or `no`)?", PriorTurn::Question),
            ("(Shall I go on?)", PriorTurn::Question),
            ("Soll ich sie „löschen“?", PriorTurn::Question),
            ("削除しますか？", PriorTurn::Question),
            ("Which one? I took the first.", PriorTurn::Other),
            ("Deleted them (all of them).", PriorTurn::Other),
            ("Use `ls ?`-like patterns.", PriorTurn::Other),
            ("", PriorTurn::Other),
        ] {
            assert_eq!(PriorTurn::of_answer(text), expected, "{text:?}");
        }
    }

    #[test]
    fn one_word_behind_a_question_is_an_answer_and_nothing_with_operands_is() {
        let commands = ["yes", "true", "go", "ls"].map(|name| name.to_string());
        let env = Names { commands: commands.into(), ..Names::default() };
        for line in REPLIES.iter().copied().chain([" yes "]) {
            let decided = decide_after(PriorTurn::Question, line, &env);
            assert_eq!(decided.route, Route::Ai, "{line:?}");
            assert!(decided.reason.ends_with("answers the model's question"), "{}", decided.reason);
            assert_eq!(decide_after(PriorTurn::Other, line, &env), decide(line, &env), "{line:?}");
        }
        for line in ["yes | head -1", "yes n", "true; ls", "go build", "yes > file", "ls", "YES=1"] {
            assert_eq!(decide_after(PriorTurn::Question, line, &env), decide(line, &env), "{line:?}");
        }
    }
}
