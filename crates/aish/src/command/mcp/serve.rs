//! `aish mcp serve`: aish's own tools for other agents, over standard streams or streamable HTTP.

use std::sync::Arc;

use climax::serve::ServeFlags;

use crate::base::Base;
use crate::exit::ExitCode;
use crate::termination;
use crate::tool_server::ToolServer;
use crate::toolset;

/// Serves until the client closes its end or a signal comes.
///
/// # Errors
/// When the client cannot be greeted, or the address cannot be served.
pub(super) async fn run(base: &Base, flags: &ServeFlags, complain: &mut dyn FnMut(&str)) -> anyhow::Result<ExitCode> {
    base.faults().iter().for_each(|fault| complain(fault));
    let (registry, notices) = toolset::registry(base, Arc::new(base.memory()));
    notices.iter().for_each(|notice| complain(&aish_types::sanitize(notice)));
    let server = ToolServer::new(base, toolset::executor(base, &registry));
    let variable = |name: &str| base.variable(name);
    flags.serve(Arc::new(server), termination::on_signals()?, variable, complain).await?;
    Ok(ExitCode::Ok)
}
