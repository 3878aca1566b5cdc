//! A call's way to the gate: prepare, judge, ask; an edit goes back to the start.

use std::sync::OnceLock;

use aish_safety::Judgement;
use aish_tools::{Call, Passed, Ready};
use aish_turn::Judged;
use aish_types::{CallId, ToolCall};

use super::last_call::{self, LastCall};
use super::{Driver, Stage, stopped};
use crate::briefed::Briefed;
use crate::surface::Shown;

impl Driver {
    pub(super) async fn judge(
        &mut self,
        call: &ToolCall,
        mut raised: Option<Judgement>,
        stage: &mut Stage<'_>,
    ) -> Passed<Ready> {
        let mut call = match Call::read(call, self.context(call)) {
            Ok(call) => call,
            Err(outcome) => return Passed::Refused(outcome),
        };
        loop {
            if stage.interrupt.is_cancelled() {
                return Passed::Refused(Box::new(stopped()));
            }
            let tool = call.name.clone();
            let (words, noted) = (last_call::words(&call), OnceLock::new());
            let briefed = Briefed {
                approver: self.approver.as_ref(),
                undo: self.undo.keeper.as_deref(),
                standing_notes: &self.environment.standing_notes,
                apart: self.environment.apart.as_ref().map(|apart| apart.transactions.as_ref()),
                raised: raised.take(),
                read: self.seen.read,
                noted: Some(&noted),
            };
            // What was planned for the call as it was before an edit, or for one that never ran, is not for this one.
            if let Some(undo) = &self.undo.keeper {
                undo.forget(&call.context.call);
            }
            let surroundings = (self.environment.surroundings)();
            let passed = tokio::select! {
                passed = self.door.pass(call, &surroundings, &briefed) => passed,
                () = stage.interrupt.cancelled() => Passed::Refused(Box::new(stopped())),
            };
            self.seen.last_call = Some(LastCall::new(words, noted.into_inner(), &passed));
            let mut verdict = |judgement: &Judgement, approved: bool| {
                stage.show(Shown::Verdict { tool: &tool, judgement, approved });
            };
            match &passed {
                Passed::Approved(ready) => verdict(ready.judgement(), true),
                Passed::Declined { judgement, .. } | Passed::Halted(judgement) => verdict(judgement, false),
                Passed::Refused(_) | Passed::Edited(_) => {}
            }
            match passed {
                Passed::Edited(edited) => call = *edited,
                passed => return passed,
            }
        }
    }

    /// Keeps a call that was approved until the turn wants it run, and tells the turn what was decided.
    pub(super) fn decided(&mut self, id: CallId, passed: Passed<Ready>) -> Judged {
        match passed {
            Passed::Approved(ready) => {
                let arguments = ready.call().arguments.clone();
                self.calls.approved.insert(id, ready);
                Judged::Approved { arguments }
            }
            Passed::Refused(outcome) => Judged::Refused(*outcome),
            Passed::Declined { reason, .. } => Judged::Declined { reason },
            Passed::Halted(judgement) => Judged::Halted(judgement),
            // An edit goes back to the gate before anybody hears of it.
            Passed::Edited(_) => Judged::Refused(stopped()),
        }
    }
}
