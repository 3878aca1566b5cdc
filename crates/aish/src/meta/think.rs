//! `:think` and `:continue`.

use aish_turn::Outcome;
use aish_types::Message;

use crate::repl::Repl;

/// What the model is told when an answer that was cut is to go on.
const GO_ON: &str = "Your answer was cut. Go on exactly where it ends, and do not repeat what you have said.";

/// What the model is told when it was stopped between two answers.
const GO_ON_WORKING: &str =
    "You were stopped before you were done. Go on with what is left to do, and do not repeat what you have done.";

/// Lets the model go on with an answer that did not come to its end; a session that goes on may have one at its end.
pub(super) async fn go_on(repl: &mut Repl) {
    let last = repl.conversation.turn.transcript().entries().last();
    let text = match last.map(|entry| &entry.message) {
        Some(Message::Assistant { .. }) => GO_ON,
        Some(Message::System { .. } | Message::User { .. } | Message::Tool { .. }) | None => GO_ON_WORKING,
    };
    let is_cut = match &repl.last_outcome {
        Some(outcome) => {
            matches!(outcome, Outcome::Cut | Outcome::DepthLimit | Outcome::Interrupted | Outcome::Failed)
        }
        None => last.is_some(),
    };
    if is_cut {
        repl.ask(text).await;
    } else {
        repl.complain("nothing was cut: the last answer came to its end");
    }
}

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
        repl.print_words(&thought);
    }
}
