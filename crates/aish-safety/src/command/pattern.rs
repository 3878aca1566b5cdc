//! Whether a rule's pattern holds for a program's arguments.

mod database;
mod steps;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use aish_program_format::builder::Builder;
use aish_program_format::pattern::{Check, Class, Classes, Input, Question, Step, Test, Which};
use aish_program_format::tables::List;
use aish_program_format::{Form, Program, Rule, Tables};

use super::arguments::Arguments;
use super::budget::{Budget, Work};
use super::mode;
use super::path::{self, Place, glob_match};
use super::secrets::Secrets;
use super::word::{HOLE, Stream, Taint, Word};
use crate::rules::programs;
use crate::verdict::Verdict;

/// What a pattern is held against.
pub(crate) struct Subject<'a> {
    /// The program's name.
    pub(crate) program: &'a str,
    /// Its arguments.
    pub(crate) arguments: &'a Arguments<'a>,
    /// What comes in through the pipe.
    pub(crate) stdin: &'a Stream,
    /// From where its paths are seen.
    pub(crate) from: path::Viewpoint<'a>,
    /// Says what is known of a file's content by its plain path.
    pub(crate) file_taint: &'a dyn Fn(&str) -> Taint,
    /// Which places hold secrets, as far as the line has asked.
    pub(crate) secrets: &'a Secrets,
    /// Whether any argument is secret, once a rule has asked: most have none, and many rules ask.
    pub(crate) any_secret: OnceCell<bool>,
    /// What a person's own file says of the program.
    pub(crate) own: Option<Program<'a>>,
    /// What it writes to, once a rule has asked.
    pub(crate) outputs: OnceCell<Vec<Word>>,
    /// What is left to be spent on the line.
    pub(crate) budget: &'a Budget,
}

/// Bytes of a text from which on looking at it again is paid for: what is shorter is paid for with the rule.
const LONG: usize = 128;

/// A pattern that a person wrote, parsed.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    programs: Vec<String>,
    tables: Tables,
    steps: Vec<Step>,
    tests: Vec<Test>,
}

impl Pattern {
    /// Parses a pattern: programs, then what must hold of their arguments.
    ///
    /// # Errors
    /// In words, with what was meant where that can be told.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (programs, parts) = aish_program_format::pattern::programs(text)?;
        let mut builder = Builder::default();
        let parsed = aish_program_format::pattern::parse(parts, &mut builder)?;
        let programs = programs.into_iter().map(String::from).collect();
        Ok(Self { programs, tables: builder.build(), steps: parsed.steps, tests: parsed.tests })
    }

    /// Says whether it holds.
    pub(crate) fn matches(&self, subject: &Subject<'_>) -> bool {
        self.programs.iter().any(|name| name == "*" || name == subject.program)
            && holds(&self.tables, &self.steps, &self.tests, subject, None).is_some()
    }
}

/// Says whether a rule may hold, at a glance.
pub(crate) fn may_match(rule: Rule<'_>, arguments: &Arguments<'_>) -> bool {
    let row = rule.row();
    (matches!(row.letters, 0 | u128::MAX) || row.letters & arguments.first_letters != 0)
        && (arguments.has_options() || !row.option)
}

/// Holds a rule of a program against a command; returns where the operands that are left are.
pub(crate) fn matches(rule: Rule<'_>, subject: &Subject<'_>) -> Option<Vec<usize>> {
    let strict = (allows(rule) || rule.row().shows).then_some(rule);
    holds(rule.tables(), rule.steps(), rule.tests(), subject, strict)
}

/// Holds a pattern against a command. `strict` is the rule where it allows, or takes a halt back: its words are the program's
/// operands then, and nothing else may be.
fn holds(
    tables: &Tables,
    steps: &[Step],
    tests: &[Test],
    subject: &Subject<'_>,
    strict: Option<Rule<'_>>,
) -> Option<Vec<usize>> {
    let next = subject.first_behind(tables, steps, strict)?;
    let sure = strict.is_some_and(allows);
    let rest = Rest { subject, tables, left: subject.arguments.operands_from(next), sure };
    rest.passes(tests).then(|| rest.left.iter().map(|(at, _)| *at).collect())
}

fn allows(rule: Rule<'_>) -> bool {
    rule.row().verdict == Verdict::Allow
}

impl Subject<'_> {
    /// Says whether a text matches one of a rule's patterns, and pays for long ones; false where it cannot be paid.
    fn fits(&self, glob: &str, text: &str) -> bool {
        if path::told_apart(glob, text) {
            return false;
        }
        self.looks_at(text.len(), 2) && glob_match(glob, text)
    }

    /// Pays for looking at a number of bytes some times, where they are many; false where that cannot be paid.
    fn looks_at(&self, bytes: usize, times: usize) -> bool {
        bytes <= LONG || self.budget.pay(Work::Scan, bytes.saturating_mul(times))
    }
}

