//! `servers:` of a YAML file: MCP servers, and what is said of their tools.

use std::collections::BTreeMap;

use aish_mcp::client::{Era, WrittenEndpoint, clean_alias};
use aish_types::{Hints, Risk};
use serde_json::Value;

use super::entry::{Limits, ServerEntry, url_fault};
use super::overrides::{ArgumentOverride, ToolOverride};
use crate::fault::{Faults, Position};
use crate::yaml::{Fields, Kind, Node, scalar};

/// The words of `risk`.
const RISKS: &[(&str, Risk)] = &[("read", Risk::Read), ("write", Risk::Write), ("destructive", Risk::Destructive)];
/// The words of `protocol`.
const ERAS: &[(&str, Era)] = &[("any", Era::Any), ("older", Era::Older), ("newest", Era::Newest)];
/// The deepest value of an argument.
const MAX_DEPTH: usize = 32;

/// Reads the servers of a file. One that cannot be read is left out.
pub(crate) fn servers(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Vec<ServerEntry> {
    let mut out = Vec::new();
    for (name, at, node) in fields.entries("servers", faults) {
        let is_named = clean_alias(&name) == name;
        if !is_named {
            faults.error(at, format!("the server's name '{name}' is outside [A-Za-z0-9_-], 1 to 64 characters"));
        }
        // Read all the same: every fault is told at once.
        out.extend(server(&name, node, faults).filter(|_| is_named));
    }
    out
}

fn server(name: &str, node: &Node<'_>, faults: &mut Faults) -> Option<ServerEntry> {
    let before = faults.errors();
    let mut fields = Fields::open(node, "a server", faults)?;
    let reach = reach(&mut fields, faults);
    let mut entry = ServerEntry::new(name, reach);
    entry.enabled = fields.optional_boolean("enabled", faults).unwrap_or(true);
    entry.elicitation = fields.optional_boolean("elicitation", faults).unwrap_or(true);
    entry.sampling = fields.optional_boolean("sampling", faults).unwrap_or(true);
    entry.era = fields.word("protocol", ERAS, faults).unwrap_or_default();
    entry.include = fields.texts("include", faults);
    entry.exclude = fields.texts("exclude", faults);
    entry.limits = Limits {
        start_ms: whole(&mut fields, "start_ms", faults),
        list_ms: whole(&mut fields, "list_ms", faults),
        timeout_ms: whole(&mut fields, "timeout_ms", faults),
        idle_s: whole(&mut fields, "idle_seconds", faults),
        max_parallel: whole(&mut fields, "max_parallel", faults).and_then(|count| usize::try_from(count).ok()),
    };
    let mut names: BTreeMap<String, Position> = BTreeMap::new();
    for (tool, at, node) in fields.entries("tools", faults) {
        let Some(over) = tool_override(tool, node, faults) else { continue };
        let shown = over.name.clone().unwrap_or_else(|| over.tool.clone());
        // A hidden one leaves its name to others.
        if let Some(first) = (!over.hidden).then(|| names.insert(shown.clone(), at)).flatten() {
            faults.contradiction(
                at,
                format!("two tools are shown as '{shown}' (first on line {}); the first counts", first.line),
            );
        }
        entry.tools.push(over);
    }
    // A misspelt key could show what should be hidden.
    fields.end_strictly(faults);
    (faults.errors() == before).then_some(entry)
}

fn reach(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Option<WrittenEndpoint> {
    let (command_at, url_at) = (fields.position_of("command"), fields.position_of("url"));
    let (command, url) = (fields.text("command", faults), fields.text("url", faults));
    let args = fields.texts("args", faults);
    let env: BTreeMap<String, String> = fields.text_map("env", faults).into_iter().collect();
    let cwd = fields.text("cwd", faults);
    let headers: BTreeMap<String, String> = fields.text_map("headers", faults).into_iter().collect();
    let auth_env = fields.text("auth_env", faults);
    let of_program = !args.is_empty() || !env.is_empty() || cwd.is_some();
    let of_url = !headers.is_empty() || auth_env.is_some();
    match (command, url) {
        (Some(_), Some(_)) => {
            faults.error(fields.at, "a server has either 'command' or 'url'");
            None
        }
        (Some(_), None) if of_url => {
            faults.error(fields.at, "'headers' and 'auth_env' are for a server with 'url'");
            None
        }
        (None, Some(_)) if of_program => {
            faults.error(fields.at, "'args', 'env' and 'cwd' are for a server with 'command'");
            None
        }
        (Some(command), None) => {
            let at = command_at.unwrap_or(fields.at);
            let Ok(mut words) = shell_words::split(&command) else {
                faults.error(at, "the quotes of 'command' do not match");
                return None;
            };
            if words.is_empty() {
                faults.error(at, "'command' is empty");
                return None;
            }
            let command = words.remove(0);
            words.extend(args);
            Some(WrittenEndpoint::Stdio { command, args: words, env, cwd })
        }
        (None, Some(url)) => match url_fault(&url) {
            Some(fault) => {
                faults.error(url_at.unwrap_or(fields.at), format!("'url': {fault}"));
                None
            }
            None => Some(WrittenEndpoint::Http { url, headers, auth_env }),
        },
        (None, None) if of_program || of_url => {
            faults.error(fields.at, "a server needs 'command' or 'url'");
            None
        }
        // It says more of a server of another file.
        (None, None) => None,
    }
}

fn whole(fields: &mut Fields<'_, '_>, key: &'static str, faults: &mut Faults) -> Option<u64> {
    let at = fields.position_of(key).unwrap_or(fields.at);
    let number = fields.number(key, faults)?;
    if number < 0.0 || number.fract() != 0.0 || number > 1e12 {
        faults.error(at, format!("'{key}' must be a whole number from 0"));
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within 1e12")]
    Some(number as u64)
}

fn tool_override(tool: String, node: &Node<'_>, faults: &mut Faults) -> Option<ToolOverride> {
    if node.is_null() {
        return Some(ToolOverride { tool, ..ToolOverride::default() });
    }
    let mut fields = Fields::open(node, "a server's tool", faults)?;
    let name_at = fields.position_of("name").unwrap_or(fields.at);
    let name = fields.text("name", faults).filter(|name| !name.is_empty());
    let is_plain = |name: &String| {
        name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
    };
    if let Some(name) = name.as_ref().filter(|name| !is_plain(name)) {
        faults.error(name_at, format!("the tool name '{name}' is outside [A-Za-z0-9_.-], 1 to 64 characters"));
    }
    let mut over = ToolOverride {
        tool,
        name,
        title: fields.text("title", faults),
        description: fields.text("description", faults),
        risk: fields.word("risk", RISKS, faults),
        hidden: fields.boolean("hidden", faults),
        timeout_ms: whole(&mut fields, "timeout_ms", faults),
        ..ToolOverride::default()
    };
    if let Some((_, node)) = fields.take("annotations") {
        over.annotations = annotations(node, faults).unwrap_or_default();
    }
    for (name, _, node) in fields.entries("arguments", faults) {
        over.arguments.extend(argument(node, faults).map(|argument| (name, argument)));
    }
    fields.end_strictly(faults);
    Some(over)
}

fn annotations(node: &Node<'_>, faults: &mut Faults) -> Option<Hints> {
    let mut fields = Fields::open(node, "a tool's annotations", faults)?;
    let hints = Hints {
        read_only: fields.optional_boolean("read_only", faults),
        destructive: fields.optional_boolean("destructive", faults),
        idempotent: fields.optional_boolean("idempotent", faults),
        open_world: fields.optional_boolean("open_world", faults),
    };
    fields.end_strictly(faults);
    Some(hints)
}

fn argument(node: &Node<'_>, faults: &mut Faults) -> Option<ArgumentOverride> {
    let mut fields = Fields::open(node, "a tool's argument", faults)?;
    let at = fields.at;
    let description = fields.text("description", faults);
    let mut given = |key: &'static str, faults: &mut Faults| {
        let (at, node) = fields.take(key)?;
        let value = value(node, MAX_DEPTH);
        if value.is_none() {
            faults.error(at, format!("'{key}' is nested too deeply, or has a key that is no word"));
        }
        value
    };
    let (default, fixed) = (given("default", faults), given("fixed", faults));
    let hidden = fields.boolean("hidden", faults);
    fields.end_strictly(faults);
    if fixed.is_some() && (default.is_some() || description.is_some() || hidden) {
        faults.contradiction(at, "an argument with 'fixed' is not shown: the other keys mean nothing");
    }
    Some(ArgumentOverride { description, default, fixed, hidden })
}

/// Reads any value; a text in quotes is a text.
fn value(node: &Node<'_>, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    match &node.kind {
        _ if node.is_null() => Some(Value::Null),
        Kind::Scalar { text, plain: true } => Some(scalar::value(text)),
        Kind::Scalar { text, plain: false } => Some(Value::from(text.as_ref())),
        Kind::Sequence(items) => {
            items.iter().map(|item| value(item, depth)).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        Kind::Mapping(items) => {
            let pairs = items.iter().map(|(key, item)| Some((key.text()?.to_owned(), value(item, depth)?)));
            pairs.collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
        }
    }
}
