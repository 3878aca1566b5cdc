//! A server's tools as a file to be looked through: what is in it is offered, and what the server adds later is not.

use std::sync::Arc;

use aish_types::{ToolDefinition, visible};
use serde_json::Value;

use super::draft::quoted;

/// Writes what a server has as `servers:` of a YAML file. Its descriptions are copied, so that they are those that were looked
/// at; what it says of the risk of a tool is a remark, since that is for the user to say.
///
/// Of tools whose names are in `elsewhere` the user's own files say something, which an entry here would take the place of: they are
/// remarks alone.
pub fn review(alias: &str, tools: &[Arc<ToolDefinition>], elsewhere: &[String]) -> String {
    let mut out = format!(
        "# The tools of the MCP server '{alias}', to be looked through: only those in `include` are offered. Take out what you\n\
         # do not want, and say of the others what they may do: read runs unasked, write and destructive ask. What has no\n\
         # risk asks each time.\nservers:\n  {alias}:\n    include:\n"
    );
    let own = |tool: &ToolDefinition| tool.name.split().1.to_owned();
    for tool in tools {
        out.push_str(&format!("      - {}\n", quoted(&own(tool))));
    }
    let is_said = |tool: &ToolDefinition| elsewhere.iter().any(|name| *name == own(tool));
    let is_none_left = tools.iter().all(|tool| is_said(tool));
    out.push_str(if is_none_left { "    tools: {}\n" } else { "    tools:\n" });
    for tool in tools.iter().filter(|tool| is_said(tool)) {
        let description = quoted(&visible(&tool.description));
        let text =
            format!("      # {}: {description}; {}; your files say more of it\n", quoted(&own(tool)), said(tool));
        out.push_str(&text);
    }
    for tool in tools.iter().filter(|tool| !is_said(tool)) {
        out.push_str(&format!("      {}:\n", quoted(&own(tool))));
        out.push_str(&format!("        description: {}\n", quoted(&visible(&tool.description))));
        out.push_str(&format!("        # risk: write    # {}\n", said(tool)));
        let schema = tool.input_schema.value();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let is_word = |kind: &&str| kind.chars().all(|c| c.is_ascii_alphabetic());
            let kind = property.get("type").and_then(Value::as_str).filter(is_word).unwrap_or("any");
            let required = schema.get("required").and_then(Value::as_array);
            let is_required = required.is_some_and(|required| required.iter().any(|item| item == name));
            let must = if is_required { ", required" } else { "" };
            out.push_str(&format!("        # argument {}: {}{must}\n", quoted(&visible(name)), kind));
        }
    }
    out
}

/// What the server itself says of a tool's risk.
fn said(tool: &ToolDefinition) -> &'static str {
    match (tool.hints.read_only, tool.hints.destructive) {
        (Some(true), _) => "the server says that it only reads",
        (_, Some(true)) => "the server says that it may destroy",
        (_, Some(false)) => "the server says that it destroys nothing",
        (Some(false), None) => "the server says that it changes something",
        (None, None) => "the server does not say",
    }
}

#[cfg(test)]
mod tests {
    use aish_types::SourceId;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_can_be_read_and_offers_nothing_else() {
        let schema = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "x\ntools: {}": {"type": "any\n    exclude: []"}}});
        let description = "Reads: \"a\"\n# and more\u{202e}";
        let mut tool = ToolDefinition::new("files.read", description, schema, SourceId::new("mcp:files"));
        tool.hints.read_only = Some(true);
        let text = review("files", &[Arc::new(tool)], &[]);
        assert!(text.contains("# argument \"path\": string, required"), "{text}");
        assert!(text.contains("the server says that it only reads"));
        let (config, faults) = crate::config::read("f", &text);
        assert_eq!(faults, []);
        let config = config.unwrap();
        let server = &config.servers[0];
        assert!(server.offers("read") && !server.offers("write"));
        assert_eq!(server.tools[0].risk, None);
        assert!(server.tools[0].description.as_deref().unwrap().starts_with("Reads: \"a\""));
        assert_eq!(crate::config::read("f", &review("files", &[], &[])).1, []);
    }
}
