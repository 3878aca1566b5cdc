//! Lays what is known of programs out in tables.

use alloc::borrow::{Cow, ToOwned};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::act::{Act, StandIn};
use crate::form::Form;
use crate::loses::Loss;
use crate::pattern::{Parsed, Step, Test};
use crate::tables::{Facts, Id, List, Names, ProgramRow, RuleRow, Tables, Use, WrapperRow};
use crate::writes::Writes;

/// Tables in the making. Texts and lists that are the same are kept once.
#[derive(Debug, Clone)]
pub struct Builder {
    texts: BTreeMap<String, u16>,
    text: String,
    starts: Vec<u32>,
    made: BTreeMap<Vec<u16>, List>,
    lists: Vec<u16>,
    steps: Vec<Step>,
    tests: Vec<Test>,
    forms: Vec<Form>,
    writes: Vec<Writes>,
    acts: Vec<StandIn>,
    loses: Vec<Loss>,
    groups: Vec<List>,
    commands: Vec<List>,
    rules: Vec<RuleRow>,
    wrappers: Vec<WrapperRow>,
    uses: Vec<Use>,
    facts: Vec<Facts>,
    programs: Vec<ProgramRow>,
    names: BTreeMap<String, u16>,
}

impl Default for Builder {
    fn default() -> Self {
        let mut out = Self {
            texts: BTreeMap::new(),
            text: String::new(),
            starts: alloc::vec![0],
            made: BTreeMap::new(),
            lists: Vec::new(),
            steps: Vec::new(),
            tests: Vec::new(),
            forms: Vec::new(),
            writes: Vec::new(),
            acts: Vec::new(),
            loses: Vec::new(),
            groups: Vec::new(),
            commands: Vec::new(),
            rules: Vec::new(),
            wrappers: Vec::new(),
            uses: Vec::new(),
            facts: Vec::new(),
            programs: Vec::new(),
            names: BTreeMap::new(),
        };
        // The number 0 is the empty text.
        out.text("");
        out
    }
}

fn short(count: usize) -> u16 {
    // More than 65,535 of anything is refused by `Builder::is_full`.
    u16::try_from(count).unwrap_or(u16::MAX)
}

fn put<T>(table: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> List {
    let from = table.len();
    table.extend(items);
    List { from: u32::try_from(from).unwrap_or(u32::MAX), count: short(table.len() - from) }
}

impl Builder {
    /// Says whether there are more texts than can be numbered.
    pub fn is_full(&self) -> bool {
        self.starts.len() >= usize::from(u16::MAX) || self.rules.len() >= usize::from(u16::MAX)
    }

    /// Keeps a text.
    pub fn text(&mut self, text: &str) -> Id {
        if let Some(at) = self.texts.get(text) {
            return Id(*at);
        }
        let at = short(self.starts.len() - 1);
        self.text.push_str(text);
        self.starts.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        self.texts.insert(text.to_owned(), at);
        Id(at)
    }

    /// Keeps a list of texts.
    pub fn list<T: AsRef<str>>(&mut self, texts: &[T]) -> List {
        let ids = texts.iter().map(|text| self.text(text.as_ref()).0).collect();
        self.numbers(ids)
    }

    fn numbers(&mut self, numbers: Vec<u16>) -> List {
        if numbers.is_empty() {
            return List::default();
        }
        if let Some(list) = self.made.get(&numbers) {
            return *list;
        }
        let list = put(&mut self.lists, numbers.iter().copied());
        self.made.insert(numbers, list);
        list
    }

    /// Keeps where commands stand.
    pub fn forms(&mut self, forms: Vec<Form>) -> List {
        put(&mut self.forms, forms)
    }

    /// Keeps what a program writes to.
    pub fn writes(&mut self, writes: Vec<Writes>) -> List {
        put(&mut self.writes, writes)
    }

    /// Keeps what sub-commands lose.
    pub fn loses(&mut self, loses: Vec<Loss>) -> List {
        put(&mut self.loses, loses)
    }

    /// Keeps that a program stands for an act; false where another does already.
    pub fn act(&mut self, program: &str, act: Act, arguments: &[&str]) -> bool {
        let fresh = self.acts.iter().all(|one| one.act != act);
        let one = StandIn { act, program: self.text(program), arguments: self.list(arguments) };
        self.acts.push(one);
        fresh
    }

    /// Keeps commands: of each the parts, of each part the texts.
    pub fn commands(&mut self, commands: &[Vec<Vec<String>>]) -> List {
        let mut out = Vec::new();
        for command in commands {
            let parts: Vec<List> = command.iter().map(|part| self.list(part)).collect();
            out.push(put(&mut self.groups, parts));
        }
        put(&mut self.commands, out)
    }

    /// Keeps a pattern: its steps and its tests.
    pub fn pattern(&mut self, parsed: &Parsed) -> (List, List) {
        (put(&mut self.steps, parsed.steps.iter().copied()), put(&mut self.tests, parsed.tests.iter().copied()))
    }

    /// Keeps a rule; returns its number.
    pub fn rule(&mut self, row: RuleRow) -> u16 {
        self.rules.push(row);
        short(self.rules.len() - 1)
    }

    /// Keeps a wrapper; returns its number.
    pub fn wrapper(&mut self, row: WrapperRow) -> u16 {
        self.wrappers.push(row);
        short(self.wrappers.len() - 1)
    }

    /// Keeps facts; returns their number.
    pub fn facts(&mut self, facts: Facts) -> u16 {
        let at = self.facts.iter().position(|known| *known == facts).unwrap_or_else(|| {
            self.facts.push(facts);
            self.facts.len() - 1
        });
        short(at)
    }

    /// Keeps a program by one name; false where the name is taken.
    pub fn program(&mut self, name: &str, facts: u16, rules: Vec<u16>, wrappers: Vec<Use>) -> bool {
        let rules = self.numbers(rules);
        let wrappers = put(&mut self.uses, wrappers);
        let row = ProgramRow { name: self.text(name), facts, rules, wrappers };
        let at = short(self.programs.len());
        self.programs.push(row);
        self.names.insert(name.to_owned(), at).is_none()
    }

    /// Returns the names of the programs with their numbers.
    pub fn names(&self) -> impl Iterator<Item = (&str, u16)> {
        self.names.iter().map(|(name, at)| (name.as_str(), *at))
    }

    /// Returns the tables.
    pub fn build(self) -> Tables {
        Tables {
            text: Cow::Owned(self.text),
            starts: Cow::Owned(self.starts),
            lists: Cow::Owned(self.lists),
            groups: Cow::Owned(self.groups),
            commands: Cow::Owned(self.commands),
            steps: Cow::Owned(self.steps),
            tests: Cow::Owned(self.tests),
            forms: Cow::Owned(self.forms),
            writes: Cow::Owned(self.writes),
            acts: Cow::Owned(self.acts),
            loses: Cow::Owned(self.loses),
            rules: Cow::Owned(self.rules),
            wrappers: Cow::Owned(self.wrappers),
            uses: Cow::Owned(self.uses),
            facts: Cow::Owned(self.facts),
            programs: Cow::Owned(self.programs),
            names: Names::Made(self.names),
        }
    }
}
