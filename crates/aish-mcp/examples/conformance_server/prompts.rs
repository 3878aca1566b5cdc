//! The prompts that the suite gets.

use aish_mcp::server::{
    CallError, CallScope, ElicitAnswer, Part, Prompt, PromptArgument, PromptMessage, ResourceContent,
};
use aish_types::{Block, Role};
use serde_json::{Map, Value, json};

use crate::tools::PNG;

pub(crate) fn all() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| Prompt {
        name: name.into(),
        description: Some(format!("{name} of the suite")),
        arguments: arguments
            .iter()
            .map(|argument| PromptArgument {
                name: (*argument).into(),
                description: Some(format!("the argument {argument}")),
                required: true,
            })
            .collect(),
        ..Prompt::default()
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_input_required_result_prompt", &[]),
    ]
}

pub(crate) async fn fill(
    name: &str,
    arguments: Map<String, Value>,
    scope: &CallScope,
) -> Result<Vec<PromptMessage>, CallError> {
    let text = |text: String| PromptMessage { role: Role::User, part: Part::Text(text) };
    let argument = |key: &str| {
        let missing = || CallError::InvalidRequest(format!("Missing required argument '{key}'"));
        arguments.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(missing)
    };
    match name {
        "test_simple_prompt" => Ok(vec![text("This is a simple prompt for testing.".into())]),
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1")?, argument("arg2")?);
            Ok(vec![text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))])
        }
        "test_prompt_with_embedded_resource" => {
            let content = ResourceContent::Text {
                uri: argument("resourceUri")?,
                media_type: Some("text/plain".into()),
                text: "Embedded resource content for testing.".into(),
            };
            let resource = PromptMessage { role: Role::User, part: Part::Resource(content) };
            Ok(vec![resource, text("Please process the embedded resource above.".into())])
        }
        "test_prompt_with_image" => {
            let image = Block::Image { media_type: "image/png".into(), data: PNG.into() };
            let image = PromptMessage { role: Role::User, part: Part::Block(image) };
            Ok(vec![image, text("Please analyze the image above.".into())])
        }
        "test_input_required_result_prompt" => {
            let schema =
                json!({"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]});
            let question = "What context should the prompt use?";
            let answer = scope.elicit_as(Some("user_context"), question, schema).await;
            let context = match answer {
                Ok(ElicitAnswer::Accepted(form)) => {
                    form.get("context").and_then(Value::as_str).unwrap_or("").to_owned()
                }
                Ok(ElicitAnswer::Declined | ElicitAnswer::Cancelled) | Err(_) => String::new(),
            };
            Ok(vec![text(format!("Use this context: {context}"))])
        }
        _ => Err(CallError::InvalidRequest(format!("Unknown prompt: {name}"))),
    }
}
