//! The walk over a line's tree: order of evaluation, what each command leaves behind, what the strictest part is.
//!
//! Order: bounds, parser, then list, and-or, pipeline, command; a command's words are expanded (which judges the
//! substitutions in them), its redirects judged, then it is run as an argument vector (`run`).

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use brush_parser::ast;

use super::Surroundings;
use super::bounds::{self, Refusal};
use super::budget::{Budget, Work};
use super::explain::Part;
use super::memo::Memo;
use super::otherwise::Otherwise;
use super::secrets::Secrets;
use super::state::{State, Values};
use super::syntax::{inlined, parse, separated};
use super::word::{Stream, Taint, Word};
use super::zsh;
use crate::policy::PolicyRules;
use crate::reads::Reads;
use crate::rules::Effect;
use crate::verdict::{Judgement, Verdict};

/// Texts with what was parsed of them.
pub(super) type Kept = BTreeMap<String, Option<Rc<ast::Program>>>;

/// The most texts that are kept parsed, and the longest of them, in bytes: a line may run the same text many times. The line
/// itself is kept however long it is, for those who read it once more.
const MAX_KEPT: (usize, usize) = (64, 256);
/// The longest text that comes in and is there for substitutions, in bytes.
const MAX_INPUT: usize = 4_096;
/// The deepest nesting of texts, functions and blocks together.
pub(crate) const MAX_DEPTH: usize = 96;

/// Walks one line.
pub(crate) struct Walker<'a> {
    pub(crate) around: &'a Surroundings,
    pub(crate) state: State,
    /// The parts judged so far at the present level.
    pub(crate) parts: Vec<Part>,
    /// What the present command runs inside, outermost first.
    pub(crate) trail: Vec<Cow<'static, str>>,
    /// Functions and aliases being run.
    pub(crate) calling: Vec<String>,
    /// A pipe leads to the command that is walked next.
    pub(crate) piped: bool,
    /// A pipe leads to the simple command that is walked.
    pub(crate) is_piped: bool,
    /// More than 0 in a pipeline or in the background.
    pub(crate) apart: usize,
    /// True while a command is looked for among the arguments of an unknown program.
    pub(crate) guessing: bool,
    /// True in a loop that never ends by itself.
    pub(crate) endless: bool,
    /// True where another program starts the next one, and functions of the shell are out of its reach.
    pub(crate) outside: bool,
    /// True in what another program runs, and which functions are defined there: others of the shell are no commands to it.
    pub(crate) beyond: (bool, BTreeSet<String>),
    /// The coprocess of the line that was started last.
    pub(crate) coprocess: Option<ast::SubshellCommand>,
    /// True where descriptors of the output may be open for something else.
    pub(crate) moves_descriptors: bool,
    /// Commands that read what is written to a descriptor.
    pub(crate) readers: Vec<(i32, ast::SubshellCommand)>,
    /// True where statements are for a database that only this command sees.
    pub(crate) fleeting: bool,
    /// Functions that the line defined.
    pub(crate) defined: Vec<String>,
    /// Functions that the line called.
    pub(crate) called: BTreeSet<String>,
    /// What variables held that the present function declares.
    pub(crate) locals: Vec<(String, Option<Values>)>,
    /// The sources of the words before the present command of a pipeline: perhaps templates of lines for it.
    pub(crate) feeding: Vec<String>,
    /// Variables that the line sets more than once.
    pub(crate) set_again: Rc<BTreeSet<String>>,
    /// How deep in functions.
    pub(crate) in_function: usize,
    /// Blocks around this place whose first word fish takes for a program, and what follows for its arguments.
    pub(crate) arguments: usize,
    /// The wrapper or the fallback that is left out, for the check that each is needed.
    pub(crate) dropped: Option<&'a str>,
    pub(crate) depth: usize,
    /// What the line changes, where that is wanted.
    pub(crate) record: Option<super::record::Record>,
    /// The policy's rules.
    pub(crate) rules: &'a PolicyRules,
    /// The policy's rules that matched a part.
    pub(crate) matched: Vec<String>,
    /// What is left to be spent on the line.
    pub(crate) budget: Budget,
    /// What is read as shells other than bash do.
    pub(crate) read_as: Otherwise,
    /// What of the present command they read otherwise.
    pub(crate) otherwise: Otherwise,
    /// How deep in expansions of words.
    pub(crate) unfolding: usize,
    /// Which files the line opens.
    pub(crate) reads: Reads,
    /// The folder that the walk began in, as it stands in the state.
    pub(crate) began_in: Option<String>,
    /// What comes in where the present command stands, where its text is known.
    pub(crate) input: Stream,
    worst: Option<Judgement>,
    /// Short texts with what was parsed of them.
    pub(super) kept: Kept,
    /// Commands with what they did.
    pub(crate) memo: Memo,
    /// Which places hold secrets.
    pub(crate) secrets: Secrets,
}

