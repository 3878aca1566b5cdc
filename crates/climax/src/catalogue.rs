//! All tools of all configurations, as the policy leaves them.

mod warning;

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;

use aish_tools::Index;
use aish_tools::index::Group;
use aish_types::{Hints, JsonSchema, MakeSchema, Risk, SharedText, SourceId, ToolDefinition, ToolName};
use serde_json::Value;

pub use warning::CatalogueWarning;

use crate::config::{Config, Packed, Tool};
use crate::kept::{KeptTools, MIN_TOOLS, Sum};
use crate::policy::Policy;
use crate::schema::{Flags, input_schema};

/// Milliseconds beyond a tool's own time in which its processes are ended and its output is gathered; the source
/// watches the tool's time itself, and the executor this much more.
pub(crate) const ENDING_MS: u64 = 4_000;

/// Tools for which a thread is worth its start.
const WORTH_A_THREAD: usize = 500;

/// A tool with the configuration it is from.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The configuration.
    pub config: Arc<Config>,
    /// The tool.
    pub tool: Tool,
}

/// Where a tool is: the number of its configuration, and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct At {
    config: u32,
    tool: u32,
}

/// All tools under one roof.
#[derive(Debug)]
pub struct Catalogue {
    configs: Vec<Arc<Config>>,
    policy: Arc<Policy>,
    flags: Flags,
    kept: KeptTools,
    entries: HashMap<ToolName, At>,
    definitions: Vec<Arc<ToolDefinition>>,
    /// What the configurations and the policy say that may not be meant.
    pub warnings: Vec<CatalogueWarning>,
}

impl Catalogue {
    /// Makes a catalogue. Of tools with the same name in several files the last one counts.
    pub fn new(configs: Vec<Arc<Config>>, policy: Arc<Policy>, flags: Flags) -> Self {
        Self::with_kept(configs, policy, flags, KeptTools::default())
    }

    /// Makes a catalogue of configurations of which something is kept.
    pub fn with_kept(configs: Vec<Arc<Config>>, policy: Arc<Policy>, flags: Flags, kept: KeptTools) -> Self {
        let (entries, definitions, warnings) = (HashMap::new(), Vec::new(), Vec::new());
        let mut catalogue = Self { configs, policy, flags, kept, entries, definitions, warnings };
        catalogue.collect();
        catalogue.define(flags);
        catalogue
    }

    fn collect(&mut self) {
        for (number, config) in (0_u32..).zip(&self.configs) {
            for (at, tool) in (0_u32..).zip(config.tools.packed()) {
                if !self.policy.offers(tool.name.as_str()) {
                    continue;
                }
                if let Some(before) = self.entries.insert(tool.name.clone(), At { config: number, tool: at }) {
                    let (tool, config) = (tool.name.to_string(), config.name.clone());
                    let before = self.configs.get(before.config as usize).map(|config| config.name.clone());
                    let before = before.unwrap_or_default();
                    self.warnings.push(CatalogueWarning::Replaced { tool, config, before });
                }
            }
        }
        let misnamed: Vec<_> = self.policy.named.iter().filter_map(|named| self.misnamed(named)).collect();
        self.warnings.extend(misnamed);
    }

