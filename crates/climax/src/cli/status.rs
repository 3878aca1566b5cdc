//! `climax status`: how MCP servers do, in the gateways that run, and what is kept of them.

use climax::schema::Flags;
use climax::service::{Listing, Service};
use climax::{RunningGateway, ServerRow};
use serde_json::json;

use super::configs::{self, OrAll, Selection, Tools};
use super::{Exit, output, places, run};

/// Arguments of `status`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Shows the gateways that run, and the servers of the given files as they are kept. Nothing is started.
pub(super) fn run(args: &Args) -> Exit {
    let gateways = places::state_folder().map(|state| climax::running(&state)).unwrap_or_default();
    let named = !args.selection.servers.is_empty() || !args.selection.config.is_empty();
    let kept = if named {
        let Some(sources) = configs::sources(&[], &args.selection, OrAll::Nothing) else { return Exit::Usage };
        let Some(Tools { catalogue, servers }) = configs::tools(&sources, &args.selection, Flags::Shown) else {
            return Exit::Failure;
        };
        Service::new(catalogue, run::options(Listing::Discovery, None, servers)).rows()
    } else {
        Vec::new()
    };
    if args.json {
        output::json(&json!({"gateways": gateways, "servers": kept}).to_string());
        return Exit::Success;
    }
    for RunningGateway { pid, servers, .. } in &gateways {
        output::line(&format!("gateway with process id {pid}:"));
        servers.iter().for_each(show);
    }
    if gateways.is_empty() {
        output::tell("No gateway runs. (`climax run --servers FILE` is one.)");
    }
    if !kept.is_empty() {
        output::line("in the files:");
        kept.iter().for_each(show);
    }
    Exit::Success
}

fn show(row: &ServerRow) {
    let era = row.era.as_ref().map(|era| format!(", {era}")).unwrap_or_default();
    let calls = match (row.calls, row.p50_ms, row.p95_ms) {
        (0, _, _) | (_, None, _) | (_, _, None) => String::new(),
        (calls, Some(p50), Some(p95)) => format!(", {calls} calls (half within {p50} ms, 95 of 100 within {p95} ms)"),
    };
    let starts = if row.starts > 1 { format!(", started {} times", row.starts) } else { String::new() };
    let state = row.state.as_str();
    output::line(&format!("  {}: {state}{era}, {} tools{calls}{starts}", row.server, row.tools));
    output::line(&format!("    {}", aish_types::sanitize(&row.reached)));
    if let Some(error) = &row.last_error {
        output::line(&format!("    last error: {}", aish_types::sanitize(error)));
    }
}
