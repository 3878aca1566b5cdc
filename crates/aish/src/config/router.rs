//! `[router]`: which model is asked, by what a request is for and how long its prompt is.

use std::collections::BTreeSet;

use aish_llm::Purpose;
use serde::{Deserialize, Serialize};

use super::key::{Kind, Overlay};
use super::section::section;

section! {
    /// `[router]`.
    Router in "router" {
        /// Rules that pick a model by what a request is for and how long it is; the first that fits.
        rules: Vec<RouterRule> = Vec::new(), Kind::RouterRules, Overlay::Free;
    }
}

/// What a request is for, as in `:cost detail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// The conversation.
    Main,
    /// Small questions.
    Fast,
    /// Summaries of what leaves the context.
    Summary,
    /// Steps of autonomous runs.
    Norris,
    /// What a session leaves to remember.
    Memory,
}

/// One rule of `[router]`; every condition that is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouterRule {
    /// The configured name of the model that is asked.
    pub model: String,
    /// What the request is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The prompt has more tokens than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longer_than: Option<u64>,
    /// The prompt has fewer tokens than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shorter_than: Option<u64>,
}

impl Router {
    /// Returns the rules for the broker, and a line for each that names a model that is not there.
    pub fn rules(&self, known: &BTreeSet<&str>) -> (Vec<aish_llm::RouterRule>, Vec<String>) {
        let (good, lost): (Vec<_>, Vec<_>) = self.rules.iter().partition(|rule| known.contains(rule.model.as_str()));
        let faults =
            lost.iter().map(|rule| format!("router.rules: there is no model {:?}; the rule is not used", rule.model));
        (good.iter().map(|rule| rule.broker()).collect(), faults.collect())
    }
}

impl RouterRule {
    fn broker(&self) -> aish_llm::RouterRule {
        aish_llm::RouterRule {
            purpose: self.category.map(Category::purpose),
            longer_than: self.longer_than,
            shorter_than: self.shorter_than,
            model: self.model.clone(),
        }
    }
}

impl Category {
    const fn purpose(self) -> Purpose {
        match self {
            Self::Main => Purpose::Main,
            Self::Fast => Purpose::Fast,
            Self::Summary => Purpose::Summary,
            Self::Norris => Purpose::Norris,
            Self::Memory => Purpose::Memory,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::file::fits;
    use crate::config::key::Kind;

    #[test]
    fn rules_are_checked_and_those_without_a_model_are_told() {
        for (value, good) in [
            (json!([{"model": "b", "category": "summary", "longer_than": 10, "shorter_than": 20}]), true),
            (json!([]), true),
            (json!([{"category": "main"}]), false),
            (json!([{"model": "b", "category": "large"}]), false),
            (json!([{"model": "b", "longer_than": -1}]), false),
            (json!([{"model": "b", "longer": 10}]), false),
            (json!({"model": "b"}), false),
        ] {
            assert_eq!(fits(Kind::RouterRules, &value), good, "{value}");
        }
        let rules = json!({"rules": [{"model": "b", "longer_than": 10}, {"model": "gone"}]});
        let router: Router = serde_json::from_value(rules).unwrap();
        let (rules, faults) = router.rules(&BTreeSet::from(["a", "b"]));
        assert_eq!((rules.len(), rules[0].longer_than), (1, Some(10)));
        assert_eq!(faults, ["router.rules: there is no model \"gone\"; the rule is not used"]);
    }
}
