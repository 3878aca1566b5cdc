//! What a user says of single tools of a server: another name, other words, arguments filled in, hidden tools, the risk.
//!
//! A stranger's tool is a stranger's until the user says what it may do. A risk holds for the definition that the user has seen:
//! one that changed since is a stranger's again, until somebody says yes to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use aish_types::{Hints, Risk, SharedText, ToolDefinition, ToolName};
use serde_json::{Map, Value};

use super::arguments::{Absent, folded, leave_out, property};
use super::entry::ServerEntry;

/// Milliseconds for which a call may wait for answers of a person, on top of its own time.
pub(crate) const ANSWERS_MS: u64 = 3_600_000;

/// What is said of one tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOverride {
    /// The tool, by the server's own name.
    pub tool: String,
    /// The name behind the server's in place of its own.
    pub name: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// Hints for clients.
    pub annotations: Hints,
    /// What it may do, by the user's word.
    pub risk: Option<Risk>,
    /// True when it is not offered.
    pub hidden: bool,
    /// Milliseconds that a call may take.
    pub timeout_ms: Option<u64>,
    /// What is said of arguments.
    pub arguments: BTreeMap<String, ArgumentOverride>,
}

/// What is said of one argument.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArgumentOverride {
    /// The description.
    pub description: Option<String>,
    /// What is used when it is absent.
    pub default: Option<Value>,
    /// What is always sent; the argument is not shown then.
    pub fixed: Option<Value>,
    /// True when it is not shown, and never sent.
    pub hidden: bool,
}

impl ArgumentOverride {
    fn is_unshown(&self) -> bool {
        self.fixed.is_some() || self.hidden
    }
}

impl Offered {
    /// Returns what the server is sent for these arguments.
    pub(crate) fn sent(&self, arguments: &Value) -> Map<String, Value> {
        let mut sent = arguments.as_object().cloned().unwrap_or_default();
        if !self.unshown.is_empty() {
            // A server that does not look at case would take `KEY` for `key`.
            let unshown: Vec<String> = self.unshown.iter().map(|name| folded(name)).collect();
            let schema = self.definition.input_schema.value();
            let is_shown = |name: &str| schema.get("properties").is_some_and(|shown| shown.get(name).is_some());
            sent.retain(|name, _| is_shown(name) || !unshown.contains(&folded(name)));
        }
        for (name, value) in &self.defaults {
            sent.entry(name).or_insert_with(|| value.clone());
        }
        sent.extend(self.fixed.clone());
        sent
    }
}

/// A server's tool as it is offered.
#[derive(Debug, Clone)]
pub(crate) struct Offered {
    /// The tool's name as the server knows it.
    pub(crate) tool: String,
    /// The definition as the server gave it, under the server's name.
    pub(crate) upstream: Arc<ToolDefinition>,
    /// The definition as it is shown and judged.
    pub(crate) definition: Arc<ToolDefinition>,
    /// What is always sent.
    pub(crate) fixed: Map<String, Value>,
    /// What is sent where nothing else is given.
    pub(crate) defaults: Map<String, Value>,
    /// Arguments that are not shown: what a caller gives for them is not sent.
    pub(crate) unshown: Vec<String>,
    /// Milliseconds that a call may take, open questions not counted.
    pub(crate) call_ms: u64,
}

/// What is said of tools elsewhere, by the names under which they are shown.
pub(crate) struct Said<'s> {
    /// Whether a tool is offered.
    pub(crate) offers: &'s dyn Fn(&str) -> bool,
    /// The description in place of all others.
    pub(crate) description: &'s dyn Fn(&str) -> Option<String>,
    /// Whether somebody approved a definition that is new or has changed.
    pub(crate) is_settled: &'s dyn Fn(&ToolDefinition) -> bool,
}

/// Makes the tools that are offered out of those that a server has.
pub(crate) fn offered(entry: &ServerEntry, tools: &[Arc<ToolDefinition>], said: &Said<'_>) -> Vec<Offered> {
    let mut out: Vec<Offered> = Vec::with_capacity(tools.len());
    let taken = taken_names(entry, tools);
    for upstream in tools {
        let tool = upstream.name.split().1;
        let Some(over) = entry.offered_with(tool) else { continue };
        let made = make(entry, upstream, over, &taken, said);
        let name = &made.definition.name;
        if !(said.offers)(name.as_str()) || out.iter().any(|other| other.definition.name == *name) {
            continue;
        }
        out.push(made);
    }
    out
}

