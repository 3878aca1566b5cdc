//! aish's own tools for other agents, as an MCP server: every call goes through the gate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aish_mcp::server::{CallError, CallScope, ServerHandler, ServerInfo};
use aish_safety::{Gate, Surroundings};
use aish_tools::{Call, Door, Executor};
use aish_types::{BoxFuture, CallContext, CallId, SessionId, ToolDefinition, ToolName, ToolOutcome};
use serde_json::{Map, Value};

use crate::base::Base;

/// What reads the surroundings of commands: what is known around a shell that goes on changes with it.
pub type Around = Arc<dyn Fn() -> Surroundings + Send + Sync>;

/// The server.
pub struct ToolServer {
    door: Door,
    surroundings: Around,
    session: SessionId,
    user: String,
    next_call: AtomicU64,
}

impl ToolServer {
    /// Makes the server over what the executor runs; `around` reads the surroundings where they change.
    pub fn new(base: &Base, executor: Arc<Executor>, session: SessionId, around: Option<Around>) -> Self {
        let fixed = base.surroundings();
        let gate = Gate::new(Arc::new(base.audit()), Arc::new(base.pins()), base.policy());
        Self {
            door: Door::new(executor, gate),
            surroundings: around.unwrap_or_else(|| Arc::new(move || fixed.clone())),
            session,
            user: base.variable("USER").unwrap_or_else(|| "user".to_owned()),
            next_call: AtomicU64::new(1),
        }
    }
}

impl ServerHandler for ToolServer {
    fn info(&self) -> ServerInfo {
        ServerInfo::new("aish", env!("CARGO_PKG_VERSION"))
    }

    fn tools(&self) -> Vec<Arc<ToolDefinition>> {
        self.door.registry().list(None)
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ToolOutcome, CallError>> {
        Box::pin(async move {
            let name = ToolName::new(name);
            if self.door.registry().get(&name).is_none() {
                return Err(CallError::UnknownTool(name.to_string()));
            }
            let surroundings = (self.surroundings)();
            let context = CallContext {
                call: CallId::new(format!("call-{}", self.next_call.fetch_add(1, Ordering::Relaxed))),
                session: self.session.clone(),
                user: scope.client.name.clone().unwrap_or_else(|| self.user.clone()),
                channel: None,
                folder: surroundings.folder.clone(),
            };
            let call = Call { name, arguments: Value::Object(arguments), context };
            Ok(self.door.call(call, &surroundings, scope, scope.cancel.clone()).await.outcome())
        })
    }
}
