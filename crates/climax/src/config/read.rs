//! From YAML to a [`Config`], with every fault at once.

use std::collections::{HashMap, HashSet};

use aish_types::Risk;

use super::arg::{Target, read_arg};
use super::{Arg, Config, DEFAULT_RESOLVE_TIMEOUT_S, DEFAULT_TIMEOUT_S, Resolve, Tool, Tools, check, http, list};
use crate::fault::{Fault, Faults, Position};
use crate::servers;
use crate::yaml::{self, Fields, Node};

/// The words of `risk`, and whether each call is judged by its command line: such a one counts as `write` until then.
const RISKS: &[(&str, (Risk, bool))] = &[
    ("read", (Risk::Read, false)),
    ("write", (Risk::Write, false)),
    ("destructive", (Risk::Destructive, false)),
    ("judged", (Risk::Write, true)),
];
/// Requests that a tool may give as examples, and bytes of one.
const MAX_EXAMPLES: usize = 8;
const MAX_EXAMPLE: usize = 300;

/// Reads a configuration. A tool that cannot be read is lost alone; a file without a command or a list of tools gives nothing.
///
/// `file` is the name that faults carry.
pub fn read(file: &str, text: &str) -> (Option<Config>, Vec<Fault>) {
    let mut faults = Faults::new(file);
    let config = yaml::parse(text, &mut faults).and_then(|root| read_config(&root, &mut faults));
    (config, faults.into_sorted())
}

fn read_config(root: &Node<'_>, faults: &mut Faults) -> Option<Config> {
    let mut fields = Fields::open(root, "a config", faults)?;
    let name = read_name(&mut fields, faults);
    let description = fields.text("description", faults).unwrap_or_default();
    let listed = servers::servers(&mut fields, faults);
    let has_servers = fields.position_of("servers").is_some();
    let command_at = fields.position_of("command");
    // A file may name servers alone.
    let (has_command, has_tools) = (command_at.is_some(), fields.position_of("tools").is_some());
    let target = if fields.position_of("http").is_some() { Target::Api } else { Target::Program };
    let names_servers_alone = has_servers && !has_command && !has_tools && target == Target::Program;
    let api = http::read_api(&mut fields, faults);
    let command = match target {
        Target::Program if is_list(&fields) => {
            let list = "this is a list of MCP servers and no config: it is given with `--servers FILE`";
            faults.error(fields.at, list);
            return None;
        }
        Target::Program if !names_servers_alone => fields.required_text("command", faults),
        Target::Program => Some(String::new()),
        // Without the API nothing of it can be called.
        Target::Api => api.as_ref().map(|_| String::new()),
    };
    if let (Some(text), Some(at)) = (&command, command_at) {
        check::words(text, "command", at, faults);
    }
    let env_at = fields.position_of("env").unwrap_or(fields.at);
    let env = fields.text_map("env", faults);
    check::env(&env, env_at, faults);
    let working_dir = fields.text("working_dir", faults);
    let category = fields.text("category", faults).filter(|text| !text.is_empty());
    let tags = fields.texts("tags", faults);
    let global_args = fields.list("global_args", faults).iter();
    let global_args =
        global_args.filter_map(|node| read_arg(node, "a global argument", Target::Program, faults)).collect();
    let options_first = fields.boolean("options_first", faults);
    http::alone(&fields, target, faults);
    if !has_tools && !names_servers_alone {
        faults.error(fields.at, "a config needs 'tools' (an empty list will do)");
    }
    let tools = read_tools(&mut fields, target, faults);
    fields.end(faults);
    let command = command?;
    places(&command, command_at, &tools, faults);
    (has_tools || names_servers_alone).then_some(Config {
        name,
        description,
        command,
        api,
        env,
        working_dir,
        category,
        tags,
        global_args,
        options_first,
        tools,
        servers: listed,
    })
}

/// Reads the name of a config, which has one that is given to all without.
fn read_name(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> String {
    let at = fields.position_of("name").unwrap_or(fields.at);
    let name = fields.text("name", faults);
    if name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        faults.contradiction(at, "'name' of a config is empty; it is 'climax' then");
    }
    name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "climax".into())
}

