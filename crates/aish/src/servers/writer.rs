//! The model for MCP servers that may let it write: each request passes the gate and the session's books.

use std::sync::{Arc, PoisonError, RwLock};

use aish_llm::{Broker, CallOptions, ChatRequest, Purpose, StreamEvent};
use aish_mcp::client::Writer;
use aish_safety::{Gate, Passage, PreparedCall, Subject, Surroundings};
use aish_types::{BoxFuture, CallContext, Message, SessionId, SourceId, ToolDefinition, ToolName};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The most tokens that a server may have written at once.
const MAX_TOKENS: u32 = 2048;
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
    /// The one door.
    pub gate: Gate,
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
        let prepared = self.prepared(alias, &messages, params, model);
        let approved = match self.gate.pass(prepared, &Surroundings::default()).await {
            Passage::Approved(approved) => approved,
            Passage::Declined { .. } | Passage::Edited { .. } | Passage::Halted { .. } => return None,
        };
        drop(approved);
        let asked = params.get("maxTokens").and_then(Value::as_u64).and_then(|tokens| u32::try_from(tokens).ok());
        let request = ChatRequest {
            messages,
            tools: Vec::new(),
            max_tokens: Some(asked.unwrap_or(MAX_TOKENS).clamp(1, MAX_TOKENS)),
            temperature: None,
            purpose: Purpose::Main,
        };
        let options = CallOptions { model: Some(model.to_owned()), prompt_tokens: None };
        let mut stream = self.broker.stream(request, options, CancellationToken::new());
        let mut text = String::new();
        while let Some(event) = stream.next().await {
            match event {
                Ok(StreamEvent::Text(piece)) => text.push_str(&piece),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
        Some(json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": model,
            "stopReason": "endTurn"}))
    }

    /// The request as a call of a tool of the server's, which the gate asks about like any other.
    fn prepared(&self, alias: &str, messages: &[Message], params: &Value, model: &str) -> PreparedCall {
        let source = SourceId::new(format!("mcp:{alias}"));
        let name = ToolName::new(format!("{alias}.ask_model"));
        let mut definition =
            ToolDefinition::new(name.as_str(), "Has the model write for the server", json!({"type": "object"}), source);
        definition.requires_confirmation = true;
        let shown: Vec<Value> =
            messages.iter().map(|message| json!({"role": message.role(), "text": message.content()})).collect();
        PreparedCall {
            definition_hash: aish_safety::pin::Pin::of(&definition).hash,
            definition: Arc::new(definition),
            arguments: json!({"messages": shown, "maxTokens": params.get("maxTokens")}),
            ignored: Vec::new(),
            subject: Subject::Tool,
            confirm_message: Some(format!("The MCP server {alias} wants the model {model} to write. Let it?")),
            context: CallContext {
                call: "sampling".into(),
                session: self.session.clone(),
                user: self.user.clone(),
                channel: None,
                folder: None,
            },
        }
    }
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
