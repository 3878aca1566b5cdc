//! The user's own rules, and a project's that only tighten: patterns over commands and tools, compiled when loaded.
//!
//! A rule's `match` is a pattern as the built-in rules have them (see `aish_program_format::pattern`): it holds for each simple
//! command of a line, also for those that stand inside others. `tool:NAME`, with `*` in it, holds for tools by their name;
//! `%has:TEXT` behind it for their arguments.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::Program;

use super::programs::OwnPrograms;
use crate::command::{self, Pattern, Subject, Surroundings};
use crate::verdict::Verdict;

/// The most rules of one policy.
pub const MAX_RULES: usize = 1_000;

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 4_096;

/// A rule as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenRule {
    /// The pattern.
    pub pattern: String,
    /// `allow`, `ask` or `halt`.
    pub verdict: String,
    /// Why, in words; may be empty.
    pub reason: String,
    /// Commands that it must match; what begins with `! ` it must not match.
    pub examples: Vec<String>,
    /// Where it stands, for messages: `FILE:LINE:COLUMN`.
    pub place: String,
}

/// Why a rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct RuleError {
    /// Where the rule stands.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

/// One compiled rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRule {
    /// `policy.N`, N from 1, or `policy.ID` for the rule of that id in a file about a program.
    pub id: String,
    /// The pattern.
    pub pattern: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in words.
    pub reason: String,
    /// The examples.
    pub examples: Vec<String>,
    /// Where it stands.
    pub place: String,
    parsed: Parsed,
}

/// A pattern about commands, parsed; none for one about tools.
#[derive(Debug, Clone)]
struct Parsed(Option<Pattern>);

impl PartialEq for Parsed {
    /// The text that it was parsed from is compared.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Parsed {}

/// The rules of a policy, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyRules {
    rules: Vec<PolicyRule>,
    /// What a person's own files say of programs.
    pub(super) own: OwnPrograms,
}

/// No rules.
pub(crate) static NONE: PolicyRules = PolicyRules { rules: Vec::new(), own: OwnPrograms::NONE };

/// What came of one example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The rule's id.
    pub rule: String,
    /// Where the rule stands.
    pub place: String,
    /// The example as it is written.
    pub example: String,
    /// True when the rule matches it, or, for `! …`, does not.
    pub passed: bool,
}

impl PolicyRules {
    /// Compiles rules and checks their examples.
    ///
    /// # Errors
    /// All that is wrong, rule by rule; none of the rules holds then.
    pub fn compile(written: &[WrittenRule]) -> Result<Self, Vec<RuleError>> {
        let (rules, mut errors) = Self::parse(written);
        errors.extend(rules.failed_examples());
        if errors.is_empty() { Ok(rules) } else { Err(errors) }
    }

    /// Says which examples fail.
    pub(super) fn failed_examples(&self) -> impl Iterator<Item = RuleError> {
        self.try_examples().into_iter().filter(|tried| !tried.passed).map(|tried| {
            let wanted = if tried.example.starts_with("! ") { "matches" } else { "does not match" };
            RuleError { place: tried.place, message: format!("the rule {wanted} its example `{}`", tried.example) }
        })
    }

    /// Adds a rule under an id.
    pub(super) fn add(&mut self, id: String, rule: &WrittenRule) -> Result<(), String> {
        let mut compiled = compile_one(0, rule)?;
        compiled.id = id;
        self.rules.push(compiled);
        Ok(())
    }

