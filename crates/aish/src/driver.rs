//! The driver: performs the effects of a turn and feeds back what came of them.

pub mod autonomous;
pub mod clock;
mod evictions;
mod files;
mod judge;
mod last_call;
mod outside;
mod records;
mod request;
mod status;
mod undo;

pub use evictions::Evictions;
pub use last_call::LastCall;
pub use outside::outside_of;
pub use records::{ContextView, Records, SessionLog};
#[cfg(test)]
pub use request::finish_of;
pub use undo::Undo;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use aish_safety::{Approver, Surroundings, Taint};
use aish_tools::{Door, Ready};
use aish_turn::{Effect, Event, Judged, Outcome, Status, ToolResults, Turn};
use aish_types::{CallContext, CallId, SessionId, ToolCall, ToolName, ToolOutcome};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio_util::sync::CancellationToken;

use crate::asker::Asker;
use crate::secrets::Secrets;
use crate::servers::news::CallNews;
use crate::settling::{self, Apart, Settler};
use crate::surface::{Shown, Surface};

/// On whose behalf calls are made.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The session.
    pub session: SessionId,
    /// The person's name on this machine.
    pub user: String,
}

/// Where commands run, and what is known around them.
#[derive(Clone)]
pub struct CommandEnvironment {
    /// Reads what is known around a command, fresh for each judgement.
    pub surroundings: Arc<dyn Fn() -> Surroundings + Send + Sync>,
    /// The layers that commands run in; `None` where all run in the shell itself.
    pub apart: Option<Apart>,
    /// Lines that every question about a command shows: the sandbox that it would run in.
    pub standing_notes: Vec<String>,
}

impl CommandEnvironment {
    /// A shell with layers beside it.
    pub fn beside(surroundings: Arc<dyn Fn() -> Surroundings + Send + Sync>, apart: Apart) -> Self {
        Self { surroundings, apart: Some(apart), standing_notes: Vec::new() }
    }
}

/// The calls of a turn, from the gate's leave until their outcomes are shown.
pub struct Calls {
    /// Those that were approved, until the turn wants them run.
    pub approved: HashMap<CallId, Ready>,
    /// The tools that calls reach through the tool that calls.
    pub targets: HashMap<CallId, ToolName>,
    /// What servers say while calls run.
    pub news: Arc<CallNews>,
}

impl Calls {
    /// Has no calls yet.
    pub fn over(news: Arc<CallNews>) -> Self {
        Self { approved: HashMap::new(), targets: HashMap::new(), news }
    }
}

/// What a conversation has read and shown so far.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The least trusted of what the model has read in this session.
    pub read: Taint,
    /// What the model reasoned before its last answer.
    pub last_thought: String,
    /// The last tool's name and its whole text.
    pub last_outcome: Option<(ToolName, String)>,
    /// The last call that the model wanted.
    pub last_call: Option<LastCall>,
    /// What left the context.
    pub evictions: Evictions,
}

/// Everything that performs effects.
pub struct Driver {
    /// Asks models and counts tokens.
    pub asker: Asker,
    /// The one way of a call.
    pub door: Door,
    /// Who is asked.
    pub approver: Arc<dyn Approver>,
    /// On whose behalf.
    pub caller: Caller,
    /// Where commands run.
    pub environment: CommandEnvironment,
    /// What becomes of what commands change.
    pub undo: Undo,
    /// The calls that are under way.
    pub calls: Calls,
    /// What was read and shown.
    pub seen: Seen,
    /// What is written down.
    pub records: Records,
    /// Taken out of questions and results before anybody sees them.
    pub secrets: Arc<Secrets>,
    /// The autonomous run that is under way.
    pub autonomous: Option<autonomous::Autonomous>,
    /// The clock's start.
    pub started: Instant,
}

/// Where a turn plays: who is shown it, and what ends it.
struct Stage<'a> {
    surface: &'a mut dyn Surface,
    interrupt: &'a CancellationToken,
    started: Instant,
}

impl Stage<'_> {
    fn show(&mut self, shown: Shown<'_>) {
        self.surface.show(shown, self.started.elapsed());
    }
}

impl Driver {
    /// Plays one turn to its end. `interrupt` is Ctrl-C: it ends the turn at once.
    pub async fn play(
        &mut self,
        turn: &mut Turn,
        question: Event,
        surface: &mut dyn Surface,
        interrupt: &CancellationToken,
    ) -> Outcome {
        let stage = &mut Stage { surface, interrupt, started: self.started };
        stage.show(Shown::TurnStart);
        if let Some(line) = self.records.told_hosts.before(&self.asker.broker, &self.asker.model) {
            stage.show(Shown::Notice(&line));
        }
        let question = match question {
            Event::Asked { text, blocks } => Event::Asked { text: self.secrets.redact(&text).into_owned(), blocks },
            other => other,
        };
        let mut events = VecDeque::from([question]);
        let mut outcome = None;
        while let Some(event) = events.pop_front() {
            let target = self.target_of(&event);
            if let Event::Judged { id, .. } | Event::Ran { id, .. } = &event {
                stage.surface.about(id);
            }
            let summarized = matches!(event, Event::Summarized(_));
            for effect in turn.handle(event) {
                let effect = under_its_own_name(effect, target.as_ref());
                if let Some(done) = self.perform(effect, turn, &mut events, stage).await {
                    outcome = Some(done);
                }
            }
            if summarized {
                self.note_context(turn, stage.surface);
            }
            if stage.interrupt.is_cancelled() && outcome.is_none() && events.is_empty() {
                events.push_back(Event::Interrupted);
            }
        }
        // What was approved and then stopped does not run later.
        self.calls.approved.clear();
        let outcome = outcome.unwrap_or(Outcome::Failed);
        stage.show(Shown::TurnEnd(&outcome));
        outcome
    }

