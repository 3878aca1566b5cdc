//! The registry's state at one moment: entries of sources, and the tools that they make.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use aish_types::{SourceId, ToolDefinition, ToolName};

use crate::registry::tool::Tool;
use crate::source::{Changes, ToolSource};

/// Why a tool is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Another owner, or the same one, has a tool of that name.
    AlreadyRegistered,
    /// The name is outside `[A-Za-z0-9_.-]{1,128}`.
    InvalidName,
    /// The name of a stranger's tool reads like that of another owner's tool.
    LooksLikeAnother,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AlreadyRegistered => "already registered",
            Self::InvalidName => "has a name outside [A-Za-z0-9_.-]{1,128}",
            Self::LooksLikeAnother => "has a name that looks like another tool's",
        })
    }
}

/// A tool that is offered and not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Who offered it.
    pub source: SourceId,
    /// Its name.
    pub name: ToolName,
    /// Why not.
    pub why: Refusal,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tool '{}' of {} {}", aish_types::visible(self.name.as_str()), self.source, self.why)
    }
}

/// A source with the definitions that it had when it was last asked.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) source: Arc<dyn ToolSource>,
    pub(crate) single: bool,
    pub(crate) hidden: HashSet<ToolName>,
    definitions: Arc<Vec<Arc<ToolDefinition>>>,
    changes: Changes,
}

impl Entry {
    /// Asks a source for its definitions. One that panics has none; it does not take the others' away.
    pub(crate) fn read(source: Arc<dyn ToolSource>) -> Self {
        let (changes, definitions) = ask(&*source);
        Self { source, single: false, hidden: HashSet::new(), definitions: Arc::new(definitions), changes }
    }

    pub(crate) fn read_again(&self) -> Self {
        let mut fresh = Self::read(Arc::clone(&self.source));
        fresh.single = self.single;
        fresh
    }

    pub(crate) fn offers(&self, name: &ToolName) -> bool {
        self.definitions.iter().any(|definition| definition.name == *name)
    }

    pub(crate) fn is_stale(&self) -> bool {
        match self.changes {
            Changes::Never => false,
            Changes::Revision(_) => {
                catch_unwind(AssertUnwindSafe(|| self.source.changes())).is_ok_and(|now| now != self.changes)
            }
            Changes::Unknown => !same(&ask(&*self.source).1, &self.definitions),
        }
    }
}

fn ask(source: &dyn ToolSource) -> (Changes, Vec<Arc<ToolDefinition>>) {
    // The revision is read first: a change in between is then seen as one at the next look-up, and not lost.
    let answer = catch_unwind(AssertUnwindSafe(|| (source.changes(), source.definitions())));
    answer.unwrap_or_else(|_| {
        tracing::error!("a source of tools panicked while it listed them");
        (Changes::Unknown, Vec::new())
    })
}

fn same(a: &[Arc<ToolDefinition>], b: &[Arc<ToolDefinition>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
}

/// What the registry knows at one moment; never changed, only replaced.
#[derive(Default)]
pub(crate) struct Snapshot {
    pub(crate) entries: Vec<Entry>,
    pub(crate) tools: HashMap<ToolName, Arc<Tool>>,
    pub(crate) order: Vec<Arc<Tool>>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) revision: u64,
    changing: Vec<usize>,
}

impl Snapshot {
    pub(crate) fn is_stale(&self) -> bool {
        self.changing.iter().any(|&at| self.entries.get(at).is_some_and(Entry::is_stale))
    }

    /// Lays the tools of all entries out; what is unchanged keeps its compiled schema.
    pub(crate) fn build(entries: Vec<Entry>, before: &Self) -> Self {
        let changing = (0..).zip(&entries).filter(|(_, e)| e.changes != Changes::Never).map(|(at, _)| at).collect();
        let mut new = Self { revision: before.revision.wrapping_add(1), changing, ..Self::default() };
        let strangers = entries.iter().any(|entry| entry.definitions.iter().any(|d| !d.trusted));
        let mut looks: HashMap<String, SourceId> = HashMap::new();
        for entry in &entries {
            for definition in entry.definitions.iter().filter(|d| !entry.hidden.contains(&d.name)) {
                let look = strangers.then(|| skeleton(definition.name.as_str()));
                let refusal = new.refuse(definition, look.as_deref(), &looks);
                if let Some(why) = refusal {
                    let source = entry.source.id().clone();
                    new.refused.push(Refused { source, name: definition.name.clone(), why });
                    continue;
                }
                if let Some(look) = look {
                    looks.entry(look).or_insert_with(|| entry.source.id().clone());
                }
                let old = before.tools.get(&definition.name);
                let kept = old.filter(|old| {
                    Arc::ptr_eq(&old.source, &entry.source)
                        && (Arc::ptr_eq(&old.definition, definition) || old.definition == *definition)
                });
                let tool = kept
                    .cloned()
                    .unwrap_or_else(|| Arc::new(Tool::new(Arc::clone(&entry.source), Arc::clone(definition))));
                new.tools.insert(definition.name.clone(), Arc::clone(&tool));
                new.order.push(tool);
            }
        }
        new.entries = entries;
        new
    }

    fn refuse(&self, new: &ToolDefinition, look: Option<&str>, looks: &HashMap<String, SourceId>) -> Option<Refusal> {
        if self.tools.contains_key(&new.name) {
            return Some(Refusal::AlreadyRegistered);
        }
        if new.trusted {
            return new.name.as_str().is_empty().then_some(Refusal::InvalidName);
        }
        if !is_name(new.name.as_str()) {
            return Some(Refusal::InvalidName);
        }
        let twin = looks.get(look?);
        twin.is_some_and(|owner| *owner != new.source).then_some(Refusal::LooksLikeAnother)
    }
}

/// Says whether a name is one that a stranger's tool may have.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

/// Maps names that read alike to one text: case, `-`/`_`, `0`/`o`, `1`/`l`/`i`, `5`/`s`, `rn`/`m`.
fn skeleton(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            '0' => 'o',
            '1' | 'i' => 'l',
            '-' => '_',
            '5' => 's',
            c => c,
        })
        .collect();
    plain.replace("rn", "m")
}