impl ServerEntry {
    /// Returns what is said of a tool that is offered, by the server's own name; none where it is not offered.
    fn offered_with(&self, tool: &str) -> Option<Option<&ToolOverride>> {
        let over = self.tools.iter().find(|over| over.tool == tool);
        (self.offers(tool) && !over.is_some_and(|over| over.hidden)).then_some(over)
    }
}

/// Returns the tools, by the server's own names, that keep those names since the ones that a file gives them are taken: a tool
/// that the server calls so comes first, and then the one that it lists first.
fn taken_names<'e>(entry: &'e ServerEntry, tools: &[Arc<ToolDefinition>]) -> Vec<&'e str> {
    let own = tools.iter().map(|tool| tool.name.split().1);
    let offered: Vec<(&str, Option<&ToolOverride>)> =
        own.filter_map(|tool| Some((tool, entry.offered_with(tool)?))).collect();
    let mut out: Vec<&str> = Vec::new();
    loop {
        let given = |over: Option<&'e ToolOverride>| {
            over.filter(|over| !out.contains(&over.tool.as_str()))
                .and_then(|over| Some((over.tool.as_str(), over.name.as_deref()?)))
                .filter(|(tool, name)| tool != name)
        };
        let mut names: Vec<&str> =
            offered.iter().filter(|(_, over)| given(*over).is_none()).map(|(tool, _)| *tool).collect();
        let mut clashes = Vec::new();
        for (tool, name) in offered.iter().filter_map(|(_, over)| given(*over)) {
            if names.contains(&name) { clashes.push(tool) } else { names.push(name) }
        }
        // A tool that keeps its own name may take it from another one.
        if clashes.is_empty() {
            return out;
        }
        out.extend(clashes);
    }
}

fn make(
    entry: &ServerEntry,
    upstream: &Arc<ToolDefinition>,
    over: Option<&ToolOverride>,
    taken: &[&str],
    said: &Said<'_>,
) -> Offered {
    let mut definition = ToolDefinition::clone(upstream);
    // A stranger's word decides nothing: not what is asked, and not what runs where nothing can be written down.
    (definition.risk, definition.trusted) = (Risk::Destructive, false);
    definition.late = upstream.late && !(said.is_settled)(upstream);
    definition.category = SharedText::default();
    if let Some(over) = over {
        if let Some(name) = over.name.as_ref().filter(|_| !taken.contains(&over.tool.as_str())) {
            definition.name = ToolName::new(format!("{}.{name}", entry.alias));
        }
        overrule(&mut definition, over);
    }
    if let Some(description) = (said.description)(definition.name.as_str()) {
        definition.description = description.into();
    }
    let call_ms = over.and_then(|over| over.timeout_ms.filter(|&ms| ms > 0)).unwrap_or(entry.limits.call_ms());
    definition.timeout_ms = Some(call_ms.saturating_add(ANSWERS_MS));
    let arguments = || over.iter().flat_map(|over| &over.arguments);
    let given = |value: fn(&ArgumentOverride) -> Option<&Value>| {
        arguments().filter_map(move |(name, over)| Some((name.clone(), value(over)?.clone()))).collect()
    };
    Offered {
        tool: upstream.name.split().1.to_owned(),
        upstream: Arc::clone(upstream),
        definition: Arc::new(definition),
        fixed: given(|over| over.fixed.as_ref()),
        defaults: given(|over| over.default.as_ref().filter(|_| !over.is_unshown())),
        unshown: arguments().filter(|(_, over)| over.is_unshown()).map(|(name, _)| name.clone()).collect(),
        call_ms,
    }
}

/// Puts into a definition what the person says of the tool in place of its server.
fn overrule(definition: &mut ToolDefinition, over: &ToolOverride) {
    definition.title = over.title.clone().or(definition.title.take());
    if let Some(description) = &over.description {
        definition.description = description.into();
    }
    if !over.arguments.is_empty() {
        let mut schema = definition.input_schema.value();
        with_arguments(&mut schema, &over.arguments);
        definition.input_schema = schema.into();
    }
    if let Some(risk) = over.risk {
        if !definition.late {
            (definition.risk, definition.trusted) = (risk, true);
        }
        definition.hints.read_only = Some(risk == Risk::Read);
        definition.hints.destructive = Some(risk == Risk::Destructive);
    }
    let Hints { read_only, destructive, idempotent, open_world } = over.annotations;
    definition.hints = Hints {
        read_only: read_only.or(definition.hints.read_only),
        destructive: destructive.or(definition.hints.destructive),
        idempotent: idempotent.or(definition.hints.idempotent),
        open_world: open_world.or(definition.hints.open_world),
    };
}

