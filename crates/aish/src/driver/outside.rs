//! A command that its layer or the sandbox may have stopped: offered again to a person, through the gate, in its layer with
//! the network where that may be all that it lacks, else outside. Nobody else can let it out, and where nobody is there it
//! stays what it was: a command that failed, and says why.

use std::collections::{HashMap, VecDeque};

use aish_safety::{Judgement, Mode, Subject, Verdict};
use aish_tools::{Passed, Ready};
use aish_turn::Event;
use aish_types::{CallId, Ending, Stopped, ToolCall, ToolName, ToolOutcome};
use serde_json::json;

use super::{Driver, Stage};
use crate::settling;
use crate::shell_tool::{NETWORK, OUTSIDE};
use crate::surface::Shown;

/// The rule under which a command is offered again.
const RULE: &str = "sandbox.outside";

/// Returns the command lines among calls.
pub(super) fn commands(calls: &[Ready]) -> HashMap<CallId, String> {
    let command = |call: &Ready| match &call.call().subject {
        Subject::Command { text } => Some((call.call().context.call.clone(), text.clone())),
        Subject::Argv { .. } | Subject::Files { .. } | Subject::Page { .. } | Subject::Tool => None,
    };
    calls.iter().filter_map(command).collect()
}

/// Names the call under which a command is offered again.
pub fn outside_of(call: &CallId) -> CallId {
    CallId::new(format!("{call}-outside"))
}

/// Names the call under which it is offered in its layer with the network.
fn with_network(call: &CallId) -> CallId {
    CallId::new(format!("{call}-network"))
}

impl Driver {
    /// Offers the commands among `ran` again that the sandbox may have stopped. What comes of it is added to their
    /// outcomes.
    pub(super) async fn offer_outside(
        &mut self,
        commands: &HashMap<CallId, String>,
        ran: &mut VecDeque<Event>,
        stage: &mut Stage<'_>,
    ) {
        let is_there = match &self.autonomous {
            Some(autonomous) => autonomous.person,
            None => self.approver.mode() == Mode::Interactive,
        };
        if !is_there {
            return;
        }
        for event in ran {
            let Event::Ran { id, outcome } = event else { continue };
            let Some(command) = commands.get(id) else { continue };
            // With the network first, and outside only where that was not it.
            for _ in 0..2 {
                let stopped = outcome.exit.as_ref().and_then(|exit| exit.stopped.clone());
                let Some(stopped) = stopped.filter(|_| !stage.interrupt.is_cancelled()) else { break };
                if !self.offer(id, command, &stopped, outcome, stage).await || !stopped.network {
                    break;
                }
            }
            if stage.interrupt.is_cancelled() {
                return;
            }
        }
    }

    /// Offers one command again, and says whether it ran.
    async fn offer(
        &mut self,
        id: &CallId,
        command: &str,
        stopped: &Stopped,
        outcome: &mut ToolOutcome,
        stage: &mut Stage<'_>,
    ) -> bool {
        let layers = match &self.environment.apart {
            Some(apart) => apart.transactions.works().await,
            None => false,
        };
        let network = stopped.network && layers;
        let (tool, name, place) = match network {
            true => (NETWORK, with_network(id), "in its layer, with the network"),
            false => (OUTSIDE, outside_of(id), "outside the sandbox"),
        };
        let said = self.secrets.redact(&stopped.said).into_owned();
        let again = if network { "in its layer with the network" } else { "outside it" };
        let reason = format!("{}; it would run again {again}", stopped.what);
        let call =
            ToolCall { id: name, name: ToolName::new(tool), arguments: json!({ "command": command }).to_string() };
        stage.show(Shown::Notice(&format!("the command failed: {said}")));
        stage.show(Shown::Calling(&call));
        let raised = Judgement::new(Verdict::Ask, RULE, reason);
        let passed = self.judge(&call, Some(raised), stage).await;
        if stage.interrupt.is_cancelled() {
            return false;
        }
        self.judged(&call, &passed);
        let (ran, line) = match passed {
            Passed::Approved(approved) => {
                // What it did so far is in no tree; it begins again.
                if let Some(held) = self.environment.apart.as_ref().and_then(|apart| apart.transactions.take(id)) {
                    let _ = held.layer.discard();
                }
                let again = self.run_again(approved, stage).await;
                outcome.ending = if again.is_success() { Ending::Done } else { Ending::Reported };
                outcome.truncated |= again.truncated;
                outcome.structured.clone_from(&again.structured);
                outcome.exit.clone_from(&again.exit);
                (true, format!("[a person let it run again {place}]\n{}", again.text))
            }
            Passed::Refused(refused) => (false, format!("[it was not run {place}: {}]", refused.text)),
            Passed::Declined { .. } | Passed::Halted(_) | Passed::Edited(_) => {
                (false, format!("[a person did not let it run {place}]"))
            }
        };
        outcome.text.push('\n');
        outcome.text.push_str(&line);
        ran
    }

    async fn run_again(&self, approved: Ready, stage: &mut Stage<'_>) -> ToolOutcome {
        let mut events = VecDeque::new();
        let layered = settling::layered(&approved);
        let calls = self.put_aside(vec![approved], &mut events, stage).await;
        self.run(calls, &mut events, stage).await;
        let outcome = |event| if let Event::Ran { outcome, .. } = event { Some(outcome) } else { None };
        let found = events.into_iter().rev().find_map(outcome);
        let mut outcome = found.unwrap_or_else(|| ToolOutcome::failure("it has no result"));
        if let (Some(layered), Some(settler)) = (layered, self.settler()) {
            let interrupt = stage.interrupt;
            settler.settle(&layered, &mut outcome, &mut |shown: Shown<'_>| stage.show(shown), interrupt).await;
        }
        outcome
    }
}
