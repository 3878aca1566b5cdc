//! The tables that all that is known of programs is laid out in: numbers into one text, so that nothing is parsed or
//! allocated when a program starts.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;

use crate::act::{Act, StandIn};
use crate::effect::Effect;
use crate::fact::Trait;
use crate::facts::NO_FACTS;
pub use crate::facts::{Facts, Opens};
use crate::form::Form;
pub use crate::ids::{Id, List};
use crate::loses::Loss;
use crate::pattern::{Check, Step, Test};
use crate::verdict::Verdict;
use crate::writes::Writes;

/// The names of all programs.
#[derive(Debug, Clone)]
pub enum Names {
    /// Laid out when this crate is compiled.
    Fixed(&'static phf::Map<&'static str, u16>),
    /// Made when a program runs.
    Made(BTreeMap<String, u16>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Made(BTreeMap::new())
    }
}

/// All that is known of some programs.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// All texts, one behind the other.
    pub text: Cow<'static, str>,
    /// Where each text begins; the last is where the last ends.
    pub starts: Cow<'static, [u32]>,
    /// Lists of texts and of other numbers.
    pub lists: Cow<'static, [u16]>,
    /// Lists of texts, as parts of a command.
    pub groups: Cow<'static, [List]>,
    /// Commands, as lists of parts.
    pub commands: Cow<'static, [List]>,
    /// Steps of all rules.
    pub steps: Cow<'static, [Step]>,
    /// Tests of all rules.
    pub tests: Cow<'static, [Test]>,
    /// Where commands stand, of all wrappers.
    pub forms: Cow<'static, [Form]>,
    /// What sub-commands of programs that keep a repository lose.
    pub loses: Cow<'static, [Loss]>,
    /// Which programs stand for plain acts.
    pub acts: Cow<'static, [StandIn]>,
    /// What programs write to.
    pub writes: Cow<'static, [Writes]>,
    /// The rules.
    pub rules: Cow<'static, [RuleRow]>,
    /// The wrappers.
    pub wrappers: Cow<'static, [WrapperRow]>,
    /// Which wrappers programs have.
    pub uses: Cow<'static, [Use]>,
    /// Facts about programs, those that are the same once.
    pub facts: Cow<'static, [Facts]>,
    /// The programs, one row a name.
    pub programs: Cow<'static, [ProgramRow]>,
    /// Where each name stands among the programs.
    pub names: Names,
}

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleRow {
    /// `family.name`, unique.
    pub id: Id,
    /// The file that it stands in, without its ending.
    pub file: Id,
    /// True where that file holds rules of several programs.
    pub shared: bool,
    /// What is done.
    pub effect: Effect,
    /// The verdict.
    pub verdict: Verdict,
    /// What it does, in words, in the third person; `{targets}` stands for the operands, `{program}` for the program.
    pub reason: Id,
    /// True where what it matches has no effect, whatever rules that halt say about the same words.
    pub shows: bool,
    /// True where one of its tests is that something is not given.
    pub strict: bool,
    /// True where that is so of options and their values alone.
    pub spares_operands: bool,
    /// Steps along the operands.
    pub steps: List,
    /// Tests.
    pub tests: List,
    /// The letters that one of the operands begins with, one bit each; 0 where none is asked for.
    pub letters: u128,
    /// True where an option is asked for.
    pub option: bool,
    /// True where it looks at the machine around the tree, which a layer hides.
    pub looks: bool,
    /// True where what it matches writes the ids of processes that it was told by name, port or job.
    pub picks: bool,
    /// True where only its own lists of harmless options count, and not those of the program.
    pub alone: bool,
    /// True where every option is harmless when it holds.
    pub harmless: bool,
    /// Options that take nothing and are harmless when it holds, those that it asks for too.
    pub flags: List,
    /// Options that take a value and are harmless when it holds.
    pub values: List,
}

impl RuleRow {
    /// Says whether it asks or halts for an option that does more than show: an unknown word may be that option. What is
    /// only shown may as well stand in a file that an unknown word names.
    pub fn asks_for_option(&self, tests: &[Test]) -> bool {
        let is_option = |test: &Test| !test.negated && matches!(test.check, Check::Given(_) | Check::Value(..));
        self.verdict != Verdict::Allow
            && !matches!(self.effect, Effect::Read | Effect::ReadSecret)
            && tests.iter().any(is_option)
    }
}

