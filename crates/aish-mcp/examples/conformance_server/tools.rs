//! The tools that the suite calls.

use std::sync::Arc;
use std::time::Duration;

use aish_mcp::server::{CallError, CallScope, ElicitAnswer, ElicitError, LogLevel};
use aish_types::{Block, SourceId, ToolDefinition, ToolOutcome};
use serde_json::{Map, Value, json};

/// One red pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A moment of silence.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const PLAIN: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_reconnection",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

pub(crate) fn all() -> Vec<Arc<ToolDefinition>> {
    let tool = |name: &str, schema: Value| {
        Arc::new(ToolDefinition::new(name, format!("{name} of the suite"), schema, SourceId::new("conformance")))
    };
    let text = |key: &str| json!({"type": "object", "properties": {key: {"type": "string"}}, "required": [key]});
    let mut tools: Vec<_> = PLAIN.iter().map(|name| tool(name, json!({"type": "object", "properties": {}}))).collect();
    tools.push(tool("test_sampling", text("prompt")));
    tools.push(tool("test_elicitation", text("message")));
    tools.push(tool("json_schema_2020_12_tool", rich_schema()));
    tools
}

fn rich_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"}, "email": {"type": "string"}},
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

fn form(key: &str, kind: &str) -> Value {
    json!({"type": "object", "properties": {key: {"type": kind}}, "required": [key]})
}

fn sampling(prompt: &str, tokens: u32) -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": prompt}}], "maxTokens": tokens})
}

