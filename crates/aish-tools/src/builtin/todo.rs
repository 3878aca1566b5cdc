//! `todo`: the steps of a task that the model keeps up; whoever watches sees them.

use aish_types::{BoxFuture, CallContext, ToolDefinition, ToolOutcome};
use serde_json::{Value, json};

use crate::builtin::{Builtin, SOURCE};

/// The most steps of a list.
const MOST: usize = 40;
/// The most characters of a step.
const LONGEST: usize = 200;

/// The tool.
pub(crate) struct Todo;

impl Builtin for Todo {
    fn definition(&self) -> ToolDefinition {
        let state = json!({"type": "string", "enum": ["open", "doing", "done"]});
        let step = json!({
            "type": "object",
            "properties": {"text": {"type": "string"}, "state": state},
            "required": ["text", "state"],
        });
        let schema = json!({
            "type": "object",
            "properties": {"steps": {"type": "array", "items": step}},
            "required": ["steps"],
        });
        let what = "Show the user your steps for a task of three or more; call it again, with all of them, as they change.";
        let mut definition = ToolDefinition::new("todo", what, schema, SOURCE.into());
        definition.trusted = true;
        definition.hints.read_only = Some(true);
        definition.category = "utility".into();
        definition.tags = ["plan", "steps", "progress", "tasks"].map(String::from).to_vec();
        definition
    }

    fn call<'a>(&'a self, arguments: &'a Value, _context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        let outcome = match shown(arguments) {
            Ok(text) => ToolOutcome::success(text),
            Err(why) => ToolOutcome::failure(why),
        };
        Box::pin(std::future::ready(outcome))
    }
}

/// Writes the list, a step a line, with marks that need no colour.
fn shown(arguments: &Value) -> Result<String, String> {
    let steps = arguments.get("steps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if steps.is_empty() || steps.len() > MOST {
        return Err(format!("there are {} steps; a list has 1 to {MOST}", steps.len()));
    }
    let done = steps.iter().filter(|step| step.get("state").and_then(Value::as_str) == Some("done")).count();
    let mut text = format!("{done} of {} steps done", steps.len());
    for step in steps {
        let words = step.get("text").and_then(Value::as_str).unwrap_or_default();
        let words: String = aish_types::visible(&words.replace('\n', " ")).chars().take(LONGEST).collect();
        let mark = match step.get("state").and_then(Value::as_str) {
            Some("done") => "[x]",
            Some("doing") => "[>]",
            _ => "[ ]",
        };
        text.push_str(&format!("\n  {mark} {}", words.trim()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shown_with_marks() {
        let list = json!({"steps": [
            {"text": "read the code", "state": "done"},
            {"text": "change\nit\u{1b}[31m", "state": "doing"},
            {"text": "x".repeat(500), "state": "open"},
        ]});
        let text = shown(&list).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["1 of 3 steps done", "  [x] read the code", "  [>] change it\\e[31m"]);
        assert_eq!(lines[3].len(), LONGEST + 6);
        assert!(shown(&json!({"steps": []})).is_err());
        let many: Vec<Value> = (0..=MOST).map(|_| json!({"text": "x", "state": "open"})).collect();
        assert!(shown(&json!({"steps": many})).is_err());
    }
}
