//! Whether everything that a program is given is known to be harmless: a list of what is known, never of what is
//! forbidden. An option, a `+word` or a word that may become an option and is not in the lists is asked about.

use alloc::string::String;
use alloc::vec::Vec;

use aish_program_format::pattern::{Check, Step, Test};
use aish_program_format::tables::List;
use aish_program_format::{Form, Program, Rule, Tables, Trait};
use aish_programs::words::variables;

use super::arguments::{Arguments, Role};
use super::fields::GROUPS;
use super::leads_out::is_plain;
use super::outputs;
use super::path::glob_match;
use super::split::Split;
use super::walk::Walker;
use super::word::{HOLE, NUMERIC, Taint, Word};
use crate::rules::{Effect, programs};
use crate::verdict::Verdict;

mod lists;

use self::lists::Lists;

/// Bytes of a pattern for names from which on it is taken for one that may stand for anything.
const MAX_PATTERN: usize = 256;

impl Walker<'_> {
    /// Says whether what a program is given is harmless under a rule that allows: every option is in the lists of the
    /// program or the rule, no word may turn out to be another option, and no settings of the folder run something.
    pub(crate) fn is_harmless(&self, rule: Rule<'_>, program: &str, arguments: &Arguments<'_>) -> bool {
        let Some(known) = programs::find(program) else { return false };
        let (facts, row) = (known.facts(), rule.row());
        if self.brings_settings(known) || !is_plain(known, arguments) || self.writes_something(known, arguments) {
            return false;
        }
        if hides_options(known, arguments) || known.is(Trait::Compares) && may_evaluate(arguments) {
            return false;
        }
        let dodges = may_dodge(known, arguments);
        let guessed = is_guessed(arguments);
        // What looks for a program's name may run it instead.
        let is_harmless = facts.harmless && !row.alone && !(guessed && known.wrappers().next().is_some());
        if is_harmless || row.harmless && !guessed {
            return !dodges;
        }
        // Where every word is known it is a pattern that stands for code.
        if guessed || dodges && arguments.words.iter().all(Word::is_known) {
            return false;
        }
        let lists = Lists::under(rule, known);
        let mut reader = Reader { known, lists, arguments, dodges, ended: false, inside: None, operands: 0 };
        arguments.iter().enumerate().all(|(at, (word, role))| reader.is_harmless(at, word, role))
    }

    /// Says whether a program writes to something, by its data.
    fn writes_something(&self, program: Program<'_>, arguments: &Arguments<'_>) -> bool {
        program.writes().next().is_some()
            && !arguments.is_dry()
            && outputs::named_by(program, arguments).iter().any(|word| !self.place(word).is_sink())
    }

    /// Says whether the options of a program that runs another are harmless, and each of its own words is one: of several
    /// the last may be another program (`timeout $t ls` with `5 touch x`).
    pub(crate) fn runs_harmlessly(&self, program: &str, split: &Split<'_>, own: &[Word]) -> bool {
        let Some(known) = programs::find(program) else { return false };
        let may_be_several =
            |word: &Word| word.glob || !word.whole && (!word.is_known() || word.taint.has(Taint::GUESSED));
        if own.iter().any(may_be_several) {
            return false;
        }
        let lists = Lists::of(known);
        known.facts().harmless || split.options.iter().all(|(option, _)| lists.knows(option))
    }

    /// Says whether files of the folder make the program of a name run what they say.
    pub(crate) fn settings_run_something(&self, program: &str) -> bool {
        programs::find(program).is_some_and(|known| self.brings_settings(known))
    }

    /// Says whether files of the folder make a program run what they say; where the line went elsewhere, they may.
    fn brings_settings(&self, program: Program<'_>) -> bool {
        let mut files = program.tables().texts(program.facts().settings).peekable();
        files.peek().is_some()
            && (self.state.folder.is_some() && self.state.folder != self.around.folder
                || files.any(|file| self.around.brought.brings(file)))
    }

    /// Notes that variables are shown.
    pub(crate) fn note_environment(&mut self, words: &[Word]) {
        let reason = "shows variables, which may hold secrets";
        self.note_plain(&super::run::shown(words), Verdict::Ask, Effect::ReadSecret, "read.environment", reason);
    }

    /// Asks about variables that are put into the environment of a program and are not known to be harmless for it.
    pub(crate) fn environment<'n>(&mut self, names: impl Iterator<Item = &'n str>, program: Option<&str>) {
        let own = program.and_then(programs::find);
        if own.is_some_and(|own| own.is(Trait::Builtin) && !own.is(Trait::Prefix)) {
            return;
        }
        for name in names {
            // What is a whole command line was judged.
            if variables::PAGERS.contains(&name) {
                continue;
            }
            let knows = |program: Program<'_>| {
                program.tables().texts(program.facts().variables).any(|glob| glob_match(glob, name))
            };
            if own.is_some_and(knows) || programs::find("*").is_some_and(knows) {
                continue;
            }
            let mut reason = String::from("sets ");
            reason.push_str(name);
            reason.push_str(", and what a program makes of that is not known");
            self.note_plain(name, Verdict::Ask, Effect::Run, "shell.environment", &reason);
            return;
        }
    }
}

