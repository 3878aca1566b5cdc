//! The one door: nothing runs that the gate has not approved.
//!
//! Order: judge, compare with the pin, ask where needed, write the decision to the audit, make the [`ApprovedCall`].

mod files;
mod judging;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use aish_types::{BoxFuture, Risk};
use serde_json::Value;

use crate::analysis::Analysis;
use crate::approver::{Answer, Approver, Brief, Question};
use crate::audit::{AuditEntry, AuditError, AuditLog, By};
use crate::autonomy::Autonomy;
use crate::call::{PreparedCall, Subject};
use crate::command::Surroundings;
use crate::kept::{self, KeptApprovals, NothingKept};
use crate::pin::{Digest, Pin, PinStore, canonical};
use crate::placement::{After, Hold, Placed, Placement};
use crate::policy::{Policy, Unrecorded};
use crate::verdict::{Judgement, Verdict};

/// How a run treats what would be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A person is asked.
    Interactive,
    /// Nobody is asked: `ask` is no.
    Headless,
    /// Nobody is asked, and the user said yes beforehand to what is not destructive (`--yes`).
    HeadlessYes,
    /// An autonomous run: `ask` runs; `halt`, and what [`Autonomy`] leaves to a person, goes to the approver, and where
    /// nobody answers the run stops.
    Autonomous,
}

/// The rule by which nothing runs whose decision cannot be written down; nobody can let an autonomous run go on then.
pub const UNRECORDED: &str = "audit.unwritable";
/// Why a call did not run that a person said no to.
pub const DECLINED: &str = "declined by the user";
/// The rule by which a call is asked whose pin cannot be read.
pub(crate) const PIN_UNREADABLE: &str = "pin.unreadable";
/// Why a call of a tool is asked about whose definition differs from the pinned one.
const DRIFTED: &str = "the tool's definition is new, or has changed since it was approved";
/// Characters of a difference that a refusal names; a question shows all of it.
const MAX_DRIFT: usize = 2_000;

/// A call that the gate let through, after the decision was written. Only the gate makes one, and it runs once.
#[derive(Debug)]
pub struct ApprovedCall {
    call: Box<PreparedCall>,
    analysis: Box<Analysis>,
    by: By,
    placement: Placement,
    network: bool,
}

impl ApprovedCall {
    /// Says whether other hosts can be reached from the layer that it runs in.
    pub fn network(&self) -> bool {
        self.network
    }

    /// Returns where it runs, where it is a command.
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// Returns the call.
    pub fn call(&self) -> &PreparedCall {
        &self.call
    }

    /// Returns the judgement that it passed with.
    pub fn judgement(&self) -> &Judgement {
        &self.analysis.judgement
    }

    /// Returns what was found out about it; the judgement in it is the one that it passed with.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// Returns who let it through.
    pub fn approved_by(&self) -> By {
        self.by
    }

    /// Gives the call to its run.
    pub fn into_call(self) -> PreparedCall {
        *self.call
    }
}

/// What came of a call at the gate.
#[derive(Debug)]
pub enum Passage {
    /// It may run.
    Approved(ApprovedCall),
    /// It may not run; the reason is for the model and the person.
    Declined {
        /// Why, in words.
        reason: String,
        /// The judgement.
        judgement: Judgement,
    },
    /// The person changed it: the new command or JSON goes back to `prepare`.
    Edited {
        /// The call as it was.
        call: Box<PreparedCall>,
        /// A command line for a command, JSON text for a tool.
        text: String,
    },
    /// An autonomous or headless run met what only a person may let through.
    Halted {
        /// The judgement.
        judgement: Judgement,
    },
}

/// The gate with its ports.
#[derive(Clone)]
pub struct Gate {
    audit: Arc<dyn AuditLog>,
    pins: Arc<dyn PinStore>,
    policy: Policy,
    kept: Arc<dyn KeptApprovals>,
    autonomy: Autonomy,
}

/// What the gate thinks of a call before anybody is asked.
struct Weighed {
    /// The analysis, with the judgement that decides.
    analysis: Analysis,
    /// The difference to the pinned definition.
    drift: Option<String>,
    /// True when the run that it belongs to leaves it to a person.
    raised: bool,
    /// True when a person approved it for good.
    kept: bool,
    /// True when somebody must say yes.
    must_ask: bool,
    /// What the level makes of it.
    placed: Placed,
}

/// What was decided.
struct Decision {
    approved: bool,
    by: By,
    /// True when the person ended the run with it.
    ended: bool,
    /// True when it is tried: what it changes is asked about.
    tried: bool,
}

impl Decision {
    const fn yes(by: By) -> Self {
        Self { approved: true, by, ended: false, tried: false }
    }

    const fn no(by: By) -> Self {
        Self { approved: false, by, ended: false, tried: false }
    }
}

