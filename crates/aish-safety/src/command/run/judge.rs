//! The rules, held against a program and its arguments: which one decides, and what comes of it.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use aish_program_format::{Rule, Trait};
use aish_programs::words::hints;

use super::super::arguments::Arguments;
use super::super::budget::Work;
use super::super::explain::Part;
use super::super::harmless;
use super::super::help::{self, Help};
use super::super::pattern::{self, Subject};
use super::super::reason::{fill, push_shown};
use super::super::walk::Walker;
use super::super::word::{Stream, Taint, Word};
use super::{HELP, Program, program_is_shell, shown};
use crate::policy::PolicyRule;
use crate::rules::tool::Tool;
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

/// The rule that decides about a program, with the places of the operands that it is about.
struct Choice {
    rule: Option<(Rule<'static>, Vec<usize>)>,
    /// True where that rule allows, and what it allows may reach another machine.
    reaches: bool,
    /// True where it only shows what it would do.
    quiet: bool,
    /// True where one would allow it, did it not go through folders in which secrets lie.
    searches: bool,
}

impl Choice {
    /// Says whether it is a rule that allows, and nothing may reach another machine.
    fn allows(&self) -> bool {
        !self.reaches && self.rule.as_ref().is_some_and(|(rule, _)| rule.row().verdict == Verdict::Allow)
    }
}

impl<'w> Walker<'w> {
    /// Applies the rules to a program that may be a wrapper too.
    pub(super) fn judge(
        &mut self,
        program: &Program,
        words: &[Word],
        stdin: &Stream,
        wrapped: Option<Verdict>,
    ) -> Part {
        let arguments = words.get(1..).unwrap_or_default();
        let name = program.name.as_str();
        let sorted = Arguments::new(name, arguments);
        let file_taint = |path: &str| self.taint_at(path);
        let subject = Subject {
            program: name,
            arguments: &sorted,
            stdin,
            from: self.viewpoint(),
            file_taint: &file_taint,
            secrets: &self.secrets,
            any_secret: OnceCell::new(),
            own: self.rules.program(name),
            outputs: OnceCell::new(),
            budget: &self.budget,
        };
        let choice = self.choose(program, words, &subject);
        let doubt = if choice.allows() { self.doubt(program, words, &subject) } else { None };
        let own = self.own_rule(&subject, arguments);
        let asked =
            if wrapped.is_none() || help::is_scripted(name, arguments) { help::asked(name, &sorted) } else { Help::No };
        let mut part = doubt.unwrap_or_else(|| self.decided(program, words, &choice, (asked, wrapped)));
        let only_reads = choice.searches && choice.rule.is_none()
            || part.effect == Effect::ReadSecret && self.reads_otherwise(&subject);
        if let Some(rule) = own {
            part = self.under(rule, part, words);
        }
        if let Some(part) = self.changes_us(&part, words).filter(|_| !only_reads) {
            return part;
        }
        self.look_further(program, words, stdin, (part.verdict, wrapped.is_some()));
        part
    }

    /// Finds the rule that decides about a program, and notes nothing.
    pub(in super::super) fn rule_about(&self, program: &Program, words: &[Word]) -> Option<Rule<'static>> {
        let sorted = Arguments::new(&program.name, words.get(1..).unwrap_or_default());
        let (file_taint, stdin) = (|path: &str| self.taint_at(path), Stream::default());
        let subject = Subject {
            program: &program.name,
            arguments: &sorted,
            stdin: &stdin,
            from: self.viewpoint(),
            file_taint: &file_taint,
            secrets: &self.secrets,
            any_secret: OnceCell::new(),
            own: self.rules.program(&program.name),
            outputs: OnceCell::new(),
            budget: &self.budget,
        };
        self.choose(program, words, &subject).rule.map(|(rule, _)| rule)
    }

