//! What becomes of a layer once its command has ended: told, asked about where it must be, kept or dropped.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use aish_confine::{KeepError, LayerError, OnConflict};
use aish_safety::{
    After, AuditEntry, By, ChangeLine, ChangesAnswer, ChangesQuestion, Judgement, Mode, Placement, PreparedCall,
    Subject, Texts, Verdict,
};
use aish_tools::Ready;
use aish_types::{CallId, Ending, ToolOutcome};
use tokio_util::sync::CancellationToken;

use super::Driver;
use crate::confinement::facts::{Facts, remarks};
use crate::failure::chain;
use crate::shell_tool::CommandRunner;
use crate::surface::{Shown, Surface};
use crate::transactions::{Held, Transactions, shown};

/// Where commands run apart, and the shell that they are apart from.
#[derive(Clone)]
pub struct Apart {
    /// The layers.
    pub transactions: Arc<Transactions>,
    /// The shell.
    pub runner: Arc<dyn CommandRunner>,
}

/// What is remembered of a call that runs in a layer, until it has ended.
pub(super) struct Layered {
    call: PreparedCall,
    after: After,
}

/// What was decided about a layer.
struct Decision {
    keep: bool,
    by: By,
    /// Whether the person read the facts in a question.
    told: bool,
    stop: bool,
}

impl Decision {
    const fn unasked(keep: bool, by: By) -> Self {
        Self { keep, by, told: false, stop: false }
    }
}

/// Returns what is to be remembered of a call that runs in a layer.
pub(super) fn layered(ready: &Ready) -> Option<Layered> {
    match ready.placement() {
        Placement::Layer(after) => Some(Layered { call: ready.call().clone(), after }),
        Placement::Open | Placement::Clean | Placement::Reading => None,
    }
}

impl Driver {
    /// Throws the layer of a call away, unasked: the command runs again without one.
    pub(super) fn drop_layer(&self, call: &CallId) {
        if let Some(held) = self.apart.as_ref().and_then(|apart| apart.transactions.take(call)) {
            let _ = held.layer.discard();
        }
    }

