//! Plugins of the older kind, that answer `PREFIX.command.<plugin>.<action>` with `{channel, user, args}`: usable as tools
//! through a mapping in the config.

use std::time::Duration;

use aish_tools::{FixedTools, Plan};
use aish_types::{SourceId, ToolDefinition};
use async_nats::{Request, RequestErrorKind};
use serde_json::{Value, json};

use crate::bus::{Bus, subject};
use crate::plugin::source::{outcome, unavailable};

/// One mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct LegacyTool {
    /// The plugin's name on the bus.
    pub plugin: String,
    /// The action's name on the bus.
    pub action: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// The argument whose text is sent as `args`, as a person would type it; none sends all arguments as an object.
    pub args_from: Option<String>,
}

/// Makes one source of all mappings; their tools are named `<plugin>.<action>`. A mapping whose names are no words of a
/// subject is left out, with a warning in the trace.
pub(super) fn legacy(bus: Bus, prefix: &str, tools: Vec<LegacyTool>) -> FixedTools {
    let id = SourceId::new("nats-legacy");
    let is_word = |word: &str| subject::is_plain(word) && !word.contains('.');
    let (good, bad): (Vec<_>, Vec<_>) =
        tools.into_iter().partition(|tool| is_word(&tool.plugin) && is_word(&tool.action));
    for tool in bad {
        tracing::warn!(plugin = tool.plugin, action = tool.action, "a mapping has names that are no words");
    }
    let named = |tool: &LegacyTool| format!("{}.{}", tool.plugin, tool.action);
    let definition = |tool: &LegacyTool| {
        let (description, parameters) = (tool.description.clone(), tool.parameters.clone());
        let mut definition = ToolDefinition::new(named(tool), description, parameters, id.clone());
        definition.group = (&tool.plugin).into();
        definition
    };
    let definitions: Vec<ToolDefinition> = good.iter().map(definition).collect();
    let prefix = prefix.to_owned();
    FixedTools::new(id, definitions, move |call| {
        let tool = good.iter().find(|tool| named(tool) == call.definition.name.as_str()).cloned();
        let (bus, prefix) = (bus.clone(), prefix.clone());
        Ok(Plan::tool(move |call, context| async move {
            let prepared = call.into_call();
            let name = &prepared.definition.name;
            let Some(tool) = tool else { return unavailable(name, "it is not mapped") };
            let args = match &tool.args_from {
                Some(key) => prepared.arguments.get(key).cloned().unwrap_or_else(|| "".into()),
                None => prepared.arguments,
            };
            let payload = json!({"channel": prepared.context.channel, "user": prepared.context.user, "args": args});
            let request = Request::new()
                .payload(payload.to_string().into())
                .timeout(Some(Duration::from_millis(context.timeout_ms)));
            let subject = format!("{}.command.{}.{}", prefix, tool.plugin, tool.action);
            match bus.client.send_request(subject, request).await {
                Ok(message) => outcome(&message.payload, prepared.context.call.as_str()),
                Err(error) if error.kind() == RequestErrorKind::NoResponders => unavailable(name, "no plugin answers"),
                Err(error) => unavailable(name, &error.to_string()),
            }
        }))
    })
}
