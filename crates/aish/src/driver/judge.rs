//! A call's way to the gate: prepare, judge, ask; an edit goes back to prepare.

use aish_safety::{Judgement, Passage};
use aish_turn::Judged;
use aish_types::ToolCall;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Driver, stopped};
use crate::shell_tool::OUTSIDE;
use crate::surface::{Shown, Surface};

impl Driver {
    pub(super) async fn judge(
        &self,
        call: &ToolCall,
        mut raised: Option<Judgement>,
        surface: &mut dyn Surface,
        interrupt: &CancellationToken,
    ) -> Judged {
        let mut call = call.clone();
        loop {
            if interrupt.is_cancelled() {
                return Judged::Refused(stopped());
            }
            let prepared = match self.executor.prepare(&call, self.context(&call)).await {
                Ok(prepared) => prepared,
                Err(outcome) => return Judged::Refused(*outcome),
            };
            let surroundings = (self.surroundings)();
            let notes = match self.plan_undo(&prepared, &surroundings).await {
                Ok(notes) => notes,
                Err(judgement) => {
                    // A person may let it run all the same; nobody's leave is none.
                    raised = Some(match raised.take() {
                        Some(before) => before.strictest(judgement),
                        None => judgement,
                    });
                    Vec::new()
                }
            };
            let passing = self.gate.pass_raised(prepared, &surroundings, notes, raised.take());
            let passage = tokio::select! {
                passage = passing => passage,
                () = interrupt.cancelled() => return Judged::Refused(stopped()),
            };
            let mut verdict = |judgement: &Judgement, approved: bool| {
                surface.show(Shown::Verdict { tool: &call.name, judgement, approved }, self.started.elapsed());
            };
            match passage {
                Passage::Approved(approved) => {
                    verdict(approved.judgement(), true);
                    return Judged::Approved(approved);
                }
                Passage::Declined { reason, judgement } => {
                    verdict(&judgement, false);
                    return Judged::Declined { reason };
                }
                Passage::Halted { judgement } => {
                    verdict(&judgement, false);
                    return Judged::Halted(judgement);
                }
                Passage::Edited { text } => {
                    let is_command = ["shell", OUTSIDE].contains(&call.name.as_str());
                    call.arguments = if is_command { json!({ "command": text }).to_string() } else { text };
                }
            }
        }
    }
}
