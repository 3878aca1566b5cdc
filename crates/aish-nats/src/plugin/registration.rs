//! What is let in of a registration: each tool by itself, the others named with the reason.

use aish_tools::schema::Schema;
use aish_types::{SourceId, ToolDefinition};
use serde_json::{Value, json};

use crate::bus::subject::{is_ours, is_plain};
use crate::plugin::parameters;
use crate::plugin::wire::{Offer, Register};

/// Tools of one plugin.
const MAX_TOOLS: usize = 200;
/// Characters of a description.
const MAX_DESCRIPTION: usize = 4_000;
/// Characters of a category or a tag, and tags of a tool.
const MAX_WORD: usize = 64;
const MAX_TAGS: usize = 32;
/// Milliseconds that a call may take at most, whatever the plugin asks for.
const MAX_TIMEOUT_MS: u64 = 600_000;

/// A tool that was let in, and where it is called.
#[derive(Debug, Clone)]
pub(super) struct Accepted {
    pub(super) definition: ToolDefinition,
    pub(super) subject: String,
}

/// A tool that was not let in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rejected {
    pub(super) name: String,
    pub(super) code: &'static str,
    /// Why, for the author of the plugin.
    pub(super) message: String,
}

impl Rejected {
    pub(super) fn json(&self) -> Value {
        json!({"name": self.name, "code": self.code, "message": self.message})
    }
}

/// Why one tool is not let in.
struct Fault {
    code: &'static str,
    message: String,
}

fn fault(code: &'static str, message: impl Into<String>) -> Fault {
    Fault { code, message: message.into() }
}

/// Why a registration is refused as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("a plugin's name is 1 to 64 letters, digits, '_' or '-'")]
    BadPlugin,
    #[error("an instance's name is 1 to 128 characters")]
    BadInstance,
    #[error("a plugin offers at most {MAX_TOOLS} tools")]
    TooMany,
}

impl Refused {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::BadPlugin => "bad_plugin",
            Self::BadInstance => "bad_instance",
            Self::TooMany => "too_many_tools",
        }
    }
}

/// Returns the identity under which a plugin's tools are registered and pinned.
pub(super) fn source_of(plugin: &str) -> SourceId {
    SourceId::new(format!("nats:{plugin}"))
}

/// Looks at a registration.
pub(super) fn examine(register: &Register, prefix: &str) -> Result<(Vec<Accepted>, Vec<Rejected>), Refused> {
    let is_name = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-');
    if !(1..=64).contains(&register.plugin.len()) || !register.plugin.bytes().all(is_name) {
        return Err(Refused::BadPlugin);
    }
    if !(1..=128).contains(&register.instance.len()) {
        return Err(Refused::BadInstance);
    }
    if register.tools.len() > MAX_TOOLS {
        return Err(Refused::TooMany);
    }
    let (mut accepted, mut rejected): (Vec<Accepted>, Vec<Rejected>) = (Vec::new(), Vec::new());
    for offer in &register.tools {
        match accept(offer, &register.plugin, prefix) {
            Ok(tool) if accepted.iter().any(|other| other.definition.name == tool.definition.name) => {
                let message = "another tool of this registration has the name; the first one is kept".to_owned();
                rejected.push(Rejected { name: tool.definition.name.to_string(), code: "duplicate", message });
            }
            Ok(tool) => accepted.push(tool),
            Err(Fault { code, message }) => {
                let name = offer.get("name").and_then(Value::as_str).unwrap_or_default();
                rejected.push(Rejected { name: name.chars().take(128).collect(), code, message });
            }
        }
    }
    Ok((accepted, rejected))
}

