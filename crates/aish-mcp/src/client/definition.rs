//! A server's tools as definitions of ours: each is checked, and one that fails loses itself alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use aish_safety::pin::Digest;
use aish_tools::schema::Schema;
use aish_types::{Hints, JsonSchema, Risk, SourceId, ToolDefinition};
use rmcp::model::Tool;
use serde_json::{Value, json};

use super::header;

/// The longest name of a tool.
const MAX_NAME: usize = 128;
/// The largest schema, in bytes.
const MAX_SCHEMA: usize = 64 * 1024;
/// The deepest schema.
const MAX_DEPTH: usize = 48;
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 16 * 1024;

/// What came of a list of tools.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) definitions: Vec<Arc<ToolDefinition>>,
    /// Names as they came, with the reason.
    pub(super) refused: Vec<(String, String)>,
}

/// Checks a server's tools and puts them under its alias.
pub(super) fn check(alias: &str, source: &SourceId, instructions: Option<&str>, tools: Vec<Tool>) -> Checked {
    let hash = instructions.map(|text| Digest::of(text.as_bytes()).to_string());
    let mut checked = Checked::default();
    let mut seen = BTreeSet::new();
    for tool in tools {
        let name = tool.name.to_string();
        match fault(&tool, &mut seen) {
            Some(reason) => checked.refused.push((name, reason)),
            None => {
                let mut definition = definition(alias, source, tool);
                definition.instructions_hash.clone_from(&hash);
                checked.definitions.push(Arc::new(definition));
            }
        }
    }
    checked
}