struct Rest<'a, 'b> {
    subject: &'b Subject<'a>,
    tables: &'b Tables,
    /// Places of the operands that are left, and whether they are loose.
    left: &'b [(usize, bool)],
    /// True where a pattern must hold whatever the shell makes of the words: the rule allows.
    sure: bool,
}

impl Rest<'_, '_> {
    /// Says whether all of a pattern's tests are passed.
    fn passes(&self, tests: &[Test]) -> bool {
        let mut tests = tests.iter();
        while let Some(mut test) = tests.next() {
            // Alternatives stand one behind the other: one of them must hold.
            let mut held = self.check(test.check, test.negated);
            while test.more
                && let Some(next) = tests.next()
            {
                held = held || self.check(next.check, test.negated);
                test = next;
            }
            if held == test.negated {
                return false;
            }
        }
        true
    }

    fn check(&self, check: Check, negated: bool) -> bool {
        let (tables, arguments) = (self.tables, self.subject.arguments);
        match check {
            Check::Given(options) => tables.texts(options).any(|option| arguments.has(option)),
            Check::Value(option, glob) => arguments.has_value(tables.text(option), tables.text(glob)),
            Check::Operand(globs) => self.words().any(|word| self.fits(globs, word)),
            Check::Is(globs) => self.words().any(|word| tables.texts(globs).any(|glob| self.is_or_ends(glob, word))),
            Check::Only(globs) => self.words().all(|word| self.fits(globs, word)),
            Check::Shows(globs) => self.shows_only(tables, globs).unwrap_or(false),
            Check::Has(texts) => {
                let size: usize = arguments.words.iter().map(|word| 1 + word.text.len()).sum();
                if !self.subject.looks_at(size, 2 + tables.texts(texts).count() / 4) {
                    return false;
                }
                // No text of a rule holds a line end.
                let mut all = String::new();
                for word in arguments.words {
                    all.push_str(&word.text);
                    all.push('\n');
                }
                all.make_ascii_lowercase();
                tables.texts(texts).any(|text| all.contains(text))
            }
            Check::Comes(input) => self.comes(input),
            Check::Ask(Question::Single | Question::Pair | Question::Few | Question::Several) if self.is_open() => {
                negated
            }
            Check::Ask(question) => self.answer(question),
            Check::Of(which, classes) => self.of(which, classes),
        }
    }

    fn comes(&self, input: Input) -> bool {
        let stdin = self.subject.stdin;
        match input {
            Input::Connected => stdin.connected,
            Input::Absent => !stdin.connected,
            Input::SecretInput => stdin.taint.has(Taint::SECRET),
            Input::ForeignInput => stdin.taint.foreign(),
            Input::ShellInput => stdin.taint.has(Taint::SHELL),
            Input::PrivateInput => stdin.taint.has(Taint::PRIVATE),
        }
    }

    fn answer(&self, question: Question) -> bool {
        let arguments = self.subject.arguments;
        match question {
            Question::Empty => self.left.is_empty(),
            Question::Filled => !self.left.is_empty(),
            Question::Single => self.left.len() == 1,
            Question::Pair => self.left.len() == 2,
            Question::Few => self.left.len() <= 1,
            Question::Several => self.left.len() >= 2,
            Question::Alone => arguments.words.len() == 1,
            Question::Bare => !arguments.has_options(),
            Question::Chosen => programs::find(self.subject.program)
                .is_some_and(|program| self.shows_only(program.tables(), program.facts().chosen).unwrap_or(true)),
            Question::Joined => self.is_joined(),
            Question::Dry => arguments.is_dry(),
            Question::Pretends => arguments.pretends(),
            Question::Named => !self.left.is_empty() && self.words().all(|word| !word.text.contains('=')),
            Question::Dashed => {
                let words = arguments.words;
                words.iter().position(|word| word.text == "--").is_some_and(|at| at + 1 < words.len())
            }
            Question::EveryProcess => self.means_every_process(),
            Question::Asks => programs::find(self.subject.program).is_some_and(|program| {
                let changing = program.facts().changing;
                self.words().all(|word| word.is_known() && !program.tables().holds(changing, &word.text))
            }),
            Question::NamesEnvironment => {
                arguments.words.iter().any(|word| super::readonly::names_environment(&word.text))
            }
            Question::OnlyReads => self.only_reads(),
            Question::NamesNoTable => self.names_no_table(),
            Question::Contained => self.is_contained(),
        }
    }

    /// Says whether the words that the pattern begins with stand side by side: `git stash -p list` lists nothing.
    fn is_joined(&self) -> bool {
        let arguments = self.subject.arguments;
        let words = arguments.operands().count() - self.left.len();
        let place = |number: usize| arguments.operand(number).map(|(at, _, _)| at);
        match (place(0), words.checked_sub(1).and_then(place)) {
            (Some(first), Some(last)) => last - first + 1 == words,
            (_, None) => true,
            (None, _) => false,
        }
    }