impl Gate {
    /// Makes a gate.
    pub fn new(audit: Arc<dyn AuditLog>, pins: Arc<dyn PinStore>, policy: Policy) -> Self {
        Self { audit, pins, policy, kept: Arc::new(NothingKept), autonomy: Autonomy::default() }
    }

    /// Returns what an autonomous run leaves to a person, to be changed by what it has read.
    pub fn autonomy_mut(&mut self) -> &mut Autonomy {
        &mut self.autonomy
    }

    /// Writes down what became of a layer.
    ///
    /// # Errors
    /// When the audit log cannot be written.
    pub fn note(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        self.audit.append(entry)
    }

    /// Looks approvals for good up, and keeps new ones.
    #[must_use]
    pub fn with_kept(mut self, kept: Arc<dyn KeptApprovals>) -> Self {
        self.kept = kept;
        self
    }

    /// Passes one call through the gate: judges, asks where needed, writes the decision, and only then approves.
    ///
    /// `sentence` gives what is asked in place of the plain question; it is awaited only when somebody is asked.
    pub async fn pass(
        &self,
        call: PreparedCall,
        surroundings: &Surroundings,
        sentence: BoxFuture<'_, Option<String>>,
        approver: &dyn Approver,
    ) -> Passage {
        let mode = approver.mode();
        let analysis = self.analyse(&call, surroundings);
        let Brief { notes, way_back, raised, hold } = approver.brief(&call, &analysis, surroundings).await;
        let placed = Placed::new(hold, approver.level().unwrap_or(self.policy.approval), mode);
        let weighed = self.weigh(&call, analysis, surroundings, mode, raised, placed);
        let decision = if weighed.is_for_person(mode) {
            let question = Question {
                tool: call.definition.name.clone(),
                subject: call.subject.clone(),
                arguments: call.arguments.clone(),
                judgement: weighed.analysis.judgement.clone(),
                confirm_message: sentence.await,
                drift: weighed.drift.clone(),
                always: if mode == Mode::Interactive { kept::offer(&call, &weighed.analysis.judgement) } else { None },
                can_try: weighed.placed.can_try(weighed.analysis.judgement.verdict),
                notes: call.given.notes().into_iter().chain(notes).collect(),
                way_back,
            };
            match self.consult(approver, &question).await {
                Ok(decision) => decision,
                Err(text) => return Passage::Edited { call: Box::new(call), text },
            }
        } else {
            self.unasked(&weighed, mode)
        };
        self.settle(call, weighed, &decision, mode)
    }

    /// Compares a call with its pin, with what was approved for good and with what a run leaves to a person.
    fn weigh(
        &self,
        call: &PreparedCall,
        mut analysis: Analysis,
        surroundings: &Surroundings,
        mode: Mode,
        raised: Option<Judgement>,
        placed: Placed,
    ) -> Weighed {
        let raise = |analysis: &mut Analysis, judgement: Judgement| {
            if judgement.verdict >= analysis.judgement.verdict {
                analysis.judgement = judgement;
            }
        };
        let (drift, is_readable) = match self.drift(call) {
            Ok(drift) => (drift, true),
            Err(why) => {
                raise(&mut analysis, Judgement::new(Verdict::Ask, PIN_UNREADABLE, why));
                (None, false)
            }
        };
        if drift.is_some() && analysis.judgement.verdict < Verdict::Ask {
            raise(&mut analysis, Judgement::new(Verdict::Ask, "pin.drift", DRIFTED));
        }
        // A yes beforehand is no word about a place that is hidden or guarded.
        let guarded = matches!(&call.subject, Subject::Files { concern: Some(_), .. });
        let raised = raised.or_else(|| guarded.then(|| analysis.judgement.clone()));
        let concern = match mode {
            Mode::Autonomous => {
                let own = self.autonomy.concern(call, &analysis, surroundings, &self.policy);
                [raised, own].into_iter().flatten().reduce(Judgement::strictest)
            }
            Mode::Interactive | Mode::Headless | Mode::HeadlessYes => raised,
        };
        let raised = concern.is_some();
        if let Some(concern) = concern {
            raise(&mut analysis, concern);
        }
        // Whoever asks for it by a rule is asked, whatever holds it.
        let wished = raised
            || drift.is_some()
            || !is_readable
            || self.policy.broken.is_some()
            || call.definition.requires_confirmation
            || analysis.judgement.rule.is_of_policy()
            || self.confirms(mode);
        let is_command = matches!(call.subject, Subject::Command { .. });
        if let Some(concern) = placed.concern(&analysis, mode).filter(|_| is_command) {
            raise(&mut analysis, concern);
        }
        let kept = !raised
            && placed.honours_kept()
            && drift.is_none()
            && is_readable
            && self.policy.broken.is_none()
            && self.is_kept(call, &analysis.judgement);
        let held = !wished && placed.is_held(analysis.judgement.verdict);
        let must_ask = !kept
            && !held
            && (raised || drift.is_some() || self.must_ask(call, &analysis.judgement, self.confirms(mode)));
        Weighed { analysis, drift, raised, kept, must_ask, placed }
    }

