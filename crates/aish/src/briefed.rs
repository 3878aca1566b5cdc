//! Whoever is asked about a call, with what is known here beside it: what could hold a command, what undo brings back.

use std::sync::OnceLock;

use aish_safety::{
    Analysis, Answer, Approval, Approver, Brief, ChangesAnswer, ChangesQuestion, FileAccess, Hold, Judgement, Mode,
    PreparedCall, Question, Shell, Subject, Surroundings, Taint, Verdict, WayBack,
};
use aish_types::BoxFuture;

use crate::shell_tool::{NETWORK, OUTSIDE, SHELL};
use crate::transactions::Transactions;
use crate::undo::{UndoKeeper, say};

/// Whoever is asked, with what is known here beside the question.
pub struct Briefed<'d> {
    /// Whoever is asked.
    pub approver: &'d dyn Approver,
    /// Puts aside what calls change; none where undo is off.
    pub undo: Option<&'d UndoKeeper>,
    /// Lines that every question about a command shows.
    pub standing_notes: &'d [String],
    /// Where commands run apart; none where they all run in the shell.
    pub apart: Option<&'d Transactions>,
    /// What the run that the call belongs to has against it.
    pub raised: Option<Judgement>,
    /// The least trusted of what the model has read.
    pub read: Taint,
    /// Where what the gate found is noted; none where nobody asks for it.
    pub noted: Option<&'d OnceLock<Analysis>>,
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
        if let Some(noted) = self.noted {
            let _ = noted.set(analysis.clone());
        }
        Box::pin(async move {
            let hold = match (self.apart, &call.subject, call.definition.name.as_str()) {
                // The person's own rules and the tool that runs outside are not held.
                // A run has a shell of its own, and what no layer holds fails there, to be offered outside.
                (Some(apart), Subject::Command { .. }, NETWORK) if apart.works().await => {
                    Hold::Network("it needs the network".to_owned())
                }
                (Some(_), Subject::Command { .. }, SHELL) if self.mode() == Mode::Autonomous => Hold::Layer,
                (Some(apart), Subject::Command { text }, SHELL) => {
                    let shell = if self.mode() == Mode::Interactive { Shell::Persons } else { Shell::Own };
                    apart.hold(text, analysis, surroundings, shell).await
                }
                _ => Hold::Nothing,
            };
            if matches!(hold, Hold::Layer | Hold::Network(_)) {
                let network = match hold {
                    Hold::Network(_) => ", with the network: what it sends is sent",
                    _ => "",
                };
                let (note, way_back) = match self.undo {
                    Some(_) => {
                        (format!("{}exact; it runs in a layer over the tree{network}", say::NOTE), WayBack::Whole)
                    }
                    None => (format!("{}bring back what is kept: undo is off", say::LOSS), WayBack::Nothing),
                };
                return Brief { notes: vec![note], way_back, raised: self.raised.clone(), hold };
            }
            let planned = plan(self.undo, self.standing_notes, call, analysis, surroundings, self.mode()).await;
            let raised = self.raised.clone().or_else(|| after_strangers(call, self.read));
            match planned {
                Ok((notes, way_back)) => {
                    let hold = if comes_back(call, way_back) { Hold::Edits } else { hold };
                    Brief { notes, way_back, raised, hold }
                }
                // A person may let it run all the same; nobody's leave is none.
                Err(judgement) => Brief {
                    notes: Vec::new(),
                    way_back: WayBack::Nothing,
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
fn comes_back(call: &PreparedCall, way_back: WayBack) -> bool {
    matches!(call.subject, Subject::Files { concern: None, .. }) && way_back == WayBack::Whole
}

/// Plans what a command's changes need; returns what is told beside the question, and what comes back.
///
/// # Errors
/// The judgement that stops an autonomous run, when nothing can be put aside.
async fn plan(
    undo: Option<&UndoKeeper>,
    standing_notes: &[String],
    call: &PreparedCall,
    analysis: &Analysis,
    surroundings: &Surroundings,
    mode: Mode,
) -> Result<(Vec<String>, WayBack), Judgement> {
    let (text, standing_notes) = match &call.subject {
        Subject::Command { text } => (text.clone(), standing_notes),
        // A tool of ours writes by itself: no sandbox holds it.
        Subject::Files { accesses, .. } => {
            (accesses.iter().map(FileAccess::words).collect::<Vec<_>>().join("; "), &[] as &[String])
        }
        Subject::Argv { .. } | Subject::Page { .. } | Subject::Tool => return Ok((Vec::new(), WayBack::Nothing)),
    };
    let mut notes = match call.definition.name.as_str() {
        OUTSIDE => vec!["sandbox: none, it runs outside".to_owned()],
        _ => standing_notes.to_vec(),
    };
    let Some(undo) = undo else { return Ok((notes, WayBack::Nothing)) };
    let planned = undo.plan(&text, &analysis.changes, surroundings).await;
    if let (Mode::Autonomous, Some(why)) = (mode, &planned.unusable) {
        let reason = format!("changes files that cannot be put aside for undo: {why}");
        return Err(Judgement::new(Verdict::Halt, "undo.unusable", reason));
    }
    notes.extend(planned.notes.iter().cloned());
    let way_back = planned.way_back;
    undo.remember(call.context.call.clone(), planned);
    Ok((notes, way_back))
}