impl<'a> Walker<'a> {
    /// Makes a walker.
    pub(crate) fn new(around: &'a Surroundings, dropped: Option<&'a str>) -> Self {
        Self::drawing_on(around, dropped, Budget::default())
    }

    /// Makes a walker that draws from a budget.
    pub(crate) fn drawing_on(around: &'a Surroundings, dropped: Option<&'a str>, budget: Budget) -> Self {
        let mut state = State { budget, ..State::default() };
        if let Some(folder) = &around.folder {
            let place = super::path::place(&Word::literal(folder.as_str()), None, around.home.as_deref());
            if place.is_home() || (place.is_system() && !folder.starts_with("/home/") && !folder.starts_with("/mnt/")) {
                state.folder = Some(place.text);
            }
        }
        Self {
            around,
            parts: Vec::new(),
            trail: Vec::new(),
            calling: Vec::new(),
            piped: false,
            is_piped: false,
            apart: 0,
            endless: false,
            outside: false,
            beyond: (false, BTreeSet::new()),
            coprocess: None,
            readers: Vec::new(),
            moves_descriptors: false,
            fleeting: false,
            guessing: false,
            defined: Vec::new(),
            called: BTreeSet::new(),
            locals: Vec::new(),
            feeding: Vec::new(),
            set_again: Rc::default(),
            in_function: 0,
            arguments: 0,
            dropped,
            depth: 0,
            record: None,
            rules: &crate::policy::rule::NONE,
            matched: Vec::new(),
            budget: state.budget.clone(),
            read_as: Otherwise::default(),
            otherwise: Otherwise::default(),
            unfolding: 0,
            reads: Reads { known: true, ..Reads::default() },
            began_in: state.folder.clone(),
            state,
            input: Stream::default(),
            worst: None,
            kept: Kept::new(),
            memo: Memo::default(),
            secrets: Secrets::default(),
        }
    }

    /// Returns the strictest judgement, and the parts.
    pub(crate) fn finish(mut self) -> (Option<Judgement>, Vec<Part>) {
        self.ask_special();
        if self.budget.is_spent() {
            self.refuse("", "bounds.work", "takes more work to understand than is spent on one line");
        }
        (self.worst, self.parts)
    }

    /// Returns the strictest verdict so far.
    pub(crate) fn verdict(&self) -> Verdict {
        self.worst.as_ref().map_or(Verdict::Allow, |worst| worst.verdict)
    }

    /// Returns the variables that are set more than once, where the walk found more of them than the line's words tell: set by
    /// `read`, `printf -v` or `${x:=y}`, by a loop over others, or by a loop where they have a value from before.
    pub(crate) fn found_again(&self) -> Option<BTreeSet<String>> {
        let mut names = (*self.set_again).clone();
        let before = self.state.perhaps.iter().filter(|name| self.around.variables.contains_key(name.as_str()));
        names.extend(self.state.again.iter().chain(before).cloned());
        (names.len() > self.set_again.len()).then_some(names)
    }

