//! What is known while a line is walked: variables, functions, the folder, files it wrote.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use brush_parser::ast;

use super::budget::{Budget, Work};
use super::table::{Mark, Table};
use super::ways::Part;
use super::word::{HOLE, Stream, Taint, Word};

/// The most values that are followed for one variable.
pub(crate) const MAX_ALTERNATIVES: usize = 64;

/// The most keys of an array that are kept.
const MAX_KEYS: usize = 64;

/// The most choices among the values of several variables that are all followed; of more each value is, with some others.
const MAX_TOGETHER: usize = 16;

/// A variable: what it may hold, each a list of words (one, but for arrays).
pub(crate) type Values = Vec<Vec<Word>>;

/// A function's body.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Defined in the line.
    Tree(Rc<ast::FunctionBody>),
    /// Defined before, as text.
    Text(String),
}

/// What is known of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileContent {
    /// Its text, where the line wrote it.
    pub(crate) text: Option<String>,
    /// Where it comes from.
    pub(crate) taint: Taint,
}

/// The state that commands of a line leave to the next.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// What pays for what is kept.
    pub(crate) budget: Budget,
    /// Variables that the line set.
    pub(crate) variables: Table<String, Values>,
    /// Functions that the line defined.
    pub(crate) functions: Table<String, Body>,
    /// Aliases that the line defined.
    pub(crate) aliases: Table<String, String>,
    /// The folder the line went to, where it is known and absolute.
    pub(crate) folder: Option<String>,
    /// Folders that the line was in or went to: it may be in any of them still, for what changes the folder may fail or not run.
    pub(crate) visited: Rc<Vec<String>>,
    /// Files the line wrote, by plain path.
    pub(crate) files: Table<String, FileContent>,
    /// Descriptors that the line opened.
    pub(crate) descriptors: Table<i32, Stream>,
    /// Descriptors that lead to another machine.
    pub(crate) sockets: Vec<i32>,
    /// `$1`, `$2`, … .
    pub(crate) positional: Rc<Vec<Word>>,
    /// How deep in what may run or not.
    pub(crate) branches: usize,
    /// The parts of the line that are walked, with what there was before each, the innermost last.
    pub(crate) held: Vec<Part>,
    /// Functions that are perhaps defined.
    pub(crate) unsure: BTreeSet<String>,
    /// What arguments were perhaps, where it is not known what they are.
    pub(crate) mixed: Vec<Word>,
    /// Which of a variable's values is taken.
    pub(crate) choice: usize,
    /// How many choices there are among the values of the variables that were looked up since this was set to 1.
    pub(crate) widest: usize,
    /// Those variables, with how many values each has and how many choices there were before it.
    pub(crate) picked: Vec<(String, usize, usize)>,
    /// True after `set -n`: nothing runs.
    pub(crate) picture: bool,
    /// True once a name stands for another.
    pub(crate) refers: bool,
    /// A variable that a shell reads itself and that was set, until it is asked about; a subshell takes no part of it back.
    pub(crate) special: Option<String>,
    /// Variables that were set though they held something; what a subshell set counts too.
    pub(crate) again: BTreeSet<String>,
    /// Variables that were set for the first time in a branch or a loop.
    pub(crate) perhaps: BTreeSet<String>,
    /// True while a command is walked once more that was walked before.
    pub(crate) rewalks: bool,
}

/// A state to go back to.
#[must_use]
pub(crate) struct Before {
    variables: Mark,
    functions: Mark,
    aliases: Mark,
    descriptors: Mark,
    sockets: usize,
    folder: Option<String>,
    visited: Rc<Vec<String>>,
    positional: Rc<Vec<Word>>,
    branches: usize,
    held: usize,
    choice: usize,
    widest: usize,
    picked: usize,
    picture: bool,
}

/// Returns the key under which it is kept what a name stands for; no variable has such a name.
fn reference(name: &str) -> String {
    alloc::format!("&{name}")
}

/// What a variable was declared to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An array whose indices are keys: `declare -A`.
    Keyed,
    /// A number: what is assigned is computed: `declare -i`.
    Computed,
    /// Perhaps something else than an array with keys, or no more one.
    Unsure,
}

impl Kind {
    /// Returns the key under which it is kept; no variable has such a name.
    fn mark(self, name: &str) -> String {
        let letter = match self {
            Self::Keyed => '%',
            Self::Computed => '#',
            Self::Unsure => '~',
        };
        alloc::format!("{letter}{name}")
    }
}

