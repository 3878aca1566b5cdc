//! `climax refresh`: starts MCP servers, lists what they have, keeps that for searches, and stops them again.

use aish_mcp::server::CallScope;
use climax::policy::Headless;
use climax::schema::Flags;
use climax::service::{Listing, Service};
use tokio_util::sync::CancellationToken;

use super::configs::{self, OrAll, Selection, Tools};
use super::{Exit, log, output, run};

/// Arguments of `refresh`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// Servers by name; all of the files unless given
    #[arg(value_name = "SERVER")]
    names: Vec<String>,
    #[command(flatten)]
    selection: Selection,
    /// Start servers that nobody can be asked about
    #[arg(long)]
    headless_approve: bool,
}

/// Refreshes; the exit says whether all of them could be started.
pub(super) fn run(args: &Args) -> Exit {
    log::start(log::Level::Warning);
    if args.selection.servers.is_empty() && args.selection.config.is_empty() {
        output::tell("Name a file with servers, as in `climax refresh --servers mcp.json`, or `--config FILE`.");
        return Exit::Usage;
    }
    let Some(sources) = configs::sources(&[], &args.selection, OrAll::Nothing) else { return Exit::Usage };
    let Some(Tools { catalogue, servers }) = configs::tools(&sources, &args.selection, Flags::Shown) else {
        return Exit::Failure;
    };
    let all: Vec<String> = servers.iter().filter(|server| server.enabled).map(|server| server.alias.clone()).collect();
    if all.is_empty() {
        output::tell("There is no server in these files that is switched on.");
        return Exit::Failure;
    }
    let wanted = if args.names.is_empty() { &all } else { &args.names };
    let headless = args.headless_approve.then_some(Headless::Approve);
    let service = Service::new(catalogue, run::options(Listing::Discovery, headless, servers));
    let good = run::to_the_end(async |cancel| {
        let mut good = true;
        for name in wanted {
            if cancel.is_cancelled() {
                return false;
            }
            good &= one(&service, name, &cancel).await;
        }
        good
    });
    if good == Some(true) { Exit::Success } else { Exit::Failure }
}

/// Refreshes one server and tells what came of it.
async fn one(service: &Service, name: &str, cancel: &CancellationToken) -> bool {
    match service.refresh(name, &CallScope::detached(cancel.clone())).await {
        Ok(done) => {
            let changes = match (done.new, done.changed) {
                (0, 0) => String::new(),
                (new, changed) => format!(" ({new} new, {changed} changed: asked about when they are called)"),
            };
            let ms = done.took.as_millis();
            output::line(&format!("{name}: {} tools{changes}, started in {ms} ms", done.tools));
            true
        }
        Err(why) => {
            output::tell(&format!("error: {}", aish_types::sanitize(&why)));
            false
        }
    }
}