/// One way in which programs run what they are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrapperRow {
    /// Unique.
    pub id: Id,
    /// The file that it stands in, without its ending.
    pub file: Id,
    /// Options that take the next argument.
    pub takes: List,
    /// Options of several letters behind one dash that take none.
    pub words: List,
    /// Options and marks with which what it runs starts in another folder.
    pub folder: List,
    /// Where the command stands.
    pub forms: List,
    /// The least verdict of what it runs.
    pub floor: Verdict,
    /// A line that is stricter for what is wrapped.
    pub example: Id,
}

/// A wrapper of a program, behind some sub-commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// Its number.
    pub wrapper: u16,
    /// The sub-commands, one behind the other.
    pub after: List,
    /// The same as one text, for people.
    pub path: Id,
}

/// A program by one of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramRow {
    /// The name.
    pub name: Id,
    /// Its facts.
    pub facts: u16,
    /// Its rules, in order.
    pub rules: List,
    /// Its wrappers, in order.
    pub wrappers: List,
}

impl Tables {
    /// Returns a text.
    pub fn text(&self, id: Id) -> &str {
        let at = usize::from(id.0);
        let (Some(from), Some(to)) = (self.starts.get(at), self.starts.get(at + 1)) else { return "" };
        self.text.get(*from as usize..*to as usize).unwrap_or_default()
    }

    /// Goes through the texts of a list.
    pub fn texts(&self, list: List) -> impl Iterator<Item = &str> + Clone {
        list.of(&self.lists).iter().map(|id| self.text(Id(*id)))
    }

    /// Says whether a text is in a list.
    pub fn holds(&self, list: List, text: &str) -> bool {
        list.of(&self.lists).iter().any(|id| self.length(Id(*id)) == text.len() && self.text(Id(*id)) == text)
    }

    /// Returns how many bytes a text has.
    fn length(&self, id: Id) -> usize {
        let at = usize::from(id.0);
        let (Some(from), Some(to)) = (self.starts.get(at), self.starts.get(at + 1)) else { return 0 };
        to.saturating_sub(*from) as usize
    }

    /// Finds a program by its name.
    pub fn find(&self, name: &str) -> Option<Program<'_>> {
        let at = match &self.names {
            Names::Fixed(names) => names.get(name).copied(),
            Names::Made(names) => names.get(name).copied(),
        }?;
        self.programs.get(usize::from(at)).map(|row| Program { tables: self, row })
    }

    /// Returns the program that stands for an act and its first arguments, in their order; nothing where none does.
    pub fn stand_in(&self, act: Act) -> impl Iterator<Item = &str> {
        let found = self.acts.iter().find(|one| one.act == act);
        found.into_iter().flat_map(|one| core::iter::once(self.text(one.program)).chain(self.texts(one.arguments)))
    }

    /// Goes through all programs.
    pub fn programs(&self) -> impl Iterator<Item = Program<'_>> {
        self.programs.iter().map(|row| Program { tables: self, row })
    }

    /// Goes through all rules.
    pub fn rules(&self) -> impl Iterator<Item = Rule<'_>> {
        self.rules.iter().map(|row| Rule { tables: self, row })
    }

    /// Goes through all wrappers.
    pub fn wrappers(&self) -> impl Iterator<Item = Wrapper<'_>> {
        self.wrappers.iter().map(|row| Wrapper { tables: self, row })
    }
}

/// What is known of one program.
#[derive(Debug, Clone, Copy)]
pub struct Program<'t> {
    tables: &'t Tables,
    row: &'t ProgramRow,
}