    /// Asks about a program that would be allowed, and would not be if it told options and their values apart in another way.
    fn doubt(&self, program: &Program, words: &[Word], subject: &Subject<'_>) -> Option<Part> {
        let allows = |arguments: Arguments<'_>| {
            let (any_secret, outputs) = (OnceCell::new(), OnceCell::new());
            let other = Subject { arguments: &arguments, any_secret, outputs, ..*subject };
            self.choose(program, words, &other).allows()
        };
        if subject.arguments.other_readings().is_some_and(|mut readings| readings.all(allows)) {
            return None;
        }
        let reason = "does something else where an option takes the next word, or does not";
        Some(self.part(words, Effect::Unknown, Verdict::Ask, "unknown.reading", reason))
    }

    /// Returns what is known of the content of a file.
    fn taint_at(&self, path: &str) -> Taint {
        match self.state.files.get(path) {
            Some(file) => file.taint,
            // Of a folder only that it holds secrets.
            None if self.state.taint_below(path).has(Taint::SECRET) => Taint::SECRET,
            None => Taint::NONE,
        }
    }

    /// Finds the rule that decides: what only shows is looked for first; then what halts decides; else the first that
    /// matches, so that a family's catch-all stands last.
    fn choose(&self, program: &Program, words: &[Word], subject: &Subject<'_>) -> Choice {
        let (name, sorted) = (program.name.as_str(), subject.arguments);
        let taken_back = sorted.takes_back();
        let mut choice = Choice { rule: None, reaches: false, quiet: sorted.is_dry() && !taken_back, searches: false };
        let about = |name| {
            let rules = programs::find(name).into_iter().flat_map(|program| program.rules());
            rules.filter(|rule| pattern::may_match(*rule, sorted))
        };
        let stranger = ![hints::LOOSE_VERBS, hints::TASK_VERBS].iter().any(|verbs| verbs.contains(&name));
        let is_known = programs::is_known(name);
        let strangers = stranger.then(|| about("?")).into_iter().flatten();
        // What a rule asks of a word takes time with its length, and with its parts where it is a path.
        let pieces: usize = words.iter().map(|word| 1 + word.text.len() / 16 + word.text.matches('/').count()).sum();
        let own = about(name).chain(about("*")).map(|rule| (rule, false));
        for (rule, is_general) in own.chain(strangers.map(|rule| (rule, is_known))) {
            let row = rule.row();
            let halts = row.verdict == Verdict::Halt;
            if is_general && choice.rule.is_some() {
                break;
            }
            if row.shows && taken_back {
                continue;
            }
            let asks_only = row.shows && !choice.quiet;
            let found = choice.rule.as_ref().map(|(found, _)| found.row().verdict);
            if !asks_only && found.is_some_and(|found| found == Verdict::Halt || !halts) {
                continue;
            }
            if choice.quiet && halts && row.effect != Effect::SendSecret {
                continue;
            }
            if !self.budget.pay(Work::Rule, 1 + pieces / 8) {
                break;
            }
            let Some(left) = pattern::matches(rule, subject) else { continue };
            choice.quiet |= row.shows;
            if found.is_some() && !halts {
                continue;
            }
            if row.verdict != Verdict::Allow {
                choice = Choice { rule: Some((rule, left)), reaches: false, ..choice };
            } else if !harmless::is_local(name, sorted) {
                choice = Choice { rule: Some((rule, left)), reaches: true, ..choice };
            } else if self.is_harmless(rule, name, sorted) {
                let searches = self.goes_through_secrets(program, sorted);
                choice.searches |= searches;
                if !searches && self.may_allow(rule, program, words, sorted) {
                    choice.rule = Some((rule, left));
                }
            }
        }
        choice
    }

    /// Finds the rule of a person's policy that holds.
    fn own_rule(&self, subject: &Subject<'_>, arguments: &[Word]) -> Option<&'w PolicyRule> {
        let rules = self.rules;
        // How a program that only a person's own files know spells its options.
        let spelt = match programs::find(subject.program) {
            Some(_) => None,
            None => rules.program(subject.program).map(|own| Arguments::with(Tool::of(own), arguments)),
        };
        match &spelt {
            Some(arguments) => {
                let fresh = Subject { arguments, any_secret: OnceCell::new(), outputs: OnceCell::new(), ..*subject };
                rules.for_command(&fresh)
            }
            None => rules.for_command(subject),
        }
    }

    /// Says what the rule that was chosen makes of a program; what nobody knows is asked.
    fn decided(
        &self,
        program: &Program,
        words: &[Word],
        choice: &Choice,
        (asked, wrapped): (Help, Option<Verdict>),
    ) -> Part {
        let name = program.name.as_str();
        let helps = asked == Help::Plain && programs::is_known(name)
            && program.standard
            // A shell takes a word behind its options for a script.
            && (!program_is_shell(name) || programs::is(name, Trait::HelpOnlyFirst));
        if helps && !self.settings_run_something(name) {
            return self.part(words, Effect::Read, Verdict::Allow, HELP, "shows help or its version");
        }
        match &choice.rule {
            Some((rule, _)) if asked != Help::No && rule.row().verdict == Verdict::Halt => {
                let reason = "is asked for help, with arguments that would otherwise be destructive";
                self.part(words, Effect::Run, Verdict::Ask, rule.id(), reason)
            }
            Some((rule, _)) if choice.reaches => {
                self.part(words, Effect::Network, Verdict::Ask, rule.id(), "may reach another machine")
            }
            Some((rule, left)) => {
                let targets: Vec<&str> =
                    left.iter().filter_map(|at| words.get(at + 1)).map(|word| word.text.as_str()).collect();
                let reason = fill(rule.reason(), name, &targets);
                self.part(words, rule.row().effect, rule.row().verdict, rule.id(), &reason)
            }
            None if choice.quiet => {
                self.part(words, Effect::Read, Verdict::Ask, "dry-run", "only shows what it would do")
            }
            None => match wrapped {
                Some(floor) => {
                    // What it does beside running a command is known by its rules alone.
                    let does_more = programs::is(name, Trait::SearchesByExpression);
                    let floor = if does_more { floor.max(Verdict::Ask) } else { floor };
                    let mut reason = String::from("runs another command through ");
                    reason.push_str(name);
                    let rule = if floor == Verdict::Allow { "wrapper.plain" } else { "wrapper.asked" };
                    self.part(words, Effect::Run, floor, rule, &reason)
                }
                None => {
                    let mut reason = String::from("what ");
                    push_shown(&mut reason, words.first().map_or("", |word| word.text.as_str()));
                    reason.push_str(" does with these arguments is not known");
                    self.part(words, Effect::Unknown, Verdict::Ask, "unknown", &reason)
                }
            },
        }
    }

    /// Says whether a program is known to do no more than read, whatever it reads.
    fn reads_otherwise(&self, subject: &Subject<'_>) -> bool {
        let rules = programs::find(subject.program).into_iter().flat_map(|program| program.rules());
        let mut allows = rules.filter(|rule| rule.row().verdict == Verdict::Allow && !rule.row().shows);
        allows.any(|rule| {
            pattern::matches(rule, subject).is_some() && self.is_harmless(rule, subject.program, subject.arguments)
        })
    }

    /// Says so where what is asked about may change a file of ours.
    fn changes_us(&self, part: &Part, words: &[Word]) -> Option<Part> {
        let protects = !(self.around.protected.is_empty() && self.around.protected_in_project.is_empty());
        if part.verdict != Verdict::Ask || !protects {
            return None;
        }
        // An empty word names no file.
        let mut named = words.iter().skip(1).filter(|word| !word.text.is_empty());
        let word = named.find(|word| self.is_protected(&self.place(word)))?;
        let mut reason = String::from("may change a file of this program, ");
        push_shown(&mut reason, &word.text);
        Some(self.part(words, Effect::Unprotect, Verdict::Halt, "protected.change", &reason))
    }

    /// Looks for commands among the arguments of a program that was not halted.
    fn look_further(&mut self, program: &Program, words: &[Word], stdin: &Stream, (verdict, wraps): (Verdict, bool)) {
        if verdict == Verdict::Halt {
            return;
        }
        let (name, arguments) = (program.name.as_str(), words.get(1..).unwrap_or_default());
        let known = programs::is_known(name);
        if !wraps {
            if !known || !program.standard {
                self.look_inside(words, stdin);
            }
            if verdict == Verdict::Ask && self.verdict() < Verdict::Halt {
                self.hinted(name, arguments, !known);
                self.read_as_console(program, words, stdin);
                if !self.trail.is_empty() {
                    // What another program takes for a command may be one of a console: `ssh switch 'erase startup-config'`.
                    self.told(program, words.first(), words);
                }
            }
        }
        if !programs::is(name, Trait::NameOnly) && !programs::is(name, Trait::Quotes) {
            self.piped_words(arguments);
        }
    }
}

