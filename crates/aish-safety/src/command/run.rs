//! One program with its arguments: built-in, function, wrapper, rules; what it writes.
//!
//! Order: the program's name is found; what is a built-in of the shell or a function is followed; a wrapper's inner
//! commands are judged; then the rules, of which the strictest decides; what no table knows is asked.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_program_format::{Act, Output, Rule, Trait};
use aish_programs::words::places;

use super::arguments::Arguments;
use super::budget::Work;
use super::explain::Part;
use super::path::glob_match;
use super::reason::push_shown;
use super::walk::{MAX_DEPTH, Walker};
use super::word::{HOLE, Stream, Taint, Word};
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

mod judge;

/// Bytes of a pattern that stands for a program's name; a longer one is no name that anybody gave.
const MAX_PATTERN: usize = 512;

/// The most commands in one call that are looked at.
const MAX_COMMANDS: usize = 64;

/// Bytes of a pattern from which on its length counts.
const LONG_PATTERN: usize = 256;
/// How many names a pattern is held against.
const HELD_AGAINST: usize = 800;

/// The rule of a command that only shows help or its version.
const HELP: &str = "help";

/// The program as it is looked up in the tables.
pub(super) struct Program {
    pub(super) name: String,
    /// False for a path that is not one of the system's folders for programs.
    pub(super) standard: bool,
}