fn said(answer: &Value) -> String {
    answer.pointer("/content/text").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn field(answer: Result<ElicitAnswer, ElicitError>, key: &str) -> String {
    match answer {
        Ok(ElicitAnswer::Accepted(form)) => form
            .get(key)
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .unwrap_or_default(),
        Ok(ElicitAnswer::Declined) => "declined".into(),
        Ok(ElicitAnswer::Cancelled) => "cancelled".into(),
        Err(error) => error.to_string(),
    }
}

fn completed(prefix: &str, answer: Result<ElicitAnswer, ElicitError>) -> ToolOutcome {
    let (action, content) = match answer {
        Ok(ElicitAnswer::Accepted(form)) => ("accept", form),
        Ok(ElicitAnswer::Declined) => ("decline", json!({})),
        Ok(ElicitAnswer::Cancelled) => ("cancel", json!({})),
        Err(error) => return ToolOutcome::failure(error.to_string()),
    };
    ToolOutcome::success(format!("{prefix}: action={action}, content={content}"))
}

fn with_blocks(text: &str, blocks: Vec<Block>) -> ToolOutcome {
    ToolOutcome { blocks, ..ToolOutcome::success(text) }
}

fn resource(uri: &str, media_type: &str, data: &str) -> Block {
    Block::Resource { uri: uri.into(), media_type: Some(media_type.into()), data: Some(data.into()) }
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

pub(crate) async fn call(
    name: &str,
    arguments: &Map<String, Value>,
    scope: &CallScope,
) -> Result<ToolOutcome, CallError> {
    let argument = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let image = || Block::Image { media_type: "image/png".into(), data: PNG.into() };
    Ok(match name {
        "test_simple_text" => ToolOutcome::success("This is a simple text response for testing."),
        "test_image_content" => with_blocks("", vec![image()]),
        "test_audio_content" => {
            with_blocks("", vec![Block::Audio { media_type: "audio/wav".into(), data: WAV.into() }])
        }
        "test_embedded_resource" => {
            let text = "VGhpcyBpcyBhbiBlbWJlZGRlZCByZXNvdXJjZSBjb250ZW50Lg==";
            with_blocks("", vec![resource("test://embedded-resource", "text/plain", text)])
        }
        "test_multiple_content_types" => {
            let data =
                resource("test://mixed-content-resource", "application/json", "eyJ0ZXN0IjoiZGF0YSIsInZhbHVlIjoxMjN9");
            with_blocks("Multiple content types test:", vec![image(), data])
        }
        "test_tool_with_logging" | "test_logging_tool" => {
            scope.log(LogLevel::Info, json!("Tool execution started")).await;
            pause().await;
            scope.log(LogLevel::Info, json!("Tool processing data")).await;
            pause().await;
            scope.log(LogLevel::Info, json!("Tool execution completed")).await;
            ToolOutcome::success("Tool with logging executed")
        }
        "test_error_handling" => ToolOutcome::failure("This tool intentionally returns an error for testing"),
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                scope.progress(done, Some(100.0), None).await;
                pause().await;
            }
            ToolOutcome::success("Tool with progress executed")
        }
        "test_sampling" => match scope.sample(None, sampling(&argument("prompt"), 100)).await {
            Ok(answer) => ToolOutcome::success(format!("LLM response: {}", said(&answer))),
            Err(error) => ToolOutcome::failure(error.to_string()),
        },
        "test_elicitation" | "test_streaming_elicitation" => {
            let schema = json!({"type": "object", "properties": {
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"}}, "required": ["username", "email"]});
            completed("User response", scope.elicit(&argument("message"), schema).await)
        }
        "test_elicitation_sep1034_defaults" => {
            let schema = json!({"type": "object", "properties": {
                "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true}}, "required": []});
            completed("Elicitation completed", scope.elicit("Please review the form", schema).await)
        }
        "test_elicitation_sep1330_enums" => {
            let schema = json!({"type": "object", "properties": {
                "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
                "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
                    {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
                "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"]},
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
                "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}},
                "required": []});
            completed("Elicitation completed", scope.elicit("Please choose", schema).await)
        }
        "json_schema_2020_12_tool" => ToolOutcome::success(Value::Object(arguments.clone()).to_string()),
        "test_reconnection" => ToolOutcome::success("Reconnection test"),
        _ => return input_required(name, scope).await,
    })
}

async fn input_required(name: &str, scope: &CallScope) -> Result<ToolOutcome, CallError> {
    Ok(match name {
        "test_input_required_result_elicitation" => {
            let answer = scope.elicit_as(Some("user_name"), "What is your name?", form("name", "string")).await;
            ToolOutcome::success(format!("Hello, {}!", field(answer, "name")))
        }
        "test_input_required_result_sampling" | "test_missing_capability" => {
            match scope.sample(Some("capital_question"), sampling("What is the capital of France?", 100)).await {
                Ok(answer) => ToolOutcome::success(said(&answer)),
                Err(ElicitError::Unsupported) => return Err(CallError::MissingCapability("sampling".into())),
                Err(error) => ToolOutcome::failure(error.to_string()),
            }
        }
        "test_input_required_result_list_roots" => match scope.roots(Some("client_roots")).await {
            Ok(roots) => ToolOutcome::success(json!(roots).to_string()),
            Err(error) => ToolOutcome::failure(error.to_string()),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            let answer = scope.elicit_as(Some("confirm"), "Please confirm", form("ok", "boolean")).await;
            ToolOutcome::success(format!("state-ok: {}", field(answer, "ok")))
        }
        "test_input_required_result_multiple_inputs" => {
            let (name, greeting, roots) = tokio::join!(
                scope.elicit_as(Some("user_name"), "What is your name?", form("name", "string")),
                scope.sample(Some("greeting"), sampling("Generate a greeting", 50)),
                scope.roots(Some("client_roots")),
            );
            let greeting = greeting.map(|greeting| said(&greeting)).unwrap_or_default();
            ToolOutcome::success(format!("{greeting} {} {:?}", field(name, "name"), roots.unwrap_or_default()))
        }
        "test_input_required_result_multi_round" => {
            let name = scope.elicit_as(Some("step1"), "Step 1: What is your name?", form("name", "string")).await;
            let question = "Step 2: What is your favorite color?";
            let color = scope.elicit_as(Some("step2"), question, form("color", "string")).await;
            ToolOutcome::success(format!("{} likes {}", field(name, "name"), field(color, "color")))
        }
        "test_input_required_result_capabilities" => {
            let ask = async {
                if !scope.client.elicitation {
                    return None;
                }
                Some(scope.elicit_as(Some("user_name"), "What is your name?", form("name", "string")).await)
            };
            let sample = async {
                if !scope.client.sampling {
                    return None;
                }
                Some(scope.sample(Some("greeting"), sampling("Generate a greeting", 50)).await)
            };
            let (name, _) = tokio::join!(ask, sample);
            ToolOutcome::success(name.map(|name| field(name, "name")).unwrap_or_default())
        }
        _ => return Err(CallError::UnknownTool(name.into())),
    })
}