/// Reads the arguments of a program one after the other.
struct Reader<'a, 't> {
    known: Program<'t>,
    lists: Lists<'t>,
    arguments: &'a Arguments<'a>,
    /// True where a rule that asks or halts may hold by what is not known.
    dodges: bool,
    /// True behind the last word that is read as an option.
    ended: bool,
    /// The end marks of the other command whose words are read.
    inside: Option<List>,
    /// How many operands were read.
    operands: usize,
}

impl Reader<'_, '_> {
    /// Says whether the next argument is harmless.
    fn is_harmless(&mut self, at: usize, word: &Word, role: Role) -> bool {
        if let Some(ends) = self.inside {
            // What stands behind a mark is another command, judged by itself.
            if self.known.tables().holds(ends, &word.text) {
                self.inside = None;
            }
            return true;
        }
        if role == Role::Option && self.lists.knows(&word.text) {
            self.inside = marks(self.known, &word.text);
            if self.inside.is_some() {
                return true;
            }
        }
        if self.ended {
            return word.is_known() || !self.dodges;
        }
        match role {
            Role::Option => self.is_harmless_option(at, word),
            Role::Value => is_one(word) && !self.dodges && !may_spread(word, self.known),
            Role::Operand { .. } => self.is_harmless_operand(word),
        }
    }

    fn is_harmless_option(&mut self, at: usize, word: &Word) -> bool {
        if word.text == "--" {
            self.ended = true;
            return true;
        }
        let value = self.arguments.words.get(at + 1).filter(|_| self.operands == 0);
        value.is_some_and(|value| self.lists.knows_with(&word.text, value))
            || self.lists.knows(&word.text) && (word.is_known() || is_attached(word) && !self.dodges)
    }

    fn is_harmless_operand(&mut self, word: &Word) -> bool {
        self.ended = self.known.facts().stops;
        self.operands += 1;
        let says = self.operands == 1 && self.known.is(Trait::Quotes);
        (word.is_known() || is_path(word, self.known) && !self.dodges && !says)
            && !may_spread(word, self.known)
            && (word.text.len() < 2 || !word.text.starts_with('+') || self.lists.knows_plus(&word.text))
    }
}

/// Says whether words behind `--` are options all the same: what reads its words by itself does not take it for the end
/// of its options (`find -- d -delete`).
fn hides_options(program: Program<'_>, arguments: &Arguments<'_>) -> bool {
    let mut behind = arguments.words.iter().skip_while(|word| word.text != "--").skip(1);
    (program.facts().single_dash || program.is(Trait::SearchesByExpression))
        && behind.any(|word| word.text.starts_with('-'))
}

/// Says whether a test of several words may run what stands in an index: `[ $(cat f) ]` with `-v a[$(…)]` in the file.
fn may_evaluate(arguments: &Arguments<'_>) -> bool {
    let is_split = |word: &Word| !word.whole && !word.is_known() && word.taint.has(Taint::CONTENT);
    arguments.words.iter().any(|word| is_split(word) && !word.text.contains(NUMERIC))
}

/// Says whether a word is known by a guess. The path of a program, or nothing, as the last word is none: it is one operand
/// or no operand.
fn is_guessed(arguments: &Arguments<'_>) -> bool {
    let last = arguments.words.len().saturating_sub(1);
    let is_path_or_nothing = |at: usize, word: &Word| at == last && word.taint.has(Taint::LOOKED_FOR);
    let mut words = arguments.words.iter().enumerate();
    words.any(|(at, word)| word.taint.has(Taint::GUESSED) && !is_path_or_nothing(at, word))
}

