//! `climax dev`: a config while it is written: its faults, what an agent would see of it and what that costs, and a call.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use aish_mcp::server::CallScope;
use aish_tools::DiscoveryTools;
use aish_types::{SourceId, ToolDefinition};
use climax::Catalogue;
use climax::load::{self, Source};
use climax::policy::Headless;
use climax::schema::Flags;
use climax::service::{Listing, Service};
use rustix::event::{PollFd, PollFlags, Timespec};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::configs::{self, Selection};
use super::watched::Watched;
use super::{Exit, call, log, output, run, validate};

/// Characters of a text that make about one token.
const CHARACTERS_FOR_A_TOKEN: usize = 4;
/// What passes without a change before a file counts as written: an editor writes in several steps.
const SETTLED: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// How often it is looked whether another folder has the place of the watched one.
const LOOK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Arguments of `dev`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The config
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A policy: which tools are left, what is asked, where they run
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// A wish, in words: shows which tools a search finds for it
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// A tool that is called each time
    #[arg(long, value_name = "TOOL")]
    call: Option<String>,
    /// An argument of the call; may be given several times, of one name for a list
    #[arg(long = "arg", value_name = "KEY=VALUE", requires = "call")]
    args: Vec<String>,
    /// All arguments of the call as a JSON object
    #[arg(long, value_name = "JSON", conflicts_with = "args", requires = "call")]
    json: Option<String>,
    /// Let the call run when nobody can be asked about it
    #[arg(long)]
    headless_approve: bool,
    /// Show everything once and end
    #[arg(long)]
    once: bool,
}

/// Shows the config, again at each change; with `--once` the exit says whether all was well.
pub(super) fn run(args: &Args) -> Exit {
    log::start(log::Level::Warning);
    let Some(arguments) = call::read_arguments(&args.args, args.json.as_deref()) else { return Exit::Usage };
    if args.once {
        return if show(args, &arguments) { Exit::Success } else { Exit::Failure };
    }
    let source = [Source::File(args.file.clone())];
    let selection = Selection { policy: args.policy.clone(), ..Selection::default() };
    // Watched before it is read, so that no change comes between.
    let mut watched = match Watched::new(&source, &selection) {
        Ok(watched) => watched,
        Err(error) => {
            output::tell(&format!("error: the folder of {} cannot be watched: {error}", args.file.display()));
            return Exit::Failure;
        }
    };
    let mut shown = None;
    loop {
        let now = contents(args);
        if shown.as_ref() != Some(&now) {
            shown = Some(now);
            show(args, &arguments);
            output::tell(&format!("Waiting for a change of {} (Ctrl-C ends).", args.file.display()));
        }
        if let Err(error) = wait(&mut watched) {
            output::tell(&format!("error: {} is no longer watched: {error}", args.file.display()));
            return Exit::Failure;
        }
    }
}

fn contents(args: &Args) -> [Option<Vec<u8>>; 2] {
    [climax::load::contents(&args.file), args.policy.as_ref().and_then(|policy| climax::load::contents(policy))]
}