/// Lines of a text that are looked at as commands to the program that reads it.
const MAX_CONSOLE_LINES: usize = 64;

/// Words of such a line; prose has more.
const MAX_CONSOLE_WORDS: usize = 5;

impl Walker<'_> {
    /// Judges a short text that comes in as what is typed to a program that takes commands (`echo 'delete yes volume=x' | bconsole`),
    /// where that halts: each line as if it were the arguments.
    fn read_as_console(&mut self, program: &Program, words: &[Word], stdin: &Stream) {
        let Some(text) = stdin.text.clone().filter(|_| !self.guessing) else { return };
        for line in text.split(['\n', ';']).take(MAX_CONSOLE_LINES) {
            let typed =
                line.split_whitespace().map(|word| word.trim_matches(['\'', '"', ','])).filter(|word| !word.is_empty());
            let typed: Vec<Word> =
                typed.take(MAX_CONSOLE_WORDS + 1).map(|word| Word::literal(word.to_ascii_lowercase())).collect();
            if typed.is_empty() {
                continue;
            }
            if self.told(program, words.first(), &typed) {
                return;
            }
        }
    }

    /// Judges words as arguments of a program that takes commands, where that halts; says whether it did.
    fn told(&mut self, program: &Program, name: Option<&Word>, typed: &[Word]) -> bool {
        let asks_for_help = typed.iter().any(|word| matches!(word.text.as_str(), "--help" | "-h" | "help" | "-?"));
        if asks_for_help || typed.len() > MAX_CONSOLE_WORDS || !self.budget.pay(Work::Command, 1) {
            return false;
        }
        let whole: Vec<Word> = name.into_iter().chain(typed).cloned().collect();
        // What other rules ask of words they ask of names of files.
        let deletes =
            |rule: &Rule<'_>| rule.row().verdict == Verdict::Halt && rule.row().effect == Effect::DeleteRemote;
        let Some(rule) = self.rule_about(program, &whole).filter(deletes) else { return false };
        let row = rule.row();
        let line = shown(typed);
        let mut reason = String::from("is told by what comes in: ");
        push_shown(&mut reason, &line);
        self.note_plain(&line, Verdict::Halt, row.effect, rule.id(), &reason);
        true
    }
}