/// Counts the bytes of what a variable may hold.
pub(super) fn size(values: &[Vec<Word>]) -> usize {
    values.iter().flatten().map(|word| word.text.len() + core::mem::size_of::<Word>()).sum()
}

impl State {
    /// Takes the values of one choice: that of who is at choices already (`outer`, 0 for none), or else the next.
    pub(crate) fn choose(&mut self, outer: usize, choice: usize) {
        self.choice = if outer > 0 { outer } else { choice };
        self.widest = 1;
        if outer == 0 {
            self.picked.clear();
        }
    }

    /// Notes what there is, to be given to [`State::leave`], the last one first.
    pub(crate) fn enter(&mut self) -> Before {
        Before {
            variables: self.variables.mark(),
            functions: self.functions.mark(),
            aliases: self.aliases.mark(),
            descriptors: self.descriptors.mark(),
            sockets: self.sockets.len(),
            folder: self.folder.clone(),
            visited: Rc::clone(&self.visited),
            positional: Rc::clone(&self.positional),
            branches: self.branches,
            held: self.held.len(),
            choice: self.choice,
            widest: self.widest,
            picked: self.picked.len(),
            picture: self.picture,
        }
    }

    /// Takes back what was changed since; files stay, they are no part of a shell.
    pub(crate) fn leave(&mut self, before: Before) {
        self.variables.back(before.variables);
        self.functions.back(before.functions);
        self.aliases.back(before.aliases);
        self.descriptors.back(before.descriptors);
        self.sockets.truncate(before.sockets);
        self.folder = before.folder;
        self.visited = before.visited;
        self.positional = before.positional;
        self.branches = before.branches;
        self.held.truncate(before.held);
        self.choice = before.choice;
        self.widest = before.widest;
        self.picked.truncate(before.picked);
        self.picture = before.picture;
    }

    /// Makes a name stand for another from now on.
    pub(crate) fn refer(&mut self, name: &str, target: &str) {
        self.refers = true;
        self.variables.insert(reference(name), alloc::vec![alloc::vec![Word::literal(target)]]);
    }

    /// Notes that a variable's indices are keys, or that its values are computed.
    pub(crate) fn declare(&mut self, name: &str, kind: Kind) {
        let mark = kind.mark(name);
        // A list with numbers stays one.
        let is_new = |state: &Self| {
            !state.variables.contains_key(name) && !state.variables.contains_key(Kind::Unsure.mark(name).as_str())
        };
        let is_sure = kind != Kind::Keyed || self.branches == 0 && is_new(self);
        if is_sure && !self.variables.contains_key(mark.as_str()) {
            self.variables.insert(mark, alloc::vec![alloc::vec![Word::literal("")]]);
        }
    }

    /// Notes that it is not sure any more that a variable's indices are keys; a name that is not known may be any.
    pub(crate) fn forget_keys(&mut self, name: &str) {
        let name = if name.contains(HOLE) { "*" } else { name };
        let mark = Kind::Keyed.mark(name);
        if self.variables.contains_key(mark.as_str()) {
            self.variables.remove(mark.as_str());
        }
        self.declare(name, Kind::Unsure);
    }

    /// Keeps a key of an array.
    pub(crate) fn note_key(&mut self, name: &str, key: &Word) {
        let mark = Kind::Keyed.mark(name);
        let Some(mut keys) = self.variables.get(mark.as_str()).and_then(|keys| keys.first()).cloned() else { return };
        if keys.len() < MAX_KEYS && !keys.contains(key) && self.budget.pay(Work::Scan, size(&[keys.clone()])) {
            keys.push(key.clone());
            self.variables.insert(mark, alloc::vec![keys]);
        }
    }

    /// Returns the keys of an array.
    pub(crate) fn keys(&self, name: &str) -> &[Word] {
        let keys = self.variables.get(Kind::Keyed.mark(name).as_str()).and_then(|keys| keys.first());
        keys.map_or(&[], Vec::as_slice)
    }

    /// Says whether a variable is an array whose indices are keys.
    pub(crate) fn has_keys(&self, name: &str) -> bool {
        self.variables.contains_key(Kind::Keyed.mark(name).as_str())
            && !self.variables.contains_key(Kind::Unsure.mark("*").as_str())
    }

