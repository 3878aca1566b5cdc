//! Chat with tools: ask, run the calls, ask again, up to the cap; then once more without tools.

use aish_llm::request::{ChatRequest, Purpose};
use aish_tools::memory::Owner;
use aish_types::{CallContext, Message, ToolCall, ToolOutcome, head_and_tail};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::service::accepted::Held;
use crate::service::reply::{Failure, success};
use crate::service::{Service, history, toolbox, wire};

/// Characters of a tool's result that a model reads.
const RESULT_CHARS: usize = 16_000;
/// Bytes of a result's images and files, as they are stored.
const MAX_BLOCKS: usize = 200_000;
/// What a model reads when a worker died between a call and its result.
const ABORTED: &str = "Error: the call was aborted before it had a result; it is not known whether it had an effect";
/// What it reads for calls over the cap.
const OVER_CAP: &str = "Error: the limit of tool calls is reached; this call was not run";

impl Service {
    /// Goes on with a chat from where its record is, and returns the reply.
    pub(crate) async fn chat(&self, held: &mut Held, cancel: &CancellationToken) -> Result<Value, Failure> {
        let request: wire::Chat = wire::read(&held.record.payload)?;
        let system = self.persona(request.persona.as_deref())?;
        let past = history::load(&*self.state, &request.channel).await?;
        if held.record.messages.is_empty() {
            held.record.messages.push(Message::user(format!("{}: {}", request.user, request.message)));
        }
        close_open_calls(&mut held.record.messages);
        let definitions = if request.enable_tools { self.toolbox.offered(None) } else { Vec::new() };
        let specs: Vec<_> = definitions.iter().map(|definition| toolbox::spec(definition)).collect();
        let schema_bytes: usize =
            specs.iter().map(|spec| spec.description.len() + spec.parameters.to_string().len()).sum();
        let context = CallContext {
            call: "".into(),
            session: format!("channel:{}", request.channel).into(),
            user: request.user.clone(),
            channel: Some(request.channel.clone()),
            folder: None,
        };
        loop {
            let may_call = held.record.calls_made < self.options.max_tool_calls;
            let messages = history::prompt(&system, &past, &held.record.messages, schema_bytes, &self.options);
            let ask = ChatRequest {
                messages,
                tools: if may_call { specs.clone() } else { Vec::new() },
                max_tokens: self.options.max_tokens,
                temperature: None,
                schema: None,
                purpose: Purpose::Main,
            };
            let answer = self.answer(ask, None, cancel).await?;
            held.record.usage = held.record.usage + answer.usage;
            let calls = if may_call { answer.calls } else { Vec::new() };
            let tool_calls: Vec<ToolCall> = calls.iter().map(|(call, _)| call.clone()).collect();
            held.record.messages.push(Message::Assistant { content: answer.text.clone(), tool_calls, state: None });
            if calls.is_empty() {
                return Ok(self.chat_reply(held, &answer.text));
            }
            // Stored before a call runs: whoever goes on after a crash sees that it may have had its effect.
            held.save(&*self.state).await?;
            let room = self.options.max_tool_calls - held.record.calls_made;
            let (run, over) = calls.split_at(calls.len().min(room));
            let outcomes = self.toolbox.run(run, &context, cancel).await;
            for ((call, _), outcome) in run.iter().zip(outcomes) {
                self.tool_event(&context, call, &outcome);
                held.record.messages.push(result(call, outcome));
            }
            held.record.messages.extend(over.iter().map(|(call, _)| failed(call, OVER_CAP)));
            held.record.calls_made += run.len();
            held.save(&*self.state).await?;
        }
    }

    fn chat_reply(&self, held: &Held, text: &str) -> Value {
        success(json!({
            "content": text,
            "tokens_used": held.record.usage.total(),
            "provider": self.model.name(),
            "tool_calls_made": held.record.calls_made,
        }))
    }

    fn persona(&self, name: Option<&str>) -> Result<String, Failure> {
        let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(self.options.system.clone()) };
        self.options.personas.get(name).cloned().ok_or_else(|| {
            let names = self.options.personas.keys().map(String::as_str);
            let near = aish_types::near::nearest(name, names, 3).join(", ");
            let shown: String = name.chars().take(64).collect();
            let others = if near.is_empty() { "there is none".to_owned() } else { format!("there are: {near}") };
            Failure::new("unknown_persona", format!("there is no persona '{shown}' ({others})"))
        })
    }

    fn tool_event(&self, context: &CallContext, call: &ToolCall, outcome: &ToolOutcome) {
        let owner = Owner::of(context);
        self.events.publish(
            "tool",
            json!({"channel": owner.channel, "user": owner.user, "tool": call.name, "call_id": call.id,
                   "success": outcome.success, "duration_ms": outcome.duration_ms}),
        );
    }
}

/// Makes the message of a result, cut as the shell cuts it: it is stored with its request.
fn result(call: &ToolCall, outcome: ToolOutcome) -> Message {
    let text = if outcome.success { outcome.text } else { format!("Error: {}", outcome.text) };
    let mut content = head_and_tail(&text, RESULT_CHARS).text.into_owned();
    let mut blocks = outcome.blocks;
    let bytes = serde_json::to_vec(&blocks).map_or(usize::MAX, |bytes| bytes.len());
    if bytes > MAX_BLOCKS {
        blocks.clear();
        content.push_str("\n(images and files of this result are too large to be kept here)");
    }
    Message::Tool { tool_call_id: call.id.clone(), name: call.name.clone(), content, blocks }
}

fn failed(call: &ToolCall, text: &str) -> Message {
    Message::Tool { tool_call_id: call.id.clone(), name: call.name.clone(), content: text.into(), blocks: Vec::new() }
}

/// Gives each call of the last answer that has no result an aborted one: it is never run again.
fn close_open_calls(messages: &mut Vec<Message>) {
    let Some(at) = messages.iter().rposition(|message| matches!(message, Message::Assistant { .. })) else { return };
    let Some((asked, answered)) = messages.get(at).zip(messages.get(at + 1..)) else { return };
    let has_result = |call: &ToolCall| {
        answered.iter().any(|message| matches!(message, Message::Tool { tool_call_id, .. } if *tool_call_id == call.id))
    };
    let open: Vec<Message> =
        asked.tool_calls().iter().filter(|call| !has_result(call)).map(|call| failed(call, ABORTED)).collect();
    messages.extend(open);
}
