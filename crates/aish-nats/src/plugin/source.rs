//! One plugin as a source of tools.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aish_tools::{FixedTools, Plan};
use aish_types::{SourceId, ToolName, ToolOutcome};
use async_nats::{Client, Request, RequestErrorKind};
use serde_json::{Value, json};

use crate::plugin::registration::Accepted;
use crate::plugin::wire::{Call, CallFault, CallReply, CallerContext};

/// Makes a source of the tools of a plugin as it registered them; a new registration is a new source in the place of this.
pub(super) fn source(id: SourceId, client: Client, tools: Vec<Accepted>) -> FixedTools {
    let subjects = tools.iter().map(|tool| (tool.definition.name.clone(), tool.subject.clone()));
    let subjects: Arc<HashMap<ToolName, String>> = Arc::new(subjects.collect());
    FixedTools::new(id, tools.into_iter().map(|tool| tool.definition), move |_call| {
        let (client, subjects) = (client.clone(), Arc::clone(&subjects));
        Ok(Plan::tool(move |call, context| async move {
            let prepared = call.into_call();
            let name = &prepared.definition.name;
            let Some(subject) = subjects.get(name) else {
                return unavailable(name, "the plugin no longer offers it");
            };
            // The model's own ids are counted anew by some servers: a cancel would mean the calls of other people too.
            let inbox = client.new_inbox();
            let wire = Call {
                call_id: inbox.rsplit('.').next().unwrap_or(&inbox).to_owned(),
                name: name.to_string(),
                arguments: prepared.arguments,
                context: CallerContext { channel: prepared.context.channel, user: prepared.context.user },
                deadline_ms: context.timeout_ms,
            };
            let Ok(payload) = serde_json::to_vec(&wire) else {
                return ToolOutcome::failure("the call cannot be written as JSON");
            };
            // The inbox of a request is its own: an answer that comes later finds nobody.
            let request = Request::new()
                .payload(payload.into())
                .timeout(Some(Duration::from_millis(context.timeout_ms.saturating_add(1_000))));
            let reply = tokio::select! {
                reply = client.send_request(subject.clone(), request) => reply,
                () = context.cancel.cancelled() => {
                    let cancel = json!({"call_id": wire.call_id}).to_string();
                    let _ = client.publish(format!("{subject}.cancel"), cancel.into()).await;
                    return ToolOutcome::failure(String::new());
                }
            };
            match reply {
                Ok(message) => outcome(&message.payload, &wire.call_id),
                Err(error) => match error.kind() {
                    RequestErrorKind::NoResponders => unavailable(name, "no plugin answers"),
                    RequestErrorKind::TimedOut => unavailable(name, "the plugin did not answer in time"),
                    RequestErrorKind::MaxPayloadExceeded => {
                        ToolOutcome::failure("the arguments are larger than the bus takes")
                    }
                    RequestErrorKind::InvalidSubject | RequestErrorKind::Other => unavailable(name, &error.to_string()),
                },
            }
        }))
    })
}

/// Makes the outcome of a tool that nobody runs.
pub(super) fn unavailable(name: &ToolName, why: &str) -> ToolOutcome {
    let mut outcome = ToolOutcome::failure(format!("Tool '{name}' is unavailable: {why}"));
    outcome.notes.code = Some("unavailable".to_owned());
    outcome
}

/// Reads a plugin's reply.
pub(super) fn outcome(payload: &[u8], call_id: &str) -> ToolOutcome {
    let reply: CallReply = match serde_json::from_slice(payload) {
        Ok(reply) => reply,
        Err(error) => return ToolOutcome::failure(format!("the plugin's reply cannot be read: {error}")),
    };
    if reply.tool_call_id.as_deref().is_some_and(|id| id != call_id) {
        return ToolOutcome::failure("the plugin answered another call");
    }
    if !reply.success {
        return fault(reply.error);
    }
    match reply.result.unwrap_or_default() {
        Value::String(text) => ToolOutcome::success(text),
        Value::Null => ToolOutcome::success("(no output)"),
        value @ (Value::Bool(_) | Value::Number(_)) => ToolOutcome::success(value.to_string()),
        value @ (Value::Array(_) | Value::Object(_)) => {
            let text = value.to_string();
            ToolOutcome { structured: Some(value), ..ToolOutcome::success(text) }
        }
    }
}

fn fault(fault: Option<CallFault>) -> ToolOutcome {
    match fault {
        None => ToolOutcome::failure("the plugin failed and does not say why"),
        Some(CallFault::Text(text)) => ToolOutcome::failure(text),
        Some(CallFault::Coded { code, message, retry_after_ms }) => {
            let mut outcome = ToolOutcome::failure(if message.is_empty() { code.clone() } else { message });
            outcome.notes.code = Some(code);
            outcome.notes.retry_after_ms = retry_after_ms;
            outcome
        }
    }
}
