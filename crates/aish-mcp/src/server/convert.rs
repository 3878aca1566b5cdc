//! Between our values and the protocol's.

use std::sync::Arc;

use aish_types::{Block, JsonSchema, Risk, Role, ToolDefinition, ToolOutcome};
use rmcp::model::{
    CallToolResult, ContentBlock, Prompt as WirePrompt, PromptArgument as WireArgument, PromptMessage as WireMessage,
    Resource as WireResource, ResourceContents, ResourceTemplate as WireTemplate, Role as WireRole, Tool,
    ToolAnnotations,
};
use serde_json::{Map, Value, json};

use super::material::{Part, Prompt, PromptMessage, Resource, ResourceContent, ResourceTemplate};

/// Writes a definition as the protocol's tool: hints as given, and what a trusted risk says of them.
pub(super) fn tool(definition: &ToolDefinition) -> Tool {
    let mut tool = Tool::new(
        definition.name.as_str().to_owned(),
        definition.description.to_string(),
        Arc::new(object_schema(definition.input_schema.value())),
    );
    if definition.description.is_empty() {
        tool.description = None;
    }
    tool.title.clone_from(&definition.title);
    if let Some(Value::Object(schema)) = definition.output_schema.as_ref().map(JsonSchema::value) {
        tool.output_schema = Some(Arc::new(schema));
    }
    let hints = definition.hints;
    let (read_only, destructive) = match (definition.trusted, definition.risk) {
        (false, _) => (None, None),
        (true, Risk::Read) => (Some(true), None),
        (true, Risk::Write) => (Some(false), Some(false)),
        (true, Risk::Destructive) => (Some(false), Some(true)),
    };
    let annotations = ToolAnnotations::from_raw(
        None,
        hints.read_only.or(read_only),
        hints.destructive.or(destructive),
        hints.idempotent,
        hints.open_world,
    );
    if annotations != ToolAnnotations::default() {
        tool.annotations = Some(annotations);
    }
    tool
}

/// An input schema must be an object schema; any other becomes the schema of no arguments.
fn object_schema(schema: Value) -> Map<String, Value> {
    let mut map = match schema {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    map.entry("type").or_insert_with(|| json!("object"));
    map
}

/// Writes an outcome as the protocol's result: text first, then the other blocks.
pub(super) fn result(outcome: ToolOutcome) -> CallToolResult {
    let is_success = outcome.is_success();
    let mut content = Vec::with_capacity(1 + outcome.blocks.len());
    if !outcome.text.is_empty() || outcome.blocks.is_empty() {
        content.push(ContentBlock::text(outcome.text));
    }
    content.extend(outcome.blocks.into_iter().map(block));
    let mut result = if is_success { CallToolResult::success(content) } else { CallToolResult::error(content) };
    result.structured_content = outcome.structured;
    result
}

pub(super) fn block(block: Block) -> ContentBlock {
    match block {
        Block::Image { media_type, data } => ContentBlock::image(data, media_type),
        Block::Audio { media_type, data } => ContentBlock::audio(data, media_type),
        Block::Resource { uri, media_type, data: Some(data) } => {
            ContentBlock::resource(contents(ResourceContent::Binary { uri, media_type, data }))
        }
        Block::Resource { uri, media_type, data: None } => {
            let name = uri.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(&uri).to_owned();
            let mut link = WireResource::new(uri, name);
            link.mime_type = media_type;
            ContentBlock::resource_link(link)
        }
    }
}

pub(super) fn contents(content: ResourceContent) -> ResourceContents {
    match content {
        ResourceContent::Text { uri, media_type, text } => {
            ResourceContents::TextResourceContents { uri, mime_type: media_type, text, meta: None }
        }
        ResourceContent::Binary { uri, media_type, data } => {
            ResourceContents::BlobResourceContents { uri, mime_type: media_type, blob: data, meta: None }
        }
    }
}

pub(super) fn resource(resource: Resource) -> WireResource {
    let mut wire = WireResource::new(resource.uri, resource.name);
    wire.title = resource.title;
    wire.description = resource.description;
    wire.mime_type = resource.media_type;
    wire.size = resource.size;
    wire
}

pub(super) fn template(template: ResourceTemplate) -> WireTemplate {
    let mut wire = WireTemplate::new(template.uri_template, template.name);
    wire.title = template.title;
    wire.description = template.description;
    wire.mime_type = template.media_type;
    wire
}

pub(super) fn prompt(prompt: Prompt) -> WirePrompt {
    let arguments = prompt
        .arguments
        .into_iter()
        .map(|argument| {
            let mut wire = WireArgument::new(argument.name).with_required(argument.required);
            wire.description = argument.description;
            wire
        })
        .collect::<Vec<_>>();
    let mut wire = WirePrompt::new(prompt.name, prompt.description, (!arguments.is_empty()).then_some(arguments));
    wire.title = prompt.title;
    wire
}

pub(super) fn message(message: PromptMessage) -> WireMessage {
    let role = match message.role {
        Role::Assistant => WireRole::Assistant,
        Role::User | Role::System | Role::Tool => WireRole::User,
    };
    let content = match message.part {
        Part::Text(text) => ContentBlock::text(text),
        Part::Block(item) => block(item),
        Part::Resource(content) => ContentBlock::resource(contents(content)),
    };
    WireMessage::new(role, content)
}

#[cfg(test)]
mod tests {
    use aish_types::{Hints, SourceId};

    use super::*;

    fn annotations(definition: &ToolDefinition) -> Value {
        serde_json::to_value(tool(definition)).unwrap()["annotations"].clone()
    }

    #[test]
    fn annotations_come_from_a_trusted_risk_and_hints_win() {
        let mut definition = ToolDefinition::new("t", "d", json!({}), SourceId::new("cli:x"));
        assert_eq!(annotations(&definition), Value::Null);
        definition.trusted = true;
        assert_eq!(annotations(&definition), json!({"readOnlyHint": true}));
        definition.risk = Risk::Write;
        assert_eq!(annotations(&definition), json!({"readOnlyHint": false, "destructiveHint": false}));
        definition.risk = Risk::Destructive;
        assert_eq!(annotations(&definition), json!({"readOnlyHint": false, "destructiveHint": true}));
        definition.hints = Hints { destructive: Some(false), idempotent: Some(true), ..Hints::default() };
        let expected = json!({"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true});
        assert_eq!(annotations(&definition), expected);
    }

    #[test]
    fn a_schema_is_always_an_object_schema() {
        let definition = ToolDefinition::new("t", "", Value::Null, SourceId::new("cli:x"));
        let wire = serde_json::to_value(tool(&definition)).unwrap();
        assert_eq!(wire, json!({"name": "t", "inputSchema": {"type": "object"}}));
    }

    #[test]
    fn a_result_has_its_text_first_and_is_never_empty() {
        let mut outcome = ToolOutcome::failure("no such file");
        outcome.structured = Some(json!({"exit_code": 2}));
        outcome.blocks.push(Block::Image { media_type: "image/png".into(), data: "aGk=".into() });
        let wire = serde_json::to_value(result(outcome)).unwrap();
        assert_eq!(wire["isError"], true);
        assert_eq!(wire["content"][0], json!({"type": "text", "text": "no such file"}));
        assert_eq!(wire["content"][1]["mimeType"], "image/png");
        assert_eq!(wire["structuredContent"], json!({"exit_code": 2}));
        let empty = serde_json::to_value(result(ToolOutcome::success(""))).unwrap();
        assert_eq!(empty["content"], json!([{"type": "text", "text": ""}]));
    }
}