    async fn perform(
        &mut self,
        effect: Effect,
        turn: &mut Turn,
        events: &mut VecDeque<Event>,
        stage: &mut Stage<'_>,
    ) -> Option<Outcome> {
        match effect {
            Effect::Measure => {
                // A server may be asked here, and may be silent.
                let measured = tokio::select! {
                    biased;
                    () = stage.interrupt.cancelled() => Event::Interrupted,
                    measured = self.asker.measure(turn) => measured,
                };
                events.push_back(measured);
            }
            Effect::Summarize { evicted, previous } => {
                let summary = self.asker.summarize(&evicted, previous.as_deref(), stage.interrupt).await;
                events.push_back(Event::Summarized(summary));
            }
            Effect::Ask { messages, offer_tools } => {
                let event = match self.may_ask() {
                    Ok(()) => self.stream(messages, offer_tools, turn, stage).await,
                    Err(_) => Event::Stopped,
                };
                events.push_back(event);
            }
            Effect::Judge(call) => {
                let event = self.judge_call(call, stage).await;
                events.push_back(event);
            }
            Effect::Run(ids) => self.run_approved(&ids, events, stage).await,
            Effect::ShowText(text) => {
                stage.show(Shown::Text(&text));
                stage.surface.flush();
            }
            Effect::ShowOutcome { tool, outcome } => self.show_outcome(tool, outcome, stage),
            Effect::Status(status) => self.show_status(&status, turn, stage),
            Effect::Keep(record) => {
                if let Some(fault) = self.records.log.keep(&record, &self.asker.model) {
                    stage.show(Shown::Notice(&fault));
                }
            }
            Effect::Done(outcome) => return Some(outcome),
        }
        None
    }

    /// Runs calls that were approved: at once, or one by one where layers are among them.
    async fn run_approved(&mut self, ids: &[CallId], events: &mut VecDeque<Event>, stage: &mut Stage<'_>) {
        let calls = ids.iter().filter_map(|id| self.calls.approved.remove(id)).collect();
        let calls = self.put_aside(calls, events, stage).await;
        // What one command keeps is there for the next.
        let one_by_one = calls.iter().any(|call| settling::layered(call).is_some());
        let groups = if one_by_one { calls.into_iter().map(|call| vec![call]).collect() } else { vec![calls] };
        for calls in groups {
            self.perform_calls(calls, events, stage).await;
        }
    }

    /// Shows a status, unless it is told elsewhere or was told before.
    fn show_status(&mut self, status: &Status, turn: &Turn, stage: &mut Stage<'_>) {
        // A run goes on behind two of them, and says at its end what halted it.
        let ends_turn = matches!(status, Status::DepthLimit | Status::Looping { .. } | Status::Halted(_));
        if ends_turn && self.autonomous.is_some() {
            return;
        }
        if let Status::Evicted { exchanges } = status
            && !self.seen.evictions.count(*exchanges, turn.budget().token_budget)
        {
            return;
        }
        status::show(status, stage);
        if *status == Status::ToolRoleOff {
            self.note_context(turn, stage.surface);
        }
    }

    /// Shows the outcome of a call, and keeps it to be shown whole.
    fn show_outcome(&mut self, tool: ToolName, outcome: ToolOutcome, stage: &mut Stage<'_>) {
        stage.show(Shown::Outcome { tool: &tool, outcome: &outcome });
        if let Some(line) = status::unseen(&tool, &outcome) {
            stage.show(Shown::Notice(&self.secrets.redact(&line)));
        }
        self.seen.last_outcome = Some((tool, outcome.text));
    }

    /// Has the gate judge a call, or the tool that it reaches through another.
    async fn judge_call(&mut self, call: ToolCall, stage: &mut Stage<'_>) -> Event {
        let judged = match self.asker.discovery.resolve(&call) {
            Ok(target) => {
                if target.name != call.name {
                    self.calls.targets.insert(call.id.clone(), target.name.clone());
                }
                let Ok(raised) = self.may_call(&target) else { return Event::Stopped };
                stage.show(Shown::Calling(&target));
                let passed = self.judge(&target, raised, stage).await;
                self.judged(&target, &passed);
                self.decided(call.id.clone(), passed)
            }
            Err(outcome) => Judged::Refused(*outcome),
        };
        // Ctrl-C at the gate ends the turn, whatever was decided about the call.
        match stage.interrupt.is_cancelled() {
            true => Event::Interrupted,
            false => Event::Judged { id: call.id, judged },
        }
    }

