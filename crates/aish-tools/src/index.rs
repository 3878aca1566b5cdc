//! The discovery index: finds a tool by what somebody wants done.
//!
//! One index serves all tools of all sources. Built once, updated in place. Reading order: [`words`] (text to stems),
//! [`lexicon`] (what people say for what command lines say), [`document`] (a definition to weighted terms), [`postings`],
//! [`languages`] (requests that are not English), [`shape`] (question or order, one or many), [`clause`] (the one that asks), [`query`] (a request to alternatives), [`rank`]
//! (the score), [`meaning`] (vectors beside words), [`discovery`] (the two tools that a model is given). Results are deterministic: what scores the same keeps its
//! load order.

mod bulk;
mod clause;
mod discovery;
mod document;
mod edits;
mod forms;
mod found;
mod fuse;
mod kept;
mod languages;
mod lexicon;
mod literal;
mod meaning;
mod page;
mod postings;
mod query;
mod rank;
mod shape;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use aish_types::{ToolDefinition, ToolName};

pub use discovery::{DiscoveryTools, SearchRequest, SearchRequestError};
use document::{Document, Place};
pub use found::{Detail, Found, FoundGroup, FoundTool};
use lexicon::Lexicon;
use literal::Literals;
pub use meaning::Embedder;
use meaning::Meaning;
pub use page::{Group, Hit, Page, Query, RiskFilter, Summary, ToolKind};
use postings::Postings;

/// Tools that were removed and still take room, as a share of all, at which the index is built anew.
const MAX_DEAD_SHARE: usize = 4;

/// Words of a group's name that do not name it.
const NAMELESS: [&str; 4] = ["tools", "cli", "mcp", "server"];
/// Tools of a group that a request may name to keep others back.
const SEVERAL: usize = 5;

/// All tools of all sources, ready to be searched.
pub struct Index {
    lexicon: &'static Lexicon,
    groups: Vec<Group>,
    /// The numbers of groups, by name.
    group_numbers: HashMap<String, u32>,
    /// How many tools each group has.
    group_sizes: Vec<usize>,
    /// The numbers of groups by the words of their names.
    group_words: HashMap<String, Vec<u32>>,
    /// The numbers of categories.
    categories: HashMap<String, u32>,
    documents: Vec<Document>,
    names: HashMap<ToolName, u32>,
    postings: Postings,
    literals: Literals,
    dead: usize,
    next_order: u64,
    /// The vectors of its tools, once there are any.
    meaning: OnceLock<Meaning>,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            lexicon: Lexicon::shared(),
            groups: Vec::new(),
            group_numbers: HashMap::new(),
            group_sizes: Vec::new(),
            group_words: HashMap::new(),
            categories: HashMap::new(),
            documents: Vec::new(),
            names: HashMap::new(),
            postings: Postings::default(),
            literals: Literals::default(),
            dead: 0,
            next_order: 0,
            meaning: OnceLock::new(),
        }
    }
}

impl Index {
    /// Makes an index of definitions, in load order; groups are made from what the definitions say of themselves.
    pub fn of(definitions: impl IntoIterator<Item = Arc<ToolDefinition>>) -> Self {
        let mut index = Self::default();
        index.put_all(&definitions.into_iter().collect::<Vec<_>>());
        index
    }

    /// Adds a group, or replaces what is known of it. Groups are listed in the order in which they came.
    pub fn put_group(&mut self, group: Group) {
        let known = self.group_numbers.get(&group.name).and_then(|&number| self.groups.get_mut(number as usize));
        match known {
            Some(known) => *known = group,
            None => {
                self.add_group(group);
            }
        }
    }

    fn add_group(&mut self, group: Group) -> u32 {
        let number = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        self.group_numbers.insert(group.name.clone(), number);
        for word in self.lexicon.split(&group.name).into_iter().filter(|word| !NAMELESS.contains(&word.as_str())) {
            self.group_words.entry(word).or_default().push(number);
        }
        self.groups.push(group);
        self.group_sizes.push(0);
        number
    }

    /// Returns the numbers of the groups with several tools that have one of these words in their names.
    fn named_groups(&self, words: &[String]) -> Vec<u32> {
        let named = words.iter().filter_map(|word| self.group_words.get(word)).flatten().copied();
        named.filter(|&number| self.group_sizes.get(number as usize).is_some_and(|&size| size >= SEVERAL)).collect()
    }

