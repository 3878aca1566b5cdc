//! The one way to an effect: prepare, judge, ask, write down, run.
//!
//! Order of [`Door::call`]: the executor looks the tool up and checks the arguments, the source makes the plan, the gate
//! judges it, asks the caller's [`Approver`] where it must and writes the decision, and only then the plan's own run
//! starts. Look-ups that fill in the question go the same way, as calls of their own.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use aish_safety::{
    ApprovedCall, Approver, Gate, Judgement, Nobody, Passage, PreparedCall, Subject, Surroundings, definition_hash,
};
use aish_types::{BoxFuture, CallContext, Risk, ToolCall, ToolDefinition, ToolName, ToolOutcome};
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::executor::{self, Executor, Planned, guard, refused};
use crate::plan::{Confirm, LookUp, Run};
use crate::registry::Registry;
use crate::schema;

/// The longest wait for all look-ups of one sentence.
const LOOK_UPS: Duration = Duration::from_secs(30);

/// The argument of a tool whose subject is a command line; what a person edits takes its place.
pub const COMMAND: &str = "command";

/// A call on its way to the door.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool's full name.
    pub name: ToolName,
    /// The arguments, an object.
    pub arguments: Value,
    /// Who calls, from where.
    pub context: CallContext,
}

impl Call {
    /// Reads a model's call. The error is the outcome for the model.
    ///
    /// # Errors
    /// When the arguments are no JSON object.
    pub fn read(call: &ToolCall, context: CallContext) -> Result<Self, Box<ToolOutcome>> {
        let arguments = schema::parse(&call.arguments).map_err(|faults| refused(&faults))?;
        Ok(Self { name: call.name.clone(), arguments: Value::Object(arguments), context })
    }
}

/// What came of a call at the door.
#[derive(Debug)]
pub enum Passed<T> {
    /// It was approved; this is what came of that.
    Approved(T),
    /// It could not be prepared (unknown tool, bad arguments, cooldown): this is its outcome.
    Refused(Box<ToolOutcome>),
    /// Somebody or the policy said no.
    Declined {
        /// Why, for the model and the person.
        reason: String,
        /// The judgement.
        judgement: Judgement,
    },
    /// An autonomous or headless run met what only a person may let through.
    Halted(Judgement),
    /// The person put another call in its place, which has not been looked at yet.
    Edited(Box<Call>),
}

/// A call that the gate approved, with its run; it runs once.
pub struct Ready {
    approved: ApprovedCall,
    run: Run,
}

/// What was approved, and how, is that of the approved call.
impl Deref for Ready {
    type Target = ApprovedCall;

    fn deref(&self) -> &ApprovedCall {
        &self.approved
    }
}

impl std::fmt::Debug for Ready {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ready").field("approved", &self.approved).finish_non_exhaustive()
    }
}

/// A call that ran: its outcome, and the facts about the run that the outcome does not tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// What came of it.
    pub outcome: ToolOutcome,
    /// The judgement that it passed with.
    pub judgement: Judgement,
}

impl<T> Passed<T> {
    /// Returns what came of the approval.
    ///
    /// # Errors
    /// The outcome that tells whoever called why it was not approved.
    pub fn approved(self) -> Result<T, Box<ToolOutcome>> {
        let refused = match self {
            Self::Approved(approved) => return Ok(approved),
            Self::Refused(outcome) => return Err(outcome),
            Self::Declined { reason, .. } => reason,
            Self::Halted(judgement) => format!("not approved: {}", judgement.reason),
            Self::Edited(_) => "the call was changed and not run".to_owned(),
        };
        Err(Box::new(ToolOutcome::failure(refused)))
    }
}

impl Passed<Ran> {
    /// Words what came of a call for whoever called, where nothing more is to be done about it.
    pub fn outcome(self) -> ToolOutcome {
        self.approved().map_or_else(|refused| *refused, |ran| ran.outcome)
    }
}

/// The executor behind its gate.
pub struct Door {
    executor: Arc<Executor>,
    gate: Gate,
}

impl Door {
    /// Puts an executor behind a gate.
    pub fn new(executor: Arc<Executor>, gate: Gate) -> Self {
        Self { executor, gate }
    }

    /// Returns the registry that calls are looked up in.
    pub fn registry(&self) -> &Arc<Registry> {
        self.executor.registry()
    }

    /// Returns the gate.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Returns the gate, to be changed by what a run has read.
    pub fn gate_mut(&mut self) -> &mut Gate {
        &mut self.gate
    }

