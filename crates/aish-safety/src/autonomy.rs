//! What an autonomous run leaves to a person though the verdict alone would let it run.
//!
//! Reading secrets and publishing always; after results from outside ([`taint`]) everything that sends something out
//! ([`sending`]); what the user's policy wants asked; and in a run that only reads, whatever is not plainly harmless.
//! Tools of strangers have no effect that could be parsed: [`stranger`] goes by their names and arguments.

pub mod sending;
pub mod stranger;
pub mod taint;

use alloc::format;

use crate::analysis::Analysis;
use crate::call::{PreparedCall, Subject};
use crate::command::{Part, Surroundings};
use crate::gate::PIN_UNREADABLE;
use crate::policy::Policy;
use crate::rules::Effect;
use crate::verdict::{Judgement, Verdict};

pub use sending::Sends;
pub use taint::Taint;

/// What a person agreed to when the run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consent {
    /// `allow` and `ask` verdicts run unasked.
    #[default]
    Acts,
    /// Only `allow` verdicts run unasked (`--yes-read-only`).
    Reads,
}

/// What an autonomous run leaves to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Autonomy {
    /// What was agreed to.
    pub consent: Consent,
    /// What the model has read so far.
    pub taint: Taint,
}

impl Autonomy {
    /// Returns why a person must decide about a call, if one must; at least as strict as `ask`.
    pub(crate) fn concern(
        &self,
        call: &PreparedCall,
        analysis: &Analysis,
        surroundings: &Surroundings,
        policy: &Policy,
    ) -> Option<Judgement> {
        let judgement = &analysis.judgement;
        // What the user's own rules want asked is asked.
        let rule = &judgement.rule;
        let explicit = judgement.verdict > Verdict::Allow
            && (rule.is_of_policy() || matches!(rule.as_str(), "tool.confirmation" | PIN_UNREADABLE));
        let own = explicit.then(|| judgement.clone());
        // A tool is judged by its wish to be confirmed; a command by its effect, so the wish is looked at here.
        let wishes = call.definition.requires_confirmation && call.subject != Subject::Tool;
        let confirm = (wishes && policy.auto_approval(&call.definition.name) != Some(true))
            .then(|| Judgement::new(Verdict::Ask, "tool.confirmation", "the tool wants to be confirmed"));
        let effect = match &call.subject {
            Subject::Command { .. } | Subject::Argv { .. } | Subject::Files { .. } | Subject::Page { .. } => {
                self.strictest(&analysis.parts)
            }
            Subject::Tool if !call.definition.trusted => {
                stranger::concern(call, surroundings, self.taint, policy.auto_approval(&call.definition.name))
            }
            Subject::Tool => None,
        };
        let reads = (self.consent == Consent::Reads && judgement.verdict > Verdict::Allow).then(|| {
            let reason = format!("{}, and this run may only read", judgement.reason);
            Judgement::new(Verdict::Ask, judgement.rule.clone(), reason)
        });
        [own, effect, reads, confirm].into_iter().flatten().reduce(Judgement::strictest)
    }

    fn strictest(&self, parts: &[Part]) -> Option<Judgement> {
        parts
            .iter()
            .filter_map(|part| {
                [self.of_part(part), self.strictest(&part.parts)].into_iter().flatten().reduce(Judgement::strictest)
            })
            .reduce(Judgement::strictest)
    }

    fn of_part(&self, part: &Part) -> Option<Judgement> {
        let left = |why: &str| Some(Judgement::new(Verdict::Ask, part.rule.clone(), format!("{}; {why}", part.reason)));
        match part.effect {
            Effect::ReadSecret => left("a person decides about secrets"),
            Effect::Publish => left("a person decides what is published"),
            _ if self.taint == Taint::Foreign && Sends::of(part) > Sends::Nothing => {
                left("it can send out, and the model has read what strangers wrote, or secrets")
            }
            _ if self.taint >= Taint::Local && Sends::of(part) == Sends::Data => {
                left("it sends data out, and the model has read files or outputs")
            }
            _ => None,
        }
    }
}