    /// Asks about a line that does more than look where such a variable is not what it was first.
    pub(crate) fn again_counts(&mut self) {
        let reason = "uses a variable that is set more than once, so that its value is a guess";
        self.note_plain("", Verdict::Ask, Effect::Unknown, "shell.doubtful", reason);
    }

    /// Notes one judged part.
    pub(crate) fn note(&mut self, part: Part) {
        if self.worst.as_ref().is_none_or(|worst| part.verdict > worst.verdict) {
            self.worst = Some(part.judgement());
        }
        if self.budget.pay(Work::Note, 1) && self.budget.pay(Work::Scan, part.text.len() + part.reason.len()) {
            self.parts.push(part);
        }
    }

    /// Notes what another walk found, its nested parts too.
    pub(crate) fn absorb(&mut self, mut other: Walker<'_>) {
        self.matched.append(&mut other.matched);
        let Walker { worst, parts, reads, .. } = other;
        self.reads.known &= reads.known;
        self.reads.named.extend(reads.named);
        if let Some(judgement) = worst {
            self.worst = Some(match self.worst.take() {
                Some(worst) => worst.strictest(judgement),
                None => judgement,
            });
        }
        self.parts.extend(parts);
    }

    /// Notes a part that no rule decided.
    pub(crate) fn note_plain(
        &mut self,
        text: &str,
        verdict: Verdict,
        effect: Effect,
        rule: &'static str,
        reason: &str,
    ) {
        let reason = self.reason(reason, effect, verdict);
        self.note(Part::new(text, effect, verdict, rule, reason));
    }

    /// Completes a reason with what the command runs inside and whether there is a way back.
    pub(crate) fn reason(&self, reason: &str, effect: Effect, verdict: Verdict) -> String {
        let mut out = String::from(reason);
        if let Some((last, before)) = self.trail.split_last() {
            out.push_str("; runs inside ");
            out.push_str(last);
            for name in before.iter().rev().take(3) {
                out.push_str(" in ");
                out.push_str(name);
            }
        }
        if verdict == Verdict::Halt && effect.is_final() {
            out.push_str(crate::verdict::NO_WAY_BACK);
        }
        out
    }

    /// Runs `inside` one level deeper, its parts below a part of their own.
    pub(crate) fn within<T>(&mut self, name: Cow<'static, str>, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.trail.push(name);
        let out = inside(self);
        self.trail.pop();
        out
    }