    /// Takes a call all the way: prepares it, judges it, asks the approver where it must be asked, and runs it.
    pub async fn call(
        &self,
        call: Call,
        surroundings: &Surroundings,
        approver: &dyn Approver,
        cancel: CancellationToken,
    ) -> Passed<Ran> {
        let passed = self.pass(call, surroundings, approver).await;
        self.finish(passed, cancel).await
    }

    async fn finish(&self, passed: Passed<Ready>, cancel: CancellationToken) -> Passed<Ran> {
        match passed {
            Passed::Approved(ready) => Passed::Approved(self.run(ready, cancel).await),
            Passed::Refused(outcome) => Passed::Refused(outcome),
            Passed::Declined { reason, judgement } => Passed::Declined { reason, judgement },
            Passed::Halted(judgement) => Passed::Halted(judgement),
            Passed::Edited(call) => Passed::Edited(call),
        }
    }

    /// Takes a call as far as the gate, for whoever runs several of them together.
    pub async fn pass(&self, call: Call, surroundings: &Surroundings, approver: &dyn Approver) -> Passed<Ready> {
        let Planned { call, confirm, run } = match self.executor.prepare(call) {
            Ok(planned) => planned,
            Err(outcome) => return Passed::Refused(outcome),
        };
        let sentence: BoxFuture<'_, Option<String>> = match confirm {
            None => Box::pin(std::future::ready(None)),
            Some(confirm) => {
                let about = call.clone();
                Box::pin(async move { self.sentence(confirm, &about, surroundings).await })
            }
        };
        match self.gate.pass(call, surroundings, sentence, approver).await {
            Passage::Approved(approved) => Passed::Approved(Ready { approved, run }),
            Passage::Declined { reason, judgement } => Passed::Declined { reason, judgement },
            Passage::Halted { judgement } => Passed::Halted(judgement),
            Passage::Edited { call, text } => edited(*call, text),
        }
    }

    /// Runs what was approved, once.
    pub async fn run(&self, ready: Ready, cancel: CancellationToken) -> Ran {
        let Ready { approved, run } = ready;
        let judgement = approved.judgement().clone();
        Ran { outcome: self.executor.run(approved, run, cancel).await, judgement }
    }

    /// Words the sentence that is asked about a call; none when that fails.
    async fn sentence(&self, confirm: Confirm, about: &PreparedCall, surroundings: &Surroundings) -> Option<String> {
        let deadline = Instant::now() + LOOK_UPS;
        let mut found = Vec::with_capacity(confirm.look_ups.len());
        for look_up in confirm.look_ups {
            let looking = self.look_up(look_up, about, surroundings);
            found.push(tokio::time::timeout_at(deadline, looking).await.ok().flatten());
        }
        guard::call(|| (confirm.word)(found))
    }

    /// Looks one thing up for the question about a call: it runs when nobody has to be asked about that.
    async fn look_up(&self, look_up: LookUp, about: &PreparedCall, surroundings: &Surroundings) -> Option<String> {
        let LookUp { name, plan, timeout_ms } = look_up;
        let mut definition = ToolDefinition::clone(&about.definition);
        definition.name = ToolName::new(format!("{}:{name}", definition.name));
        (definition.risk, definition.requires_confirmation) = (Risk::Read, false);
        let call = PreparedCall {
            definition_hash: definition_hash(&definition),
            definition: Arc::new(definition),
            subject: plan.subject,
            given: plan.given,
            ..about.clone()
        };
        let sentence = Box::pin(std::future::ready(None));
        let passage = self.gate.pass(call, surroundings, sentence, &Nobody::default()).await;
        let Passage::Approved(approved) = passage else { return None };
        let outcome = executor::run_alone(plan.run, approved, timeout_ms, CancellationToken::new()).await?;
        (outcome.is_success() && !outcome.text.is_empty()).then_some(outcome.text)
    }
}

/// Makes the call that a person put in the place of another.
fn edited(call: PreparedCall, text: String) -> Passed<Ready> {
    let arguments = match call.subject {
        Subject::Command { .. } => json!({ COMMAND: text }),
        Subject::Argv { .. } | Subject::Files { .. } | Subject::Page { .. } | Subject::Tool => {
            match schema::parse(&text) {
                Ok(arguments) => Value::Object(arguments),
                Err(faults) => return Passed::Refused(refused(&faults)),
            }
        }
    };
    let call = Call { name: call.definition.name.clone(), arguments, context: call.context };
    Passed::Edited(Box::new(call))
}
