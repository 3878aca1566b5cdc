//! What a person's own rules say of a command.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::arguments::Arguments;
use super::explain::Part;
use super::pattern::Subject;
use super::reason::fill;
use super::run::shown;
use super::walk::Walker;
use super::word::{Stream, Taint, Word};
use crate::policy::PolicyRule;
use crate::rules::Effect;
use crate::verdict::Verdict;

impl Walker<'_> {
    /// Notes what a rule of the policy says about a built-in of the shell.
    pub(crate) fn builtin_under(&mut self, name: &str, words: &[Word], stdin: &Stream) {
        if self.rules.is_empty() {
            return;
        }
        let sorted = Arguments::new(name, words.get(1..).unwrap_or_default());
        let subject = Subject {
            program: name,
            arguments: &sorted,
            stdin,
            from: self.viewpoint(),
            file_taint: &|_| Taint::NONE,
            secrets: &self.secrets,
            any_secret: OnceCell::new(),
            own: self.rules.program(name),
            outputs: OnceCell::new(),
            budget: &self.budget,
        };
        let rules = self.rules;
        let Some(rule) = rules.for_command(&subject) else { return };
        self.matched.push(rule.id.clone());
        if rule.verdict > Verdict::Allow {
            let reason = self.reason(&rule.reason, Effect::Run, rule.verdict);
            self.note(Part::new(shown(words), Effect::Run, rule.verdict, rule.id.clone(), reason));
        }
    }

    /// Applies a rule of the policy to a part: it raises any verdict, and lets through what would be asked where every
    /// word is known and nothing of it was fetched or decoded.
    pub(crate) fn under(&mut self, rule: &PolicyRule, part: Part, words: &[Word]) -> Part {
        self.matched.push(rule.id.clone());
        let literal = words.iter().all(|word| word.is_known() && !word.taint.foreign());
        let holds = match rule.verdict {
            Verdict::Halt => part.verdict < Verdict::Halt,
            Verdict::Ask => part.verdict < Verdict::Halt,
            Verdict::Allow => part.verdict == Verdict::Ask && literal,
        };
        if !holds {
            return part;
        }
        let targets: Vec<&str> = words
            .iter()
            .skip(1)
            .map(|word| word.text.as_str())
            .filter(|text| rule.reason.contains('{') && !text.starts_with('-'))
            .collect();
        let name = words.first().map_or("", |word| word.text.as_str());
        let reason = self.reason(&fill(&rule.reason, name, &targets), part.effect, rule.verdict);
        Part { verdict: rule.verdict, rule: rule.id.clone().into(), reason, ..part }
    }
}
