//! The model for MCP servers that may let it write: each request passes the gate and the session's books.

use std::sync::{Arc, PoisonError, RwLock};

use aish_llm::{Broker, CallOptions, ChatRequest, Purpose, text_of};
use aish_mcp::client::Writer;
use aish_safety::{Approver, Gate, Surroundings};
use aish_tools::{Call, Confirm, Door, Executor, FixedTools, Passed, Plan, Registry};
use aish_types::{BoxFuture, CallContext, Message, SessionId, SourceId, ToolDefinition, ToolName, ToolOutcome};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The most tokens that a server may have written at once.
const MAX_TOKENS: u32 = 2048;
/// Milliseconds that the model may write for a server.
const WRITING_MS: u64 = 600_000;
/// The most characters that a server may send along.
const MAX_CHARS: usize = 64 * 1024;

/// Lets servers ask the model, once it is known which.
#[derive(Default)]
pub struct Sampling {
    sampler: RwLock<Option<Arc<Sampler>>>,
    /// The configured name of the model.
    model: RwLock<String>,
}

/// Who answers, and who is asked before.
pub struct Sampler {
    /// The models, with the session's books.
    pub broker: Broker,
    /// The gate that each request passes.
    pub gate: Gate,
    /// Who is asked.
    pub approver: Arc<dyn Approver>,
    /// The session.
    pub session: SessionId,
    /// On whose behalf.
    pub user: String,
}

impl Sampling {
    /// Makes it usable, or lets another one answer, with this model; before that every request is refused.
    pub fn open(&self, sampler: Sampler, model: &str) {
        self.switch(model);
        *self.sampler.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(sampler));
    }

    /// Has the model of this configured name write from now on.
    pub fn switch(&self, model: &str) {
        model.clone_into(&mut self.model.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn sampler(&self) -> Option<Arc<Sampler>> {
        self.sampler.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn model(&self) -> String {
        self.model.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Writer for Sampling {
    fn write<'a>(&'a self, alias: &'a str, params: &'a Value) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async move { self.sampler()?.write(alias, params, &self.model()).await })
    }
}

impl Sampler {
    async fn write(&self, alias: &str, params: &Value, model: &str) -> Option<Value> {
        let messages = messages(params)?;
        let shown: Vec<Value> =
            messages.iter().map(|message| json!({"role": message.role(), "text": message.content()})).collect();
        let name = ToolName::new(format!("{alias}.ask_model"));
        let registry = Arc::new(Registry::default());
        registry.add(Arc::new(ask_model(name.clone(), alias, messages, params, model, &self.broker)));
        let door = Door::new(Arc::new(Executor::new(registry)), self.gate.clone());
        let context = CallContext {
            call: "sampling".into(),
            session: self.session.clone(),
            user: self.user.clone(),
            channel: None,
            folder: None,
        };
        let arguments = json!({"messages": shown, "maxTokens": params.get("maxTokens")});
        let call = Call { name, arguments, context };
        match door.call(call, &Surroundings::default(), self.approver.as_ref(), CancellationToken::new()).await {
            Passed::Approved(ran) => ran.outcome.structured,
            Passed::Refused(_) | Passed::Declined { .. } | Passed::Halted(_) | Passed::Edited(_) => None,
        }
    }
}

/// Makes one request of a server a tool of that server's, which the gate asks about like any other.
fn ask_model(
    name: ToolName,
    alias: &str,
    messages: Vec<Message>,
    params: &Value,
    model: &str,
    broker: &Broker,
) -> FixedTools {
    let source = SourceId::new(format!("mcp:{alias}"));
    let about = "Has the model write for the server";
    let mut definition = ToolDefinition::new(name, about, json!({"type": "object"}), source.clone());
    definition.requires_confirmation = true;
    definition.timeout_ms = Some(WRITING_MS);
    let asked = params.get("maxTokens").and_then(Value::as_u64).and_then(|tokens| u32::try_from(tokens).ok());
    let request = ChatRequest {
        max_tokens: Some(asked.unwrap_or(MAX_TOKENS).clamp(1, MAX_TOKENS)),
        ..ChatRequest::new(messages, Purpose::Main)
    };
    let sentence = format!("The MCP server {alias} wants the model {model} to write. Let it?");
    let (model, broker) = (model.to_owned(), broker.clone());
    FixedTools::new(source, [definition], move |_call| {
        let (sentence, request, model, broker) = (sentence.clone(), request.clone(), model.clone(), broker.clone());
        let confirm = Confirm { look_ups: Vec::new(), word: Box::new(|_| sentence) };
        let plan = Plan::tool(move |_call, context| write(request, model, broker, context.cancel));
        Ok(Plan { confirm: Some(confirm), ..plan })
    })
}

/// Has the model write.
async fn write(request: ChatRequest, model: String, broker: Broker, cancel: CancellationToken) -> ToolOutcome {
    let options = CallOptions { model: Some(model.clone()), prompt_tokens: None };
    let text = match text_of(broker.stream(request, options, cancel)).await {
        Ok(text) => text,
        Err(error) => return ToolOutcome::failure(error.to_string()),
    };
    let reply = json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": model,
        "stopReason": "endTurn"});
    ToolOutcome { structured: Some(reply), ..ToolOutcome::success("") }
}

/// Reads the messages of a request: texts alone; none when there is nothing in them, or too much.
fn messages(params: &Value) -> Option<Vec<Message>> {
    let mut messages = Vec::new();
    if let Some(system) = params.get("systemPrompt").and_then(Value::as_str).filter(|text| !text.is_empty()) {
        messages.push(Message::system(system));
    }
    for message in params.get("messages").and_then(Value::as_array)? {
        let content = message.get("content")?;
        let blocks = match content {
            Value::Array(blocks) => blocks.iter().collect(),
            one => vec![one],
        };
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        let text = texts.join("\n");
        if text.is_empty() {
            continue;
        }
        messages.push(match message.get("role").and_then(Value::as_str) {
            Some("assistant") => Message::assistant(text),
            Some(_) | None => Message::user(text),
        });
    }
    let length: usize = messages.iter().map(|message| message.content().chars().count()).sum();
    let asks = messages.iter().any(|message| matches!(message, Message::User { .. }));
    (asks && length <= MAX_CHARS).then_some(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_are_taken_and_only_so_much() {
        let said = |text: &str| json!({"role": "user", "content": {"type": "text", "text": text}});
        let params = json!({"systemPrompt": "Be brief.", "messages": [said("hi"),
            {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image", "data": "x"}]}]});
        let read = messages(&params).unwrap();
        assert_eq!(read, [Message::system("Be brief."), Message::user("hi"), Message::assistant("a")]);
        assert_eq!(messages(&json!({"messages": []})), None);
        assert_eq!(messages(&json!({"messages": [said(&"x".repeat(MAX_CHARS + 1))]})), None);
    }
}
