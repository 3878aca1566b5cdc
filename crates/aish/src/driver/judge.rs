//! A call's way to the gate: prepare, judge, ask; an edit goes back to the start.

use aish_safety::{Analysis, Answer, Approver, Brief, Judgement, Mode, PreparedCall, Question, Surroundings};
use aish_tools::{Call, Passed, Ready};
use aish_turn::Judged;
use aish_types::{BoxFuture, CallId, ToolCall};
use tokio_util::sync::CancellationToken;

use super::{Driver, stopped};
use crate::surface::{Shown, Surface};
use crate::undo::UndoKeeper;

/// Whoever is asked, with what is known here beside the question.
struct Briefed<'d> {
    approver: &'d dyn Approver,
    undo: Option<&'d UndoKeeper>,
    standing_notes: &'d [String],
    raised: Option<Judgement>,
}

impl Approver for Briefed<'_> {
    fn mode(&self) -> Mode {
        self.approver.mode()
    }

    fn brief<'a>(
        &'a self,
        call: &'a PreparedCall,
        analysis: &'a Analysis,
        surroundings: &'a Surroundings,
    ) -> BoxFuture<'a, Brief> {
        Box::pin(async move {
            let planned =
                super::undo::plan(self.undo, self.standing_notes, call, analysis, surroundings, self.mode()).await;
            let raised = self.raised.clone();
            match planned {
                Ok(notes) => Brief { notes, raised },
                // A person may let it run all the same; nobody's leave is none.
                Err(judgement) => Brief {
                    notes: Vec::new(),
                    raised: Some(match raised {
                        Some(before) => before.strictest(judgement),
                        None => judgement,
                    }),
                },
            }
        })
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.approver.ask(question)
    }
}

impl Driver {
    pub(super) async fn judge(
        &self,
        call: &ToolCall,
        mut raised: Option<Judgement>,
        surface: &mut dyn Surface,
        interrupt: &CancellationToken,
    ) -> Passed<Ready> {
        let mut call = match Call::read(call, self.context(call)) {
            Ok(call) => call,
            Err(outcome) => return Passed::Refused(outcome),
        };
        loop {
            if interrupt.is_cancelled() {
                return Passed::Refused(Box::new(stopped()));
            }
            let tool = call.name.clone();
            let briefed = Briefed {
                approver: self.approver.as_ref(),
                undo: self.undo.as_deref(),
                standing_notes: &self.standing_notes,
                raised: raised.take(),
            };
            let surroundings = (self.surroundings)();
            let passed = tokio::select! {
                passed = self.door.pass(call, &surroundings, &briefed) => passed,
                () = interrupt.cancelled() => return Passed::Refused(Box::new(stopped())),
            };
            let mut verdict = |judgement: &Judgement, approved: bool| {
                surface.show(Shown::Verdict { tool: &tool, judgement, approved }, self.started.elapsed());
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
                self.approved.insert(id, ready);
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