    /// Adds a tool, or puts it in the place of one with the same name, whose load order it keeps.
    pub fn put(&mut self, definition: Arc<ToolDefinition>) {
        let order = match self.names.get(&definition.name).copied() {
            Some(id) => self.remove_document(id),
            None => None,
        };
        let order = order.unwrap_or(self.next_order);
        self.next_order = self.next_order.max(order.saturating_add(1));
        self.insert(definition, order);
        self.rebuild_if_worn();
    }

    /// Takes a tool out; says whether it was there.
    pub fn remove(&mut self, name: &ToolName) -> bool {
        let Some(id) = self.names.remove(name) else { return false };
        self.remove_document(id);
        self.rebuild_if_worn();
        true
    }

    /// Looks a tool up by its full name.
    pub fn get(&self, name: &ToolName) -> Option<&Arc<ToolDefinition>> {
        let id = self.names.get(name)?;
        self.documents.get(*id as usize).map(|document| &document.definition)
    }

    /// Counts the tools.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Says whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns all definitions in load order.
    pub fn definitions(&self) -> impl Iterator<Item = &Arc<ToolDefinition>> {
        let mut live: Vec<&Document> = self.documents.iter().filter(|document| document.alive).collect();
        live.sort_by_key(|document| document.place.order);
        live.into_iter().map(|document| &document.definition)
    }

    /// Finds tools, best first. Without a text, everything that the filters leave, in load order.
    pub fn search(&self, query: &Query) -> Page {
        rank::search(self, query)
    }

    /// Lists the groups with the number of their tools, in load order; a group that lost all its tools is left out.
    pub fn summary(&self) -> Vec<Summary> {
        let mut counts = vec![0_usize; self.groups.len()];
        for document in self.documents.iter().filter(|document| document.alive) {
            if let Some(count) = counts.get_mut(document.place.group as usize) {
                *count += 1;
            }
        }
        let shown = self.groups.iter().zip(counts).filter(|(group, tool_count)| group.keep_empty || *tool_count > 0);
        shown.map(|(group, tool_count)| Summary { group: group.clone(), tool_count }).collect()
    }

    /// Returns the names of the groups that the summary has, in load order.
    fn group_names(&self) -> Vec<&str> {
        let shown = self.groups.iter().zip(&self.group_sizes).filter(|(group, size)| group.keep_empty || **size > 0);
        shown.map(|(group, _)| group.name.as_str()).collect()
    }

    /// Returns the names of the categories.
    fn category_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.categories.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    fn insert(&mut self, definition: Arc<ToolDefinition>, order: u64) {
        self.meaning.take();
        let place = self.place(&definition, order);
        let id = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        self.names.insert(definition.name.clone(), id);
        self.literals.push(&definition);
        self.documents.push(Document::index(definition, id, place, self.lexicon, &mut self.postings));
    }

    /// Says where a tool belongs; groups and categories are numbered as they come.
    fn place(&mut self, definition: &ToolDefinition, order: u64) -> Place {
        let group = match self.group_numbers.get(definition.group.as_str()) {
            Some(&number) => number,
            None => self.add_group(Group::of(definition)),
        };
        let category = match self.categories.get(&*definition.category) {
            Some(&number) => number,
            None => {
                let number = u32::try_from(self.categories.len()).unwrap_or(u32::MAX);
                self.categories.insert(definition.category.to_string(), number);
                number
            }
        };
        if let Some(size) = self.group_sizes.get_mut(group as usize) {
            *size += 1;
        }
        Place { order, group, category }
    }

    /// Marks a document as dead and returns its load order.
    fn remove_document(&mut self, id: u32) -> Option<u64> {
        self.meaning.take();
        let document = self.documents.get_mut(id as usize).filter(|document| document.alive)?;
        document.alive = false;
        self.dead += 1;
        let terms = Document::terms(&document.definition, self.lexicon, &mut self.postings);
        self.postings.forget(&terms);
        if let Some(size) = self.group_sizes.get_mut(document.place.group as usize) {
            *size = size.saturating_sub(1);
        }
        Some(document.place.order)
    }

    fn rebuild_if_worn(&mut self) {
        if self.dead <= 64 || self.dead * MAX_DEAD_SHARE <= self.documents.len() {
            return;
        }
        let mut live: Vec<Document> = std::mem::take(&mut self.documents).into_iter().filter(|d| d.alive).collect();
        live.sort_by_key(|document| document.place.order);
        (self.postings, self.literals, self.dead) = (Postings::default(), Literals::default(), 0);
        self.names.clear();
        self.group_sizes.iter_mut().for_each(|size| *size = 0);
        for document in live {
            self.insert(document.definition, document.place.order);
        }
    }
}