fn fault(tool: &Tool, seen: &mut BTreeSet<String>) -> Option<String> {
    let name = tool.name.as_ref();
    if name.is_empty() {
        let about: String = tool.description.as_deref().unwrap_or("no description").chars().take(60).collect();
        return Some(format!("it has no name ({about})"));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(allowed) {
        return Some(format!("its name is not of 1 to {MAX_NAME} letters, digits, '_', '.' or '-'"));
    }
    let schemas = [Some(tool.input_schema.as_ref()), tool.output_schema.as_deref()];
    for schema in schemas.into_iter().flatten() {
        let schema = Value::Object(schema.clone());
        if let Some(fault) = schema_fault(&schema, 0) {
            return Some(fault.to_owned());
        }
        if let Some(fault) = header::fault(&schema) {
            return Some(fault.to_owned());
        }
        if schema.to_string().len() > MAX_SCHEMA {
            return Some("its schema is larger than 64 KiB".into());
        }
    }
    if !seen.insert(skeleton(name)) {
        return Some("its name looks like that of another tool of this server".into());
    }
    None
}

/// Names that differ only in case, in separators, or in letters that look alike have the same skeleton.
fn skeleton(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.'))
        .map(|c| match c.to_ascii_lowercase() {
            '0' => 'o',
            '1' | 'i' => 'l',
            other => other,
        })
        .collect()
}

fn schema_fault(schema: &Value, depth: usize) -> Option<&'static str> {
    if depth > MAX_DEPTH {
        return Some("its schema is nested too deeply");
    }
    match schema {
        Value::Object(map) => map.iter().find_map(|(key, value)| {
            let reference = matches!(key.as_str(), "$ref" | "$dynamicRef").then(|| value.as_str()).flatten();
            match reference {
                Some(target) if !target.starts_with('#') => Some("its schema refers to another document"),
                _ => schema_fault(value, depth + 1),
            }
        }),
        Value::Array(items) => items.iter().find_map(|item| schema_fault(item, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn definition(alias: &str, source: &SourceId, tool: Tool) -> ToolDefinition {
    let description: String = tool.description.as_deref().unwrap_or_default().chars().take(MAX_DESCRIPTION).collect();
    let name = format!("{alias}.{}", tool.name);
    let schema = Value::Object(tool.input_schema.as_ref().clone());
    // A schema that nothing can be checked with says nothing.
    let schema = if Schema::compile(&schema).is_ok() { schema } else { json!({"type": "object"}) };
    let mut definition = ToolDefinition::new(name, description, schema, source.clone());
    let annotations = tool.annotations.unwrap_or_default();
    definition.title = tool.title.or(annotations.title);
    let output = tool.output_schema.map(|schema| Value::Object(schema.as_ref().clone()));
    definition.output_schema = output.filter(|schema| Schema::compile(schema).is_ok()).map(JsonSchema::from);
    definition.hints = Hints {
        read_only: annotations.read_only_hint,
        destructive: annotations.destructive_hint,
        idempotent: annotations.idempotent_hint,
        open_world: annotations.open_world_hint,
    };
    definition.group = alias.into();
    // A stranger's word is no more than a guess.
    definition.risk = match (definition.hints.read_only, definition.hints.destructive) {
        (Some(true), _) => Risk::Read,
        (_, Some(false)) => Risk::Write,
        _ => Risk::Destructive,
    };
    definition.trusted = false;
    definition
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(tools: Value) -> (Vec<String>, Vec<String>) {
        let tools: Vec<Tool> = serde_json::from_value(tools).unwrap();
        let checked = check("files", &SourceId::new("mcp:files"), None, tools);
        let names = checked.definitions.iter().map(|definition| definition.name.to_string()).collect();
        (names, checked.refused.into_iter().map(|(name, _)| name).collect())
    }

    fn named(name: &str) -> Value {
        json!({"name": name, "inputSchema": {"type": "object"}})
    }

    #[test]
    fn safety_08_names_are_checked() {
        let long = "x".repeat(129);
        let (kept, refused) = checked(json!([
            named("read_file"),
            named("read-file"),
            named("Read_File"),
            named("reaḋ"),
            named("a b"),
            named("rm\u{202e}x"),
            named(&long),
            named("Iist"),
            named("list"),
            named("fs.stat"),
            named("x\n"),
        ]));
        assert_eq!(kept, ["files.read_file", "files.Iist", "files.fs.stat"]);
        assert_eq!(refused.len(), 8);
    }

    #[test]
    fn safety_13_schemas_are_bounded_and_local() {
        let mut deep = json!({"type": "string"});
        for _ in 0..60 {
            deep = json!({"items": deep});
        }
        let with = |name: &str, schema: Value| json!({"name": name, "inputSchema": schema});
        let (kept, refused) = checked(json!([
            with("remote", json!({"properties": {"a": {"$ref": "https://evil.example/s.json"}}})),
            with("file", json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}})),
            with("local", json!({"$defs": {"x": {}}, "properties": {"a": {"$ref": "#/$defs/x"}}})),
            with("deep", deep),
            with("huge", json!({"description": "x".repeat(70_000)})),
        ]));
        assert_eq!(kept, ["files.local"]);
        assert_eq!(refused, ["remote", "file", "deep", "huge"]);
    }

    #[test]
    fn a_schema_that_cannot_be_used_takes_anything() {
        let tools = json!([{"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"pattern": "(?<x>[a-z"}}},
            "outputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}}]);
        let tools: Vec<Tool> = serde_json::from_value(tools).unwrap();
        let checked = check("a", &SourceId::new("mcp:a"), None, tools);
        assert_eq!(checked.definitions[0].input_schema, json!({"type": "object"}));
        assert_eq!(checked.definitions[0].output_schema, None);
    }

    #[test]
    fn safety_07_hints_are_kept_and_trusted_no_further() {
        let tools = json!([{"name": "t", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "title": "T"}}]);
        let tools: Vec<Tool> = serde_json::from_value(tools).unwrap();
        let checked = check("a", &SourceId::new("mcp:a"), None, tools);
        let definition = &checked.definitions[0];
        assert_eq!(definition.hints.read_only, Some(true));
        assert!(!definition.trusted);
        assert_eq!(definition.title.as_deref(), Some("T"));
        assert_eq!(definition.group, "a");
    }
}