/// Tells where the base command has the name of an argument, as if its value came there.
fn places(command: &str, at: Option<Position>, tools: &Tools, faults: &mut Faults) {
    if let Some(at) = at.filter(|_| command.contains('{')) {
        let is_argument = |name: &str| tools.iter().any(|tool| tool.arg(name).is_some());
        check::places_in_command(command.split_whitespace(), is_argument, at, faults);
    }
}

/// Tells the lists of servers that other programs keep.
fn is_list(fields: &Fields<'_, '_>) -> bool {
    let has = |key: &str| fields.position_of(key).is_some();
    !has("tools") && ["mcpServers", "mcp_servers", "context_servers", "mcp"].iter().any(|key| has(key))
}

fn read_tools(fields: &mut Fields<'_, '_>, target: Target, faults: &mut Faults) -> Tools {
    let mut tools = Tools::default();
    let mut names: HashSet<String> = HashSet::new();
    for node in fields.list("tools", faults) {
        let Named { name, at, tool } = read_tool(node, target, faults);
        // Said whatever else is wrong with either of them.
        let is_known = name.as_ref().is_some_and(|name| names.contains(name));
        match (name, tool) {
            (Some(name), tool) if is_known => {
                faults.contradiction(at, format!("two tools are called '{name}'; the last one counts"));
                tool.iter().for_each(|tool| tools.replace(tool));
            }
            (name, tool) => {
                names.extend(name);
                tool.iter().for_each(|tool| tools.push(tool));
            }
        }
    }
    tools.shrink();
    tools
}

/// A tool, or what is known of one that cannot be read.
struct Named {
    name: Option<String>,
    at: Position,
    tool: Option<Tool>,
}

fn read_tool(node: &Node<'_>, target: Target, faults: &mut Faults) -> Named {
    let before = faults.errors();
    let Some(mut fields) = Fields::open(node, "a tool", faults) else {
        return Named { name: None, at: node.at, tool: None };
    };
    let at = fields.position_of("name").unwrap_or(fields.at);
    let name = fields.required_text("name", faults);
    let tool = read_fields(fields, target, name.clone(), before, faults);
    Named { name, at, tool }
}

fn read_fields(
    mut fields: Fields<'_, '_>,
    target: Target,
    name: Option<String>,
    before: usize,
    faults: &mut Faults,
) -> Option<Tool> {
    let at = fields.position_of("name").unwrap_or(fields.at);
    if let Some(name) = &name {
        check::tool_name(name, at, faults);
    }
    let description = fields.required_text("description", faults);
    let examples = read_examples(&mut fields, faults);
    let (command, operation) = match target {
        Target::Program => (read_words(&mut fields, faults), None),
        Target::Api => (Vec::new(), http::read_operation(&mut fields, faults).map(Box::new)),
    };
    let before_args = faults.errors();
    let mut args = read_args(&mut fields, target, faults);
    let mut is_whole = faults.errors() == before_args;
    let timeout_s = read_timeout(&mut fields, DEFAULT_TIMEOUT_S, faults);
    let (risk, judged) = read_risk(&mut fields, target, faults);
    let confirm_at = fields.position_of("confirm_message").unwrap_or(at);
    let confirm_message = fields.text("confirm_message", faults);
    let look_ups = read_look_ups(&mut fields, target, faults);
    is_whole &= look_ups.iter().all(Option::is_some);
    fields.end(faults);
    args.shrink_to_fit();
    let is_read = faults.errors() == before && name.is_some() && description.is_some();
    let tool = Tool {
        name: name.unwrap_or_default(),
        description: description.unwrap_or_default(),
        examples,
        command,
        operation,
        args,
        timeout_s,
        risk,
        judged,
        confirm_message,
        resolve: look_ups.into_iter().flatten().collect(),
    };
    // Told of a tool that cannot be read, too: every fault at once.
    check::tool(&tool, at, faults);
    if is_whole {
        check::confirm(&tool, confirm_at, faults);
    }
    if is_read {
        http::check(&tool, at, faults);
    }
    is_read.then_some(tool)
}

