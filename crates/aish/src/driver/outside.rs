//! A command of an autonomous run that the sandbox may have stopped: offered again outside it, to a person, through the
//! gate. Nobody else can let it out, and where nobody is there it stays what it was: a command that failed, and says why.

use std::collections::{HashMap, VecDeque};

use aish_safety::{Judgement, Mode, Subject, Verdict};
use aish_tools::{Passed, Ready};
use aish_turn::Event;
use aish_types::{CallId, Ending, ToolCall, ToolName, ToolOutcome};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::Driver;
use crate::shell_tool::OUTSIDE;
use crate::surface::{Shown, Surface};

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

impl Driver {
    /// Offers the commands among `ran` again that the sandbox may have stopped. What comes of it is added to their
    /// outcomes.
    pub(super) async fn offer_outside(
        &mut self,
        commands: &HashMap<CallId, String>,
        ran: &mut VecDeque<Event>,
        surface: &mut dyn Surface,
        interrupt: &CancellationToken,
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
            let stopped = outcome.exit.as_ref().and_then(|exit| exit.stopped.clone());
            let (Some(command), Some(stopped)) = (commands.get(id), stopped) else { continue };
            if interrupt.is_cancelled() {
                return;
            }
            let said = self.secrets.redact(&stopped.said).into_owned();
            let reason = format!("{}; it would run again outside it", stopped.what);
            let call = ToolCall {
                id: outside_of(id),
                name: ToolName::new(OUTSIDE),
                arguments: json!({ "command": command }).to_string(),
            };
            surface.show(Shown::Notice(&format!("the command failed: {said}")), self.started.elapsed());
            surface.show(Shown::Calling(&call), self.started.elapsed());
            let raised = Judgement::new(Verdict::Ask, RULE, reason);
            let passed = self.judge(&call, Some(raised), surface, interrupt).await;
            if interrupt.is_cancelled() {
                return;
            }
            self.judged(&call, &passed);
            let line = match passed {
                Passed::Approved(approved) => {
                    // What it did so far is in no tree; it begins again.
                    if let Some(held) = self.apart.as_ref().and_then(|apart| apart.transactions.take(id)) {
                        let _ = held.layer.discard();
                    }
                    let again = self.run_again(approved, surface, interrupt).await;
                    outcome.ending = if again.is_success() { Ending::Done } else { Ending::Reported };
                    outcome.truncated |= again.truncated;
                    outcome.structured.clone_from(&again.structured);
                    outcome.exit.clone_from(&again.exit);
                    format!("[a person let it run again outside the sandbox]\n{}", again.text)
                }
                Passed::Refused(refused) => format!("[it was not run outside the sandbox: {}]", refused.text),
                Passed::Declined { .. } | Passed::Halted(_) | Passed::Edited(_) => {
                    "[a person did not let it run outside the sandbox]".to_owned()
                }
            };
            outcome.text.push('\n');
            outcome.text.push_str(&line);
        }
    }

    async fn run_again(
        &self,
        approved: Ready,
        surface: &mut dyn Surface,
        interrupt: &CancellationToken,
    ) -> ToolOutcome {
        let mut events = VecDeque::new();
        let calls = self.put_aside(vec![approved], &mut events, surface).await;
        self.run(calls, &mut events, surface, interrupt).await;
        let outcome = |event| if let Event::Ran { outcome, .. } = event { Some(outcome) } else { None };
        events.into_iter().rev().find_map(outcome).unwrap_or_else(|| ToolOutcome::failure("it has no result"))
    }
}