impl<'t> Program<'t> {
    /// Returns the tables that it stands in.
    pub const fn tables(self) -> &'t Tables {
        self.tables
    }

    /// Returns its name.
    pub fn name(self) -> &'t str {
        self.tables.text(self.row.name)
    }

    /// Returns what is known of it besides its rules.
    pub fn facts(self) -> &'t Facts {
        self.tables.facts.get(usize::from(self.row.facts)).unwrap_or(const { &NO_FACTS })
    }

    /// Says whether something is true of it.
    pub fn is(self, one: Trait) -> bool {
        self.facts().traits.has(one)
    }

    /// Goes through its rules, in order.
    pub fn rules(self) -> impl Iterator<Item = Rule<'t>> + Clone {
        let tables = self.tables;
        let rules = self.row.rules.of(&tables.lists).iter();
        rules.filter_map(move |at| tables.rules.get(usize::from(*at))).map(move |row| Rule { tables, row })
    }

    /// Goes through its wrappers, in order, with the sub-commands behind which each stands.
    pub fn wrappers(self) -> impl Iterator<Item = (Wrapper<'t>, &'t Use)> + Clone {
        let tables = self.tables;
        let uses = self.row.wrappers.of(&tables.uses).iter();
        uses.filter_map(move |one| {
            let row = tables.wrappers.get(usize::from(one.wrapper))?;
            Some((Wrapper { tables, row }, one))
        })
    }

    /// Goes through what it writes to.
    pub fn writes(self) -> impl Iterator<Item = Writes> + Clone {
        self.facts().writes.of(&self.tables.writes).iter().copied()
    }

    /// Goes through what its sub-commands lose, in order.
    pub fn loses(self) -> impl Iterator<Item = Loss> + Clone {
        self.facts().loses.of(&self.tables.loses).iter().copied()
    }

    /// Says whether a rule or a wrapper is about it.
    pub const fn is_judged(self) -> bool {
        !self.row.rules.is_empty() || !self.row.wrappers.is_empty()
    }

    /// Goes through the commands of it that print secrets: for each part of one the globs of which an operand must
    /// match one.
    pub fn secrets(self) -> impl Iterator<Item = impl Iterator<Item = List>> {
        let tables = self.tables;
        let commands = self.facts().secrets.of(&tables.commands).iter();
        commands.map(move |command| command.of(&tables.groups).iter().copied())
    }
}

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'t> {
    tables: &'t Tables,
    row: &'t RuleRow,
}

impl<'t> Rule<'t> {
    /// Returns the tables that it stands in.
    pub const fn tables(self) -> &'t Tables {
        self.tables
    }

    /// Returns its row.
    pub const fn row(self) -> &'t RuleRow {
        self.row
    }

    /// Returns its id: `family.name`.
    pub fn id(self) -> &'t str {
        self.tables.text(self.row.id)
    }

    /// Returns the name of the file that it stands in, without its ending.
    pub fn file(self) -> &'t str {
        self.tables.text(self.row.file)
    }

    /// Says whether that file holds rules of several programs.
    pub const fn is_shared(self) -> bool {
        self.row.shared
    }

    /// Returns its reason, in which `{targets}` stands for the operands and `{program}` for the program.
    pub fn reason(self) -> &'t str {
        self.tables.text(self.row.reason)
    }

    /// Returns its steps along the operands.
    pub fn steps(self) -> &'t [Step] {
        self.row.steps.of(&self.tables.steps)
    }

    /// Returns its tests.
    pub fn tests(self) -> &'t [Test] {
        self.row.tests.of(&self.tables.tests)
    }
}

/// One way in which programs run what they are given.
#[derive(Debug, Clone, Copy)]
pub struct Wrapper<'t> {
    tables: &'t Tables,
    row: &'t WrapperRow,
}

impl<'t> Wrapper<'t> {
    /// Returns the tables that it stands in.
    pub const fn tables(self) -> &'t Tables {
        self.tables
    }

    /// Returns its id.
    pub fn id(self) -> &'t str {
        self.tables.text(self.row.id)
    }

    /// Returns the least verdict of what it runs.
    pub const fn floor(self) -> Verdict {
        self.row.floor
    }

    /// Returns a line that is stricter for what is wrapped.
    pub fn example(self) -> &'t str {
        self.tables.text(self.row.example)
    }

    /// Returns where the command stands.
    pub fn forms(self) -> &'t [Form] {
        self.row.forms.of(&self.tables.forms)
    }

    /// Goes through the options that take the next argument.
    pub fn takes(self) -> impl Iterator<Item = &'t str> + Clone {
        self.tables.texts(self.row.takes)
    }

    /// Goes through the options of several letters behind one dash that take no argument.
    pub fn words(self) -> impl Iterator<Item = &'t str> + Clone {
        self.tables.texts(self.row.words)
    }

    /// Says whether what it runs starts in another folder with an option or behind a mark.
    pub fn moves(self, option: &str) -> bool {
        self.tables.holds(self.row.folder, option)
    }
}
