//! `climax import --mcp SERVER`: what a server has, to be looked through.

use aish_mcp::server::CallScope;
use climax::policy::Headless;
use climax::schema::Flags;
use climax::service::{Listing, Service};

use crate::cli::configs::{self, OrAll, Selection, Tools};
use crate::cli::{output, run};

/// Starts the server, where somebody agrees, and writes its tools down. The error is told already.
pub(super) fn review(server: &str, selection: &Selection, headless_approve: bool) -> Option<String> {
    let sources = configs::sources(&[], selection, OrAll::Nothing)?;
    let Tools { catalogue, mut servers } = configs::tools(&sources, selection, Flags::Shown)?;
    // What the server says is written down, by its own names; what the person's files say of it stays theirs.
    let mut said = Vec::new();
    for entry in servers.iter_mut().filter(|entry| entry.alias == server) {
        said.extend(entry.tools.iter().map(|over| over.tool.clone()));
        entry.tools.retain(|over| over.hidden);
    }
    let headless = headless_approve.then_some(Headless::Approve);
    let service = Service::new(catalogue, run::options(Listing::Discovery, headless, servers));
    let refreshed = run::to_the_end(async |cancel| service.refresh(server, &CallScope::detached(cancel)).await);
    if let Err(why) = refreshed? {
        output::tell(&format!("error: {}", aish_types::sanitize(&why)));
        return None;
    }
    let tools = service.own_definitions();
    let of_server: Vec<_> = tools.into_iter().filter(|tool| tool.group == server).collect();
    output::tell(&format!("{} tools. What they may do is yours to say: look at every one of them.", of_server.len()));
    Some(climax::import::review(server, &of_server, &said))
}
