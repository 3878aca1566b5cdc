//! What is kept of a server from the last time: its tools answer searches before it is started.
//!
//! A manifest counts for the very server and credential that it was taken of, and for the build that wrote it. It is written
//! when a whole list came, never in parts, and it relaxes nothing: what a tool may do is not read from it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aish_mcp::client::{Endpoint, ServerOptions};
use aish_types::{Risk, SourceId, ToolDefinition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::local_key::LocalKey;

/// The format; another one is none.
const FORMAT: u32 = 1;
/// Bytes that a manifest may have.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Characters of a server's instructions that are kept.
const INSTRUCTIONS: usize = 200;

/// What a server has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The protocol version that was spoken.
    pub(crate) protocol: Option<String>,
    /// Name and version that the server gives itself.
    pub(crate) server_info: Option<(String, String)>,
    /// The first sentence of its instructions.
    pub(crate) instructions: Option<String>,
    /// When it was taken, in milliseconds since 1970.
    pub(crate) taken_ms: i64,
    /// The tools, as the server gave them, under its alias.
    #[serde(with = "shared")]
    pub(crate) tools: Vec<Arc<ToolDefinition>>,
    /// The prompts, as they came.
    pub(crate) prompts: Vec<Value>,
    /// The resources, as they came.
    pub(crate) resources: Vec<Value>,
}

/// A manifest with whose it is, and which build wrote it.
#[derive(Serialize, Deserialize)]
struct Written<M> {
    v: u32,
    build: String,
    key: String,
    #[serde(flatten)]
    manifest: M,
}

/// Definitions that are shared here, as plain ones in the file.
mod shared {
    use std::sync::Arc;

    use aish_types::ToolDefinition;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(tools: &[Arc<ToolDefinition>], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(tools.iter().map(AsRef::as_ref))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Arc<ToolDefinition>>, D::Error> {
        Ok(Vec::<ToolDefinition>::deserialize(from)?.into_iter().map(Arc::new).collect())
    }
}

/// Where the manifest of one server is kept, and whose it is.
#[derive(Debug, Clone)]
pub(crate) struct ManifestFile {
    path: Option<PathBuf>,
    key: String,
    source: SourceId,
    alias: String,
}

impl ManifestFile {
    /// Names the file of a server in a folder; without one nothing is kept.
    pub(crate) fn of(folder: Option<&Path>, options: &ServerOptions, local: &LocalKey) -> Self {
        let secret = |pairs: &std::collections::BTreeMap<String, aish_types::Secret>| -> Vec<Value> {
            pairs.iter().map(|(name, value)| json!([name, value.expose()])).collect()
        };
        let identity = match &options.endpoint {
            Endpoint::Stdio { command, args, env, cwd } => json!(["program", command, args, cwd, secret(env)]),
            Endpoint::Http { url, headers, token } => {
                json!(["url", url, secret(headers), token.as_ref().map(aish_types::Secret::expose)])
            }
        };
        let source = options.source_id();
        let name: String = source
            .as_str()
            .trim_start_matches("mcp:")
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' })
            .collect();
        Self {
            path: folder.map(|folder| folder.join(format!("{name}.json"))),
            key: local.hash(&identity).to_string(),
            source,
            alias: options.alias.clone(),
        }
    }

    /// Reads what was kept; none where there is nothing, it is of another server, credential or build, or others may have written it.
    pub(crate) fn read(&self) -> Option<Manifest> {
        let written = self.written()?;
        let is_ours = written.v == FORMAT && written.build == env!("CARGO_PKG_VERSION") && written.key == self.key;
        is_ours.then(|| self.distrusted(written.manifest))
    }

    /// Reads which tools there were the last time, also with another credential or build: what is there now is compared with
    /// them, and nothing else is done with them.
    pub(crate) fn earlier(&self) -> Vec<Arc<ToolDefinition>> {
        self.written().map(|written| self.distrusted(written.manifest).tools).unwrap_or_default()
    }