/// Waits for a change, and until no other follows it.
fn wait(watched: &mut Watched) -> io::Result<()> {
    let mut changed = false;
    loop {
        let mut files = [PollFd::new(watched.notices(), PollFlags::IN)];
        let patience = if changed { SETTLED } else { LOOK };
        match rustix::event::poll(&mut files, Some(&patience)) {
            Ok(0) if changed => return Ok(()),
            Ok(_) => changed |= watched.take()?,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Shows everything once; says whether all was well.
fn show(args: &Args, arguments: &Value) -> bool {
    let source = Source::File(args.file.clone());
    let mut good = validate::config(&source, args.policy.is_none());
    let loaded = load::load(&[source]);
    let Some(policy) = configs::read_policy(args.policy.as_deref()) else { return false };
    if loaded.configs.is_empty() {
        return false;
    }
    let (servers, _) =
        climax::servers::joined(loaded.configs.iter().flat_map(|config| config.servers.clone()).collect());
    let catalogue = Catalogue::new(loaded.configs, Arc::new(policy), Flags::Shown);
    let headless = args.headless_approve.then_some(Headless::Approve);
    let service = Service::new(catalogue, run::options(Listing::Discovery, headless, servers));
    costs(&service);
    let Some(runtime) = run::runtime() else { return false };
    let cancel = CancellationToken::new();
    runtime.block_on(async {
        if let Some(query) = &args.query {
            good &= found(&service, query, &cancel).await;
        }
        if let Some(tool) = &args.call {
            let outcome =
                service.call_tool(tool.as_str().into(), arguments.clone(), &CallScope::detached(cancel)).await;
            output::line(&format!("\n{tool}{arguments}: {}", if outcome.is_success() { "ok" } else { "failed" }));
            output::line(&outcome.text);
            good &= outcome.is_success();
        }
        service.close().await;
    });
    runtime.shutdown_background();
    good
}

/// Shows each tool as an agent sees it, and what the definitions cost it.
fn costs(service: &Service) {
    let tools = service.own_definitions();
    let width = tools.iter().map(|tool| tool.name.as_str().len()).max().unwrap_or_default();
    let mut all = 0;
    for tool in &tools {
        let size = tokens(tool);
        all += size;
        let (name, risk) = (tool.name.as_str(), risk(tool));
        output::line(&format!("  {name:width$}  {risk:<11}  {size:>5} tokens  {}", tool.description));
        output::line(&format!("  {:width$}  takes {}", "", arguments_of(tool)));
    }
    let two = DiscoveryTools::new("climax_search", "climax_call", SourceId::new("climax")).definitions();
    let two: usize = two.iter().map(tokens).sum();
    output::line(&format!(
        "{} tools. An agent pays about {two} tokens for the two tools that find and call them, or {all} for all (--classic).",
        tools.len()
    ));
}

fn risk(tool: &ToolDefinition) -> &'static str {
    match tool.risk {
        _ if !tool.trusted => "unknown",
        _ if tool.judged => "judged",
        aish_types::Risk::Read => "read",
        aish_types::Risk::Write => "write",
        aish_types::Risk::Destructive => "destructive",
    }
}

/// Lists the arguments of a tool, required ones first and others in brackets, lists with dots.
fn arguments_of(tool: &ToolDefinition) -> String {
    let empty = Vec::new();
    let schema = tool.input_schema.value();
    let required = schema.get("required").and_then(Value::as_array).unwrap_or(&empty);
    let properties = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&String> = properties.into_iter().flat_map(|properties| properties.keys()).collect();
    let is_required = |name: &String| required.iter().any(|required| required == name.as_str());
    let (first, rest): (Vec<&String>, Vec<&String>) = names.into_iter().partition(|name| is_required(name));
    let is_list = |name: &String| {
        let property = properties.and_then(|properties| properties.get(name));
        property.and_then(|property| property.get("type")).is_some_and(|kind| kind == "array")
    };
    let shown = |name: &String| if is_list(name) { format!("{name}...") } else { name.clone() };
    let first = first.into_iter().map(shown);
    let words: Vec<String> = first.chain(rest.into_iter().map(|name| format!("[{}]", shown(name)))).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(" ") }
}

/// Counts the tokens of a definition as it is listed, about.
fn tokens(tool: &ToolDefinition) -> usize {
    let listed = json!({"name": tool.name.as_str(), "description": tool.description, "inputSchema": tool.input_schema});
    listed.to_string().chars().count().div_ceil(CHARACTERS_FOR_A_TOKEN)
}

/// Shows what a search finds; says whether it found anything.
async fn found(service: &Service, query: &str, cancel: &CancellationToken) -> bool {
    let request = json!({"query": query, "limit": 5});
    let Ok(found) = service.find(&request, &CallScope::detached(cancel.clone())).await else { return false };
    let aish_tools::index::Found::Search { results, total_matches, .. } = &found else { return false };
    let names: Vec<&str> = results.iter().map(|tool| tool.name()).collect();
    let size = serde_json::to_string(&found).map_or(0, |text| text.chars().count().div_ceil(CHARACTERS_FOR_A_TOKEN));
    output::line(&format!("\n\"{query}\" finds {total_matches}, in about {size} tokens: {}", names.join(", ")));
    !names.is_empty()
}