/// Returns the names of all files that programs are known to take settings from, some with the folders around them
/// (`mise/config.toml`); some come more than once.
pub fn settings_files() -> Vec<&'static str> {
    let built_in = aish_programs::built_in();
    let names = built_in.programs().flat_map(|program| program.tables().texts(program.facts().settings));
    names.flat_map(|name| name.split('+')).filter(|name| !name.contains('~')).collect()
}

/// Says whether what a program is told to do is known to reach no other machine: the operands in their order, and the
/// options that keep it here.
pub(crate) fn is_local(program: &str, arguments: &Arguments<'_>) -> bool {
    let Some(known) = programs::find(program) else { return false };
    known.tables().texts(known.facts().local).any(|path| is_path_of(path, arguments))
}

/// Says whether operands begin with a path of sub-commands, and its options are given: `*` for all, the empty text for none.
pub(super) fn is_path_of(path: &str, arguments: &Arguments<'_>) -> bool {
    let mut operands = arguments.operands();
    match path {
        "*" => true,
        "" => operands.next().is_none(),
        path => path.split(' ').all(|step| match step.starts_with('-') {
            true => step.split('|').any(|option| is_given_plainly(option, arguments)),
            false => operands.next().is_some_and(|(_, word, _)| step.split('|').any(|one| glob_match(one, &word.text))),
        }),
    }
}

/// Says whether an option is given, and never with a value that may take it back (`--client=false`).
fn is_given_plainly(option: &str, arguments: &Arguments<'_>) -> bool {
    let mut given = arguments.iter().filter(|(word, role)| *role == Role::Option && word.text.starts_with(option));
    let mut found = false;
    given.all(|(word, _)| {
        found |= word.text == option;
        word.text.get(option.len()..).is_some_and(|rest| !rest.starts_with('='))
    }) && found
}

/// Returns the end marks of the command that a word announces.
fn marks(program: Program<'_>, text: &str) -> Option<List> {
    let forms = program.wrappers().flat_map(|(wrapper, _)| wrapper.forms().iter());
    forms.copied().find_map(|form| match form {
        Form::Marked { markers, ends } if program.tables().holds(markers, text) => Some(ends),
        _ => None,
    })
}

/// Says whether a pattern for names may become several words of which one is an option. Where letters do not cluster,
/// that is one of those that the program's rules name.
fn may_spread(word: &Word, program: Program<'_>) -> bool {
    let open = word.glob
        && (word.text.starts_with(['*', '?', '[', '-'])
            || word.text.starts_with(GROUPS) && word.text.get(1..).is_some_and(|rest| rest.starts_with('(')));
    let facts = program.facts();
    if !(open && facts.single_dash && facts.complete) || word.text.contains('(') {
        return open;
    }
    let is_option = |list: List| program.tables().texts(list).any(|option| glob_match(&word.text, option));
    word.text.len() > MAX_PATTERN
        || program.rules().flat_map(|rule| rule.tests()).any(|test| match test.check {
            Check::Given(options) => is_option(options),
            _ => false,
        })
}

/// Says whether a word is one argument, whatever is not known of it.
fn is_one(word: &Word) -> bool {
    word.is_known() || word.whole && !word.glob
}

/// Says whether a word is one argument and a path by its first, known letters: no option and no sub-command. Where each
/// option is a whole word, that can be told by its last ones too (`*/`, `*.md`): no such option has them.
fn is_path(word: &Word, program: Program<'_>) -> bool {
    let known = word.text.split(HOLE).next().unwrap_or_default();
    let last = word.text.rsplit([HOLE, NUMERIC]).next().unwrap_or_default();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._~-".contains(letter);
    let ends = program.is(Trait::SearchesByExpression) && known.is_empty() && last.contains(['/', '.']);
    is_one(word)
        && !known.starts_with('-')
        && (known.contains('/') && known.chars().all(is_plain) || ends && last.chars().all(is_plain))
}

/// Says whether a word is a long option that is known with a value that is not.
fn is_attached(word: &Word) -> bool {
    let name = word.text.split_once('=').map_or("", |(name, _)| name);
    name.starts_with("--") && !name.contains(HOLE) && is_one(word)
}

