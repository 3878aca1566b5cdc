//! `:think` and `:continue`.

use crate::repl::Repl;

/// What the model is told when an answer that was cut is to go on.
pub(super) const GO_ON: &str =
    "Your answer was cut. Go on exactly where it ends, and do not repeat what you have said.";

/// Shows what the model reasoned before its last answer.
pub(super) fn run(repl: &mut Repl) {
    let entries = repl.conversation.turn.transcript().entries();
    // A resumed session has it with the answer.
    let kept = entries.iter().rev().find_map(|entry| entry.message.state()).map(|state| state.text.as_str());
    let last = repl.conversation.driver.seen.last_thought.as_str();
    let thought = if last.is_empty() { kept.unwrap_or_default() } else { last }.trim().to_owned();
    if thought.is_empty() {
        repl.complain("the model showed no reasoning (models.NAME.thinking = \"on\" asks some for it)");
    } else {
        repl.print(&thought);
    }
}
