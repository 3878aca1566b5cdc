//! `climax list`: the tools that the policy leaves.

use std::sync::Arc;

use climax::schema::Flags;
use climax::service::{Listing, Service};
use serde_json::json;

use super::configs::{self, OrAll, Selection, Tools};
use super::{Exit, output, run};

/// Arguments of `list`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// Configs by name or path; all bundled ones unless given
    #[arg(value_name = "NAME|PATH")]
    names: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Lists.
pub(super) fn run(args: &Args) -> Exit {
    let Some(sources) = configs::sources(&args.names, &args.selection, OrAll::Bundled) else { return Exit::Failure };
    let Some(Tools { catalogue, servers }) = configs::tools(&sources, &args.selection, Flags::Shown) else {
        return Exit::Failure;
    };
    let (programs, counts): (Vec<_>, Vec<_>) = catalogue
        .configs()
        .iter()
        .filter(|config| !config.is_servers_alone())
        .map(|config| (Arc::clone(config), catalogue.counts().get(config.name.as_str()).copied().unwrap_or_default()))
        .unzip();
    // What is known of servers from the last time; nothing is started.
    let service = Service::new(catalogue, run::options(Listing::Discovery, None, servers));
    let (definitions, rows) = (service.own_definitions(), service.rows());
    if args.json {
        let tools = definitions.iter().map(|tool| {
            json!({
                "tool_name": tool.name, "description": tool.description, "cli_name": tool.group,
                "category": Some(&tool.category).filter(|category| !category.is_empty()),
                "tags": tool.tags, "risk": if tool.trusted { json!(tool.risk) } else { json!("unknown") }, "input_schema": tool.input_schema,
            })
        });
        output::json(&serde_json::Value::Array(tools.collect()).to_string());
        return Exit::Success;
    }
    let width = definitions.iter().map(|tool| tool.name.as_str().len()).max().unwrap_or_default();
    let show = |group: &str| {
        for tool in definitions.iter().filter(|tool| tool.group == group) {
            output::line(&format!("  {:width$}  {}", tool.name.as_str(), aish_types::sanitize(&tool.description)));
        }
    };
    for (config, count) in programs.iter().zip(counts) {
        let category = config.category.as_ref().map(|category| format!(" [{category}]")).unwrap_or_default();
        output::line(&format!("{}{category}: {} ({count} tools)", config.name, config.description));
        show(&config.name);
    }
    for row in rows {
        output::line(&format!(
            "{} [MCP server, {}]: {} ({} tools)",
            row.server,
            row.state.as_str(),
            row.reached,
            row.tools
        ));
        show(&row.server);
    }
    Exit::Success
}
