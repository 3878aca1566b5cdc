//! What the gate thinks of a call by itself: a command by its effect, files by their places, a tool by policy, risk and
//! arguments.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::Act;
use aish_types::Risk;

use super::Gate;
use crate::analysis::Analysis;
use crate::autonomy::Taint;
use crate::call::{Given, PreparedCall, Subject};
use crate::command::{Surroundings, analyse, analyse_argv, analyse_fed};
use crate::pin::canonical;
use crate::policy::{NamedRisk, PolicyRules};
use crate::rules::programs;
use crate::tool_call;
use crate::verdict::{Judgement, Verdict};

impl Gate {
    /// Analyses and judges a call without asking anybody: command by effect, tool by policy, risk and arguments.
    pub(super) fn analyse(&self, call: &PreparedCall, surroundings: &Surroundings) -> Analysis {
        let rules = &self.policy.rules;
        let taint = |trusted: Taint| if call.definition.trusted { trusted } else { Taint::Foreign };
        let mut analysis = match &call.subject {
            Subject::Command { text } => analyse(text, surroundings, rules),
            Subject::Argv { words } => analyse_given(words, &call.given, surroundings, rules),
            Subject::Page { address } => {
                let words: Vec<String> =
                    programs::stand_in(Act::Fetch).chain([address.as_str()]).map(String::from).collect();
                analyse_argv(&words, surroundings, rules)
            }
            Subject::Files { accesses, concern, .. } => {
                self.judge_files(call, accesses, concern.as_deref(), surroundings)
            }
            Subject::Tool => Analysis::of_tool(self.judge_tool_call(call, surroundings), taint(Taint::Clean)),
        };
        analysis.taint = taint(analysis.taint);
        let judgement = self.under_tool_rules(call, analysis.judgement);
        analysis.judgement = self.policy.raise_where_broken(judgement);
        analysis
    }

    /// Judges a call that is no command. Approved or not: what its arguments would do is judged by itself, and may only
    /// raise.
    fn judge_tool_call(&self, call: &PreparedCall, surroundings: &Surroundings) -> Judgement {
        let judgement = self.judge_tool(call);
        let by_name = match self.policy.auto_approval(&call.definition.name) {
            None => tool_call::judge_name(call),
            Some(_) => None,
        };
        let by_arguments = tool_call::judge_arguments(call, surroundings);
        [by_name, by_arguments].into_iter().flatten().fold(judgement, Judgement::strictest)
    }

    /// Applies the policy's rules about tools by name: they raise any verdict, and let through what would be asked.
    fn under_tool_rules(&self, call: &PreparedCall, judgement: Judgement) -> Judgement {
        let name = call.definition.name.as_str();
        let Some(rule) = self.policy.rules.for_tool(name, &canonical(&call.arguments)) else { return judgement };
        let own = Judgement::new(rule.verdict, rule.id.clone(), rule.reason.clone());
        match (rule.verdict, judgement.verdict) {
            (Verdict::Allow, Verdict::Ask) if !self.wants_to_be_asked(call) => own,
            (Verdict::Ask | Verdict::Halt, before) if rule.verdict >= before => own,
            (Verdict::Allow | Verdict::Ask | Verdict::Halt, _) => judgement,
        }
    }

    /// Says whether the policy or the tool itself insists on a question.
    pub(super) fn wants_to_be_asked(&self, call: &PreparedCall) -> bool {
        call.definition.requires_confirmation || self.policy.auto_approval(&call.definition.name) == Some(false)
    }

    fn judge_tool(&self, call: &PreparedCall) -> Judgement {
        let definition = &call.definition;
        match self.policy.auto_approval(&definition.name) {
            Some(true) => return Judgement::new(Verdict::Allow, "policy.auto-approve", "approved by the policy"),
            Some(false) => return Judgement::new(Verdict::Ask, "policy.auto-approve", "the policy wants it asked"),
            None => {}
        }
        if definition.requires_confirmation {
            return Judgement::new(Verdict::Ask, "tool.confirmation", "the tool wants to be confirmed");
        }
        if definition.trusted && self.policy.named_risk == NamedRisk::Level {
            return if self.policy.level.asks(definition.risk) {
                Judgement::new(Verdict::Ask, "tool.risk", "the policy's level wants its risk asked")
            } else {
                Judgement::new(Verdict::Allow, "tool.risk", "the policy's level lets its risk run")
            };
        }
        match (definition.trusted, definition.risk) {
            (true, Risk::Read) => Judgement::new(Verdict::Allow, "tool.read-only", "reads only"),
            (true, Risk::Write) => Judgement::new(Verdict::Ask, "tool.write", "changes something"),
            (true, Risk::Destructive) => Judgement::new(Verdict::Halt, "tool.destructive", "may destroy something"),
            (false, _) => Judgement::new(Verdict::Ask, "tool.untrusted", "a tool from outside, not approved yet"),
        }
    }
}

/// Analyses a program with what it is given, in the folder that it runs in.
fn analyse_given(words: &[String], given: &Given, surroundings: &Surroundings, rules: &PolicyRules) -> Analysis {
    let input = given.input.as_deref();
    match given.folder_from(surroundings.folder.as_deref()) {
        None => analyse_fed(words, input, surroundings, rules),
        folder => analyse_fed(words, input, &Surroundings { folder, ..surroundings.clone() }, rules),
    }
}
