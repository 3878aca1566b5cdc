//! `climax search`: the same answers as the tool `climax_search`.

use aish_tools::index::{Found, Query, SearchRequest};
use climax::schema::Flags;

use super::configs::{self, OrAll, Selection};
use super::{Exit, output};

/// Arguments of `search`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// What you want done, in words; a summary of all configs unless something is given
    query: Vec<String>,
    /// Only this category
    #[arg(long)]
    category: Option<String>,
    /// Only this CLI
    #[arg(long)]
    cli: Option<String>,
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
    let Some(catalogue) = configs::catalogue(&sources, &args.selection, Flags::Shown) else { return Exit::Failure };
    let query = Query {
        text: (!args.query.is_empty()).then(|| args.query.join(" ")),
        category: args.category.clone(),
        group: args.cli.clone(),
        limit: args.limit,
        offset: args.offset,
    };
    let found = SearchRequest::new(query).answer(&catalogue.index());
    if args.json {
        match serde_json::to_string(&found) {
            Ok(text) => output::data(&format!("{text}\n")),
            Err(error) => {
                output::tell(&format!("error: the answer cannot be written: {error}"));
                return Exit::Failure;
            }
        }
        return Exit::Success;
    }
    show(&found);
    Exit::Success
}

fn show(found: &Found) {
    match found {
        Found::Summary { summary } => {
            for group in summary {
                output::line(&format!("{} ({} tools): {}", group.name(), group.tool_count(), group.description()));
            }
        }
        Found::Search { results, total_matches, returned, has_more, .. } => {
            let width = results.iter().map(|tool| tool.name().len()).max().unwrap_or_default();
            for tool in results {
                output::line(&format!("{:width$}  {}", tool.name(), tool.description()));
            }
            if *has_more {
                output::tell(&format!("{returned} of {total_matches}; --offset and --limit show more."));
            } else if *total_matches == 0 {
                output::tell("Nothing was found. `climax search` without words lists all configs.");
            }
        }
    }
}