/// Changes the schema as the arguments' overrides say.
fn with_arguments(schema: &mut Value, overrides: &BTreeMap<String, ArgumentOverride>) {
    for (name, over) in overrides {
        let absent = match (&over.fixed, &over.default) {
            (Some(value), _) => Absent::Fixed(value),
            (None, _) if over.hidden => Absent::Hidden,
            (None, Some(_)) => Absent::Optional,
            (None, None) => {
                if let (Some(description), Some(property)) = (&over.description, property(schema, name)) {
                    property.insert("description".into(), Value::String(description.clone()));
                }
                continue;
            }
        };
        leave_out(schema, name, absent);
        let Some(property) = property(schema, name) else { continue };
        if let Some(description) = &over.description {
            property.insert("description".into(), Value::String(description.clone()));
        }
        if let Some(default) = &over.default {
            property.insert("default".into(), default.clone());
        }
    }
}

/// Names what the overrides of a server say of tools and arguments that it does not have, and names that they give and that are
/// taken, in sentences.
pub(crate) fn strays(entry: &ServerEntry, tools: &[Arc<ToolDefinition>]) -> Vec<String> {
    let mut out = Vec::new();
    for tool in taken_names(entry, tools) {
        let name = entry.tools.iter().find(|over| over.tool == tool).and_then(|over| over.name.as_deref());
        out.push(format!(
            "{0} has another tool '{1}': its tool '{tool}', which a file calls '{1}', stays '{0}.{tool}'",
            entry.alias,
            name.unwrap_or_default(),
        ));
    }
    for over in &entry.tools {
        let Some(known) = tools.iter().find(|known| known.name.split().1 == over.tool) else {
            out.push(format!("{} has no tool '{}', of which a file says something", entry.alias, over.tool));
            continue;
        };
        let schema = known.input_schema.value();
        for name in over.arguments.keys() {
            if !leave_out(&mut schema.clone(), name, Absent::Hidden) {
                out.push(format!("{} has no argument '{name}', of which a file says something", known.name));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use aish_types::SourceId;
    use serde_json::json;

    use super::*;

    fn tool(name: &str) -> Arc<ToolDefinition> {
        let schema = json!({"type": "object", "required": ["path", "key", "mode"], "properties": {
            "path": {"type": "string"}, "key": {"type": "string"}, "mode": {"type": "string"}, "debug": {"type": "boolean"}}});
        let mut tool = ToolDefinition::new(format!("files.{name}"), "Reads", schema, SourceId::new("mcp:files#1"));
        tool.hints.read_only = Some(true);
        tool.risk = Risk::Read;
        Arc::new(tool)
    }

    /// What is offered where nothing is said elsewhere.
    fn made(entry: &ServerEntry, tools: &[Arc<ToolDefinition>], is_settled: bool) -> Vec<Offered> {
        let said = Said { offers: &|_| true, description: &|_| None, is_settled: &|_| is_settled };
        offered(entry, tools, &said)
    }

    fn entry(over: ToolOverride) -> ServerEntry {
        let mut entry = ServerEntry::new("files", None);
        entry.tools.push(ToolOverride { tool: "read".into(), ..over });
        entry
    }

    #[test]
    fn what_a_stranger_says_decides_nothing() {
        let entry = ServerEntry::new("files", None);
        let made = made(&entry, &[tool("read")], true);
        let definition = &made[0].definition;
        assert_eq!((definition.trusted, definition.risk), (false, Risk::Destructive));
        assert_eq!(definition.hints.read_only, Some(true), "clients are told what it says all the same");
    }

    #[test]
    fn a_users_word_counts_for_the_definition_that_was_seen() {
        let entry = entry(ToolOverride { risk: Some(Risk::Read), name: Some("look".into()), ..Default::default() });
        let first = made(&entry, &[tool("read"), tool("rm")], true);
        assert_eq!(first[0].definition.name.as_str(), "files.look");
        assert!(first[0].definition.trusted && !first[1].definition.trusted);
        let mut changed = ToolDefinition::clone(&tool("read"));
        changed.late = true;
        let changed = [Arc::new(changed)];
        let again = made(&entry, &changed, false);
        assert!(!again[0].definition.trusted && again[0].definition.late, "it is a stranger's again");
        let settled = made(&entry, &changed, true);
        assert!(settled[0].definition.trusted && !settled[0].definition.late, "somebody said yes to it");
    }

    #[test]
    fn a_name_that_is_taken_changes_nothing() {
        let mut entry = ServerEntry::new("files", None);
        let over = |tool: &str, name: &str| ToolOverride {
            tool: tool.into(),
            name: Some(name.into()),
            risk: Some(Risk::Read),
            ..Default::default()
        };
        entry.tools = vec![over("read", "rm"), over("see", "read"), over("up", "down"), over("down", "up")];
        entry.tools.push(ToolOverride { tool: "hid".into(), hidden: true, ..Default::default() });
        entry.tools.push(over("show", "hid"));
        let shown = |tools: &[&str]| -> Vec<(String, String, bool)> {
            let tools: Vec<_> = tools.iter().map(|name| tool(name)).collect();
            let made = made(&entry, &tools, true);
            let row = |made: &Offered| {
                (made.tool.clone(), made.definition.name.split().1.to_owned(), made.definition.trusted)
            };
            made.iter().map(row).collect()
        };
        let row = |tool: &str, name: &str, trusted: bool| (tool.to_owned(), name.to_owned(), trusted);
        let stays = [row("read", "read", true), row("see", "see", true), row("rm", "rm", false)];
        assert_eq!(shown(&["read", "see", "rm"]), stays, "what keeps its name takes it from the next one");
        assert_eq!(shown(&["rm"]), [row("rm", "rm", false)]);
        assert_eq!(shown(&["read"]), [row("read", "rm", true)]);
        assert_eq!(shown(&["up", "down"]), [row("up", "down", true), row("down", "up", true)]);
        assert_eq!(shown(&["hid", "show"]), [row("show", "hid", true)]);
        let told = strays(&entry, &[tool("read"), tool("rm")]).join("\n");
        assert!(told.contains("files has another tool 'rm': its tool 'read'"), "{told}");
    }

    #[test]
    fn arguments_are_filled_in_and_hidden() {
        let argument = |change: fn(&mut ArgumentOverride)| {
            let mut over = ArgumentOverride::default();
            change(&mut over);
            over
        };
        let arguments = BTreeMap::from([
            ("key".to_owned(), argument(|over| over.fixed = Some(json!("k-1")))),
            ("mode".to_owned(), argument(|over| over.default = Some(json!("plain")))),
            ("debug".to_owned(), argument(|over| over.hidden = true)),
            ("path".to_owned(), argument(|over| over.description = Some("below the notes".into()))),
            ("none".to_owned(), argument(|over| over.hidden = true)),
        ]);
        let entry = entry(ToolOverride { arguments, ..Default::default() });
        let made = made(&entry, &[tool("read")], true);
        assert_eq!(
            made[0].definition.input_schema,
            json!({"type": "object", "required": ["path"], "properties": {
                "path": {"type": "string", "description": "below the notes"}, "mode": {"type": "string", "default": "plain"}}})
        );
        let sent = made[0].sent(&json!({"path": "a", "mode": "plain", "debug": true, "key": "mine"}));
        assert_eq!(Value::Object(sent), json!({"path": "a", "mode": "plain", "key": "k-1"}));
        assert_eq!(strays(&entry, &[tool("read")]).len(), 1);
        assert_eq!(strays(&entry, &[]).len(), 1);
    }

    #[test]
    fn hidden_tools_and_those_that_a_policy_hides_are_not_offered() {
        let entry = entry(ToolOverride { hidden: true, ..Default::default() });
        let tools = [tool("read"), tool("rm"), tool("list")];
        let names =
            |made: Vec<Offered>| -> Vec<String> { made.iter().map(|tool| tool.definition.name.to_string()).collect() };
        assert_eq!(names(made(&entry, &tools, true)), ["files.rm", "files.list"]);
        let (offers, description) = (|name: &str| name == "files.list", |_: &str| Some("Ours".to_owned()));
        let left = offered(&entry, &tools, &Said { offers: &offers, description: &description, is_settled: &|_| true });
        assert_eq!(left[0].definition.description, "Ours");
        assert_eq!(names(left), ["files.list"]);
    }
}
