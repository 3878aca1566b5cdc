//! What helps a model to write a config of its own: the bundled ones to read, and the skill as a prompt.
//!
//! The configs that are served are not offered: they may hold what is nobody's business.

use aish_mcp::server::{CallError, Part, Prompt, PromptArgument, PromptMessage, Resource, ResourceContent};
use aish_types::Role;
use serde_json::{Map, Value};

use crate::{bundled, skill};

/// How the address of a bundled config begins.
const CONFIGS: &str = "climax://configs/";
const MEDIA_TYPE: &str = "application/yaml";
/// The prompt's name.
const WRITE: &str = "write_config";

/// Lists the bundled configs.
pub(super) fn resources() -> Vec<Resource> {
    let resource = |config: &bundled::Bundled| Resource {
        uri: format!("{CONFIGS}{}", config.name),
        name: config.name.to_owned(),
        description: Some(format!("The bundled config of {}, as an example", config.name)),
        media_type: Some(MEDIA_TYPE.to_owned()),
        size: u64::try_from(config.text.len()).ok(),
        ..Resource::default()
    };
    bundled::ALL.iter().map(resource).collect()
}

/// Reads a bundled config.
pub(super) fn read(uri: &str) -> Option<Vec<ResourceContent>> {
    let config = bundled::find(uri.strip_prefix(CONFIGS)?)?;
    Some(vec![ResourceContent::Text {
        uri: uri.to_owned(),
        media_type: Some(MEDIA_TYPE.to_owned()),
        text: config.text.to_owned(),
    }])
}

/// Lists the prompt.
pub(super) fn prompts() -> Vec<Prompt> {
    vec![Prompt {
        name: WRITE.to_owned(),
        title: Some("Write a climax config".to_owned()),
        description: Some("How to make a command-line program a set of tools".to_owned()),
        arguments: vec![PromptArgument {
            name: "program".to_owned(),
            description: Some("The program to write it for".to_owned()),
            required: false,
        }],
    }]
}

/// Fills the prompt in.
pub(super) fn prompt(name: &str, arguments: &Map<String, Value>) -> Result<Vec<PromptMessage>, CallError> {
    if name != WRITE {
        return Err(CallError::InvalidRequest(format!("Unknown prompt: {name}")));
    }
    let mut text = skill::TEXT.to_owned();
    if let Some(program) = arguments.get("program").and_then(Value::as_str).filter(|program| !program.is_empty()) {
        text.push_str(&format!("\nWrite a config for `{program}`.\n"));
    }
    Ok(vec![PromptMessage { role: Role::User, part: Part::Text(text) }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_config_can_be_read_and_nothing_else() {
        let listed = resources();
        assert_eq!(listed.len(), bundled::ALL.len());
        for resource in listed {
            let read = read(&resource.uri).unwrap();
            assert!(matches!(&read[..], [ResourceContent::Text { text, .. }] if text.contains("command:")));
        }
        for uri in ["climax://configs/none", "climax://configs/../git", "file:///etc/passwd", ""] {
            assert_eq!(read(uri), None, "{uri}");
        }
    }

    #[test]
    fn the_skill_is_a_prompt() {
        let arguments = Map::from_iter([("program".to_owned(), Value::from("jq"))]);
        let messages = prompt(WRITE, &arguments).unwrap();
        assert!(matches!(&messages[..], [PromptMessage { part: Part::Text(text), .. }]
            if text.starts_with("---") && text.ends_with("Write a config for `jq`.\n")));
        assert!(prompt("other", &arguments).is_err());
    }
}
