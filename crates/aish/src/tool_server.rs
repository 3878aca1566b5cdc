//! aish's own tools for other agents, as an MCP server: every call goes through the gate, and what a command changed in
//! its layer is settled as in a turn.
//!
//! A client of the era without requests of a server is asked in rounds: the call ends with the question, and comes
//! again with the answer. A command that has run by then waits in [`ToolServer::unsettled`] and does not run again.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use aish_mcp::server::{CallError, CallScope, LAYER_QUESTION, ServerHandler, ServerInfo};
use aish_safety::{Gate, Surroundings, Taint};
use aish_tools::{Call, Door, Executor, Ready};
use aish_types::{BoxFuture, CallContext, CallId, Risk, SessionId, ToolDefinition, ToolName, ToolOutcome};
use serde_json::{Map, Value};

use crate::base::Base;
use crate::briefed::Briefed;
use crate::secrets::Secrets;
use crate::settling::{self, Apart, Layered, Settler};
use crate::shell_tool::OUTSIDE_SOURCE;
use crate::surface::Shown;
use crate::undo::UndoKeeper;

/// The most commands that wait for an answer; the oldest is dropped.
const MOST_UNSETTLED: usize = 16;

/// What reads the surroundings of commands: what is known around a shell that goes on changes with it.
pub type Around = Arc<dyn Fn() -> Surroundings + Send + Sync>;

/// The shell that a server offers.
pub struct ServedShell {
    /// Reads its surroundings.
    pub around: Around,
    /// Where its commands run apart.
    pub apart: Apart,
}

/// A command that has run, and about whose layer a client is asked.
struct Unsettled {
    /// What tells its call from others, the same in all of its rounds.
    ticket: String,
    layered: Layered,
    outcome: ToolOutcome,
}

/// The server.
pub struct ToolServer {
    door: Door,
    surroundings: Around,
    session: SessionId,
    user: String,
    next_call: AtomicU64,
    undo: Option<UndoKeeper>,
    undo_bytes: u64,
    secrets: Arc<Secrets>,
    apart: Option<Apart>,
    unsettled: Mutex<VecDeque<Unsettled>>,
    /// One thing changes files at a time, and a command is settled before the next one.
    turn: tokio::sync::Mutex<()>,
}

impl ToolServer {
    /// Makes the server over what the executor runs.
    pub fn new(base: &Base, executor: Arc<Executor>, session: SessionId, shell: Option<ServedShell>) -> Self {
        let fixed = base.surroundings();
        let gate = Gate::new(Arc::new(base.audit()), Arc::new(base.pins()), base.policy());
        let (around, apart) = shell.map(|shell| (shell.around, shell.apart)).unzip();
        Self {
            door: Door::new(executor, gate),
            surroundings: around.unwrap_or_else(|| Arc::new(move || fixed.clone())),
            session,
            user: base.variable("USER").unwrap_or_else(|| "user".to_owned()),
            next_call: AtomicU64::new(1),
            undo: UndoKeeper::open(base),
            undo_bytes: base.config.undo.max_bytes,
            secrets: Arc::clone(&base.secrets),
            apart,
            unsettled: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Runs what was approved, after putting aside what it changes, and settles its layer.
    async fn run(&self, ready: Ready, scope: &CallScope) -> ToolOutcome {
        if let Some(undo) = &self.undo
            && let Some(planned) = undo.take(&ready.call().context.call)
            && let Err(why) = undo.save(&planned, &self.session).await
        {
            return ToolOutcome::failure(format!("not run: what it changes could not be put aside for undo: {why}"));
        }
        let layered = settling::layered(&ready);
        let ran = self.door.run(ready, scope.cancel.clone()).await;
        match layered {
            Some(layered) => self.settle(layered, ran.outcome, scope).await,
            None => ran.outcome,
        }
    }

    /// Decides about the layer of a command, or has the client's person decide.
    async fn settle(&self, layered: Layered, mut outcome: ToolOutcome, scope: &CallScope) -> ToolOutcome {
        let Some(apart) = &self.apart else { return outcome };
        if let Some(ticket) = scope.ticket() {
            self.put(Unsettled { ticket: ticket.to_owned(), layered: layered.clone(), outcome: outcome.clone() });
        }
        let settler = Settler {
            apart,
            approver: scope,
            gate: self.door.gate(),
            secrets: &self.secrets,
            undoes: self.undo.is_some(),
            undo_bytes: self.undo_bytes,
        };
        let mut notices = Vec::new();
        let mut show = |shown: Shown<'_>| {
            if let Shown::Notice(text) = shown {
                notices.push(format!("\n[{text}]"));
            }
        };
        settler.settle(&layered, &mut outcome, &mut show, &scope.cancel).await;
        if let Some(ticket) = scope.ticket() {
            drop(self.take(ticket));
        }
        outcome.text.extend(notices);
        outcome
    }

    fn put(&self, unsettled: Unsettled) {
        let mut all = self.unsettled.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(unsettled);
        if all.len() > MOST_UNSETTLED
            && let (Some(oldest), Some(apart)) = (all.pop_front(), &self.apart)
            && let Some(held) = apart.transactions.take(oldest.layered.id())
        {
            let _ = held.layer.discard();
        }
    }

    /// Takes the command that waits for the answer that a call brings.
    fn take(&self, ticket: &str) -> Option<Unsettled> {
        let mut all = self.unsettled.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|unsettled| unsettled.ticket == ticket)?;
        all.remove(at)
    }
}

impl ServerHandler for ToolServer {
    fn info(&self) -> ServerInfo {
        ServerInfo::new("aish", env!("CARGO_PKG_VERSION"))
    }

    fn tools(&self) -> Vec<Arc<ToolDefinition>> {
        let mut tools = self.door.registry().list(None);
        // No model is told of it.
        tools.retain(|tool| tool.source.as_str() != OUTSIDE_SOURCE);
        tools
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ToolOutcome, CallError>> {
        Box::pin(async move {
            let name = ToolName::new(name);
            let known = self.door.registry().get(&name).map(|(_, definition)| definition);
            let Some(tool) = known.filter(|tool| tool.source.as_str() != OUTSIDE_SOURCE) else {
                return Err(CallError::UnknownTool(name.to_string()));
            };
            let _turn = if tool.risk > Risk::Read { Some(self.turn.lock().await) } else { None };
            if let Some(waiting) = scope.ticket().and_then(|ticket| self.take(ticket)) {
                return Ok(self.settle(waiting.layered, waiting.outcome, scope).await);
            }
            if scope.has_answered(LAYER_QUESTION) {
                let text = "the command ran, and what it changed was dropped: too many commands waited for an answer. \
                            It is not run again";
                return Ok(ToolOutcome::failure(text));
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
            let briefed = Briefed {
                approver: scope,
                undo: self.undo.as_ref(),
                standing_notes: &[],
                apart: self.apart.as_ref().map(|apart| apart.transactions.as_ref()),
                raised: None,
                read: Taint::Clean,
                noted: None,
            };
            match self.door.pass(call, &surroundings, &briefed).await.approved() {
                Ok(ready) => Ok(self.run(ready, scope).await),
                Err(refused) => Ok(*refused),
            }
        })
    }
}