    /// Says whether the number of operands counts, and one of them may become several: `uniq src/*` writes over the second.
    fn is_open(&self) -> bool {
        let several = |word: &Word| word.glob && word.text.contains(['*', '?', '[']) || !word.is_known() && !word.whole;
        self.sure && self.words().any(several)
    }

    /// `kill -1` and `kill 1` with a signal: everything, or the first process.
    fn means_every_process(&self) -> bool {
        let words = self.subject.arguments.words;
        let last_is = |text: &str| words.iter().skip(1).any(|word| word.text == text);
        let signalled = words.first().is_some_and(|word| word.text.starts_with('-'));
        (signalled && (last_is("-1") || last_is("1")))
            || matches!(words, [word] if word.text == "1")
            || words.iter().skip_while(|word| word.text != "--").any(|word| word.text == "-1")
    }

    /// Whether the scripts of options, or else the first operand, are understood and lead nowhere that is not named.
    fn is_contained(&self) -> bool {
        let (Some(program), arguments) = (programs::find(self.subject.program), self.subject.arguments) else {
            return false;
        };
        let forms = program.wrappers().flat_map(|(wrapper, _)| wrapper.forms());
        let lists = forms.filter_map(|form| match form {
            Form::Code { options, .. } => Some(*options),
            _ => None,
        });
        let options = lists.flat_map(|options| program.tables().texts(options));
        let mut scripts: Vec<Word> = options.flat_map(|option| arguments.values(option)).collect();
        if scripts.is_empty() {
            scripts.extend(self.words().next().cloned());
        }
        scripts.iter().all(|script| {
            let text = script.text.as_str();
            self.subject.looks_at(text.len(), 64) && super::code::is_contained(self.subject.program, text)
        })
    }

    /// Whether what options choose to be shown is in a list; none where none of them is given.
    fn shows_only(&self, tables: &Tables, globs: List) -> Option<bool> {
        let Some(program) = programs::find(self.subject.program) else { return Some(false) };
        let options = program.tables().texts(program.facts().chooses);
        let mut values = options.flat_map(|option| self.subject.arguments.values(option)).peekable();
        let known = |name: &str| tables.texts(globs).any(|glob| self.subject.fits(glob, name));
        values.peek()?;
        Some(values.all(|value| {
            self.subject.looks_at(value.text.len(), 64) && super::chosen::chooses_only(&value.text, &known)
        }))
    }

    fn words(&self) -> impl Iterator<Item = &Word> {
        self.left.iter().filter_map(|(at, _)| self.subject.arguments.words.get(*at))
    }

    fn of(&self, which: Which, classes: Classes) -> bool {
        let arguments = self.subject.arguments;
        match which {
            Which::All => !self.left.is_empty() && self.words().all(|word| self.in_classes(classes, word)),
            Which::Last => self.words().last().is_some_and(|word| self.in_classes(classes, word)),
            Which::Here => self.subject.from.folder.is_some_and(|here| self.in_classes(classes, &Word::literal(here))),
            Which::Argument => arguments.words.iter().any(|word| self.in_classes(classes, word)),
            Which::Option => {
                let secret = classes == Classes::of(Class::Secret);
                let is_one = |word: &Word| self.in_classes(classes, word);
                super::matched::option_words(arguments, secret).any(is_one)
                    || secret && super::matched::lists_secrets(self.subject.program, arguments)
            }
            // Names of places alone: most lines have none.
            Which::Output => {
                (self.subject.from.folder.is_some() || arguments.words.iter().any(|word| word.text.contains('/')))
                    && (self.outputs().iter().any(|word| self.in_classes(classes, word))
                        || classes == Classes::of(Class::Device)
                            && super::outputs::put(self.subject.program, arguments)
                                .is_some_and(|word| self.in_classes(classes, &word)))
            }
            Which::One => {
                // The same word many times over is looked at once, two in turn too.
                let mut before: [Option<&Word>; 2] = [None; 2];
                let spares = super::matched::spares(self.subject.program, classes);
                self.words().filter(|word| !spares(word)).any(|word| {
                    let seen = before.contains(&Some(word));
                    let [_, last] = before;
                    before = [last, Some(word)];
                    !seen && self.in_classes(classes, word)
                })
            }
        }
    }

    fn fits(&self, globs: List, word: &Word) -> bool {
        self.tables.texts(globs).any(|glob| self.subject.fits(glob, &word.text))
    }

    fn is_or_ends(&self, glob: &str, word: &Word) -> bool {
        let text = word.text.as_str();
        self.subject.fits(glob, text)
            || text.bytes().any(|byte| matches!(byte, b'=' | b':'))
                && self.subject.looks_at(text.len(), 2)
                && text.split(['=', ':']).skip(1).any(|part| self.subject.fits(glob, part))
    }