/// Says whether words that are not known cannot make a difference to a rule that asks for options that are not given:
/// each is the value of an option, a path, or stands behind `--`.
pub(super) fn is_bound(rule: Rule<'_>, program: &str, arguments: &Arguments<'_>) -> bool {
    let Some(program) = programs::find(program).filter(|program| !may_dodge(*program, arguments)) else { return false };
    let given = |test: &Test| match test.check {
        Check::Value(option, _) if test.negated => {
            arguments.values(rule.tables().text(option)).all(|value| value.is_known())
        }
        _ => true,
    };
    let mut ended = false;
    rule.row().spares_operands
        && rule.tests().iter().all(given)
        && arguments.iter().all(|(word, role)| {
            let was_ended = ended;
            ended |= role == Role::Option && word.text == "--"
                || program.facts().stops && matches!(role, Role::Operand { .. });
            was_ended
                || word.is_known()
                || match role {
                    Role::Option => is_attached(word),
                    Role::Value => is_one(word),
                    Role::Operand { .. } => {
                        let is_first = arguments.operand(0).is_some_and(|(_, first, _)| core::ptr::eq(first, word));
                        is_path(word, program) && !(is_first && program.is(Trait::Quotes))
                    }
                }
        })
}

/// Says whether a rule that asks or halts may hold by what is not known of the arguments.
fn may_dodge(program: Program<'_>, arguments: &Arguments<'_>) -> bool {
    if arguments.words.iter().all(Word::is_fixed) {
        return false;
    }
    if is_code_unknown(program, arguments) {
        return true;
    }
    // A text that comes first and is a name may be any, too: `jq e*` with a file `env`.
    let says = program.is(Trait::Quotes) && arguments.operand(0).is_some_and(|(_, word, _)| !word.is_fixed());
    if !says && arguments.words.iter().all(Word::is_known) {
        return false;
    }
    let operand = says || arguments.operands().any(|(_, word, _)| !word.is_known());
    // A file that is named by a rule may be any that is not known.
    let by_name = |tables: &Tables, globs: List| operand && tables.texts(globs).any(|glob| !glob.contains('/'));
    program.rules().filter(|rule| rule.row().verdict != Verdict::Allow).any(|rule| {
        let tables = rule.tables();
        let (mut next, mut skips, mut open) = (0, false, false);
        for step in rule.steps() {
            let Step::Word(globs) = step else {
                skips = true;
                continue;
            };
            let Some((_, word, _)) = arguments.operand(next) else { return false };
            next += 1;
            let fits = tables.texts(*globs).any(|glob| glob_match(glob, &word.text));
            open |= !word.is_known() && !is_path(word, program);
            if !fits && !open && !skips {
                return false;
            }
        }
        let mut alternative = false;
        let lacks = rule.tests().iter().any(|test| {
            let alone = !core::mem::replace(&mut alternative, test.more) && !test.more && !test.negated;
            alone
                && match test.check {
                    Check::Given(options) => !tables.texts(options).any(|option| arguments.has(option)),
                    _ => false,
                }
        });
        let by_unknown = |test: &Test| match test.check {
            _ if test.negated => false,
            Check::Value(option, _) => arguments.values(tables.text(option)).any(|value| !value.is_known()),
            Check::Operand(globs) | Check::Is(globs) | Check::Only(globs) => by_name(tables, globs),
            Check::Has(_) | Check::Shows(_) => true,
            Check::Given(_) | Check::Of(..) | Check::Ask(_) | Check::Comes(_) => false,
        };
        !lacks && (open || rule.tests().iter().any(by_unknown))
    })
}

/// Says whether code, statements or what chooses what is shown is not known: names of files that a pattern stands for are not.
fn is_code_unknown(program: Program<'_>, arguments: &Arguments<'_>) -> bool {
    let (tables, facts) = (program.tables(), program.facts());
    let forms: Vec<Form> = program.wrappers().flat_map(|(wrapper, _)| wrapper.forms().iter().copied()).collect();
    let lists = forms.iter().filter_map(|form| match form {
        Form::Code { options, .. }
        | Form::ScriptOption { options, .. }
        | Form::TextWith { options }
        | Form::StdinWith { options, .. }
        | Form::Setting { options, .. } => Some(*options),
        _ => None,
    });
    let mut given = false;
    for option in lists.chain([facts.statements, facts.chooses]).flat_map(|list| tables.texts(list)) {
        given |= arguments.has(option);
        if arguments.values(option).any(|value| !value.is_fixed()) {
            return true;
        }
    }
    // Behind the name of a database stand statements.
    if facts.statements.count > 0 && arguments.operands().skip(1).any(|(_, word, _)| !word.is_fixed()) {
        return true;
    }
    let takes_code = program.is(Trait::Filter)
        || forms.iter().any(|form| matches!(form, Form::Operand { .. } | Form::Operands { .. }));
    takes_code && !given && arguments.operand(0).is_some_and(|(_, word, _)| !word.is_fixed())
}
