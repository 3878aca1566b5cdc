//! What the user (and, tightening only, a project) said beforehand.

pub mod programs;
pub mod rule;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

use aish_types::{Risk, ToolName};

use crate::placement::Approval;
use crate::verdict::{Judgement, Verdict};
pub use programs::ProgramText;
pub use rule::{PolicyRule, PolicyRules, RuleError, Tried, WrittenRule};

/// The policy that the gate applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// `alias.tool` or `alias.*` to yes or no; an exact name beats the glob.
    pub auto_approve: BTreeMap<String, bool>,
    /// Ask before every proposed command, also one that has no effect worth asking about.
    pub confirm_cmd: bool,
    /// Set when a rules or policy file is broken: everything asks, and this says why.
    pub broken: Option<String>,
    /// The rules for commands and tools.
    pub rules: PolicyRules,
    /// From which risk on a command that a configuration's author wrote is asked.
    pub level: Level,
    /// How a tool is judged whose risk the user named.
    pub named_risk: NamedRisk,
    /// What runs when decisions cannot be written.
    pub unrecorded: Unrecorded,
    /// When a person is asked about commands.
    pub approval: Approval,
}

/// How a tool is judged whose risk the user named, where the policy says nothing of the tool itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NamedRisk {
    /// By itself: what reads runs, what changes something is asked, what may destroy halts.
    #[default]
    Itself,
    /// By the policy's level, as the commands of a configuration are.
    Level,
}

/// What runs when the decision about it cannot be written; an autonomous run ends then in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unrecorded {
    /// What a person approves, who was asked just now.
    #[default]
    PersonDecides,
    /// What only reads.
    ReadsRun,
}

/// The risk from which on something is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Nothing is asked.
    None,
    /// What may destroy.
    Destructive,
    /// What changes something.
    #[default]
    Write,
    /// Everything.
    All,
}

impl Level {
    /// Says whether something of this risk is asked.
    pub fn asks(self, risk: Risk) -> bool {
        match self {
            Self::None => false,
            Self::Destructive => risk == Risk::Destructive,
            Self::Write => risk >= Risk::Write,
            Self::All => true,
        }
    }
}

impl Policy {
    /// Raises a judgement under a policy that cannot be used: what its rules would ask about or halt is not known. What
    /// halts by itself still does, for its own reason.
    pub fn raise_where_broken(&self, judgement: Judgement) -> Judgement {
        let Some(why) = self.broken.as_ref().filter(|_| judgement.verdict < Verdict::Halt) else { return judgement };
        let own = match judgement.verdict {
            Verdict::Ask => format!("{}; ", judgement.reason),
            Verdict::Allow | Verdict::Halt => String::new(),
        };
        Judgement::new(Verdict::Ask, "policy.broken", format!("{own}the policy cannot be used: {why}"))
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            auto_approve: BTreeMap::new(),
            confirm_cmd: true,
            broken: None,
            rules: PolicyRules::default(),
            level: Level::default(),
            named_risk: NamedRisk::default(),
            unrecorded: Unrecorded::default(),
            approval: Approval::default(),
        }
    }
}

impl Policy {
    /// Says whether a tool is approved (`Some(true)`), refused its automatic approval (`Some(false)`) or not named.
    pub fn auto_approval(&self, tool: &ToolName) -> Option<bool> {
        if let Some(&exact) = self.auto_approve.get(tool.as_str()) {
            return Some(exact);
        }
        let (alias, _) = tool.split();
        let mut glob = String::from(alias?);
        glob.push_str(".*");
        self.auto_approve.get(&glob).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_name_beats_the_glob() {
        let mut policy = Policy::default();
        policy.auto_approve.insert("files.*".into(), true);
        policy.auto_approve.insert("files.delete".into(), false);
        assert_eq!(policy.auto_approval(&"files.read".into()), Some(true));
        assert_eq!(policy.auto_approval(&"files.delete".into()), Some(false));
        assert_eq!(policy.auto_approval(&"other.read".into()), None);
        assert_eq!(policy.auto_approval(&"calculator".into()), None);
    }
}
