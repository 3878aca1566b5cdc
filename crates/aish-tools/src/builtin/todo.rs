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
        let steps = json!({"type": "array", "items": {"type": "string"}});
        let schema = json!({"type": "object", "properties": {"steps": steps}, "required": ["steps"]});
        let what = "Show all steps of a task as they change: [x] done, [>] now, [ ] open";
        let mut definition = ToolDefinition::new("todo", what, schema, SOURCE.into());
        definition.trusted = true;
        definition.hints.read_only = Some(true);
        definition.category = "utility".into();
        definition.tags = ["plan", "steps", "progress", "tasks"].map(String::from).into();
        definition
    }

    fn call<'a>(&'a self, arguments: &'a Value, _context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(shown(arguments)))
    }
}

/// Writes the list, a step a line, with marks that need no colour; a step without one is open.
fn shown(arguments: &Value) -> ToolOutcome {
    let steps = arguments.get("steps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let steps: Vec<(char, &str)> = steps.iter().filter_map(Value::as_str).map(marked).collect();
    if steps.is_empty() || steps.len() > MOST {
        return ToolOutcome::failure(format!("there are {} steps; a list has 1 to {MOST}", steps.len()));
    }
    let done = steps.iter().filter(|(mark, _)| *mark == 'x').count();
    let mut text = format!("{done} of {} steps done", steps.len());
    for (mark, words) in steps {
        let words: String = aish_types::visible(&words.replace('\n', " ")).chars().take(LONGEST).collect();
        text.push_str(&format!("\n  [{mark}] {}", words.trim()));
    }
    ToolOutcome::success(text)
}

/// Takes the mark off a step.
fn marked(step: &str) -> (char, &str) {
    let step = step.trim().trim_start_matches("- ");
    let marks = [("[x]", 'x'), ("[X]", 'x'), ("[>]", '>'), ("[ ]", ' ')];
    let found = marks.iter().find_map(|(sign, mark)| Some((*mark, step.strip_prefix(sign)?.trim())));
    found.unwrap_or((' ', step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shown_with_marks() {
        let list = json!({"steps": ["[x] read the code", "- [>] change\nit\u{1b}[31m", "x".repeat(500)]});
        let text = shown(&list).text;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["1 of 3 steps done", "  [x] read the code", "  [>] change it\\e[31m"]);
        assert_eq!(lines[3].len(), LONGEST + 6);
        assert!(!shown(&json!({"steps": []})).is_success());
        let many: Vec<Value> = (0..=MOST).map(|_| json!("x")).collect();
        assert!(!shown(&json!({"steps": many})).is_success());
    }
}
