//! Pins of servers' tools: what is pinned is the definition as the server gave it, not as the user's overrides show it.
//!
//! The gate compares what it judges, which is what is shown. This stands between it and the file: a tool whose definition is
//! pinned as the server gives it counts as pinned as it is shown, and a yes pins what the server gave.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use aish_safety::{Pin, PinError, PinStore, definition_hash};
use aish_types::{SourceId, ToolDefinition, ToolName};

use crate::servers::Offered;

/// A definition as the server gave it, and as it is shown.
type Pair = (Arc<ToolDefinition>, Arc<ToolDefinition>);

/// The pins, and which definition stands behind which.
pub(crate) struct UpstreamPins {
    store: Arc<dyn PinStore>,
    shown: Mutex<HashMap<(SourceId, ToolName), Pair>>,
    revision: AtomicU64,
}

impl UpstreamPins {
    pub(crate) fn new(store: Arc<dyn PinStore>) -> Self {
        Self { store, shown: Mutex::default(), revision: AtomicU64::new(0) }
    }

    /// Takes which definitions of a server are shown for which.
    pub(crate) fn show(&self, source: &SourceId, offered: &[Offered]) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.retain(|(of, _), _| of != source);
        for tool in offered {
            let pair = (Arc::clone(&tool.upstream), Arc::clone(&tool.definition));
            shown.insert((source.clone(), tool.definition.name.clone()), pair);
        }
    }

    /// Keeps a definition that was in use until its server changed it, so that the difference can be shown; what somebody said
    /// yes to before stays.
    pub(crate) fn keep_old(&self, old: &ToolDefinition) {
        if self.store.get(&old.source, &old.name) == Ok(None)
            && let Err(error) = self.store.put(&old.source, &old.name, &Pin::of(old))
        {
            tracing::warn!("{error}");
        }
    }

    /// Says whether this definition of a server is pinned as it is.
    pub(crate) fn holds(&self, upstream: &ToolDefinition) -> bool {
        let pin = self.store.get(&upstream.source, &upstream.name);
        pin.is_ok_and(|pin| pin.is_some_and(|pin| pin.hash == definition_hash(upstream)))
    }

    /// Says whether somebody said yes to another definition than this one of a server; so it is where that cannot be told.
    pub(crate) fn differs(&self, upstream: &ToolDefinition) -> bool {
        let pin = self.store.get(&upstream.source, &upstream.name);
        !pin.is_ok_and(|pin| pin.is_none_or(|pin| pin.hash == definition_hash(upstream)))
    }

    /// Returns a number that changes with every yes to what was new or had changed.
    pub(crate) fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    fn pair(&self, source: &SourceId, tool: &ToolName) -> Option<Pair> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.get(&(source.clone(), tool.clone())).cloned()
    }
}

impl PinStore for UpstreamPins {
    fn get(&self, source: &SourceId, tool: &ToolName) -> Result<Option<Pin>, PinError> {
        let Some((upstream, shown)) = self.pair(source, tool) else { return self.store.get(source, tool) };
        let pin = self.store.get(source, &upstream.name)?;
        Ok(pin.map(|pin| {
            if pin.hash == definition_hash(&upstream) { Pin::of(&shown) } else { as_shown(pin, &upstream, &shown) }
        }))
    }

    fn put(&self, source: &SourceId, tool: &ToolName, pin: &Pin) -> Result<(), PinError> {
        let Some((upstream, shown)) = self.pair(source, tool) else { return self.store.put(source, tool, pin) };
        if definition_hash(&shown) != pin.hash {
            // What was approved is not what the server has by now.
            return Err(PinError(format!("the definition of {tool} changed while it was asked about")));
        }
        self.store.put(source, &upstream.name, &Pin::of(&upstream))?;
        // A yes to what was new or had changed is shown; any other changes nothing.
        if shown.late {
            self.revision.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }
}

/// Takes what the server left as it was as it is shown now: what the user's file says otherwise is no change of the server's.
fn as_shown(mut pin: Pin, upstream: &ToolDefinition, shown: &ToolDefinition) -> Pin {
    let (now, shown) = (Pin::of(upstream).definition, Pin::of(shown).definition);
    if let Some(fields) = pin.definition.as_object_mut() {
        for (key, value) in fields.iter_mut().filter(|(key, value)| now.get(key.as_str()) == Some(&**value)) {
            if let Some(shown) = shown.get(key) {
                *value = shown.clone();
            }
        }
    }
    pin
}

#[cfg(test)]
mod tests {
    use aish_journal::PinFile;
    use serde_json::{Map, json};

    use super::*;

    fn offered(description: &str, shown_as: &str) -> Offered {
        let source = SourceId::new("mcp:files#1");
        let upstream = ToolDefinition::new("files.read", description, json!({"type": "object"}), source);
        let mut definition = upstream.clone();
        definition.name = ToolName::new(shown_as);
        Offered {
            tool: "read".into(),
            upstream: Arc::new(upstream),
            definition: Arc::new(definition),
            fixed: Map::new(),
            defaults: Map::new(),
            unshown: Vec::new(),
            call_ms: 1,
        }
    }

    #[test]
    fn what_is_pinned_is_what_the_server_gave() {
        let folder = tempfile::tempdir().unwrap();
        let pins = UpstreamPins::new(Arc::new(PinFile::new(folder.path().join("pins.json"))));
        let tool = offered("Reads", "files.look");
        let (source, name) = (tool.upstream.source.clone(), tool.definition.name.clone());
        pins.show(&source, std::slice::from_ref(&tool));
        assert_eq!(pins.get(&source, &name).unwrap(), None);
        pins.put(&source, &name, &Pin::of(&tool.definition)).unwrap();
        assert!(pins.holds(&tool.upstream));
        assert_eq!(pins.get(&source, &name).unwrap(), Some(Pin::of(&tool.definition)));
        // Another name in the user's file is no change of the server's.
        let renamed = offered("Reads", "files.peek");
        pins.show(&source, std::slice::from_ref(&renamed));
        assert_eq!(pins.get(&source, &renamed.definition.name).unwrap(), Some(Pin::of(&renamed.definition)));
        // Another description of the server's is one.
        let changed = offered("Reads, and sends it home", "files.peek");
        pins.show(&source, std::slice::from_ref(&changed));
        assert!(!pins.holds(&changed.upstream));
        let old = pins.get(&source, &changed.definition.name).unwrap().unwrap();
        assert_eq!(old.hash, definition_hash(&tool.upstream));
        assert_eq!((&old.definition["description"], &old.definition["name"]), (&json!("Reads"), &json!("files.peek")));
        assert!(pins.put(&source, &changed.definition.name, &Pin::of(&renamed.definition)).is_err());
    }
}