/// Reads what a tool does to the world, and whether each call's command line is judged instead.
fn read_risk(fields: &mut Fields<'_, '_>, target: Target, faults: &mut Faults) -> (Risk, bool) {
    let at = fields.position_of("risk").unwrap_or(fields.at);
    let (risk, judged) = fields.word("risk", RISKS, faults).unwrap_or_default();
    if judged && target == Target::Api {
        faults.contradiction(at, "'risk: judged' means 'write' here: only command lines are judged");
    }
    (risk, judged)
}

/// Reads the look-ups of a tool's sentence; none stands for one that cannot be read.
fn read_look_ups(fields: &mut Fields<'_, '_>, target: Target, faults: &mut Faults) -> Vec<Option<Resolve>> {
    if let Some(at) = fields.position_of("resolve").filter(|_| target == Target::Api) {
        faults.contradiction(at, "'resolve' means nothing here: look-ups are sub-commands of a program");
    }
    let entries = fields.entries("resolve", faults);
    entries.into_iter().map(|(variable, at, node)| read_resolve(variable, at, node, faults)).collect()
}

fn read_args(fields: &mut Fields<'_, '_>, target: Target, faults: &mut Faults) -> Vec<Arg> {
    let (mut args, mut places): (Vec<Arg>, Vec<Position>) = (Vec::new(), Vec::new());
    let mut known: HashMap<String, usize> = HashMap::new();
    for node in fields.list("args", faults) {
        let Some(arg) = read_arg(node, "an argument", target, faults) else { continue };
        if let Some(first) = known.get(&arg.name).and_then(|at| args.get_mut(*at)) {
            faults.contradiction(node.at, format!("two arguments are called '{}'; the last one counts", arg.name));
            *first = arg;
        } else {
            known.insert(arg.name.clone(), args.len());
            args.push(arg);
            places.push(node.at);
        }
    }
    list::ends(&places.into_iter().zip(&args).collect::<Vec<_>>(), faults);
    args
}

fn read_examples(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Vec<String> {
    let at = fields.position_of("examples").unwrap_or(fields.at);
    let mut examples = fields.texts("examples", faults);
    examples.retain(|example| !example.trim().is_empty());
    if examples.len() > MAX_EXAMPLES {
        faults.error(at, format!("'examples' has {}, and {MAX_EXAMPLES} are the most", examples.len()));
    }
    if let Some(long) = examples.iter().find(|example| example.len() > MAX_EXAMPLE) {
        faults.error(at, format!("an example has {} bytes, and {MAX_EXAMPLE} are the most", long.len()));
    }
    examples
}

fn read_words(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Vec<String> {
    let at = fields.position_of("command");
    let text = fields.text("command", faults).unwrap_or_default();
    check::words(&text, "command", at.unwrap_or(fields.at), faults)
}

fn read_timeout(fields: &mut Fields<'_, '_>, default: f64, faults: &mut Faults) -> f64 {
    let at = fields.position_of("timeout").unwrap_or(fields.at);
    match fields.number("timeout", faults) {
        Some(seconds) if seconds > 0.0 => seconds,
        Some(seconds) if seconds < 0.0 => {
            faults.contradiction(at, format!("'timeout' is below 0; {default} seconds are used"));
            default
        }
        Some(_) | None => default,
    }
}

fn read_resolve(variable: String, at: Position, node: &Node<'_>, faults: &mut Faults) -> Option<Resolve> {
    let mut fields = Fields::open(node, "a look-up", faults)?;
    let command_at = fields.position_of("command").unwrap_or(at);
    let command = fields.required_text("command", faults);
    let args = fields.text_map("args", faults);
    let timeout_s = read_timeout(&mut fields, DEFAULT_RESOLVE_TIMEOUT_S, faults);
    fields.end(faults);
    let command = check::words(&command?, "command", command_at, faults);
    Some(Resolve { variable, command, args, timeout_s })
}