fn accept(offer: &Value, plugin: &str, prefix: &str) -> Result<Accepted, Fault> {
    let offer: Offer =
        serde_json::from_value(offer.clone()).map_err(|error| fault("bad_definition", error.to_string()))?;
    let tool = match offer.name.split_once('.') {
        Some((owner, tool)) if owner == plugin => tool,
        Some(_) => return Err(fault("foreign_name", format!("a tool of this plugin is named `{plugin}.NAME`"))),
        None => &offer.name,
    };
    let is_name = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-');
    if tool.is_empty() || tool.len() + plugin.len() > 127 || !tool.bytes().all(is_name) {
        return Err(fault("bad_name", "a tool's name is letters, digits, '_' or '-', up to 127 with the plugin's"));
    }
    let words = || offer.tags.iter().chain(&offer.category);
    let is_long = |word: &String| word.chars().count() > MAX_WORD;
    if offer.description.chars().count() > MAX_DESCRIPTION || offer.tags.len() > MAX_TAGS || words().any(is_long) {
        let message = format!(
            "a description has at most {MAX_DESCRIPTION} characters, a category or tag {MAX_WORD}, a tool {MAX_TAGS} tags"
        );
        return Err(fault("too_long", message));
    }
    if !is_plain(&offer.subject) || offer.subject.starts_with('_') || is_ours(&offer.subject, prefix) {
        let message =
            "a subject is plain words with dots, none of the service's own and none that begins with `_` or `$`";
        return Err(fault("bad_subject", message));
    }
    let schema = match offer.parameters {
        Value::Null => json!({"type": "object", "properties": {}}),
        Value::Array(list) => parameters::schema(&list).map_err(|message| fault("bad_schema", message))?,
        schema => schema,
    };
    // Arguments are an object, whatever else a schema says.
    let takes_objects = match schema.get("type") {
        None => schema.is_object(),
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    };
    if !takes_objects {
        return Err(fault("bad_schema", "`parameters` is a JSON Schema of an object, or a list of parameters"));
    }
    Schema::compile(&schema).map_err(|error| fault("bad_schema", error.to_string()))?;
    let mut definition = ToolDefinition::new(format!("{plugin}.{tool}"), offer.description, schema, source_of(plugin));
    definition.category = offer.category.unwrap_or_else(|| "general".to_owned()).into();
    definition.tags = offer.tags.into();
    definition.requires_confirmation = offer.requires_confirmation;
    definition.cooldown_seconds = offer.cooldown_seconds;
    definition.timeout_ms = offer.timeout_ms.map(|ms| ms.min(MAX_TIMEOUT_MS));
    definition.hints.read_only = offer.read_only;
    definition.hints.destructive = offer.destructive;
    Ok(Accepted { definition, subject: offer.subject })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(plugin: &str, tools: Vec<Value>) -> Register {
        Register { plugin: plugin.into(), instance: "i".into(), version: String::new(), ttl_s: None, tools }
    }

    #[test]
    fn each_tool_is_looked_at_by_itself() {
        let tools = vec![
            json!({"name": "roll", "subject": "dice.roll", "description": "d", "parameters": {"type": "object"},
                   "timeout_ms": u64::MAX}),
            json!({"name": "dice.flip", "subject": "dice.flip"}),
            json!({"name": "roll", "subject": "dice.roll"}),
            json!({"name": "files.read", "subject": "dice.x"}),
            json!({"name": "a b", "subject": "dice.x"}),
            json!({"name": "api", "subject": "$JS.API.STREAM.DELETE.x"}),
            json!({"name": "loop", "subject": "rosey.llm.chat"}),
            json!({"name": "far", "subject": "dice.x", "parameters": {"$ref": "http://127.0.0.1:1/"}}),
            json!({"name": "long", "subject": "dice.x", "description": "d".repeat(4_001)}),
            json!({"name": "tags", "subject": "dice.x", "tags": vec!["t"; 33]}),
            json!({"name": "word", "subject": "dice.x", "category": "c".repeat(65)}),
            json!({"name": "wrong", "subject": 3}),
            json!("nonsense"),
        ];
        let (accepted, rejected) = examine(&register("dice", tools), "rosey").unwrap();
        let names: Vec<&str> = accepted.iter().map(|tool| tool.definition.name.as_str()).collect();
        assert_eq!(names, ["dice.roll", "dice.flip"]);
        assert!(rejected.iter().all(|rejected| rejected.message.len() > 10), "{rejected:?}");
        assert!(!accepted[0].definition.trusted);
        assert_eq!(accepted[0].definition.timeout_ms, Some(600_000), "a stranger does not hold a worker for ever");
        let codes: Vec<&str> = rejected.iter().map(|rejected| rejected.code).collect();
        let definition = "bad_definition";
        assert_eq!(
            codes,
            [
                "duplicate",
                "foreign_name",
                "bad_name",
                "bad_subject",
                "bad_subject",
                "bad_schema",
                "too_long",
                "too_long",
                "too_long",
                definition,
                definition
            ]
        );
        assert_eq!(examine(&register("a.b", vec![]), "rosey").unwrap_err(), Refused::BadPlugin);
        assert_eq!(examine(&register("dice", vec![json!({}); 10_000]), "rosey").unwrap_err(), Refused::TooMany);
    }
}
