//! `aish mcp serve`: aish's own tools for other agents, over standard input and output.

use std::sync::Arc;

use aish_mcp::server::{StdioOptions, serve_stdio};

use crate::exit::ExitCode;
use crate::termination;
use crate::tool_server::ToolServer;
use crate::wiring::Base;

/// Serves until the client closes its end or a signal comes.
///
/// # Errors
/// When the client cannot be greeted.
pub(super) async fn run(base: &Base, complain: &mut dyn FnMut(&str)) -> anyhow::Result<ExitCode> {
    base.faults().iter().for_each(|fault| complain(fault));
    let (registry, notices) = base.registry();
    notices.iter().for_each(|notice| complain(&aish_types::sanitize(notice)));
    let server = ToolServer::new(base, base.executor(&registry));
    let options = StdioOptions { shutdown: termination::on_signals()?, ..StdioOptions::default() };
    serve_stdio(Arc::new(server), options).await?;
    Ok(ExitCode::Ok)
}