    /// Decides about a call that nobody is asked about.
    fn unasked(&self, weighed: &Weighed, mode: Mode) -> Decision {
        let verdict = weighed.analysis.judgement.verdict;
        match (mode, verdict) {
            _ if weighed.kept => Decision::yes(By::Kept),
            // What a layer holds is not asked about in an autonomous run; the record says who let it run.
            (Mode::Autonomous, Verdict::Ask) if !weighed.must_ask => Decision::yes(By::Autonomous),
            _ if !weighed.must_ask => Decision::yes(By::Policy),
            (Mode::Headless | Mode::HeadlessYes | Mode::Autonomous, _) if self.policy.broken.is_some() => {
                Decision::no(By::Nobody)
            }
            (Mode::HeadlessYes, _) if weighed.drift.is_some() || weighed.raised => Decision::no(By::Nobody),
            (Mode::HeadlessYes, Verdict::Allow | Verdict::Ask) => Decision::yes(By::Policy),
            (Mode::Autonomous, Verdict::Allow | Verdict::Ask) => Decision::yes(By::Autonomous),
            // Nobody was asked, so nobody said yes.
            (Mode::Headless | Mode::Interactive, _) | (Mode::HeadlessYes | Mode::Autonomous, Verdict::Halt) => {
                Decision::no(By::Nobody)
            }
        }
    }

    /// Writes the decision, and only then approves.
    fn settle(&self, call: PreparedCall, weighed: Weighed, decision: &Decision, mode: Mode) -> Passage {
        let Weighed { analysis, drift, placed, .. } = weighed;
        let entry = AuditEntry::of(&call, &analysis.judgement, decision.approved, decision.by);
        if let Err(error) = self.audit.append(&entry) {
            if mode == Mode::Autonomous {
                let why = format!("{error}; an autonomous run leaves a record or does nothing");
                return Passage::Halted { judgement: Judgement::new(Verdict::Halt, UNRECORDED, why) };
            }
            if decision.approved && !self.may_go_unrecorded(&call, decision, mode) {
                let unrecorded = Judgement::new(Verdict::Ask, UNRECORDED, error.to_string());
                return Passage::Declined { reason: error.to_string(), judgement: unrecorded };
            }
        }
        if !decision.approved {
            let judgement = analysis.judgement;
            return match (judgement.verdict, mode) {
                (_, Mode::Interactive) if decision.by == By::Person => {
                    Passage::Declined { reason: DECLINED.into(), judgement }
                }
                (_, Mode::Interactive) => {
                    let reason = format!("{}; nobody said yes to it", not_approved(&judgement, drift.as_deref()));
                    Passage::Declined { reason, judgement }
                }
                (_, Mode::Autonomous) if decision.ended || decision.by == By::Nobody => Passage::Halted { judgement },
                (_, Mode::Autonomous) => Passage::Declined { reason: "skipped by the user".into(), judgement },
                (Verdict::Halt, _) => Passage::Halted { judgement },
                _ => Passage::Declined { reason: not_approved(&judgement, drift.as_deref()), judgement },
            };
        }
        if !call.definition.trusted
            && let Err(error) =
                self.pins.put(&call.definition.source, &call.definition.name, &Pin::of(&call.definition))
        {
            return Passage::Declined { reason: error.to_string(), judgement: analysis.judgement };
        }
        let consented = matches!(decision.by, By::Person | By::Kept);
        let judgement = &analysis.judgement;
        let placement = match placed.placement(consented, decision.tried, judgement.verdict) {
            // A person's own rule is a word about what it lets run, and none about guarded places.
            Placement::Layer(After::Ask)
                if decision.by == By::Policy
                    && judgement.verdict == Verdict::Allow
                    && judgement.rule.is_of_policy()
                    && placed.honours_kept() =>
            {
                Placement::Layer(After::Ordinary)
            }
            placement => placement,
        };
        let network = matches!(placed.hold, Hold::Network(_));
        let (call, analysis) = (Box::new(call), Box::new(analysis));
        Passage::Approved(ApprovedCall { call, analysis, by: decision.by, placement, network })
    }

    /// Says whether an approved call may run though its decision could not be written.
    fn may_go_unrecorded(&self, call: &PreparedCall, decision: &Decision, mode: Mode) -> bool {
        match self.policy.unrecorded {
            Unrecorded::PersonDecides => decision.by == By::Person && mode == Mode::Interactive,
            Unrecorded::ReadsRun => call.definition.risk == Risk::Read,
        }
    }

