//! A policy file: which tools are left, what their arguments may be, where they run and what is asked.

mod named;
mod read;

pub use named::Named;
pub use read::read;

use std::collections::BTreeMap;

use aish_safety::{Level, Unrecorded};
use regex::Regex;
use serde_json::{Map, Value};

use crate::config::Tool;
use crate::servers::folded;

/// What a policy file says; the default is that of no policy file.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Whether tools that are not named are left.
    pub unlisted: Unlisted,
    /// What is said of single tools.
    pub tools: BTreeMap<String, ToolPolicy>,
    /// Where commands run.
    pub executor: Executor,
    /// What is asked.
    pub approval: Approval,
    /// The names of tools and arguments, as they stand in the file.
    pub named: Vec<Named>,
}

/// What becomes of tools that a policy does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unlisted {
    /// They are offered (`default: enabled`, and when there is no policy file).
    #[default]
    Offered,
    /// They are hidden (`default: disabled`, and when a policy file does not say).
    Hidden,
}

/// What a policy says of one tool.
#[derive(Debug, Clone, Default)]
pub struct ToolPolicy {
    /// Replaces the description.
    pub description: Option<String>,
    /// Overrides every other word on approval.
    pub require_approval: Option<bool>,
    /// Bounds of single arguments.
    pub args: BTreeMap<String, Bounds>,
}

/// Bounds of one argument, and of each item where it is a list.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    /// The whole value must match; kept with its source as written.
    pub pattern: Option<Pattern>,
    /// The least number.
    pub min: Option<f64>,
    /// The greatest number.
    pub max: Option<f64>,
}

/// A regular expression that the whole of a value must match, in linear time.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    whole: Regex,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When the pattern is no regular expression, or one that cannot be matched in linear time.
    pub fn new(source: &str) -> Result<Self, regex::Error> {
        // Compiled alone first: a stray parenthesis must not close the group that is put around it.
        Regex::new(source)?;
        let whole =
            Regex::new(&format!(r"\A(?:{source})\z")).or_else(|_| Regex::new(&format!("\\A(?:{source}\n)\\z")))?;
        Ok(Self { source: source.into(), whole })
    }

    /// Says whether the whole value matches.
    pub fn matches(&self, value: &str) -> bool {
        self.whole.is_match(value)
    }
}

/// Where commands run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Executor {
    /// Here.
    #[default]
    Local,
    /// In a container that is removed afterwards.
    Docker(Docker),
}

/// A container.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Docker {
    /// The image.
    pub image: String,
    /// Volumes as `docker run -v` takes them; variables expand.
    pub volumes: Vec<String>,
    /// The folder inside.
    pub working_dir: Option<String>,
    /// The network.
    pub network: Option<String>,
}

/// What happens when nobody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Headless {
    /// The call is refused.
    #[default]
    Deny,
    /// The call runs, unless its judgement is `halt`.
    Approve,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approval {
    /// From which risk on.
    pub level: Level,
    /// What happens when nobody can be asked.
    pub headless: Headless,
    /// Single tools, over the level.
    pub tools: BTreeMap<String, bool>,
}

impl Policy {
    /// Says whether a tool is offered.
    pub fn offers(&self, tool: &str) -> bool {
        self.unlisted == Unlisted::Offered || self.tools.contains_key(tool)
    }

    /// Returns the description that is shown in the place of a tool's own.
    pub fn description(&self, tool: &str) -> Option<&str> {
        self.tools.get(tool)?.description.as_deref()
    }

    /// Returns what the gate is told of this policy.
    pub fn for_gate(&self) -> aish_safety::Policy {
        let mut gate = aish_safety::Policy {
            level: self.approval.level,
            unrecorded: Unrecorded::ReadsRun,
            ..aish_safety::Policy::default()
        };
        for (tool, asks) in &self.approval.tools {
            gate.auto_approve.insert(tool.clone(), !asks);
        }
        for (tool, policy) in &self.tools {
            if let Some(asks) = policy.require_approval {
                gate.auto_approve.insert(tool.clone(), !asks);
            }
        }
        gate
    }

    /// Checks the values that a server's tool with this schema will be given, defaults included; every fault at once. A name that
    /// the server may take for that of a bound argument, and that its schema does not have, is one.
    pub fn violations_of(&self, tool: &str, schema: &Value, arguments: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        let is_its_own = |name: &str| schema.get("properties").is_some_and(|shown| shown.get(name).is_some());
        for (name, bounds) in self.tools.get(tool).into_iter().flat_map(|policy| &policy.args) {
            let given = arguments.as_object().into_iter().flatten().map(|(given, _)| given);
            let alike = given.filter(|given| *given != name && folded(given) == folded(name) && !is_its_own(given));
            for given in alike {
                faults.push(format!("Argument '{given}': the policy bounds '{name}', which has to be written so"));
            }
            if let Some(value) = arguments.get(name).filter(|value| !value.is_null()) {
                bounds.check(name, value, &mut faults);
            }
        }
        faults
    }

    /// Checks the values that will be used, defaults and each item of a list included; every fault at once.
    pub fn violations(&self, tool: &Tool, arguments: &Map<String, Value>) -> Vec<String> {
        let Some(policy) = self.tools.get(&tool.name) else { return Vec::new() };
        let mut faults = Vec::new();
        for arg in &tool.args {
            let Some(bounds) = policy.args.get(&arg.name) else { continue };
            for value in arg.used(arguments).into_iter().flat_map(|value| arg.items(value)) {
                bounds.check(&arg.name, value, &mut faults);
            }
        }
        faults
    }
}

impl Bounds {
    /// Checks a value, and each item of a list by itself: a pattern that fits one of them would let the others pass.
    fn check(&self, name: &str, value: &Value, faults: &mut Vec<String>) {
        match value {
            Value::Array(items) if !items.is_empty() => items.iter().for_each(|item| self.check(name, item, faults)),
            single => self.check_one(name, single, faults),
        }
    }

    fn check_one(&self, name: &str, value: &Value, faults: &mut Vec<String>) {
        let text = crate::argv::plain(value);
        if let Some(pattern) = &self.pattern
            && !pattern.matches(&text)
        {
            faults.push(format!("Argument '{name}': value '{text}' does not match pattern '{}'", pattern.source));
        }
        if self.min.is_none() && self.max.is_none() {
            return;
        }
        match value.as_f64().or_else(|| text.trim().parse().ok()).filter(|number: &f64| !number.is_nan()) {
            None => faults.push(format!("Argument '{name}': value '{text}' is not a number")),
            Some(number) => {
                if let Some(min) = self.min.filter(|&min| number < min) {
                    faults.push(format!("Argument '{name}': value {text} is below minimum {min}"));
                }
                if let Some(max) = self.max.filter(|&max| number > max) {
                    faults.push(format!("Argument '{name}': value {text} exceeds maximum {max}"));
                }
            }
        }
    }
}
