//! aish's own tools for other agents, as an MCP server: every call goes through the gate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aish_journal::{AuditFile, PinFile};
use aish_mcp::server::{CallError, CallScope, ServerHandler, ServerInfo};
use aish_safety::{Gate, Mode, Passage, Policy, PreparedCall, Surroundings};
use aish_tools::Executor;
use aish_types::{BoxFuture, CallContext, CallId, SessionId, ToolCall, ToolDefinition, ToolName, ToolOutcome};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::base::Base;
use crate::elicitation::{self, Relay};

/// The server.
pub struct ToolServer {
    executor: Arc<Executor>,
    audit: Arc<AuditFile>,
    pins: Arc<PinFile>,
    policy: Policy,
    surroundings: Surroundings,
    session: SessionId,
    user: String,
    next_call: AtomicU64,
}

impl ToolServer {
    /// Makes the server over what the executor runs.
    pub fn new(base: &Base, executor: Arc<Executor>) -> Self {
        Self {
            executor,
            audit: Arc::new(base.audit()),
            pins: Arc::new(base.pins()),
            policy: base.policy(),
            surroundings: base.surroundings(),
            session: SessionId::new(format!("mcp-{}", std::process::id())),
            user: base.variable("USER").unwrap_or_else(|| "user".to_owned()),
            next_call: AtomicU64::new(1),
        }
    }

    async fn run(&self, call: &ToolCall, scope: &CallScope) -> ToolOutcome {
        let context = CallContext {
            call: call.id.clone(),
            session: self.session.clone(),
            user: scope.client.name.clone().unwrap_or_else(|| self.user.clone()),
            channel: None,
            folder: self.surroundings.folder.clone(),
        };
        let prepared = match self.executor.prepare(call, context).await {
            Ok(prepared) => prepared,
            Err(outcome) => return *outcome,
        };
        match self.pass(prepared, scope).await {
            Passage::Approved(approved) => self.executor.run(approved, scope.cancel.clone()).await,
            Passage::Declined { reason, .. } => ToolOutcome::failure(reason),
            Passage::Halted { judgement } => ToolOutcome::failure(format!("not approved: {}", judgement.reason)),
            // Questions offer no edit here.
            Passage::Edited { .. } => ToolOutcome::failure("the answer was not understood"),
        }
    }

    /// Passes the gate; questions are answered by this task, which has the way back to the client.
    async fn pass(&self, call: PreparedCall, scope: &CallScope) -> Passage {
        let mode = if scope.client.elicitation { Mode::Interactive } else { Mode::Headless };
        let (relay, mut questions) = mpsc::channel(1);
        let gate = Gate::new(
            Arc::new(Relay(relay)),
            Arc::clone(&self.audit) as Arc<dyn aish_safety::AuditLog>,
            Arc::clone(&self.pins) as Arc<dyn aish_safety::PinStore>,
            self.policy.clone(),
            mode,
        );
        let mut passing = std::pin::pin!(gate.pass(call, &self.surroundings));
        loop {
            tokio::select! {
                passage = &mut passing => break passage,
                Some((question, reply)) = questions.recv() => {
                    let answer = elicitation::ask(&question, scope).await;
                    // The gate waits for it; were it gone, there would be nothing left to approve.
                    let _ = reply.send(answer);
                }
            }
        }
    }
}

impl ServerHandler for ToolServer {
    fn info(&self) -> ServerInfo {
        ServerInfo::new("aish", env!("CARGO_PKG_VERSION"))
    }

    fn tools(&self) -> Vec<Arc<ToolDefinition>> {
        self.executor.registry().list(None)
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ToolOutcome, CallError>> {
        Box::pin(async move {
            let name = ToolName::new(name);
            if self.executor.registry().get(&name).is_none() {
                return Err(CallError::UnknownTool(name.to_string()));
            }
            let id = CallId::new(format!("call-{}", self.next_call.fetch_add(1, Ordering::Relaxed)));
            let call = ToolCall { id, name, arguments: Value::Object(arguments).to_string() };
            Ok(self.run(&call, scope).await)
        })
    }
}
