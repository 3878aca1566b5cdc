//! `climax call`: one tool, through the same door as the tool `climax_call`.

use aish_mcp::server::CallScope;
use climax::policy::Headless;
use climax::schema::Flags;
use climax::service::{Listing, Service};
use serde_json::{Map, Value};

use super::configs::{self, OrAll, Selection, Tools};
use super::{Exit, log, output, run};

/// Arguments of `call`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The tool
    tool: String,
    /// An argument; may be given several times, of one name for a list
    #[arg(long = "arg", value_name = "KEY=VALUE")]
    args: Vec<String>,
    /// All arguments as a JSON object
    #[arg(long, value_name = "JSON", conflicts_with = "args")]
    json: Option<String>,
    /// A config to take tools from, by name or path; may be given several times; all bundled ones unless given
    #[arg(short = 'c', long = "in", value_name = "NAME|PATH")]
    names: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// Let the call run when nobody can be asked about it
    #[arg(long)]
    headless_approve: bool,
    /// Write the structured result as JSON instead of the text
    #[arg(long)]
    structured: bool,
}

/// Calls; the exit says whether the tool succeeded.
pub(super) fn run(args: &Args) -> Exit {
    log::start(log::Level::Warning);
    let Some(arguments) = read_arguments(&args.args, args.json.as_deref()) else { return Exit::Usage };
    let Some(sources) = configs::sources(&args.names, &args.selection, OrAll::Bundled) else { return Exit::Failure };
    let Some(Tools { catalogue, servers }) = configs::tools(&sources, &args.selection, Flags::Shown) else {
        return Exit::Failure;
    };
    let headless = args.headless_approve.then_some(Headless::Approve);
    let service = Service::new(catalogue, run::options(Listing::Discovery, headless, servers));
    let called = run::to_the_end(async |cancel| {
        let outcome = service.call_tool(args.tool.as_str().into(), arguments, &CallScope::detached(cancel)).await;
        service.close().await;
        outcome
    });
    let Some(outcome) = called else { return Exit::Failure };
    for name in &outcome.notes.ignored {
        output::tell(&format!("note: {} has no argument '{}'; it ran without", args.tool, aish_types::visible(name)));
    }
    let is_success = outcome.is_success();
    match outcome.structured.filter(|_| args.structured) {
        Some(structured) => output::json(&structured.to_string()),
        None => output::line(&outcome.text),
    }
    service.keep_new_tools();
    if is_success { Exit::Success } else { Exit::Failure }
}

/// Reads the arguments. The error is told already.
pub(super) fn read_arguments(args: &[String], json: Option<&str>) -> Option<Value> {
    if let Some(text) = json {
        return match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => Some(value),
            Ok(_) => tell_none("--json must be a JSON object, as in --json '{\"path\": \".\"}'"),
            Err(error) => tell_none(&format!("--json is not valid JSON: {error}")),
        };
    }
    let mut map = Map::new();
    for arg in args {
        let Some((key, value)) = arg.split_once('=') else {
            return tell_none(&format!("--arg must be KEY=VALUE, and this is '{arg}'"));
        };
        match map.get_mut(key) {
            None => drop(map.insert(key.to_owned(), value.into())),
            Some(Value::Array(items)) => items.push(value.into()),
            Some(first) => *first = Value::Array(vec![first.take(), value.into()]),
        }
    }
    Some(Value::Object(map))
}

fn tell_none(text: &str) -> Option<Value> {
    output::tell(&format!("error: {text}"));
    None
}
