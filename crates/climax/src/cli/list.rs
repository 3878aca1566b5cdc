//! `climax list`: the tools that the policy leaves.

use climax::schema::Flags;
use serde_json::json;

use super::configs::{self, OrAll, Selection};
use super::{Exit, output};

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
    let Some(catalogue) = configs::catalogue(&sources, &args.selection, Flags::Shown) else { return Exit::Failure };
    if args.json {
        let tools = catalogue.definitions().iter().map(|tool| {
            json!({
                "tool_name": tool.name, "description": tool.description, "cli_name": tool.group,
                "category": Some(&tool.category).filter(|category| !category.is_empty()),
                "tags": tool.tags, "risk": tool.risk, "input_schema": tool.input_schema,
            })
        });
        output::data(&format!("{}\n", serde_json::Value::Array(tools.collect())));
        return Exit::Success;
    }
    let width = catalogue.definitions().iter().map(|tool| tool.name.as_str().len()).max().unwrap_or_default();
    let counts = catalogue.counts();
    for config in catalogue.configs() {
        let count = counts.get(config.name.as_str()).copied().unwrap_or_default();
        let category = config.category.as_ref().map(|category| format!(" [{category}]")).unwrap_or_default();
        output::line(&format!("{}{category}: {} ({count} tools)", config.name, config.description));
        for tool in catalogue.definitions().iter().filter(|tool| tool.group == config.name) {
            output::line(&format!("  {:width$}  {}", tool.name.as_str(), tool.description));
        }
    }
    Exit::Success
}
