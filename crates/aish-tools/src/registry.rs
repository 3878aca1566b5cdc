//! All tools of all sources under one roof.
//!
//! Sources come and go at any time from any task; a look-up works on a snapshot and holds no lock. The first source that
//! offered a name keeps it: a second one is refused, and [`Registry::refused`] says so.

mod snapshot;
mod tool;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use aish_types::near::nearest;
use aish_types::{SourceId, ToolDefinition, ToolName};
use serde_json::{Value, json};

use crate::handler::{FixedTools, Handler};
use crate::source::ToolSource;
use snapshot::{Entry, Snapshot};

pub use snapshot::{Refusal, Refused};
pub use tool::Tool;

/// Why a single tool could not be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Tool '{name}' {why}")]
pub struct RegisterError {
    /// The tool.
    pub name: ToolName,
    /// What is wrong with it.
    pub why: Refusal,
}

/// The registry: which sources there are, and which source a name belongs to.
#[derive(Default)]
pub struct Registry {
    state: RwLock<Arc<Snapshot>>,
}

impl Registry {
    /// Adds a source, or puts it in the place of one with the same id, and returns those of its tools that were refused.
    pub fn add(&self, source: Arc<dyn ToolSource>) -> Vec<Refused> {
        self.add_all(vec![source])
    }

    /// Adds sources, each as [`Registry::add`] does: each change of the registry costs as much as there is in it.
    pub fn add_all(&self, sources: Vec<Arc<dyn ToolSource>>) -> Vec<Refused> {
        let ids: HashSet<SourceId> = sources.iter().map(|source| source.id().clone()).collect();
        let read: Vec<Entry> = sources.into_iter().map(Entry::read).collect();
        self.change(|entries| {
            let known = entries.iter().enumerate().filter(|(_, entry)| !entry.single);
            let mut places: HashMap<SourceId, usize> =
                known.map(|(at, entry)| (entry.source.id().clone(), at)).collect();
            for entry in read {
                let at = *places.entry(entry.source.id().clone()).or_insert(entries.len());
                match entries.get_mut(at) {
                    Some(old) => *old = entry,
                    None => entries.push(entry),
                }
            }
        });
        self.refused().into_iter().filter(|refused| ids.contains(&refused.source)).collect()
    }

    /// Removes a source and its tools; says whether it was there.
    pub fn remove(&self, id: &SourceId) -> bool {
        let mut found = false;
        self.change(|entries| {
            let before = entries.len();
            entries.retain(|entry| entry.source.id() != id);
            found = entries.len() != before;
        });
        found
    }

    /// Registers one tool with the function that runs it.
    ///
    /// # Errors
    /// When the name is taken (`already registered`) or is no name for a tool.
    pub fn register(&self, definition: ToolDefinition, run: Handler) -> Result<(), RegisterError> {
        let name = definition.name.clone();
        let fail = |why| Err(RegisterError { name: name.clone(), why });
        if self.get(&name).is_some() {
            return fail(Refusal::AlreadyRegistered);
        }
        self.put(definition, run);
        let mine = self.snapshot().refused.iter().find(|refused| refused.name == name).map(|refused| refused.why);
        match mine {
            Some(why) => {
                self.unregister(&name);
                fail(why)
            }
            None => Ok(()),
        }
    }

    /// Registers one tool, or puts it in the place of the one that the same owner (source) registered under that name.
    ///
    /// # Errors
    /// As [`Registry::register`], when the name belongs to another owner.
    pub fn refresh(&self, definition: ToolDefinition, run: Handler) -> Result<(), RegisterError> {
        match self.get(&definition.name) {
            Some((_, old)) if old.source == definition.source => {
                self.put(definition, run);
                Ok(())
            }
            _ => self.register(definition, run),
        }
    }

