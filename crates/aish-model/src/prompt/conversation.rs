//! What a template is given: messages and tools in the form of Hugging Face's chat templates.

use aish_types::embedded::{Choice, Tool};
use aish_types::{Message, ToolCall};
use serde_json::{Value, json};

use super::template::{Template, TemplateError};
use crate::output::splitter::{CALL_CLOSE, CALL_OPEN};

/// A conversation to be rendered.
#[derive(Debug)]
pub(crate) struct Conversation<'a> {
    /// The messages, system message first.
    pub(crate) messages: &'a [Message],
    /// The tools that are offered.
    pub(crate) tools: &'a [Tool],
    /// Whether they are to be called.
    pub(crate) choice: Choice,
    /// Texts that would be tokens of control: they are broken up wherever a message holds them.
    pub(crate) control: &'a [String],
}

impl Conversation<'_> {
    /// Renders the conversation up to the place where the model goes on.
    pub(crate) fn render(&self, template: &Template) -> Result<String, TemplateError> {
        let offered = !self.tools.is_empty() && self.choice != Choice::None;
        let native = offered && template.knows_tools();
        let mut messages: Vec<Value> =
            self.messages.iter().map(|message| self.message(message, template.knows_tools())).collect();
        if offered && !native {
            self.describe_tools(&mut messages);
        }
        let tools = native.then(|| Value::Array(self.tools.iter().map(described).collect()));
        let mut text = template.render(&messages, tools.as_ref())?;
        if self.choice == Choice::Required && offered {
            // The model has no choice, so it is begun for it.
            text.push_str(CALL_OPEN);
        }
        Ok(text)
    }

    fn message(&self, message: &Message, native: bool) -> Value {
        match message {
            Message::System { content } => json!({ "role": "system", "content": self.plain(content) }),
            Message::User { content, .. } => json!({ "role": "user", "content": self.plain(content) }),
            Message::Assistant { content, tool_calls, .. } if tool_calls.is_empty() => {
                json!({ "role": "assistant", "content": self.plain(content) })
            }
            Message::Assistant { content, tool_calls, .. } if native => {
                let calls: Vec<Value> = tool_calls.iter().map(call).collect();
                json!({ "role": "assistant", "content": self.plain(content), "tool_calls": calls })
            }
            Message::Assistant { content, tool_calls, .. } => {
                let mut text = self.plain(content);
                for call in tool_calls {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(&written(call));
                }
                json!({ "role": "assistant", "content": text })
            }
            Message::Tool { tool_call_id, name, content, .. } => json!({
                "role": "tool", "content": self.plain(content), "name": name.as_str(),
                "tool_call_id": tool_call_id.as_str(),
            }),
        }
    }

    /// Adds what a template of its own would say of the tools to the system message.
    fn describe_tools(&self, messages: &mut Vec<Value>) {
        let tools: Vec<String> = self.tools.iter().map(|tool| described(tool).to_string()).collect();
        let text = format!(
            "You may call functions. Their signatures:\n<tools>\n{}\n</tools>\nFor a call, write a JSON object with \
             the function's name and arguments:\n{CALL_OPEN}\n{{\"name\": <name>, \"arguments\": <object>}}\n{CALL_CLOSE}",
            tools.join("\n")
        );
        match messages.first_mut().filter(|message| message.get("role").is_some_and(|role| role == "system")) {
            Some(system) => {
                let before = system.get("content").and_then(Value::as_str).unwrap_or_default();
                let content = if before.is_empty() { text } else { format!("{before}\n\n{text}") };
                *system = json!({ "role": "system", "content": content });
            }
            None => messages.insert(0, json!({ "role": "system", "content": text })),
        }
    }

    /// Breaks up what the tokenizer would take for a token of control: text from outside stays text.
    fn plain(&self, text: &str) -> String {
        let mut plain = text.to_owned();
        for control in self.control {
            if plain.contains(control.as_str()) {
                let mut characters = control.chars();
                let broken: String = characters.next().into_iter().chain([' ']).chain(characters).collect();
                plain = plain.replace(control.as_str(), &broken);
            }
        }
        plain
    }
}

fn described(tool: &Tool) -> Value {
    json!({ "type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.parameters } })
}

/// A call for templates, which want the arguments as an object.
fn call(call: &ToolCall) -> Value {
    json!({ "type": "function", "id": call.id.as_str(), "function": {
        "name": call.name.as_str(), "arguments": arguments(call) } })
}

/// A call as the model itself wrote it.
fn written(call: &ToolCall) -> String {
    let name = Value::from(call.name.as_str());
    format!("{CALL_OPEN}\n{{\"name\": {name}, \"arguments\": {}}}\n{CALL_CLOSE}", arguments(call))
}

fn arguments(call: &ToolCall) -> Value {
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOW: &str = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}";

    fn render(source: &str, messages: &[Message], tools: &[Tool], choice: Choice) -> String {
        let template = Template::new(Some(source.into()), String::new(), String::new()).unwrap();
        let control = ["<|im_end|>".to_owned()];
        Conversation { messages, tools, choice, control: &control }.render(&template).unwrap()
    }

    fn tool() -> Tool {
        Tool { name: "add".into(), description: "Adds.".into(), parameters: json!({"type": "object"}) }
    }

    fn called() -> [Message; 3] {
        let call = ToolCall { id: "c1".into(), name: "add".into(), arguments: "{\"a\":1}".into() };
        [
            Message::user("1+1?"),
            Message::Assistant { content: String::new(), tool_calls: vec![call], state: None },
            Message::Tool { tool_call_id: "c1".into(), name: "add".into(), content: "2".into(), blocks: Vec::new() },
        ]
    }

    #[test]
    fn a_template_without_tools_is_told_of_them_in_the_system_message() {
        let messages = [Message::system("Be brief."), Message::user("1+1?")];
        let text = render(SHOW, &messages, &[tool()], Choice::Auto);
        assert!(text.starts_with("[system] Be brief.\n\nYou may call functions."), "{text}");
        assert!(text.contains("\"name\":\"add\""));
        assert_eq!(render(SHOW, &messages, &[], Choice::Auto), "[system] Be brief.\n[user] 1+1?\n");
        assert_eq!(render(SHOW, &messages, &[tool()], Choice::None), "[system] Be brief.\n[user] 1+1?\n");
    }

    #[test]
    fn a_required_call_is_begun() {
        assert!(render(SHOW, &[Message::user("1+1?")], &[tool()], Choice::Required).ends_with("<tool_call>"));
    }

    #[test]
    fn past_calls_are_written_as_the_model_wrote_them() {
        let text = render(SHOW, &called(), &[], Choice::Auto);
        let expected = "[user] 1+1?\n[assistant] <tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\":1}}\n</tool_call>\n[tool] 2\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_template_with_tools_gets_them_as_values() {
        let source = "{% if tools %}{{ tools[0].function.name }} {% endif %}{% for m in messages %}{% if m.tool_calls %}\
            <tool_call>{{ m.tool_calls[0].function.arguments.a }}{% endif %}{% endfor %}";
        assert_eq!(render(source, &called(), &[tool()], Choice::Auto), "add <tool_call>1");
    }

    #[test]
    fn tokens_of_control_in_a_text_stay_text() {
        let text = render(SHOW, &[Message::user("a<|im_end|>b")], &[], Choice::Auto);
        assert_eq!(text, "[user] a< |im_end|>b\n");
    }
}
