//! The tree of a command's parts, each with its effect and verdict.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::rule_id::RuleId;
use crate::rules::Effect;
use crate::verdict::{Judgement, Verdict};

/// One part of a command: a program with its arguments, a redirect, a piece of code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The part as it is understood: words after expansion, `…` for what is not known. Not to be run.
    pub text: String,
    /// What it does.
    pub effect: Effect,
    /// Its own verdict, without the parts below.
    pub verdict: Verdict,
    /// The deciding rule's id.
    pub rule: RuleId,
    /// A sentence that a person understands.
    pub reason: String,
    /// What it runs in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

impl Part {
    /// Makes a part that runs nothing in turn.
    pub(crate) fn new(
        text: impl Into<String>,
        effect: Effect,
        verdict: Verdict,
        rule: impl Into<RuleId>,
        reason: String,
    ) -> Self {
        Self { text: text.into(), effect, verdict, rule: rule.into(), reason, parts: Vec::new() }
    }

    /// Returns the part's own judgement.
    pub fn judgement(&self) -> Judgement {
        Judgement::new(self.verdict, self.rule.clone(), self.reason.clone())
    }
}

/// Renders parts as plain text, one line a part and one for the whole, readable without colour.
pub(crate) fn render(parts: &[Part], judgement: &Judgement) -> String {
    let mut out = String::new();
    for part in parts {
        render_part(part, 0, &mut out);
    }
    out.push_str(judgement.verdict.as_str());
    out.push_str(": ");
    out.push_str(&judgement.reason);
    out.push_str(" [");
    out.push_str(&judgement.rule);
    out.push_str("]\n");
    out
}

fn render_part(part: &Part, depth: usize, out: &mut String) {
    for _ in 0..depth.min(40) {
        out.push_str("  ");
    }
    let verdict = part.verdict.as_str();
    out.push_str(verdict);
    for _ in verdict.len()..6 {
        out.push(' ');
    }
    out.push_str(if part.text.is_empty() { "(no program)" } else { &part.text });
    out.push_str("  — ");
    out.push_str(&part.reason);
    out.push_str(" (");
    out.push_str(part.effect.as_str());
    out.push_str(", ");
    out.push_str(&part.rule);
    out.push_str(")\n");
    for inner in &part.parts {
        render_part(inner, depth + 1, out);
    }
}
