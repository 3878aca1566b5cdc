//! All tools of all configurations, as the policy leaves them.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;

use aish_tools::Index;
use aish_tools::index::Group;
use aish_types::{Hints, Risk, SourceId, ToolDefinition};

use crate::config::{Config, Tool};
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
    at: usize,
}

impl Entry {
    /// Returns the tool.
    pub fn tool(&self) -> Option<&Tool> {
        self.config.tools.get(self.at)
    }
}

/// All tools under one roof.
#[derive(Debug)]
pub struct Catalogue {
    configs: Vec<Arc<Config>>,
    policy: Arc<Policy>,
    entries: HashMap<String, Entry>,
    definitions: Vec<Arc<ToolDefinition>>,
    /// What the configurations and the policy say that may not be meant.
    pub warnings: Vec<CatalogueWarning>,
}

/// What may not be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueWarning {
    /// Another file defines the tool again.
    #[error("the tool '{tool}' of '{config}' takes the place of the one of '{before}'")]
    Replaced {
        /// The tool.
        tool: String,
        /// Whose tool counts.
        config: String,
        /// Whose tool does not.
        before: String,
    },
    /// The policy speaks of a tool that no configuration has.
    #[error("the policy names the tool '{tool}', and no config has it")]
    NoSuchTool {
        /// The tool.
        tool: String,
    },
}

impl Catalogue {
    /// Makes a catalogue. Of tools with the same name in several files the last one counts.
    pub fn new(configs: Vec<Arc<Config>>, policy: Arc<Policy>, flags: Flags) -> Self {
        let mut catalogue =
            Self { configs, policy, entries: HashMap::new(), definitions: Vec::new(), warnings: Vec::new() };
        catalogue.collect();
        catalogue.define(flags);
        catalogue
    }

    fn collect(&mut self) {
        for config in &self.configs {
            for (at, tool) in config.tools.iter().enumerate() {
                if !self.policy.offers(&tool.name) {
                    continue;
                }
                let entry = Entry { config: Arc::clone(config), at };
                if let Some(before) = self.entries.insert(tool.name.clone(), entry) {
                    let (tool, config) = (tool.name.clone(), config.name.clone());
                    let before = before.config.name.clone();
                    self.warnings.push(CatalogueWarning::Replaced { tool, config, before });
                }
            }
        }
        for name in self.policy.tools.keys().filter(|name| !self.entries.contains_key(*name)) {
            self.warnings.push(CatalogueWarning::NoSuchTool { tool: name.clone() });
        }
    }

    /// Makes the definitions, on as many threads as there are cores where there are many.
    fn define(&mut self, flags: Flags) {
        let worth = self.entries.len() / WORTH_A_THREAD;
        if worth <= 1 {
            self.definitions = self.defined(&self.configs, flags);
            return;
        }
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(worth);
        let (this, size) = (&*self, self.configs.len().div_ceil(threads).max(1));
        let definitions = std::thread::scope(|scope| {
            let mut runs = self.configs.chunks(size);
            let own = runs.next();
            let others: Vec<_> = runs.map(|run| scope.spawn(move || this.defined(run, flags))).collect();
            let mut definitions = own.map(|run| this.defined(run, flags)).unwrap_or_default();
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

    fn defined(&self, configs: &[Arc<Config>], flags: Flags) -> Vec<Arc<ToolDefinition>> {
        let mut definitions = Vec::new();
        for config in configs {
            let source = SourceId::new(format!("cli:{}", config.name));
            for (at, tool) in config.tools.iter().enumerate() {
                let counts = self
                    .entries
                    .get(&tool.name)
                    .is_some_and(|entry| entry.at == at && Arc::ptr_eq(&entry.config, config));
                if counts {
                    let description = self.policy.description(tool);
                    definitions.push(Arc::new(definition(config, tool, description, &source, flags)));
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
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// Returns the policy.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Returns the configurations in load order.
    pub fn configs(&self) -> &[Arc<Config>] {
        &self.configs
    }

    /// Builds the discovery index of what is offered.
    pub fn index(&self) -> Index {
        let mut index = Index::default();
        for group in self.groups() {
            index.put_group(group);
        }
        index.put_all(&self.definitions);
        index
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

/// Makes the definition of one tool.
fn definition(config: &Config, tool: &Tool, description: &str, source: &SourceId, flags: Flags) -> ToolDefinition {
    let mut definition =
        ToolDefinition::new(tool.name.as_str(), description, input_schema(tool, flags), source.clone());
    definition.group = config.name.clone();
    definition.category = config.category.clone().unwrap_or_default();
    definition.tags = config.tags.clone();
    definition.risk = tool.risk;
    definition.trusted = true;
    definition.hints = Hints {
        read_only: Some(tool.risk == Risk::Read),
        destructive: Some(tool.risk == Risk::Destructive),
        ..Hints::default()
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float to integer cast saturates")]
    let timeout_ms = (tool.timeout_s * 1000.0) as u64;
    definition.timeout_ms = Some(timeout_ms.saturating_add(ENDING_MS));
    definition
}
