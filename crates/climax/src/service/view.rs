//! What clients see at one moment: the index of all tools, and names that every client takes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aish_safety::pin::Digest;
use aish_tools::Index;
use aish_tools::index::Group;
use aish_types::{ToolDefinition, ToolName};

use crate::catalogue::Catalogue;
use crate::gateway::Gateway;

/// The longest name that every client takes.
const MAX_NAME: usize = 64;
/// The letters of a hash at the end of a name that was cut.
const HASH: usize = 8;

/// What clients see.
pub(super) struct View {
    /// Of which revision of the registry this is.
    pub(super) revision: u64,
    /// Finds tools.
    pub(super) index: Index,
    /// All tools, under names that every client takes.
    pub(super) listed: Vec<Arc<ToolDefinition>>,
    /// The tools' own names by those, where they differ.
    names: HashMap<String, ToolName>,
}

impl View {
    /// Makes the view of configs alone.
    pub(super) fn of_configs(catalogue: &Catalogue) -> Self {
        let (index, listed) = (catalogue.index(), catalogue.definitions().to_vec());
        Self { revision: 0, index, listed, names: HashMap::new() }
    }

    /// Makes the view of everything that is registered.
    pub(super) fn new(revision: u64, catalogue: &Catalogue, gateway: &Gateway, tools: &[Arc<ToolDefinition>]) -> Self {
        let mut index = Index::default();
        for group in catalogue.groups() {
            index.put_group(group);
        }
        for upstream in gateway.upstreams.iter().filter(|upstream| upstream.entry.enabled) {
            let known = upstream.known();
            let said = known.as_ref().and_then(|known| known.instructions.clone());
            let description = match (said, &known) {
                (Some(said), _) => format!("MCP server; it says: {said}"),
                (None, Some(_)) => "MCP server".to_owned(),
                (None, None) => "MCP server; its tools are known after its first start".to_owned(),
            };
            let name = upstream.alias().to_owned();
            index.put_group(Group { name, description, keep_empty: true, ..Group::default() });
        }
        index.put_all(tools);
        let (mut listed, mut names) = (Vec::with_capacity(tools.len()), HashMap::new());
        let mut taken: HashSet<String> = HashSet::new();
        for tool in tools {
            let own = tool.name.as_str();
            let name = if tool.trusted && tool.name.split().0.is_none() {
                own.to_owned()
            } else {
                plain_name(own, |name| taken.contains(name))
            };
            taken.insert(name.clone());
            if name == own {
                listed.push(Arc::clone(tool));
                continue;
            }
            let mut shown = ToolDefinition::clone(tool);
            shown.name = ToolName::new(name.as_str());
            listed.push(Arc::new(shown));
            names.insert(name, tool.name.clone());
        }
        Self { revision, index, listed, names }
    }

    /// Returns a tool's own name for one that clients are shown.
    pub(super) fn own_name(&self, name: ToolName) -> ToolName {
        self.names.get(name.as_str()).cloned().unwrap_or(name)
    }
}

/// Writes a name in the letters that every client takes, cut with a hash where it is too long or taken.
fn plain_name(own: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let plain: String =
        own.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect();
    if plain.len() <= MAX_NAME && !is_taken(&plain) {
        return plain;
    }
    let digest = Digest::of(own.as_bytes());
    let begin: String = plain.chars().take(MAX_NAME - HASH - 1).collect();
    format!("{begin}_{}", digest.as_str().get(..HASH).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_every_client_takes() {
        assert_eq!(plain_name("notes.move", |_| false), "notes_move");
        assert_eq!(plain_name("fs.stat.x", |_| false), "fs_stat_x");
        let long = plain_name(&format!("notes.{}", "x".repeat(100)), |_| false);
        assert_eq!(long.len(), 64);
        assert_ne!(long, plain_name(&format!("notes.{}y", "x".repeat(100)), |_| false));
        let second = plain_name("notes.move", |name| name == "notes_move");
        assert!(second.starts_with("notes_move_") && second.len() == "notes_move_".len() + HASH);
    }
}