    fn put(&self, definition: ToolDefinition, run: Handler) {
        let name = definition.name.clone();
        let mut entry = Entry::read(Arc::new(FixedTools::of_handler(definition, run)));
        entry.single = true;
        self.change(|entries| match entries.iter_mut().find(|old| old.single && old.offers(&name)) {
            Some(old) => *old = entry.clone(),
            None => entries.push(entry.clone()),
        });
    }

    /// Removes one tool that was registered by itself, or hides one of a source until that source is added again;
    /// says whether it was there.
    pub fn unregister(&self, name: &ToolName) -> bool {
        let there = self.get(name).is_some() || self.snapshot().refused.iter().any(|refused| refused.name == *name);
        self.change(|entries| {
            entries.retain(|entry| !(entry.single && entry.offers(name)));
            for entry in entries.iter_mut().filter(|entry| entry.offers(name)) {
                entry.hidden.insert(name.clone());
            }
        });
        there
    }

    /// Looks a tool up by its full name.
    pub fn get(&self, name: &ToolName) -> Option<(Arc<dyn ToolSource>, Arc<ToolDefinition>)> {
        let tool = self.tool(name)?;
        Some((Arc::clone(&tool.source), Arc::clone(&tool.definition)))
    }

    /// Looks a tool up by its full name, with its hash and compiled schema.
    pub fn tool(&self, name: &ToolName) -> Option<Arc<Tool>> {
        self.snapshot().tools.get(name).cloned()
    }

    /// Returns the definitions of all tools, or of one category, in the order in which they were registered.
    pub fn list(&self, category: Option<&str>) -> Vec<Arc<ToolDefinition>> {
        let snapshot = self.snapshot();
        let all = snapshot.order.iter().map(|tool| &tool.definition);
        all.filter(|definition| category.is_none_or(|wanted| definition.category == *wanted)).cloned().collect()
    }

    /// Returns the schemas that a model is given: `{type: function, function: {name, description, parameters}}`.
    pub fn schemas(&self, category: Option<&str>) -> Vec<Value> {
        self.list(category).iter().map(|definition| function_schema(definition)).collect()
    }

    /// Returns up to `count` names that are nearest to one that is not there.
    pub fn near(&self, name: &str, count: usize) -> Vec<ToolName> {
        let snapshot = self.snapshot();
        let names = snapshot.order.iter().map(|tool| tool.definition.name.as_str());
        nearest(name, names, count).into_iter().map(ToolName::new).collect()
    }

    /// Returns the tools that are offered and not let in, each with the reason.
    pub fn refused(&self) -> Vec<Refused> {
        self.snapshot().refused.clone()
    }

    /// Returns a number that changes whenever a tool comes, goes or changes, for what is built on the registry.
    pub fn revision(&self) -> u64 {
        self.snapshot().revision
    }

    /// Returns the current state, after asking the sources that may have changed.
    fn snapshot(&self) -> Arc<Snapshot> {
        let now = self.current();
        if !now.is_stale() {
            return now;
        }
        let changed: Vec<Entry> = now.entries.iter().filter(|entry| entry.is_stale()).map(Entry::read_again).collect();
        self.change(|entries| {
            for fresh in &changed {
                if let Some(old) = entries.iter_mut().find(|old| Arc::ptr_eq(&old.source, &fresh.source)) {
                    let mut fresh = fresh.clone();
                    fresh.hidden = std::mem::take(&mut old.hidden);
                    *old = fresh;
                }
            }
        });
        self.current()
    }

    fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the entries under the lock; no source is called there.
    fn change(&self, change: impl FnOnce(&mut Vec<Entry>)) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let mut entries = state.entries.clone();
        change(&mut entries);
        *state = Arc::new(Snapshot::build(entries, &state));
    }
}

/// Makes the schema that a model is given for one tool.
pub fn function_schema(definition: &ToolDefinition) -> Value {
    json!({"type": "function", "function": {
        "name": definition.name,
        "description": definition.description,
        "parameters": definition.input_schema,
    }})
}