    /// Finds a program that a person's own files are about.
    pub(crate) fn program(&self, name: &str) -> Option<Program<'_>> {
        self.own.find(name)
    }

    /// Compiles what can be compiled, without a look at the examples.
    pub fn parse(written: &[WrittenRule]) -> (Self, Vec<RuleError>) {
        let mut rules = Vec::new();
        let mut errors = Vec::new();
        for (at, rule) in written.iter().enumerate() {
            if at >= MAX_RULES {
                let message = format!("there are more than {MAX_RULES} rules");
                errors.push(RuleError { place: rule.place.clone(), message });
                break;
            }
            match compile_one(at + 1, rule) {
                Ok(compiled) => rules.push(compiled),
                Err(message) => errors.push(RuleError { place: rule.place.clone(), message }),
            }
        }
        (Self { rules, own: OwnPrograms::NONE }, errors)
    }

    /// Tries every example against its rule alone.
    pub fn try_examples(&self) -> Vec<Tried> {
        let tries = self.rules.iter().flat_map(|rule| rule.examples.iter().map(move |example| (rule, example)));
        tries
            .map(|(rule, example)| {
                let (wanted, text) = match example.strip_prefix("! ") {
                    Some(text) => (false, text),
                    None => (true, example.as_str()),
                };
                let found = match rule.tool() {
                    Some(_) => {
                        let (name, arguments) = text.split_once(' ').unwrap_or((text, ""));
                        rule.matches_tool(name, arguments)
                    }
                    None => {
                        let alone = Self { rules: alloc::vec![rule.clone()], own: self.own.clone() };
                        !command::analyse(text, &Surroundings::default(), &alone).matched.is_empty()
                    }
                };
                Tried {
                    rule: rule.id.clone(),
                    place: rule.place.clone(),
                    example: example.clone(),
                    passed: found == wanted,
                }
            })
            .collect()
    }

    /// Goes through the rules.
    pub fn iter(&self) -> impl Iterator<Item = &PolicyRule> {
        self.rules.iter()
    }

    /// Says whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.own == OwnPrograms::NONE
    }

    /// Returns the strictest rule about a tool; the first of equally strict ones.
    pub fn for_tool(&self, name: &str, arguments: &str) -> Option<&PolicyRule> {
        strictest(self.rules.iter().filter(|rule| rule.matches_tool(name, arguments)))
    }

    /// Returns the strictest rule that holds for a command.
    pub(crate) fn for_command(&self, subject: &Subject<'_>) -> Option<&PolicyRule> {
        let holds = |rule: &&PolicyRule| rule.parsed.0.as_ref().is_some_and(|pattern| pattern.matches(subject));
        strictest(self.rules.iter().filter(holds))
    }
}

fn strictest<'r>(rules: impl Iterator<Item = &'r PolicyRule>) -> Option<&'r PolicyRule> {
    rules.reduce(|best, rule| if rule.verdict > best.verdict { rule } else { best })
}

impl PolicyRule {
    fn tool(&self) -> Option<&str> {
        self.pattern.strip_prefix("tool:")
    }

    fn matches_tool(&self, name: &str, arguments: &str) -> bool {
        let Some(pattern) = self.tool() else { return false };
        let mut parts = pattern.split(' ');
        let named = parts.next().is_some_and(|globs| globs.split('|').any(|glob| command::glob_match(glob, name)));
        let lower = arguments.to_ascii_lowercase();
        named
            && parts.all(|part| {
                let (negated, part) = part.strip_prefix('!').map_or((false, part), |part| (true, part));
                let texts = part.strip_prefix("%has:").unwrap_or(part);
                texts.split('|').any(|text| lower.contains(text)) != negated
            })
    }
}

fn compile_one(number: usize, rule: &WrittenRule) -> Result<PolicyRule, String> {
    let pattern = rule.pattern.split_whitespace().collect::<Vec<_>>().join(" ");
    if pattern.is_empty() {
        return Err("the rule has no `match`".into());
    }
    if pattern.len() > MAX_PATTERN {
        return Err(format!("`match` is longer than {MAX_PATTERN} bytes"));
    }
    let verdict = match rule.verdict.as_str() {
        "allow" => Verdict::Allow,
        "ask" => Verdict::Ask,
        "halt" => Verdict::Halt,
        "" => return Err("the rule has no `verdict`; it is `allow`, `ask` or `halt`".into()),
        other => return Err(format!("`{other}` is no verdict; it is `allow`, `ask` or `halt`")),
    };
    let parsed = if let Some(tool) = pattern.strip_prefix("tool:") {
        let mut parts = tool.split(' ');
        if parts.next().is_none_or(str::is_empty) {
            return Err("`tool:` is followed by a tool's name, perhaps with `*` in it".into());
        }
        if let Some(part) = parts.find(|part| !part.trim_start_matches('!').starts_with("%has:")) {
            return Err(format!("`{part}` cannot stand behind a tool; only `%has:TEXT` can"));
        }
        None
    } else {
        Some(Pattern::parse(&pattern)?)
    };
    if verdict == Verdict::Allow && matches!(pattern.split(' ').next(), Some("*" | "tool:*")) {
        return Err("a rule that allows must name programs or tools".into());
    }
    let reason = match rule.reason.trim() {
        "" => format!("the policy says {verdict} for `{pattern}`"),
        reason => reason.to_string(),
    };
    Ok(PolicyRule {
        id: format!("policy.{number}"),
        pattern,
        verdict,
        reason,
        examples: rule.examples.clone(),
        place: rule.place.clone(),
        parsed: Parsed(parsed),
    })
}
