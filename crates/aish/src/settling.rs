//! What becomes of a layer once its command has ended: told, asked about where it must be, kept or dropped. One way for
//! all that run commands.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use aish_confine::{Caches, KeepError, LayerError, OnConflict};
use aish_safety::{
    After, Approver, AuditEntry, AuditError, By, ChangeLine, ChangesAnswer, ChangesQuestion, Gate, Judgement, Mode,
    Placement, PreparedCall, Subject, Texts, Verdict,
};
use aish_tools::Ready;
use aish_types::{CallId, Ending, ToolOutcome};
use tokio_util::sync::CancellationToken;

use crate::confinement::facts::{Facts, in_one_line, remarks};
use crate::confinement::times;
use crate::failure::chain;
use crate::secrets::Secrets;
use crate::shell_tool::CommandRunner;
use crate::surface::Shown;
use crate::transactions::{Held, Transactions, shown};

/// Where commands run apart, and the shell that they are apart from.
#[derive(Clone)]
pub struct Apart {
    /// The layers.
    pub transactions: Arc<Transactions>,
    /// The shell.
    pub runner: Arc<dyn CommandRunner>,
}

/// Shows what becomes of a layer.
pub type Show<'s> = dyn FnMut(Shown<'_>) + Send + 's;

/// What is remembered of a call that runs in a layer, until that is settled.
#[derive(Debug, Clone)]
pub struct Layered {
    call: PreparedCall,
    after: After,
}

impl Layered {
    /// The call.
    pub fn id(&self) -> &CallId {
        &self.call.context.call
    }
}

/// What becomes of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Keep,
    Drop,
}

/// What was decided about a layer.
struct Decision {
    fate: Fate,
    by: By,
    /// Whether the person read the facts in a question.
    told: bool,
    stop: bool,
}

impl Decision {
    const fn unasked(fate: Fate, by: By) -> Self {
        Self { fate, by, told: false, stop: false }
    }
}

/// What became of a layer.
enum End {
    Kept,
    /// Why, where the person did not say so.
    Dropped(String),
    /// Something of it is in the tree, and the layer has the rest: why.
    Unfinished(String),
}

/// Why changes that were to be kept are not.
#[derive(Debug, thiserror::Error)]
enum NotKept {
    #[error("{}", chain(.0))]
    Unmoved(#[from] KeepError),
}

/// Returns what is to be remembered of a call that runs in a layer.
pub fn layered(ready: &Ready) -> Option<Layered> {
    match ready.placement() {
        Placement::Layer(after) => Some(Layered { call: ready.call().clone(), after }),
        Placement::Open | Placement::Clean | Placement::Reading => None,
    }
}

/// Decides what becomes of layers, and carries that out.
pub struct Settler<'a> {
    /// The layers, and the shell that commands are apart from.
    pub apart: &'a Apart,
    /// Who is asked.
    pub approver: &'a dyn Approver,
    /// Where it is written down.
    pub gate: &'a Gate,
    /// Taken out of what is shown.
    pub secrets: &'a Secrets,
    /// Whether what is kept can be taken back.
    pub undoes: bool,
    /// Bytes that undo keeps in all.
    pub undo_bytes: u64,
}

/// A layer that is being decided on. Dropped before a decision, it goes back to the layers that wait for one.
struct Waiting<'a> {
    transactions: &'a Transactions,
    call: &'a CallId,
    held: Option<Held>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // One that is kept by now is no longer ours.
        if let Some(held) = self.held.take().filter(Held::is_open) {
            self.transactions.put(self.call.clone(), held);
        }
    }
}