    /// Makes the definitions, on as many threads as there are cores where there are many.
    fn define(&mut self, flags: Flags) {
        let worth = self.entries.len() / WORTH_A_THREAD;
        if worth <= 1 {
            self.definitions = self.defined(&self.configs, 0, flags);
            return;
        }
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(worth);
        let (this, size) = (&*self, self.configs.len().div_ceil(threads).max(1));
        let definitions = std::thread::scope(|scope| {
            let mut runs = self.configs.chunks(size).zip((0..).step_by(size));
            let own = runs.next();
            let others: Vec<_> =
                runs.map(|(run, first)| scope.spawn(move || this.defined(run, first, flags))).collect();
            let mut definitions = own.map(|(run, first)| this.defined(run, first, flags)).unwrap_or_default();
            for other in others {
                match other.join() {
                    Ok(more) => definitions.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            definitions
        });
        self.definitions = definitions;
    }

    /// Makes the definitions of some configurations, of which the first has this number.
    fn defined(&self, configs: &[Arc<Config>], first: u32, flags: Flags) -> Vec<Arc<ToolDefinition>> {
        let mut definitions = Vec::new();
        for (number, config) in (first..).zip(configs) {
            let common = Common::of(config, flags);
            for (at, tool) in (0_u32..).zip(config.tools.packed()) {
                if self.entries.get(&tool.name) == Some(&At { config: number, tool: at }) {
                    let description = self.policy.description(tool.name.as_str());
                    definitions.push(Arc::new(common.definition(tool, at, description)));
                }
            }
        }
        definitions
    }

    /// Returns the definitions in load order.
    pub fn definitions(&self) -> &[Arc<ToolDefinition>] {
        &self.definitions
    }

    /// Looks a tool up.
    pub fn get(&self, name: &str) -> Option<Entry> {
        let at = self.entries.get(name)?;
        let config = self.configs.get(at.config as usize)?;
        Some(Entry { config: Arc::clone(config), tool: config.tools.get(at.tool as usize)? })
    }

    /// Returns the policy.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Returns the configurations in load order.
    pub fn configs(&self) -> &[Arc<Config>] {
        &self.configs
    }

    /// Returns the discovery index of what is offered, as it was kept or built now.
    pub fn index(&self) -> Index {
        if let Some(index) = self.kept.index(self) {
            return index;
        }
        let mut index = Index::default();
        for group in self.groups() {
            index.put_group(group);
        }
        index.put_all(&self.definitions);
        index
    }

    /// Says whether there are very many tools, and what is kept of them is not what was read.
    pub fn has_new_tools(&self) -> bool {
        self.has_many_tools() && self.kept.is_stale()
    }

    /// Says whether there are so many tools that they are kept.
    pub fn has_many_tools(&self) -> bool {
        self.definitions.len() >= MIN_TOOLS
    }

    /// Returns what is kept of the tools.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> &KeptTools {
        &self.kept
    }

    /// Keeps the tools and their index for the next start, where they are many.
    pub fn keep(&self, index: &Index) {
        self.kept.write(self, index);
    }

    /// Returns a hash of all that the index is made of.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut sum = Sum::default();
        sum.number(self.flags as u64);
        for (name, tool) in &self.policy.tools {
            sum.add(name);
            sum.add(tool.description.as_deref().unwrap_or_default());
        }
        sum.number(self.policy.unlisted as u64);
        for config in &self.configs {
            sum.add(&config.name);
            sum.add(config.category.as_deref().unwrap_or_default());
            config.tags.iter().for_each(|tag| sum.add(tag));
            sum.number(config.tags.len() as u64);
            config.tools.add_to(&mut sum);
            sum.number(config.tools.len() as u64);
        }
        sum.get()
    }

    /// Returns a group a program, in load order.
    pub fn groups(&self) -> impl Iterator<Item = Group> {
        self.configs.iter().filter(|config| !config.is_servers_alone()).map(|config| Group {
            name: config.name.clone(),
            description: config.description.clone(),
            category: config.category.clone(),
            tags: config.tags.clone(),
            keep_empty: config.tools.is_empty(),
        })
    }

    /// Counts the offered tools by configuration name.
    pub fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for definition in &self.definitions {
            *counts.entry(definition.group.as_str()).or_default() += 1;
        }
        counts
    }
}

/// What all tools of a configuration have in common.
struct Common {
    source: SourceId,
    group: SharedText,
    category: SharedText,
    tags: Arc<[String]>,
    schemas: Arc<dyn MakeSchema>,
}

impl Common {
    fn of(config: &Arc<Config>, flags: Flags) -> Self {
        Self {
            source: SourceId::new(format!("cli:{}", config.name)),
            group: (&config.name).into(),
            category: config.category.as_deref().unwrap_or_default().into(),
            tags: config.tags.as_slice().into(),
            schemas: Arc::new(Schemas { config: Arc::clone(config), flags }),
        }
    }

    /// Makes the definition of one tool, which has this number; its own description stands where the policy has none.
    fn definition(&self, tool: &Packed, number: u32, description: Option<&str>) -> ToolDefinition {
        let description = description.map_or_else(|| tool.description.clone(), SharedText::from);
        let schema = JsonSchema::made(Arc::clone(&self.schemas), number);
        let mut definition = ToolDefinition::new(tool.name.clone(), description, schema, self.source.clone());
        definition.group = self.group.clone();
        definition.category = self.category.clone();
        definition.tags = Arc::clone(&self.tags);
        definition.examples = tool.examples.to_vec();
        definition.risk = tool.risk;
        definition.judged = tool.judged;
        definition.trusted = true;
        definition.hints = Hints {
            read_only: Some(tool.risk == Risk::Read),
            destructive: Some(tool.risk == Risk::Destructive),
            ..Hints::default()
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float to integer cast saturates"
        )]
        let timeout_ms = (tool.timeout_s * 1000.0) as u64;
        definition.timeout_ms = Some(timeout_ms.saturating_add(ENDING_MS));
        definition
    }
}

/// The schemas of one configuration's tools, made of their arguments when they are asked for.
struct Schemas {
    config: Arc<Config>,
    flags: Flags,
}

impl MakeSchema for Schemas {
    fn make(&self, number: u32) -> Value {
        let tool = self.config.tools.get(number as usize);
        tool.map_or(Value::Bool(false), |tool| input_schema(&tool, self.flags))
    }
}
