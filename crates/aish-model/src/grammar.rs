//! What a tool call may look like: a GBNF grammar made from the tools' JSON Schemas.
//!
//! The text of a call is `<tool_call>{"name": …, "arguments": …}</tool_call>`. llama.cpp's own converter makes the
//! grammar of the object; [`bounds`] first rewrites the schema so that every call comes to an end.

pub(crate) mod bounds;

use aish_types::embedded::Tool;
use llama_cpp_2::{LlamaCppError, json_schema_to_grammar};
use serde_json::{Value, json};

use crate::output::splitter::{CALL_CLOSE, CALL_OPEN};

pub(crate) use bounds::Bounds;

/// The most calls in one answer.
const MOST_CALLS: u32 = 4;

/// Why there is no grammar.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GrammarError {
    /// The converter refuses the schema.
    #[error("the arguments of {tool} cannot be made into a grammar: {cause}")]
    Schema { tool: String, cause: LlamaCppError },
    /// The sampler refuses the grammar.
    #[error("the grammar of the tools is refused: {0}")]
    Refused(String),
}

/// Returns the grammar of what follows an opening tag: a call, the closing tag, and perhaps more calls.
pub(crate) fn after_opening_tag(tools: &[Tool], bounds: Bounds) -> Result<String, GrammarError> {
    let calls: Vec<String> = tools.iter().map(|tool| call_schema(tool, bounds)).collect::<Result<_, _>>()?;
    // Always `anyOf`: it prefixes the rules of every tool, so that ours cannot meet their names.
    let schema = format!("{{\"anyOf\":[{}]}}", calls.join(","));
    let grammar =
        json_schema_to_grammar(&schema).map_err(|cause| GrammarError::Schema { tool: names(tools), cause })?;
    Ok(wrap(&grammar, bounds))
}

/// Returns the grammar of an answer that fits a schema; none when the converter refuses it.
pub(crate) fn of_answer(schema: &Value, bounds: Bounds) -> Option<String> {
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    let bounded = if is_object { bounds.apply(schema) } else { schema.clone() };
    let grammar = json_schema_to_grammar(&bounded.to_string()).ok()?;
    Some(closed(&grammar, bounds, "root").join("\n"))
}

/// Writes the schema of one call. By hand, for the name must come first: the model decides it before the arguments.
fn call_schema(tool: &Tool, bounds: Bounds) -> Result<String, GrammarError> {
    let arguments = bounds.apply(&tool.parameters);
    // A schema that the converter refuses costs that tool its constraint, not all tools theirs.
    let arguments = if json_schema_to_grammar(&arguments.to_string()).is_ok() {
        arguments
    } else {
        bounds.apply(&json!({"type": "object"}))
    };
    let name = Value::from(tool.name.as_str());
    Ok(format!(
        "{{\"type\":\"object\",\"properties\":{{\"name\":{{\"const\":{name}}},\"arguments\":{arguments}}},\
         \"required\":[\"name\",\"arguments\"],\"additionalProperties\":false}}"
    ))
}

/// Turns the grammar of one call into that of what follows the opening tag, and closes what is still without end.
fn wrap(grammar: &str, bounds: Bounds) -> String {
    let more = MOST_CALLS - 1;
    let mut lines = vec![format!(
        "root ::= [ \\n]? one-call [ \\n]? \"{CALL_CLOSE}\" ( \"\\n\"? \"{CALL_OPEN}\" [ \\n]? one-call [ \\n]? \"{CALL_CLOSE}\" ){{0,{more}}}"
    )];
    lines.extend(closed(grammar, bounds, "one-call"));
    lines.join("\n")
}

/// Returns the rules of a converted schema, with an end to all of them and another name for the first.
fn closed(grammar: &str, bounds: Bounds, root: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in grammar.lines() {
        let Some((name, body)) = line.split_once(" ::= ") else { continue };
        let ends = |body: &str| body.replace(")*", &format!("){{0,{}}}", bounds.items));
        let (name, body) = match name {
            "root" => (root, ends(body)),
            // One space at most: a small model would rather go on with spaces than with JSON.
            "space" => ("space", "\" \"?".to_owned()),
            // Only the names of free properties are still without a limit.
            "string" => ("string", body.replace("char*", &format!("char{{0,{}}}", bounds.name))),
            other => (other, ends(body)),
        };
        lines.push(format!("{name} ::= {body}"));
    }
    lines
}

fn names(tools: &[Tool]) -> String {
    tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(parameters: Value) -> Tool {
        Tool { name: "look.up".into(), description: String::new(), parameters }
    }

    fn grammar(parameters: Value) -> String {
        after_opening_tag(&[tool(parameters)], Bounds::small()).unwrap()
    }

    #[test]
    fn the_name_comes_before_the_arguments() {
        let grammar =
            grammar(json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}));
        let call = grammar.lines().find(|line| line.starts_with("alternative-0 ::= ")).unwrap();
        assert!(call.find("name").unwrap() < call.find("arguments").unwrap(), "{call}");
        assert!(grammar.starts_with("root ::= "));
    }

    #[test]
    fn nothing_in_a_grammar_is_without_end() {
        let schemas = [
            json!({"type": "object"}),
            json!({}),
            json!({"type": "object", "properties": {"any": {}, "list": {"type": "array"}, "map": {"type": "object"}}}),
            json!({"type": "object", "properties": {"map": {"type": "object", "additionalProperties": {"type": "string"}}}}),
            json!({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {
                "text": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}}),
        ];
        for schema in schemas {
            let grammar = grammar(schema);
            for line in grammar.lines() {
                let unbounded =
                    line.contains(")*") || line.contains("char*") || line.contains(")+") || line.contains("]+");
                assert!(!unbounded, "{line}");
            }
        }
    }

    #[test]
    fn an_answer_has_a_grammar_with_an_end() {
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
        for schema in [schema, json!({"type": "array", "items": {"type": "string"}}), json!({"enum": ["a", 1]})] {
            let grammar = of_answer(&schema, Bounds::small()).unwrap();
            assert!(grammar.lines().any(|line| line.starts_with("root ::= ")), "{grammar}");
            assert!(!grammar.contains("char*") && !grammar.contains(")*"), "{grammar}");
        }
        // A pattern that the converter cannot hold the text to costs the pattern: the answer is checked afterwards.
        let looser = of_answer(&json!({"type": "string", "pattern": "^(?=x)y$"}), Bounds::small());
        assert!(looser.is_some_and(|grammar| grammar.contains("root ::= string")));
        assert_eq!(of_answer(&json!({"type": "nothing"}), Bounds::small()), None);
    }

    #[test]
    fn a_schema_that_cannot_be_converted_costs_its_own_constraint_alone() {
        let grammar =
            grammar(json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?=x)y$"}}}));
        assert!(grammar.contains("one-call"));
    }
}
