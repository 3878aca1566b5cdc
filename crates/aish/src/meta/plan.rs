//! `:plan`: the model may only read until the person accepts its plan.

use std::sync::Arc;

use aish_safety::{Mode, Nobody};
use aish_turn::Outcome;
use aish_types::Message;

use crate::repl::Repl;

const REQUEST: &str = "Make a plan for what follows, and do not carry it out yet: what changes something is refused until the \
    user accepts the plan. Look at what you need to know first. End with the steps as a short numbered list.";

const REFUSED: &str = "That command changes something and was not run: nothing is carried out before the plan is accepted. \
    Go on with the plan, and end with its steps as a short numbered list.";

/// How often a model may try to change something while it plans.
const REFUSALS: usize = 3;

const ACCEPTED: &str = "The plan is accepted. Carry it out step by step, and say where you have to leave it.";

/// Asks for a plan, and whether to carry it out.
pub(super) async fn run(repl: &mut Repl, rest: &str) {
    if rest.is_empty() {
        return repl.complain(":plan takes what is to be done, as in `:plan split main.rs into modules`");
    }
    // Whoever cannot be asked says no: what only reads runs, and nothing else does.
    let asked = std::mem::replace(&mut repl.conversation.driver.approver, Arc::new(Nobody(Mode::Headless)));
    let said = repl.conversation.turn.transcript().entries().last().map(|entry| entry.id);
    repl.ask(&format!("{REQUEST}\n\n{rest}")).await;
    for _ in 0..REFUSALS {
        if repl.last_outcome != Some(Outcome::Declined) {
            break;
        }
        repl.say("a command that changes something was not run: the plan comes first");
        repl.ask(REFUSED).await;
    }
    repl.conversation.driver.approver = asked;
    let last = repl.conversation.turn.transcript().entries().last();
    let is_plan =
        last.is_some_and(|entry| Some(entry.id) != said && matches!(entry.message, Message::Assistant { .. }));
    if !is_plan {
        return;
    }
    match repl.editor.choose("[aish] carry out this plan? [y]es  [n]o ", &['y', 'n']).await {
        Some('y') => repl.ask(ACCEPTED).await,
        Some(_) | None => repl.say("not carried out; a question goes on from the plan"),
    }
}