impl Walker<'_> {
    /// Judges one argument vector and returns what it writes.
    pub(crate) fn run(&mut self, words: &[Word], stdin: &Stream) -> Stream {
        let outside = core::mem::take(&mut self.outside);
        let Some((first, arguments)) = words.split_first() else { return Stream::default() };
        if self.state.picture {
            return Stream::default();
        }
        if first.text.is_empty() && first.taint == Taint::NONE {
            return self.run(arguments, stdin);
        }
        if first.taint.foreign() && !first.is_known() {
            self.note_plain(
                &shown(words),
                Verdict::Halt,
                Effect::RunForeign,
                "flow.remote-code",
                "runs a command whose name was fetched or decoded",
            );
            return Stream::unknown(first.taint);
        }
        // Where a program is not there the next word is the command: an option is none.
        let is_found_or_fails = first.taint.has(Taint::LOOKED_FOR)
            && arguments.first().is_none_or(|word| word.is_known() && word.text.starts_with('-'));
        if first.taint.has(Taint::GUESSED) && !is_found_or_fails {
            let reason = "runs a command whose name is known by a guess";
            self.note_plain(&shown(words), Verdict::Ask, Effect::Run, "shell.doubtful", reason);
        }
        // What a pattern may stand for is held against many names.
        let patterns = words.iter().filter(|word| word.glob);
        let long: usize = patterns.clone().map(|word| word.text.len().saturating_sub(LONG_PATTERN)).sum();
        if !self.budget.pay(Work::Argument, words.len() + 20 * patterns.count())
            || !self.budget.pay(Work::Scan, HELD_AGAINST.saturating_mul(long))
            || first.glob && !self.budget.pay(Work::Pattern, 1)
        {
            return Stream::unknown(Taint::NONE);
        }
        self.zsh_name(words, stdin);
        let candidates = self.programs(first);
        match candidates.as_slice() {
            [] => self.run_unknown(words, stdin),
            [program] => self.run_program(program, words, stdin, outside),
            several => {
                // A pattern that may mean several programs: the strictest of them.
                let mut out = Stream::default();
                for program in several {
                    if !self.budget.pay(Work::Command, 1) || !self.budget.pay(Work::Argument, words.len() + 8) {
                        break;
                    }
                    out.append(self.run_program(program, words, stdin, outside));
                }
                out.text = None;
                out
            }
        }
    }

    fn programs(&self, word: &Word) -> Vec<Program> {
        let text = word.text.as_str();
        let (folder, name) = text.rsplit_once('/').unwrap_or(("", text));
        let standard = folder.is_empty()
            || places::PROGRAMS.iter().any(|known| *known == folder || word.glob && glob_match(folder, known));
        if word.glob && name.len() > MAX_PATTERN {
            self.budget.spend_all();
            return Vec::new();
        }
        if word.glob && name.contains(['*', '?', '[']) {
            let named: BTreeSet<&str> = programs::all().filter(|known| glob_match(name, known)).collect();
            return named.into_iter().take(40).map(|known| Program { name: known.to_string(), standard }).collect();
        }
        if name.contains(HOLE) {
            // A name with a hole in it is most likely the name without: `r$(true)m`, `r${unset}m`.
            let closed: String = name.chars().filter(|letter| *letter != HOLE).collect();
            return if programs::is_known(&closed) {
                alloc::vec![Program { name: closed, standard: false }]
            } else {
                Vec::new()
            };
        }
        // Windows' programs seen from a shell of the other kind.
        let name = name.strip_suffix(".exe").filter(|bare| programs::is_known(bare)).unwrap_or(name);
        alloc::vec![Program { name: name.to_string(), standard }]
    }

    fn run_program(&mut self, program: &Program, words: &[Word], stdin: &Stream, outside: bool) -> Stream {
        let name = program.name.as_str();
        let arguments = words.get(1..).unwrap_or_default();
        if program.standard
            && !outside
            && let Some(body) = self.function(name)
        {
            self.note_function(name);
            return self.call(name, &body, arguments, stdin);
        }
        if let Some(out) = self.builtin(name, words, stdin) {
            self.builtin_under(name, words, stdin);
            self.note_opened(name, arguments);
            return out;
        }
        if programs::is(name, Trait::SeveralCommands)
            && arguments.iter().any(|word| word.text == ";")
            && self.depth < MAX_DEPTH
        {
            self.run_several(words, stdin);
            return Stream::unknown(Taint::NONE);
        }
        match self.tar_options(name) {
            Some(options) => {
                let words: Vec<Word> = words.iter().take(1).chain(&options).chain(arguments).cloned().collect();
                self.run_external(program, &words, stdin)
            }
            None => self.run_external(program, words, stdin),
        }
    }

    /// Judges a program that is no function and no built-in of the shell, and returns what it writes.
    fn run_external(&mut self, program: &Program, words: &[Word], stdin: &Stream) -> Stream {
        let name = program.name.as_str();
        let arguments = words.get(1..).unwrap_or_default();
        let nothing = Word::default();
        let first = words.first().unwrap_or(&nothing);
        let mut inner_out = None;
        let part = self.part_with_inner(program, words, stdin, &mut inner_out);
        // Whoever wrote a rule that lets it run knows what it opens.
        if part.rule != HELP && !(part.verdict == Verdict::Allow && part.rule.is_of_policy()) {
            self.note_opened(if program.standard { name } else { "" }, arguments);
        }
        self.record_program(name, arguments, &part);
        let picks = self.picks(program, &part.rule, words);
        self.note(part);
        self.run_known_file(name, first, arguments, stdin);
        self.follow_files(name, arguments, stdin);
        match inner_out {
            // What a filter's script runs is not what the filter writes.
            Some(mut out) if !programs::is(name, Trait::Filter) => {
                if programs::find(name).is_some_and(|known| known.facts().output == Output::Fetched) {
                    out.taint = out.taint | Taint::REMOTE;
                }
                out.perhaps()
            }
            Some(_) | None => {
                let mut out = self.output(name, arguments, stdin);
                out.taint = out.taint | picks;
                // Not each system has it there.
                if first.text.contains('/') { out.perhaps() } else { out }
            }
        }
    }

    /// Judges a program and the commands that it runs, which stand inside its part; `out` is what these write.
    fn part_with_inner(&mut self, program: &Program, words: &[Word], stdin: &Stream, out: &mut Option<Stream>) -> Part {
        let name = program.name.as_str();
        let arguments = words.get(1..).unwrap_or_default();
        let outer = core::mem::take(&mut self.parts);
        let wrapped = self.unwrap(name, arguments, stdin, out);
        self.unwrap_own(name, arguments, stdin);
        let children = core::mem::replace(&mut self.parts, outer);
        let mut part = self.judge(program, words, stdin, wrapped);
        let is_fetched = words
            .first()
            .is_some_and(|first| self.file_taint(first).foreign() || first.taint.foreign() && !program_is_shell(name));
        if is_fetched {
            let reason = "runs a program that was fetched from elsewhere";
            part = self.part(words, Effect::RunForeign, Verdict::Halt, "flow.remote-code", reason);
        }
        part.parts = children;
        part
    }

    /// Asks where another program runs the name of a function.
    fn note_function(&mut self, name: &str) {
        if self.beyond.0 && !self.beyond.1.contains(name) {
            let reason = "is run by another program, to which a function of the shell is no command";
            self.note_plain(name, Verdict::Ask, Effect::Unknown, "shell.function", reason);
        }
    }

    /// Runs commands of tmux, one after the other.
    fn run_several(&mut self, words: &[Word], stdin: &Stream) {
        let arguments = words.get(1..).unwrap_or_default();
        for (at, command) in arguments.split(|word| word.text == ";").enumerate() {
            if at == MAX_COMMANDS {
                let reason = "runs more commands than are looked at";
                self.note_plain(&shown(words), Verdict::Ask, Effect::Run, "bounds.commands", reason);
                break;
            }
            let line: Vec<Word> = words.first().into_iter().chain(command).cloned().collect();
            self.deeper(|walker| walker.run(&line, stdin));
        }
    }

    /// Follows a script that the line has written before.
    fn run_known_file(&mut self, name: &str, file: &Word, arguments: &[Word], stdin: &Stream) {
        if !file.text.contains('/') {
            return;
        }
        let known = self.state.files.get(&self.place(file).text).and_then(|file| file.text.clone());
        if let Some(text) = known {
            let outer = core::mem::replace(&mut self.state.positional, Rc::new(arguments.to_vec()));
            self.within(Self::label(name, ""), |walker| walker.deeper(|walker| walker.text(&text, stdin)));
            self.state.positional = outer;
        }
    }

    /// Returns what the variables `TAR_OPTIONS` and `TAPE` put before the arguments of tar.
    fn tar_options(&mut self, name: &str) -> Option<Vec<Word>> {
        if !programs::is(name, Trait::TarOptions) {
            return None;
        }
        let mut options = Vec::new();
        if let Some(value) = self.state.look_up("TAR_OPTIONS") {
            options.extend(value.iter().take(1).flat_map(|word| word.text.split_whitespace().map(Word::literal)));
        }
        if let Some(value) = self.state.look_up("TAPE") {
            options.extend(value.iter().take(1).map(|word| Word::literal(alloc::format!("--file={}", word.text))));
        }
        (!options.is_empty()).then_some(options)
    }

    /// Finds a function of the line or of the shell.
    fn function(&self, name: &str) -> Option<super::state::Body> {
        self.state
            .functions
            .get(name)
            .cloned()
            .or_else(|| self.around.functions.get(name).map(|text| super::state::Body::Text(text.clone())))
    }

    pub(crate) fn file_taint(&self, word: &Word) -> Taint {
        if !word.text.contains('/') && !self.state.files.contains_key(&word.text) {
            return Taint::NONE;
        }
        let place = self.place(word);
        self.state.files.get(&place.text).map_or(Taint::NONE, |file| file.taint)
    }

    fn part(&self, words: &[Word], effect: Effect, verdict: Verdict, rule: &'static str, reason: &str) -> Part {
        Part::new(shown(words), effect, verdict, rule, self.reason(reason, effect, verdict))
    }

    /// Says whether a rule that allows may be used: the program is the system's, every word is known (or, for rules
    /// without exceptions, harmless whatever it is), nothing is secret, nothing of ours.
    fn may_allow(&self, rule: Rule<'_>, program: &Program, words: &[Word], sorted: &Arguments<'_>) -> bool {
        if !program.standard {
            return false;
        }
        if !programs::is(&program.name, Trait::NameOnly) && words.iter().skip(1).any(|word| self.is_secret_word(word)) {
            return false;
        }
        if super::matched::means_secrets(&program.name, sorted) {
            return false;
        }
        // To compare shows nothing.
        let shows = ![Trait::Compares, Trait::Silent].iter().any(|fact| programs::is(&program.name, *fact));
        if shows && words.iter().any(|word| word.taint.has(Taint::ADDRESS)) {
            return false;
        }
        words.iter().all(|word| !word.taint.has(Taint::SECRET) && (!word.taint.foreign() || word.is_known()))
            && words.first().is_some_and(Word::is_known)
            && (!rule.row().strict
                || words.iter().all(Word::is_known)
                || super::harmless::is_bound(rule, &program.name, sorted))
    }

    /// Says whether a program goes through folders in which secrets lie, and may show them.
    fn goes_through_secrets(&self, program: &Program, sorted: &Arguments<'_>) -> bool {
        let lies = |word: &Word| super::matched::Where::of(&self.place(word));
        super::matched::goes_through_homes(&program.name, sorted, lies)
    }

    /// Looks for a command among the arguments of a program that no table knows: it may well run it.
    fn look_inside(&mut self, words: &[Word], stdin: &Stream) {
        if self.guessing || words.len() > 256 {
            return;
        }
        let name = words.first().map_or("", |word| word.text.as_str()).to_string();
        for at in 1..words.len() {
            let Some(inner) = words.get(at..) else { break };
            let is_program = inner.first().is_some_and(|word| {
                let base = word.text.rsplit('/').next().unwrap_or_default();
                !word.text.starts_with('-') && programs::is_destructive(base)
            });
            if !is_program {
                continue;
            }
            let halts = self.guess_at(0, alloc::vec![Self::label(&name, "")], |guess| {
                guess.run(inner, stdin);
            });
            if halts {
                return;
            }
        }
    }

    /// A program whose name is not known: what would be destructive as one that removes is halted, all else asked.
    fn run_unknown(&mut self, words: &[Word], stdin: &Stream) -> Stream {
        self.opens_anything();
        let arguments = words.get(1..).unwrap_or_default();
        let removing = programs::stand_in(Act::Remove).next().unwrap_or_default();
        let removing = Program { name: removing.into(), standard: false };
        let part = self.judge(&removing, words, stdin, None);
        let looks = arguments.iter().any(|word| word.text.starts_with('-')) && part.verdict == Verdict::Halt;
        if looks {
            self.note(part);
        } else {
            self.note_plain(
                &shown(words),
                Verdict::Ask,
                Effect::Unknown,
                "unknown.program",
                "runs a program whose name is not known before",
            );
            self.look_inside(words, stdin);
        }
        Stream::unknown(Taint::NONE)
    }
}

fn program_is_shell(name: &str) -> bool {
    programs::is(name, Trait::Shell)
}

/// Shows an argument vector.
pub(crate) fn shown(words: &[Word]) -> String {
    let mut out = String::new();
    for (at, word) in words.iter().take(24).enumerate() {
        if at > 0 {
            out.push(' ');
        }
        push_shown(&mut out, &word.text);
    }
    if words.len() > 24 {
        out.push_str(" …");
    }
    out
}