    /// Runs `inside` as what another program runs, to which functions of the shell are no commands.
    pub(crate) fn in_another_program<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = core::mem::replace(&mut self.beyond, (true, BTreeSet::new()));
        let out = inside(self);
        self.beyond = outer;
        out
    }

    /// Judges the commands of a substitution; returns what they write.
    pub(crate) fn substitute(&mut self, source: &str) -> Stream {
        if let Some(source) = source.strip_prefix(zsh::IN_THE_SHELL) {
            return self.in_the_shell(source);
        }
        // What it assigns stays in it; what it reads may have been read before.
        let input = self.input.clone().perhaps();
        self.substituted_apart(|walker| walker.text(source, &input))
    }

    /// Judges a text in the shell's language; returns what it writes.
    pub(crate) fn text(&mut self, text: &str, stdin: &Stream) -> Stream {
        if self.depth >= MAX_DEPTH {
            self.refuse(text, "bounds.nesting", "is nested too deep to be understood");
            return Stream::unknown(Taint::NONE);
        }
        if !self.budget.pay(Work::Scan, text.len().saturating_mul(4)) {
            return Stream::unknown(Taint::NONE);
        }
        let joined = super::continued::joined(text);
        let (written, text) = (text, &*joined.text);
        self.moves_descriptors |= super::redirect::moves_descriptors(text);
        if !self.is_within_bounds(written) || text.len() < written.len() && !self.is_within_bounds(text) {
            return Stream::unknown(Taint::NONE);
        }
        if text.trim().is_empty() {
            return Stream::default();
        }
        if let Some(reason) = joined.doubt.or_else(|| super::doubtful::doubt(text)) {
            self.note_plain(written, Verdict::Ask, Effect::Unknown, "shell.doubtful", reason);
        }
        let inline = zsh::inline_commands_as_substitutions(text, &self.budget);
        let text = inline.as_deref().unwrap_or(text);
        self.depth += 1;
        let parts: Option<Vec<Rc<ast::Program>>> =
            separated(text).and_then(|parts| parts.into_iter().map(|part| self.parse(part)).collect());
        let out = match parts {
            Some(parts) => {
                let mut out = Stream::default();
                for program in &parts {
                    out.append(self.program(program, stdin));
                }
                out
            }
            None => match self.parse(text) {
                Some(program) => self.program(&program, stdin),
                None => self.unparsable(text, stdin),
            },
        };
        self.depth -= 1;
        out
    }

    /// Says whether a text is read at all, and refuses it where it is not.
    fn is_within_bounds(&mut self, text: &str) -> bool {
        let (rule, reason) = match bounds::check(text) {
            Ok(()) => return true,
            Err(Refusal::TooLong) => ("bounds.size", "is longer than 64 KiB and was not read"),
            Err(Refusal::TooDeep) => ("bounds.nesting", "is nested more than 64 deep and was not read"),
            Err(Refusal::Nul) => ("bounds.nul", "holds a NUL byte, which no command can"),
        };
        self.refuse(text, rule, reason);
        false
    }

    /// Parses a text, or takes what was made of it before.
    fn parse(&mut self, text: &str) -> Option<Rc<ast::Program>> {
        if let Some(kept) = self.kept.get(text) {
            return kept.clone();
        }
        let program = parse(text, &self.budget).or_else(|| parse(&inlined(text)?, &self.budget)).map(Rc::new);
        if self.kept.len() < MAX_KEPT.0 && (text.len() <= MAX_KEPT.1 || self.depth == 1) {
            self.kept.insert(text.into(), program.clone());
        }
        program
    }

    pub(crate) fn refuse(&mut self, text: &str, rule: &'static str, reason: &str) {
        self.note_plain(text, Verdict::Halt, Effect::Unknown, rule, reason);
    }

    /// Runs `inside` one level of nesting deeper, or refuses.
    pub(crate) fn deeper(&mut self, inside: impl FnOnce(&mut Self) -> Stream) -> Stream {
        if self.depth >= MAX_DEPTH {
            self.refuse("", "bounds.nesting", "is nested too deep to be understood");
            return Stream::unknown(Taint::NONE);
        }
        self.depth += 1;
        let out = inside(self);
        self.depth -= 1;
        out
    }

    pub(crate) fn program(&mut self, program: &ast::Program, stdin: &Stream) -> Stream {
        let mut out = Stream::default();
        let is_one = program.complete_commands.len() == 1;
        for list in &program.complete_commands {
            out.append(if is_one { self.list(list, stdin) } else { self.line(list, stdin) });
        }
        if is_one { out } else { out.perhaps() }
    }

    pub(crate) fn command(&mut self, command: &ast::Command, stdin: &Stream) -> Stream {
        // A text that comes in is there for substitutions, too.
        let is_text = stdin.text.as_ref().is_some_and(|text| text.len() <= MAX_INPUT);
        let input = if is_text { stdin.clone() } else { Stream::default() };
        let outer = core::mem::replace(&mut self.input, input);
        let out = self.one_command(command, stdin);
        self.input = outer;
        out
    }

    fn one_command(&mut self, command: &ast::Command, stdin: &Stream) -> Stream {
        match command {
            ast::Command::Simple(simple) => self.simple(simple, stdin),
            ast::Command::Compound(compound, redirects) => {
                self.redirected(redirects.as_ref(), stdin, |walker, stdin| {
                    walker.deeper(|walker| walker.compound(compound, stdin))
                })
            }
            ast::Command::Function(function) => {
                let name = function.fname.value.clone();
                self.defined_by_dash(function);
                self.define(&name, function);
                Stream::default()
            }
            ast::Command::ExtendedTest(test, redirects) => self.redirected(redirects.as_ref(), stdin, |walker, _| {
                walker.with_each_value(|walker| walker.test(&test.expr));
                walker.note_plain("[[ … ]]", Verdict::Allow, Effect::Read, "shell.test", "tests a condition");
                Stream::default()
            }),
        }
    }

    /// Judges substitutions in an extended test; the test itself only reads.
    fn test(&mut self, expression: &ast::ExtendedTestExpr) {
        // Behind `&&` and `||` dash, to which `[[` is a program, runs what it finds there.
        let mut open = alloc::vec![(expression, false)];
        while let Some((expression, behind)) = open.pop() {
            match expression {
                ast::ExtendedTestExpr::And(left, right) | ast::ExtendedTestExpr::Or(left, right) => {
                    open.push((right, true));
                    open.push((left, behind));
                }
                ast::ExtendedTestExpr::Not(inner) | ast::ExtendedTestExpr::Parenthesized(inner) => {
                    open.push((inner, behind));
                }
                ast::ExtendedTestExpr::UnaryTest(test, word) => {
                    let word = self.expand_one(&word.value);
                    match test {
                        ast::UnaryPredicate::ShellVariableIsSetAndAssigned => self.named_variable(&word),
                        // A descriptor is computed by zsh.
                        ast::UnaryPredicate::FdIsOpenTerminal => self.counted(&word),
                        // A word alone.
                        ast::UnaryPredicate::StringHasNonZeroLength if behind => self.run_by_dash(&word.text),
                        _ => {}
                    }
                }
                ast::ExtendedTestExpr::BinaryTest(test, left, right) => {
                    if matches!(test, ast::BinaryPredicate::LeftSortsAfterRight) {
                        self.counts_in_dash(&right.value);
                    }
                    for (at, side) in [left, right].into_iter().enumerate() {
                        let word = self.expand_one(&side.value);
                        // In an expression a `|` is a pipe to dash.
                        for part in word.text.split('|').skip(usize::from(at > 0 || !behind)) {
                            self.run_by_dash(part);
                        }
                        if computes(test) {
                            self.evaluated(&word);
                        }
                        if at == 0 && matches!(test, ast::BinaryPredicate::StringMatchesRegex) {
                            self.matched(&word);
                        }
                    }
                }
            }
        }
    }

    /// Returns the working folder as a word: a guess where the line went to another one, which may have failed.
    pub(crate) fn folder_word(&self) -> Word {
        let taint = if self.state.visited.is_empty() { Taint::NONE } else { Taint::GUESSED };
        Word { taint, ..Word::literal(self.folder_text()) }
    }

    /// Returns the working folder as text, `.` where it is not known.
    pub(crate) fn folder_text(&self) -> String {
        self.state.folder.clone().or_else(|| self.around.folder.clone()).unwrap_or_else(|| ".".to_string())
    }

    /// Names a part for reasons: `xargs`, `bash -c`.
    pub(crate) fn label(program: &str, detail: &str) -> Cow<'static, str> {
        if detail.is_empty() { Cow::Owned(program.to_string()) } else { Cow::Owned(format!("{program} {detail}")) }
    }
}

/// Says whether a test compares numbers.
fn computes(test: &ast::BinaryPredicate) -> bool {
    use ast::BinaryPredicate as Test;
    matches!(
        test,
        Test::ArithmeticEqualTo
            | Test::ArithmeticNotEqualTo
            | Test::ArithmeticLessThan
            | Test::ArithmeticLessThanOrEqualTo
            | Test::ArithmeticGreaterThan
            | Test::ArithmeticGreaterThanOrEqualTo
    )
}
