//! `aish mcp serve`: aish's own tools for other agents, over standard streams or streamable HTTP.

mod shell;

use std::sync::Arc;

use aish_types::SessionId;
use climax::serve::{ServeFlags, Transport, on_signals};

use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::run::complain;
use crate::tool_server::ToolServer;
use crate::toolset;

/// Serves until the client closes its end or a signal comes.
///
/// # Errors
/// When the client cannot be greeted, or the address cannot be served.
pub(super) async fn run(base: &Base, flags: &ServeFlags, with_shell: bool) -> Result<ExitCode, Failure> {
    if with_shell && flags.transport == Transport::StreamableHttp && flags.auth_token_env.is_none() {
        complain("a shell is served over HTTP only with a token: name its variable with --auth-token-env");
        return Ok(ExitCode::Usage);
    }
    base.faults().iter().for_each(|fault| complain(fault));
    let (registry, notices) = toolset::registry(base, Arc::new(base.memory()), Some(Arc::new(toolset::files(base))));
    notices.iter().for_each(|notice| complain(&aish_types::sanitize(notice)));
    let session = SessionId::new(format!("mcp-{}", crate::session::new_id(&base.clock)));
    let shell = with_shell.then(|| shell::add(base, &registry, &session));
    let (live, shell) = shell.unzip();
    let server = ToolServer::new(base, toolset::executor(base, &registry), session, shell);
    let variable = |name: &str| base.variable(name);
    let served = flags.serve(Arc::new(server), on_signals()?, variable, complain).await;
    if let Some(live) = live {
        live.close().await;
    }
    served?;
    Ok(ExitCode::Ok)
}