    /// Settles what a command that ran in a layer changed, and adds it to its outcome.
    pub(super) async fn settle(
        &self,
        layered: &Layered,
        outcome: &mut ToolOutcome,
        surface: &mut dyn Surface,
        interrupt: &CancellationToken,
    ) {
        let Some(apart) = &self.apart else { return };
        let id = &layered.call.context.call;
        let Some(held) = apart.transactions.take(id) else { return };
        let ground = apart.transactions.ground();
        let facts = match Facts::of(&held.layer, ground.settings()) {
            Ok(facts) => facts,
            Err(why) => {
                let _ = held.layer.discard();
                self.fail(outcome, &format!("what it changed cannot be read, and was dropped: {why}"), surface);
                return;
            }
        };
        let remarks = remarks(&held.report, held.network);
        let mut kept = false;
        if facts.is_empty() {
            let _ = held.layer.discard();
            for remark in &remarks {
                self.notice(surface, remark);
            }
            kept = true;
        } else {
            let decision = self.decide(layered, &held, &facts, &remarks, interrupt).await;
            kept = self.carry_out(layered, &held, &facts, &decision, outcome, surface).await.unwrap_or(kept);
            if decision.stop {
                interrupt.cancel();
            }
        }
        if let Some(line) = apart.runner.come_back(id, kept).await {
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
            return Decision::unasked(true, by);
        }
        let mut remarks = remarks.to_vec();
        if too_large {
            remarks
                .push("it is larger than undo.max_bytes: kept, it is the only thing that undo brings back".to_owned());
        }
        remarks.extend(facts.left_out());
        let (layer, changes) = (held.layer.clone(), facts.changes().clone());
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
            return Decision::unasked(false, By::Nobody);
        }
        let told = |keep, stop| Decision { keep, by: By::Person, told: true, stop };
        match self.approver.changes(question).await {
            ChangesAnswer::Keep => told(true, false),
            ChangesAnswer::Drop => told(false, false),
            ChangesAnswer::Stop => told(false, true),
            ChangesAnswer::Nobody => Decision::unasked(false, By::Nobody),
        }
    }

    /// Keeps or drops a layer as it was decided, after writing that down. Returns whether it was kept.
    async fn carry_out(
        &self,
        layered: &Layered,
        held: &Held,
        facts: &Facts,
        decision: &Decision,
        outcome: &mut ToolOutcome,
        surface: &mut dyn Surface,
    ) -> Option<bool> {
        let (layer, lines) = (&held.layer, facts.say());
        // What follows from the call's own approval is written down with that.
        let written = if decision.told || !decision.keep { self.write_down(layered, decision) } else { Ok(()) };
        let mut keep = decision.keep;
        let mut why = match decision.by {
            By::Nobody => "nobody was there to keep it",
            By::Person | By::Policy | By::Kept | By::Autonomous => "",
        }
        .to_owned();
        if let (true, Err(fault)) = (keep && decision.by != By::Person, written) {
            (keep, why) = (false, fault);
        }
        if keep {
            let diff = Facts::diff(layer, facts.changes());
            match self.move_in(held, layered).await {
                Ok(()) => shown::keep(layer, &lines, &diff),
                Err(fault) => (keep, why) = (false, fault),
            }
        }
        let word = if keep { "kept" } else { "dropped" };
        surface.show(
            Shown::Changes {
                // At a terminal it stands above its output.
                command: (self.approver.mode() != Mode::Interactive).then(|| command_of(&layered.call)),
                lines: if decision.told { &[] } else { &lines },
                end: &if keep {
                    format!("kept; :undo takes it back exactly, :diff shows it ({})", layer.id())
                } else {
                    let colon = if why.is_empty() { "" } else { ": " };
                    format!("dropped, nothing of it is in the tree{colon}{why}")
                },
                event: &facts.to_json(layer, &held.report, word),
                kept: keep.then(|| facts.texts(layer)).as_ref(),
            },
            self.started.elapsed(),
        );
        let facts_line = one_line(&lines);
        if keep {
            outcome.text.push_str(&format!("\n[changed and kept: {facts_line}]"));
            if !self.undoes {
                let _ = layer.discard();
            }
        } else {
            let _ = layer.discard();
            outcome.ending = if outcome.ending == Ending::Done { Ending::Reported } else { outcome.ending };
            let why = if why.is_empty() { "a person said no" } else { &why };
            outcome.text.push_str(&format!("\n[its changes were dropped ({why}), nothing is changed: {facts_line}]"));
        }
        Some(keep)
    }

    /// Writes down what becomes of a layer, before it does.
    fn write_down(&self, layered: &Layered, decision: &Decision) -> Result<(), String> {
        let rule = if decision.keep { "layer.kept" } else { "layer.dropped" };
        let judgement = Judgement::new(Verdict::Ask, rule, "what it changed in its layer");
        let entry = AuditEntry::of(&layered.call, &judgement, decision.keep, decision.by);
        self.door.gate().note(&entry).map_err(|error| error.to_string())
    }

    /// Moves a layer into the tree; where something else changed there in the meantime, a person decides.
    async fn move_in(&self, held: &Held, layered: &Layered) -> Result<(), String> {
        let keep = |on_conflict| {
            let (layer, network) = (held.layer.clone(), held.network);
            async move {
                let done = tokio::task::spawn_blocking(move || layer.keep(network, on_conflict).map(drop)).await;
                done.unwrap_or_else(|error| {
                    Err(KeepError::from(LayerError { path: PathBuf::new(), source: io::Error::other(error) }))
                })
            }
        };
        let conflicts = match keep(OnConflict::Stop).await {
            Ok(()) => return Ok(()),
            Err(KeepError::Conflicts(conflicts)) => conflicts,
            Err(error) => return Err(chain(&error)),
        };
        let line = |conflict: &aish_confine::Conflict| ChangeLine {
            text: format!("conflict {} {}", conflict.path.display(), conflict.why.as_str()),
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
            ChangesAnswer::Keep => keep(OnConflict::Replace).await.map_err(|error| chain(&error)),
            ChangesAnswer::Drop | ChangesAnswer::Stop | ChangesAnswer::Nobody => {
                Err("the tree changed while it ran".to_owned())
            }
        }
    }

    fn notice(&self, surface: &mut dyn Surface, text: &str) {
        surface.show(Shown::Notice(&self.secrets.redact(text)), self.started.elapsed());
    }

    fn fail(&self, outcome: &mut ToolOutcome, why: &str, surface: &mut dyn Surface) {
        surface.show(Shown::Error(why), self.started.elapsed());
        outcome.ending = Ending::Reported;
        outcome.text.push_str(&format!("\n[{why}]"));
    }
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