    fn in_classes(&self, classes: Classes, word: &Word) -> bool {
        if !self.subject.looks_at(word.text.len(), 4) {
            return false;
        }
        let place = self.subject.from.seen(&word.text, word.glob);
        classes.iter().any(|class| self.in_class(class, word, &place))
    }

    fn in_class(&self, class: Class, word: &Word, place: &Place<Cow<'_, str>>) -> bool {
        match class {
            Class::Any => true,
            Class::Root => place.is_root(),
            Class::System => place.is_system(),
            Class::Config => place.is_configuration() || place.is_root(),
            Class::Home => place.is_home(),
            Class::Dotfile => place.is_dotfile(),
            Class::Startup => place.is_startup(),
            Class::Access => place.is_access(),
            Class::Device => place.is_device(),
            Class::Repository => place.is_repository(),
            Class::Wide => place.is_wide(),
            Class::Scratch => place.is_scratch(),
            Class::Disposable => place.is_disposable(),
            Class::Sink => place.is_sink(),
            Class::Absolute => place.text.starts_with('/') || place.text.starts_with('~'),
            Class::Glob => word.glob && word.text.contains(['*', '?', '[']),
            Class::Unknown => word.text.contains(HOLE),
            Class::Unchosen => word.text.contains(HOLE) && !super::picked::is_chosen(word),
            Class::Foreign => word.taint.foreign() || (self.subject.file_taint)(&place.text).foreign(),
            Class::Secret => self.any_secret() && self.is_secret(word),
            Class::Address => word.taint.has(Taint::ADDRESS),
            Class::Listed => word.taint.has(Taint::LISTED),
            Class::Private => word.taint.has(Taint::PRIVATE) || super::filters::is_account_list(&word.text),
            Class::Published => place.is_published(),
            Class::Remote => is_remote(&word.text),
            Class::Url => word.text.contains("://"),
            Class::ModeOpen => mode::is_open(&word.text),
            Class::ModeSuid => mode::is_suid(&word.text),
            Class::ModeShut => mode::is_shut(&word.text),
            Class::ModeMild => mode::is_mild(&word.text),
        }
    }

    fn outputs(&self) -> &[Word] {
        let Subject { program, arguments, own, outputs, .. } = self.subject;
        outputs.get_or_init(|| super::outputs::outputs(program, *own, arguments))
    }

    fn any_secret(&self) -> bool {
        *self.subject.any_secret.get_or_init(|| self.subject.arguments.words.iter().any(|word| self.is_secret(word)))
    }

    fn is_secret(&self, word: &Word) -> bool {
        if word.may_be_secret() {
            return true;
        }
        // What an address names lies on another machine.
        if ["https://", "http://"].iter().any(|scheme| word.text.starts_with(scheme)) {
            return false;
        }
        let shows_files = programs::find(self.subject.program).is_some_and(|known| known.facts().output.shows_files());
        let check = |text: &str| {
            let place = self.subject.from.seen(text, word.glob);
            self.subject.secrets.holds(&place)
                || shows_files && place.is_device()
                // In this order: to find out whether a word is opened all the others are gone through.
                || self.subject.secrets.plainly(&place)
                    && super::matched::opens(self.subject.program, self.subject.arguments, word, text)
                || (self.subject.file_taint)(&place.text).has(Taint::SECRET)
        };
        // The value of an option may stand in the same word: `grep -f/dev/watchdog`.
        let letters =
            word.text.strip_prefix('-').and_then(|text| text.split_once("/dev/")).map_or("-", |(before, _)| before);
        let is_cluster = letters.bytes().all(|letter| letter.is_ascii_alphanumeric());
        let attached = word.text.get(1 + letters.len()..).filter(|_| is_cluster);
        if check(&word.text) || attached.is_some_and(check) {
            return true;
        }
        // `@file`, `name=@file`, `--data=@file`, `file:target`.
        let parts = word.text.split(['=', '@', ':', ',', ';', '<', '"', '\'']);
        let mut parts = parts.filter(|part| !part.is_empty() && part.len() < word.text.len());
        word.text.len() <= LONG && parts.any(check)
            || parts.any(|part| self.subject.budget.pay(Work::Place, 1) && check(part))
    }
}

/// `host:path`, `user@host:path`, `scheme://…`.
pub(crate) fn is_remote(text: &str) -> bool {
    if text.contains("://") {
        return !text.starts_with("file://");
    }
    let value = text.strip_prefix("--").and_then(|text| text.split_once('=')).map_or(text, |(_, value)| value);
    match value.split_once(':') {
        Some((host, _)) => !host.is_empty() && !host.contains('/') && !host.starts_with('-') && host.len() > 1,
        None => false,
    }
}