    fn written(&self) -> Option<Written<Manifest>> {
        let bytes = aish_journal::read_own(self.path.as_ref()?, MAX_BYTES).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Takes everything back that a file could have made of a stranger's tool.
    fn distrusted(&self, mut manifest: Manifest) -> Manifest {
        let prefix = format!("{}.", self.alias);
        manifest.tools.retain(|tool| tool.name.as_str().starts_with(&prefix));
        for tool in &mut manifest.tools {
            let tool = Arc::make_mut(tool);
            tool.source = self.source.clone();
            tool.group = (&self.alias).into();
            (tool.trusted, tool.risk, tool.requires_confirmation) = (false, Risk::Destructive, false);
        }
        manifest
    }

    /// Keeps a manifest in the place of the one before.
    pub(crate) fn write(&self, manifest: &Manifest) {
        let Some(path) = &self.path else { return };
        let (build, key) = (env!("CARGO_PKG_VERSION").to_owned(), self.key.clone());
        let written = Written { v: FORMAT, build, key, manifest };
        let bytes = serde_json::to_vec(&written).unwrap_or_default();
        if let Err(error) = aish_journal::replace_own(path, &bytes) {
            tracing::warn!(%error, server = %self.alias, "what the server has cannot be kept");
        }
    }
}

/// Cuts the first sentence out of a server's instructions, safe to show.
pub(crate) fn first_sentence(text: &str) -> Option<String> {
    let text = aish_types::visible(text.trim());
    let line = text.lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    let sentence: String = line.get(..end).unwrap_or(line).chars().take(INSTRUCTIONS).collect();
    (!sentence.is_empty()).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use aish_tools::Index;
    use aish_tools::index::Query;
    use aish_types::Secret;

    use super::*;
    use crate::mutate::Dice;

    fn options(token: &str) -> ServerOptions {
        let env = BTreeMap::from([("TOKEN".to_owned(), Secret::new(token.to_owned()))]);
        ServerOptions::new("files", Endpoint::Stdio { command: "x".into(), args: Vec::new(), env, cwd: None })
    }

    fn manifest() -> Manifest {
        let mut tool = ToolDefinition::new("files.read", "Reads", json!({"type": "object"}), SourceId::new("cli:git"));
        (tool.trusted, tool.risk, tool.late) = (true, Risk::Read, true);
        let other = ToolDefinition::new("git_push", "Not of this server", json!({}), SourceId::new("cli:git"));
        Manifest { tools: vec![Arc::new(tool), Arc::new(other)], taken_ms: 5, ..Manifest::default() }
    }

    #[test]
    fn what_is_kept_relaxes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = ManifestFile::of(Some(folder.path()), &options("a"), &LocalKey::open(None));
        file.write(&manifest());
        let read = file.read().unwrap();
        assert_eq!(read.tools.len(), 1);
        let tool = &read.tools[0];
        assert_eq!(
            (tool.trusted, tool.risk, tool.late, tool.group.as_str()),
            (false, Risk::Destructive, true, "files")
        );
        assert_eq!(tool.source, options("a").source_id());
    }

    #[test]
    fn another_credential_or_build_or_a_broken_file_is_a_miss() {
        let folder = tempfile::tempdir().unwrap();
        let key = LocalKey::open(None);
        let file = ManifestFile::of(Some(folder.path()), &options("a"), &key);
        assert_eq!(file.read(), None);
        file.write(&manifest());
        assert!(file.read().is_some());
        let other = ManifestFile::of(Some(folder.path()), &options("b"), &key);
        assert_eq!((other.read(), other.earlier().len()), (None, 1), "it is there to be compared with alone");
        let path = file.path.clone().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("TOKEN") && !text.contains("\"a\""));
        for broken in [text.replace("\"v\":1", "\"v\":2"), text.replace(env!("CARGO_PKG_VERSION"), "9.9.9"), "{".into()]
        {
            std::fs::write(&path, broken).unwrap();
            assert_eq!(file.read(), None);
        }
    }

    #[test]
    fn the_first_sentence_is_cut() {
        assert_eq!(first_sentence(" Use it well. Then stop.\nMore"), Some("Use it well.".into()));
        assert_eq!(first_sentence(""), None);
        assert_eq!(first_sentence(&"x".repeat(500)).unwrap().len(), 200);
    }

    /// What is read of a changed file is all of this server, and nothing that anybody trusts; it can be searched.
    fn use_all(file: &ManifestFile) -> bool {
        let Some(read) = file.read() else { return false };
        for tool in &read.tools {
            assert!(tool.name.as_str().starts_with("files.") && tool.source == file.source);
            assert_eq!((tool.trusted, tool.risk), (false, Risk::Destructive));
            tool.input_schema.value();
        }
        let index = Index::of(read.tools.iter().cloned());
        for text in ["read a file", "files.read", "raed", "x"] {
            assert!(index.search(&Query::text(text)).hits.len() <= read.tools.len());
        }
        true
    }

    #[test]
    fn a_file_that_was_changed_in_any_way_relaxes_nothing_and_ends_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = ManifestFile::of(Some(folder.path()), &options("a"), &LocalKey::open(None));
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
        let tool = |name: &str| {
            Arc::new(ToolDefinition::new(name, "Reads a file", schema.clone(), SourceId::new("mcp:files")))
        };
        let (tools, prompts) = (vec![tool("files.read"), tool("files.list")], vec![json!({"name": "daily"})]);
        file.write(&Manifest { tools, prompts, instructions: Some("Be kind.".into()), ..manifest() });
        let path = file.path.clone().unwrap();
        let whole = std::fs::read(&path).unwrap();
        let value: Value = serde_json::from_slice(&whole).unwrap();
        let mut dice = Dice(4_712);
        let places = ["", "/tools/0", "/tools/0/input_schema", "/tools/1/description", "/prompts/0"];
        let mut read = 0;
        for number in 0..150 {
            let mut changed = value.clone();
            let place = changed.pointer_mut(places[number % places.len()]).unwrap();
            *place = dice.mutate_value(place);
            for bytes in [dice.mutate(&whole), serde_json::to_vec(&changed).unwrap()] {
                std::fs::write(&path, bytes).unwrap();
                read += usize::from(use_all(&file));
            }
        }
        assert!(read > 50, "many changes leave a file that can be read: {read}");
        // A file that is deeper or larger than any list is none.
        for bytes in [vec![b'['; 1 << 20], vec![b' '; usize::try_from(MAX_BYTES).unwrap() + 1]] {
            std::fs::write(&path, bytes).unwrap();
            assert!(!use_all(&file));
        }
    }
}
