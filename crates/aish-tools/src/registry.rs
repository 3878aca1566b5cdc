//! All tools of all sources under one roof.

use std::sync::Arc;

use aish_types::{SourceId, ToolDefinition, ToolName};

use crate::source::ToolSource;

/// The registry: which sources there are, and which source a name belongs to.
#[derive(Default)]
pub struct Registry {
    sources: Vec<Arc<dyn ToolSource>>,
}

impl Registry {
    /// Adds a source, or puts it in the place of one with the same id.
    pub fn add(&mut self, source: Arc<dyn ToolSource>) {
        self.remove(source.id());
        self.sources.push(source);
    }

    /// Removes a source and its tools; says whether it was there.
    pub fn remove(&mut self, id: &SourceId) -> bool {
        let before = self.sources.len();
        self.sources.retain(|source| source.id() != id);
        self.sources.len() != before
    }

    /// Looks a tool up by its full name.
    pub fn get(&self, name: &ToolName) -> Option<(Arc<dyn ToolSource>, Arc<ToolDefinition>)> {
        self.sources.iter().find_map(|source| {
            let definition = source.definitions().into_iter().find(|definition| definition.name == *name)?;
            Some((Arc::clone(source), definition))
        })
    }
}