    /// Says whether what is assigned to a variable is computed.
    pub(crate) fn is_computed(&self, name: &str) -> bool {
        matches!(name, "SECONDS" | "HISTCMD" | "RANDOM" | "SRANDOM" | "LINENO" | "EPOCHSECONDS")
            || self.variables.contains_key(Kind::Computed.mark(name).as_str())
    }

    /// Returns the name that a name stands for, where it stands for one.
    pub(super) fn referred(&self, name: &str) -> Option<String> {
        if !self.refers {
            return None;
        }
        let target = self.variables.get(reference(name).as_str())?.first()?.first()?;
        Some(target.text.clone())
    }

    /// Sets a variable.
    pub(crate) fn assign(&mut self, name: &str, value: Vec<Word>) {
        self.note_special(name, &value);
        self.note_taken(name);
        self.note_computed(name, &value);
        self.keep(name, value);
    }

    /// Keeps what a variable holds without setting it in the shell: for one command, or because it is removed.
    pub(crate) fn keep(&mut self, name: &str, value: Vec<Word>) {
        let referred = self.referred(name);
        let name = referred.as_deref().unwrap_or(name);
        if !self.budget.pay(Work::Scan, size(core::slice::from_ref(&value)) + name.len()) {
            return;
        }
        self.note_again(name);
        self.hold(name);
        self.variables.insert(name.into(), alloc::vec![value]);
    }

    /// Notes a variable that gets another value, whatever sets it: a loop, or a function that calls itself, comes back to what
    /// stands before that. Each of several values of another variable is no such second time.
    pub(crate) fn note_again(&mut self, name: &str) {
        if self.choice > 0 || self.rewalks {
            return;
        }
        // What may be anything was not set.
        let is_set = |values: &Values| {
            let mut words = values.iter().flatten().peekable();
            words.peek().is_none() || words.any(|word| !word.taint.has(Taint::UNSET))
        };
        let names = match self.variables.get(name).is_some_and(is_set) {
            true => &mut self.again,
            false if self.branches > 0 => &mut self.perhaps,
            false => return,
        };
        if !names.contains(name) {
            names.insert(name.into());
        }
    }

    /// Looks up what the line knows of a variable.
    pub(crate) fn look_up(&mut self, name: &str) -> Option<Vec<Word>> {
        let referred = self.referred(name);
        let name = referred.as_deref().unwrap_or(name);
        let values = self.variables.get(name)?;
        let count = values.len();
        let picked = self.picked.iter().find(|(other, ..)| other == name).map(|(_, count, before)| (*count, *before));
        let at = match picked {
            _ if count < 2 => 0,
            Some((among, before)) => self.choice / before % among,
            // Each of its values with each of the others.
            None if self.widest.saturating_mul(count) <= MAX_TOGETHER => {
                self.picked.push((name.into(), count, self.widest.max(1)));
                let before = self.widest.max(1);
                self.widest = before * count;
                self.choice / before % count
            }
            None => {
                self.widest = self.widest.max(count);
                self.choice
            }
        };
        let value = values.get(at.min(count.saturating_sub(1)))?;
        self.budget.pay(Work::Scan, size(core::slice::from_ref(value))).then(|| value.clone())
    }

    /// Returns where a file comes from, or what is known of all files below a folder.
    pub(crate) fn taint_below(&self, path: &str) -> Taint {
        let inside = |name: &str| name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.files
            .beginning(path)
            .filter(|(name, _)| inside(name))
            .fold(Taint::NONE, |taint, (_, file)| taint | file.taint)
    }

    /// Notes what is known of a file.
    pub(crate) fn note_file(&mut self, path: String, content: FileContent) {
        let bytes = content.text.as_ref().map_or(0, String::len) + path.len();
        if self.files.len() >= 256 || !self.budget.pay(Work::Scan, bytes) {
            return;
        }
        let old = self.files.get(&path).filter(|_| self.branches > 0).cloned();
        // What may have been written to it before is not looked at.
        let content = FileContent { taint: content.taint.without(Taint::CHOSEN).without(Taint::PROCESSES), ..content };
        let content = match old {
            // Perhaps it is written, perhaps it stays what it was.
            Some(old) => FileContent {
                text: content.text.filter(|_| !old.taint.has(Taint::SECRET)),
                taint: content.taint | old.taint,
            },
            None => content,
        };
        self.files.insert(path, content);
    }
}