    /// Asks whoever is to be asked. The error is the text that the person put in the call's place.
    async fn consult(&self, approver: &dyn Approver, question: &Question) -> Result<Decision, String> {
        Ok(match approver.ask(question).await {
            Answer::Yes => Decision::yes(By::Person),
            Answer::Try if question.can_try => Decision { tried: true, ..Decision::yes(By::Person) },
            Answer::Try => Decision::no(By::Person),
            Answer::Always(text) => {
                // What cannot be kept is asked again the next time; this once it was a yes.
                let _ = self.kept.keep(&text);
                Decision::yes(By::Person)
            }
            Answer::No => Decision::no(By::Person),
            Answer::Stop => Decision { ended: true, ..Decision::no(By::Person) },
            Answer::Nobody => Decision::no(By::Nobody),
            Answer::Edit(text) => return Err(text),
        })
    }

    /// Says whether each command is asked about, also one that is harmless by its judgement.
    fn confirms(&self, mode: Mode) -> bool {
        mode == Mode::Interactive && self.policy.confirm_cmd
    }

    /// Says whether a person approved this for good; the policy's own word for a tool comes before that.
    fn is_kept(&self, call: &PreparedCall, judgement: &Judgement) -> bool {
        self.policy.auto_approval(&call.definition.name) != Some(false)
            && !call.definition.requires_confirmation
            && kept::approves(self.kept.as_ref(), call, judgement)
    }

    /// Says whether somebody must say yes. A command that a configuration's author wrote is asked by its risk and the
    /// policy's level, whatever the judgement says short of `halt`, which makes it destructive; where the author left the risk
    /// to the judgement, what is let through reads.
    fn must_ask(&self, call: &PreparedCall, judgement: &Judgement, confirms: bool) -> bool {
        let definition = &call.definition;
        let verdict = judgement.verdict;
        match &call.subject {
            Subject::Argv { .. } if definition.trusted && self.policy.broken.is_none() => {
                let risk = match verdict {
                    Verdict::Halt => Risk::Destructive,
                    Verdict::Allow if definition.judged => Risk::Read,
                    Verdict::Allow | Verdict::Ask => definition.risk,
                };
                let approved = self.policy.auto_approval(&definition.name);
                let ruled = self.policy.rules.for_tool(definition.name.as_str(), &canonical(&call.arguments));
                if let Some(rule) = ruled
                    && !(rule.verdict == Verdict::Allow && (risk == Risk::Destructive || self.wants_to_be_asked(call)))
                {
                    return rule.verdict > Verdict::Allow;
                }
                definition.requires_confirmation
                    || judgement.rule.is_of_policy() && verdict > Verdict::Allow
                    || approved.map_or_else(|| self.policy.level.asks(risk), |approved| !approved)
            }
            Subject::Command { .. } => verdict > Verdict::Allow || confirms,
            Subject::Argv { .. } | Subject::Files { .. } | Subject::Page { .. } | Subject::Tool => {
                verdict > Verdict::Allow
            }
        }
    }

    /// Returns the difference to the pinned definition, if there is one; trusted sources are not pinned.
    fn drift(&self, call: &PreparedCall) -> Result<Option<String>, String> {
        let definition = &call.definition;
        if definition.trusted {
            return Ok(None);
        }
        match self.pins.get(&definition.source, &definition.name) {
            Ok(Some(pin)) if pin.hash != call.definition_hash => Ok(Some(pin.difference(definition))),
            // Whoever approved all tools of a server had seen those that were there.
            Ok(None) if definition.late => Ok(Some("the server added or changed it while it was connected".into())),
            Ok(_) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Weighed {
    fn is_for_person(&self, mode: Mode) -> bool {
        match mode {
            Mode::Interactive => self.must_ask,
            Mode::Autonomous => {
                self.must_ask
                    && (self.raised || self.drift.is_some() || self.analysis.judgement.verdict == Verdict::Halt)
            }
            Mode::Headless | Mode::HeadlessYes => false,
        }
    }
}

/// Says why a call was declined that nobody was asked about: a change that nobody saw is named, whatever else there was to ask.
fn not_approved(judgement: &Judgement, drift: Option<&str>) -> String {
    let Some(drift) = drift else { return format!("not approved: {}", judgement.reason) };
    let (drift, more) = match drift.char_indices().nth(MAX_DRIFT) {
        Some((end, _)) => (drift.get(..end).unwrap_or_default(), "…"),
        None => (drift.trim_end(), ""),
    };
    format!("not approved: {DRIFTED}:\n{drift}{more}")
}

/// Hashes what is called: tool, arguments, definition.
pub fn call_hash(call: &PreparedCall) -> Digest {
    let name = Value::String(call.definition.name.as_str().into());
    let text = format!("{}\n{}\n{}", canonical(&name), canonical(&call.arguments), call.definition_hash);
    Digest::of(text.as_bytes())
}
