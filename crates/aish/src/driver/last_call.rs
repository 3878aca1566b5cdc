//! The last call that the model wanted, and what became of it at the gate: what `:why` explains.

use aish_safety::{Analysis, By, Placement};
use aish_tools::{COMMAND, Call, Passed, Ready};
use aish_types::head_and_tail;
use serde_json::Value;

use crate::shell_tool::{NETWORK, OUTSIDE, SHELL};

/// Characters of a call that are kept; a tool may be given a whole file.
const CALL: usize = 2_000;

/// The last call that the model wanted.
#[derive(Debug, Clone)]
pub struct LastCall {
    /// The command line behind `$ `, or the tool and its arguments.
    pub call: String,
    /// What became of it at the gate, in words.
    pub decision: String,
    /// What the gate found; none where the call could not be prepared.
    pub analysis: Option<Analysis>,
}

impl LastCall {
    /// Puts together what a gate found and decided. The judgement is the one that decided.
    pub(super) fn new(call: String, analysis: Option<Analysis>, passed: &Passed<Ready>) -> Self {
        let judgement = match passed {
            Passed::Approved(ready) => Some(ready.judgement()),
            Passed::Declined { judgement, .. } | Passed::Halted(judgement) => Some(judgement),
            Passed::Refused(_) | Passed::Edited(_) => None,
        };
        let analysis = analysis
            .map(|analysis| Analysis { judgement: judgement.cloned().unwrap_or(analysis.judgement), ..analysis });
        Self { call, decision: decision(passed), analysis }
    }
}

/// Words a call as a person reads it.
pub(super) fn words(call: &Call) -> String {
    let words = match (call.name.as_str(), call.arguments.get(COMMAND)) {
        (SHELL | NETWORK | OUTSIDE, Some(Value::String(command))) => format!("$ {command}"),
        (tool, _) => format!("{tool} {}", call.arguments),
    };
    head_and_tail(&words, CALL).text.into_owned()
}

fn decision(passed: &Passed<Ready>) -> String {
    match passed {
        Passed::Approved(ready) => {
            let by = match ready.approved_by() {
                By::Person => "let through: you said yes",
                By::Kept => "let through: it is approved for good in this project",
                By::Autonomous => "let through: an autonomous run does not ask about it",
                By::Policy | By::Nobody => "let through without a question",
            };
            let place = match ready.placement() {
                Placement::Open => "",
                Placement::Clean => ", in a shell of its own without secrets",
                Placement::Reading => ", in a shell of its own that can only read",
                Placement::Layer(_) => ", in a layer: what it changes is kept or dropped",
            };
            format!("{by}{place}")
        }
        Passed::Declined { reason, .. } => format!("not run: {reason}"),
        Passed::Halted(_) => "not run: halted, and nobody let it through".to_owned(),
        Passed::Refused(outcome) => format!("not run: {}", outcome.text),
        Passed::Edited(_) => "not run: you put another in its place".to_owned(),
    }
}