impl Settler<'_> {
    /// Settles what a command that ran in a layer changed, and adds it to its outcome.
    pub async fn settle(
        &self,
        layered: &Layered,
        outcome: &mut ToolOutcome,
        show: &mut Show<'_>,
        interrupt: &CancellationToken,
    ) {
        let (apart, id) = (self.apart, layered.id());
        let mut waiting = Waiting { transactions: &apart.transactions, call: id, held: apart.transactions.take(id) };
        let Some(held) = &waiting.held else { return };
        let ground = apart.transactions.ground();
        let facts = match Facts::of(&held.layer, &ground.settings) {
            Ok(facts) => facts,
            Err(why) => {
                let _ = held.layer.discard();
                fail(outcome, &format!("what it changed cannot be read, and was dropped: {why}"), show);
                waiting.held = None;
                return;
            }
        };
        let remarks = remarks(&held.report, held.network);
        if facts.is_empty() {
            let _ = held.layer.discard();
            for remark in &remarks {
                show(Shown::Notice(&self.secrets.redact(remark)));
            }
        } else {
            let decision = self.decide(layered, held, &facts, &remarks, interrupt).await;
            self.carry_out(layered, held, &facts, &decision, outcome, show).await;
            if decision.stop {
                interrupt.cancel();
            }
        }
        waiting.held = None;
        if let Some(line) = apart.runner.come_back(id).await {
            outcome.text.push_str(&format!("\n[{line}]"));
        }
    }

    /// Decides about a layer, or has a person decide.
    async fn decide(
        &self,
        layered: &Layered,
        held: &Held,
        facts: &Facts,
        remarks: &[String],
        interrupt: &CancellationToken,
    ) -> Decision {
        let command = command_of(&layered.call);
        if facts.changes.keeps_nothing() {
            return Decision::unasked(Fate::Drop, By::Policy);
        }
        if facts.changes.are_times() {
            return Decision::unasked(Fate::Keep, By::Policy);
        }
        // Where nobody can be asked the way back of what is newest stays, however large.
        let too_large = self.approver.mode() == Mode::Interactive && facts.old_bytes() > self.undo_bytes;
        let asks = match layered.after {
            After::Ask => true,
            After::Ordinary => facts.has_guarded(None) || too_large,
            // What the person read and said yes to is not asked about again.
            After::Keep => facts.has_guarded(Some(command)) || too_large,
        };
        if !asks {
            let by = match (layered.after, self.approver.mode()) {
                (After::Keep, _) => By::Person,
                (_, Mode::Autonomous) => By::Autonomous,
                (_, Mode::Interactive | Mode::Headless | Mode::HeadlessYes) => By::Policy,
            };
            return Decision::unasked(Fate::Keep, by);
        }
        let mut remarks = remarks.to_vec();
        if too_large {
            remarks
                .push("it is larger than undo.max_bytes: kept, it is the only thing that undo brings back".to_owned());
        }
        remarks.extend(facts.left_out());
        let (layer, changes) = (held.layer.clone(), facts.changes.clone());
        let question = ChangesQuestion {
            call: layered.call.context.call.clone(),
            command: self.secrets.redact(command).into_owned(),
            lines: facts.lines(),
            remarks,
            diff: Arc::new(move || Facts::diff(&layer, &changes)),
            texts: facts.texts(&held.layer),
        };
        self.ask_about(&question, interrupt).await
    }

    async fn ask_about(&self, question: &ChangesQuestion, interrupt: &CancellationToken) -> Decision {
        if interrupt.is_cancelled() {
            return Decision::unasked(Fate::Drop, By::Nobody);
        }
        let told = |fate| Decision { fate, by: By::Person, told: true, stop: false };
        match self.approver.changes(question).await {
            ChangesAnswer::Keep => told(Fate::Keep),
            ChangesAnswer::Drop => told(Fate::Drop),
            ChangesAnswer::Stop => Decision { stop: true, ..told(Fate::Drop) },
            ChangesAnswer::Nobody => Decision::unasked(Fate::Drop, By::Nobody),
        }
    }

    /// Keeps or drops a layer as it was decided, after writing that down.
    async fn carry_out(
        &self,
        layered: &Layered,
        held: &Held,
        facts: &Facts,
        decision: &Decision,
        outcome: &mut ToolOutcome,
        show: &mut Show<'_>,
    ) {
        let (layer, mut lines) = (&held.layer, facts.say());
        lines.extend(times(&facts.changes));
        let end = self.end(layered, held, facts, decision, &lines).await;
        let (word, kept) = match &end {
            End::Kept => ("kept", Some(facts.texts(layer))),
            End::Dropped(_) => ("dropped", None),
            End::Unfinished(_) => ("unfinished", None),
        };
        show(Shown::Changes {
            // At a terminal it stands above its output.
            command: (self.approver.mode() != Mode::Interactive).then(|| command_of(&layered.call)),
            lines: if decision.told { &[] } else { &lines },
            end: &match &end {
                End::Kept => format!("kept; :undo takes it back exactly, :diff shows it ({})", layer.id()),
                End::Dropped(why) if why.is_empty() => "dropped, nothing of it is in the tree".to_owned(),
                End::Dropped(why) => format!("dropped, nothing of it is in the tree: {why}"),
                End::Unfinished(why) => why.clone(),
            },
            event: &facts.to_json(layer, &held.report, word),
            kept: kept.as_ref(),
        });
        let facts_line = one_line(&lines);
        let is_success = outcome.ending == Ending::Done;
        match end {
            End::Kept => {
                outcome.text.push_str(&format!("\n[changed and kept: {facts_line}]"));
                if !self.undoes {
                    let _ = layer.discard();
                }
                return;
            }
            End::Dropped(why) => {
                let _ = layer.discard();
                let why = if why.is_empty() { "a person said no" } else { &why };
                let line = format!("\n[its changes were dropped ({why}), nothing is changed: {facts_line}]");
                outcome.text.push_str(&line);
            }
            End::Unfinished(why) => outcome.text.push_str(&format!("\n[{why}: {facts_line}]")),
        }
        outcome.ending = if is_success { Ending::Reported } else { outcome.ending };
    }

    /// Carries out what was decided on a layer, but for throwing it away.
    async fn end(&self, layered: &Layered, held: &Held, facts: &Facts, decision: &Decision, lines: &[String]) -> End {
        // What follows from the call's own approval is written down with that.
        let keep = decision.fate == Fate::Keep;
        let written = if decision.told || !keep { self.write_down(layered, decision) } else { Ok(()) };
        if !keep {
            let why = match decision.by {
                By::Nobody => "nobody was there to keep it",
                _ if facts.changes.keeps_nothing() => "all of it is left out",
                By::Person | By::Policy | By::Kept | By::Autonomous => "",
            };
            return End::Dropped(why.to_owned());
        }
        if let (true, Err(fault)) = (decision.by != By::Person, written) {
            return End::Dropped(fault.to_string());
        }
        let diff = Facts::diff(&held.layer, &facts.changes);
        match self.move_in(held, layered).await {
            Ok(()) => {
                shown::keep(&held.layer, lines, &diff);
                End::Kept
            }
            Err(NotKept::Unmoved(error @ KeepError::Unfinished { .. })) => End::Unfinished(chain(&error)),
            Err(fault) => End::Dropped(fault.to_string()),
        }
    }

    /// Writes down what becomes of a layer, before it does.
    fn write_down(&self, layered: &Layered, decision: &Decision) -> Result<(), AuditError> {
        let rule = match decision.fate {
            Fate::Keep => "layer.kept",
            Fate::Drop => "layer.dropped",
        };
        let judgement = Judgement::new(Verdict::Ask, rule, "what it changed in its layer");
        let entry = AuditEntry::of(&layered.call, &judgement, decision.fate == Fate::Keep, decision.by);
        self.gate.note(&entry)
    }

    /// Moves a layer into the tree; where something else changed there in the meantime, a person decides.
    async fn move_in(&self, held: &Held, layered: &Layered) -> Result<(), NotKept> {
        let keep = |on_conflict| {
            // A run with the network fills the caches of package managers.
            let caches = if held.network { Caches::Included } else { Caches::LeftOut };
            let layer = held.layer.clone();
            async move {
                let done = tokio::task::spawn_blocking(move || layer.keep(caches, on_conflict).map(drop)).await;
                done.unwrap_or_else(|error| {
                    Err(KeepError::from(LayerError { path: PathBuf::new(), source: io::Error::other(error) }))
                })
            }
        };
        let conflicts = match keep(OnConflict::Stop).await {
            Ok(()) => return Ok(()),
            Err(KeepError::Conflicts(conflicts)) => conflicts,
            Err(error) => return Err(error.into()),
        };
        let line = |conflict: &aish_confine::Conflict| ChangeLine {
            text: format!("conflict {} {}", in_one_line(&conflict.path), conflict.why.as_str()),
            guarded: None,
        };
        let question = ChangesQuestion {
            call: layered.call.context.call.clone(),
            command: command_of(&layered.call).to_owned(),
            lines: conflicts.iter().take(20).map(line).collect(),
            remarks: vec!["keep replaces what is there now; :undo brings that back".to_owned()],
            diff: Arc::new(String::new),
            texts: Texts::default(),
        };
        match self.approver.changes(&question).await {
            ChangesAnswer::Keep => Ok(keep(OnConflict::Replace).await?),
            ChangesAnswer::Drop | ChangesAnswer::Stop | ChangesAnswer::Nobody => {
                Err(KeepError::Conflicts(conflicts).into())
            }
        }
    }
}

fn fail(outcome: &mut ToolOutcome, why: &str, show: &mut Show<'_>) {
    show(Shown::Error(why));
    outcome.ending = Ending::Reported;
    outcome.text.push_str(&format!("\n[{why}]"));
}

fn command_of(call: &PreparedCall) -> &str {
    match &call.subject {
        Subject::Command { text } => text,
        Subject::Argv { .. } | Subject::Files { .. } | Subject::Page { .. } | Subject::Tool => {
            call.definition.name.as_str()
        }
    }
}

/// Tells the facts in one line, for the model.
fn one_line(lines: &[String]) -> String {
    let line = lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
    aish_types::head_and_tail(&line.join("; "), 1000).text.into_owned()
}