    /// Notes in the log what is in the context from now on.
    pub fn note_context(&mut self, turn: &Turn, surface: &mut dyn Surface) {
        let transcript = turn.transcript();
        let seen = ContextView {
            first: transcript.entries().first().map(|entry| entry.id),
            summary: transcript.summary(),
            results_as_text: (turn.tool_results() == ToolResults::Text).then_some(self.asker.model.as_str()),
        };
        if let Some(fault) = self.records.log.context(&seen) {
            surface.show(Shown::Notice(&fault), self.started.elapsed());
        }
    }

    /// Runs calls, offers those again that were held back, and settles what they changed.
    async fn perform_calls(&mut self, calls: Vec<Ready>, events: &mut VecDeque<Event>, stage: &mut Stage<'_>) {
        let commands = outside::commands(&calls);
        let layered: HashMap<CallId, _> = calls
            .iter()
            .filter_map(|call| Some((call.call().context.call.clone(), settling::layered(call)?)))
            .collect();
        let mut ran = VecDeque::new();
        self.run(calls, &mut ran, stage).await;
        self.offer_outside(&commands, &mut ran, stage).await;
        for event in &mut ran {
            if let (Event::Ran { id, outcome }, Some(settler)) = (event, self.settler())
                && let Some(layered) = layered.get(id)
            {
                let interrupt = stage.interrupt;
                settler.settle(layered, outcome, &mut |shown: Shown<'_>| stage.show(shown), interrupt).await;
            }
        }
        events.append(&mut ran);
    }

    /// Returns what decides about layers; `None` where all commands run in the shell itself.
    pub(super) fn settler(&self) -> Option<Settler<'_>> {
        Some(Settler {
            apart: self.environment.apart.as_ref()?,
            approver: self.approver.as_ref(),
            gate: self.door.gate(),
            secrets: &self.secrets,
            undoes: self.undo.enabled,
            undo_bytes: self.undo.max_bytes,
        })
    }

    /// Runs approved calls at once; an interrupt cancels them, and what they have by then is their outcome.
    async fn run(&self, calls: Vec<Ready>, events: &mut VecDeque<Event>, stage: &mut Stage<'_>) {
        let news = self.calls.news.listen();
        let mut running: FuturesUnordered<_> = calls
            .into_iter()
            .map(|approved| {
                let id = approved.call().context.call.clone();
                let run = self.door.run(approved, stage.interrupt.child_token());
                async move { (id, run.await.outcome) }
            })
            .collect();
        loop {
            tokio::select! {
                biased;
                line = news.next() => self.pass_on(&line, stage),
                ended = running.next() => match ended {
                    Some((id, mut outcome)) => {
                        // Ctrl-C at a proposed command ends the turn too.
                        if outcome.exit.as_ref().is_some_and(|exit| exit.by_person) {
                            stage.interrupt.cancel();
                        }
                        outcome.text = self.secrets.redact(&outcome.text).into_owned();
                        if let Some(folder) = self.records.files.as_deref().filter(|_| !outcome.blocks.is_empty()) {
                            files::save(folder, &mut outcome);
                        }
                        files::settle(&mut outcome);
                        events.push_back(Event::Ran { id, outcome });
                    }
                    None => break,
                },
            }
        }
        news.rest().iter().for_each(|line| self.pass_on(line, stage));
    }

    /// Shows what a server says.
    fn pass_on(&self, line: &str, stage: &mut Stage<'_>) {
        stage.show(Shown::Notice(&self.secrets.redact(line)));
    }

    /// Returns which tool the call of an event is for, where the call reached it through another.
    fn target_of(&mut self, event: &Event) -> Option<ToolName> {
        let (Event::Judged { id, judged: Judged::Refused(_) } | Event::Ran { id, .. }) = event else { return None };
        self.calls.targets.remove(id)
    }

    fn context(&self, call: &ToolCall) -> CallContext {
        CallContext {
            call: call.id.clone(),
            session: self.caller.session.clone(),
            user: self.caller.user.clone(),
            channel: None,
            folder: (self.environment.surroundings)().folder,
        }
    }
}

/// Names an outcome after the tool that it is of.
fn under_its_own_name(effect: Effect, target: Option<&ToolName>) -> Effect {
    match (effect, target) {
        (Effect::ShowOutcome { outcome, .. }, Some(target)) => Effect::ShowOutcome { tool: target.clone(), outcome },
        (effect, _) => effect,
    }
}

/// Returns the outcome of a call that somebody stopped before it was prepared.
fn stopped() -> ToolOutcome {
    ToolOutcome::failure("interrupted")
}
