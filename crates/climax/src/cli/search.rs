//! `climax search`: the same answers as the tool `climax_search`.

use std::time::Duration;

use aish_mcp::server::CallScope;
use aish_tools::index::Found;
use climax::schema::Flags;
use climax::service::{Listing, Service};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::configs::{self, OrAll, Selection, Tools};
use super::{Exit, output, run};

/// How long vectors of tools are made before words alone answer; the next search goes on with it.
const PATIENCE: Duration = Duration::from_millis(300);

/// Arguments of `search`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// What you want done, in words; a summary of all configs unless something is given
    query: Vec<String>,
    /// The same in other words; may be given several times
    #[arg(long = "or", value_name = "WORDS")]
    queries: Vec<String>,
    /// Only this category
    #[arg(long)]
    category: Option<String>,
    /// Only this CLI
    #[arg(long)]
    cli: Option<String>,
    /// Only this MCP server
    #[arg(long)]
    server: Option<String>,
    /// Only tools of this risk: read, write, destructive, or unknown (a stranger's)
    #[arg(long)]
    risk: Option<String>,
    /// Only tools of CLIs, or of servers
    #[arg(long, value_name = "cli|server")]
    kind: Option<String>,
    /// How much is said of each tool: names, line or schema (in JSON)
    #[arg(long)]
    detail: Option<String>,
    /// How many results
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// How many results to skip
    #[arg(long, default_value_t = 0)]
    offset: usize,
    /// A config to search, by name or path; may be given several times; all bundled ones unless given
    #[arg(short = 'c', long = "in", value_name = "NAME|PATH")]
    names: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Searches.
pub(super) fn run(args: &Args) -> Exit {
    let Some(sources) = configs::sources(&args.names, &args.selection, OrAll::Bundled) else { return Exit::Failure };
    let Some(Tools { catalogue, servers }) = configs::tools(&sources, &args.selection, Flags::Shown) else {
        return Exit::Failure;
    };
    let Some(runtime) = run::runtime() else { return Exit::Failure };
    let service = Service::new(catalogue, run::options(Listing::Discovery, None, servers));
    service.prepare_meaning(PATIENCE);
    let found = runtime.block_on(async {
        let found = service.find(&request(args), &CallScope::detached(CancellationToken::new())).await;
        service.close().await;
        found
    });
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            output::tell(&format!("error: {error}"));
            return Exit::Usage;
        }
    };
    if args.json {
        match serde_json::to_string(&found) {
            Ok(text) => output::json(&text),
            Err(error) => {
                output::tell(&format!("error: the answer cannot be written: {error}"));
                return Exit::Failure;
            }
        }
        service.keep_new_tools();
        return Exit::Success;
    }
    show(&found);
    service.keep_new_tools();
    Exit::Success
}

/// Makes the arguments of the tool.
fn request(args: &Args) -> Value {
    let mut request = Map::new();
    let mut put = |key: &str, value: Option<Value>| request.extend(value.map(|value| (key.to_owned(), value)));
    put("query", (!args.query.is_empty()).then(|| args.query.join(" ").into()));
    put("queries", (!args.queries.is_empty()).then(|| json!(args.queries)));
    for (key, text) in [
        ("category", &args.category),
        ("cli", &args.cli),
        ("server", &args.server),
        ("risk", &args.risk),
        ("kind", &args.kind),
        ("detail", &args.detail),
    ] {
        put(key, text.clone().map(Value::from));
    }
    put("limit", Some(args.limit.into()));
    put("offset", Some(args.offset.into()));
    Value::Object(request)
}

fn show(found: &Found) {
    match found {
        Found::Summary { summary, note } => {
            for group in summary {
                output::line(&format!("{} ({} tools): {}", group.name(), group.tool_count(), group.description()));
            }
            told(note.as_deref());
        }
        Found::Search { results, total_matches, returned, has_more, left_out, .. } => {
            let width = results.iter().map(|tool| tool.name().len()).max().unwrap_or_default();
            for tool in results {
                let line = format!("{:width$}  {}", tool.name(), aish_types::sanitize(tool.description()));
                output::line(line.trim_end());
            }
            if *has_more {
                output::tell(&format!("{returned} of {total_matches}; --offset and --limit show more."));
            } else if *total_matches == 0 {
                output::tell("Nothing was found. `climax search` without words lists all configs.");
            }
            told(left_out.as_deref());
        }
    }
}

fn told(note: Option<&str>) {
    if let Some(note) = note {
        output::tell(&aish_types::sanitize(note));
    }
}
