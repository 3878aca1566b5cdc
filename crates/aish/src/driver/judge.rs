//! A call's way to the gate: prepare, judge, ask; an edit goes back to the start.

use aish_safety::{
    Analysis, Answer, Approval, Approver, Brief, ChangesAnswer, ChangesQuestion, Hold, Judgement, Mode, PreparedCall,
    Question, Shell, Subject, Surroundings, Taint, UNDO_LOSS, UNDO_NOTE, Verdict,
};
use aish_tools::{Call, Passed, Ready};
use aish_turn::Judged;
use aish_types::{BoxFuture, CallId, ToolCall};
use tokio_util::sync::CancellationToken;

use super::{Driver, stopped};
use crate::surface::{Shown, Surface};
use crate::transactions::Transactions;
use crate::undo::UndoKeeper;

/// Whoever is asked, with what is known here beside the question.
struct Briefed<'d> {
    approver: &'d dyn Approver,
    undo: Option<&'d UndoKeeper>,
    standing_notes: &'d [String],
    apart: Option<&'d Transactions>,
    raised: Option<Judgement>,
    read: Taint,
}

/// Says why a page is asked about whatever was agreed to before: its address can carry what the model has read.
fn after_strangers(call: &PreparedCall, read: Taint) -> Option<Judgement> {
    let why = "its address can carry out what the model has read: what strangers wrote, or secrets";
    (matches!(call.subject, Subject::Page { .. }) && read == Taint::Foreign)
        .then(|| Judgement::new(Verdict::Ask, "web.after-strangers", why))
}

impl Approver for Briefed<'_> {
    fn mode(&self) -> Mode {
        self.approver.mode()
    }

    fn level(&self) -> Option<Approval> {
        self.approver.level()
    }

    fn brief<'a>(
        &'a self,
        call: &'a PreparedCall,
        analysis: &'a Analysis,
        surroundings: &'a Surroundings,
    ) -> BoxFuture<'a, Brief> {
        Box::pin(async move {
            let hold = match (self.apart, &call.subject, call.definition.name.as_str()) {
                // The person's own rules and the tool that runs outside are not held.
                // A run has a shell of its own, and what no layer holds fails there, to be offered outside.
                (Some(_), Subject::Command { .. }, "shell") if self.mode() == Mode::Autonomous => Hold::Layer,
                (Some(apart), Subject::Command { text }, "shell") => {
                    let shell = if self.mode() == Mode::Interactive { Shell::Persons } else { Shell::Own };
                    apart.hold(text, analysis, surroundings, shell).await
                }
                _ => Hold::Nothing,
            };
            if hold == Hold::Layer {
                let note = format!("{UNDO_NOTE}exact; it runs in a layer over the tree");
                return Brief { notes: vec![note], raised: self.raised.clone(), hold };
            }
            let planned =
                super::undo::plan(self.undo, self.standing_notes, call, analysis, surroundings, self.mode()).await;
            let raised = self.raised.clone().or_else(|| after_strangers(call, self.read));
            match planned {
                Ok(notes) => {
                    let hold = if comes_back(call, &notes) { Hold::Edits } else { hold };
                    Brief { notes, raised, hold }
                }
                // A person may let it run all the same; nobody's leave is none.
                Err(judgement) => Brief {
                    notes: Vec::new(),
                    raised: Some(match raised {
                        Some(before) => before.strictest(judgement),
                        None => judgement,
                    }),
                    hold,
                },
            }
        })
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.approver.ask(question)
    }

    fn changes<'a>(&'a self, question: &'a ChangesQuestion) -> BoxFuture<'a, ChangesAnswer> {
        self.approver.changes(question)
    }
}

/// Says whether a call is one of our own tools for files that changes ordinary files alone, and undo brings all of it back.
fn comes_back(call: &PreparedCall, notes: &[String]) -> bool {
    matches!(call.subject, Subject::Files { concern: None, .. })
        && notes.iter().any(|note| note.starts_with(UNDO_NOTE))
        && !notes.iter().any(|note| note.starts_with(UNDO_LOSS))
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
                apart: self.apart.as_ref().map(|apart| apart.transactions.as_ref()),
                raised: raised.take(),
                read: self.read,
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
