//! Streams in the shapes that a dozen servers send, split at every byte: the events must not depend on the split.

use std::time::Duration;

use aish_types::{ProviderState, ToolCall, ToolName, Usage};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Decoder, OpenReply, exchange};
use crate::chat::decoder::ChatDecoder;
use crate::event::{ChatError, FinishReason, StreamEvent};
use crate::messages::decoder::MessagesDecoder;
use crate::names::{NameRule, WireNames};
use crate::request::{ChatRequest, Purpose, ToolSpec};
use crate::responses::decoder::ResponsesDecoder;
use crate::sse::{BodyError, Limits};
use crate::wire::Seal;

fn names(rule: NameRule) -> WireNames {
    let tool = ToolSpec { name: ToolName::new("clock.now"), description: String::new(), parameters: json!({}) };
    let request = ChatRequest { tools: vec![tool], ..ChatRequest::new(Vec::new(), Purpose::Main) };
    WireNames::new(rule, &request)
}

/// Plays the parts of a body; neighbouring texts are joined.
async fn play(decoder: impl Decoder, parts: Vec<Bytes>) -> Result<Vec<StreamEvent>, ChatError> {
    let second = Duration::from_secs(10);
    let limits =
        Limits { patience: second, idle_before: second, idle_after: second, trailing: second, unsaid: u64::MAX };
    let body = stream::iter(parts.into_iter().map(Ok::<Bytes, BodyError>)).boxed();
    let opened = OpenReply { kind: "text/event-stream".into(), body, decoder: Box::new(decoder), notices: Vec::new() };
    let opening = Box::pin(std::future::ready(Ok(opened)));
    let mut events = exchange(opening, limits, "http://x".into(), CancellationToken::new());
    let mut joined: Vec<StreamEvent> = Vec::new();
    while let Some(event) = events.next().await {
        match (joined.last_mut(), event?) {
            (Some(StreamEvent::Text(before)), StreamEvent::Text(text))
            | (Some(StreamEvent::Reasoning(before)), StreamEvent::Reasoning(text)) => before.push_str(&text),
            (_, event) => joined.push(event),
        }
    }
    Ok(joined)
}

async fn check<D: Decoder>(recording: &str, decoder: impl Fn() -> D, expected: &[StreamEvent]) {
    let with_crlf = recording.replace('\n', "\r\n");
    let with_cr = recording.replace('\n', "\r");
    let with_bom = format!("\u{feff}{recording}");
    for (text, stride) in [(recording, 1), (&with_crlf, 3), (&with_cr, 17), (&with_bom, 17)] {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        for at in (0..=bytes.len()).step_by(stride) {
            let parts = vec![bytes.slice(..at), bytes.slice(at..)];
            assert_eq!(play(decoder(), parts).await.as_deref(), Ok(expected), "split at {at} of {text:?}");
        }
        for size in [1, 2, 3, 7] {
            let parts = bytes.chunks(size).map(Bytes::copy_from_slice).collect();
            assert_eq!(play(decoder(), parts).await.as_deref(), Ok(expected), "chunks of {size}");
        }
    }
    // Cut anywhere before its end is seen, it is an error and releases no call.
    let bytes = Bytes::copy_from_slice(recording.as_bytes());
    for at in (0..bytes.len()).step_by(3) {
        if let Ok(events) = play(decoder(), vec![bytes.slice(..at)]).await {
            assert_eq!(events.last(), expected.last(), "cut at {at}");
            let calls =
                |events: &[StreamEvent]| events.iter().filter(|e| matches!(e, StreamEvent::ToolCall(_))).count();
            assert_eq!(calls(&events), calls(expected), "cut at {at}");
        }
    }
}

fn seal() -> Seal {
    Seal { endpoint: "http://x".into(), model: "m".into(), bound: Some("b".into()) }
}

fn openai(rule: NameRule) -> impl Fn() -> ChatDecoder {
    move || ChatDecoder::new(names(rule), 1, seal())
}

fn state(wire: &str, text: &str, data: serde_json::Value) -> StreamEvent {
    StreamEvent::State(Box::new(ProviderState {
        wire: wire.into(),
        endpoint: "http://x".into(),
        model: "m".into(),
        bound: Some("b".into()),
        text: text.into(),
        data,
    }))
}

/// What goes back of reasoning under a name.
fn kept(name: &str) -> StreamEvent {
    state("chat", "Wie spät?", json!({"fields": {name: "Wie spät?"}}))
}

fn call(id: &str, arguments: &str) -> StreamEvent {
    StreamEvent::ToolCall(ToolCall { id: id.into(), name: "clock.now".into(), arguments: arguments.into() })
}

fn usage(prompt: u64, completion: u64, cached: u64) -> StreamEvent {
    StreamEvent::Usage(Usage { prompt, completion, cached, written: 0, reasoning: 0, estimated: false })
}

fn text() -> StreamEvent {
    StreamEvent::Text("Ich schaue nach – 時計 🕰️.".into())
}

fn thought() -> StreamEvent {
    StreamEvent::Reasoning("Wie spät?".into())
}

const END: StreamEvent = StreamEvent::Finished(FinishReason::ToolCalls);

#[tokio::test]
async fn llama_cpp() {
    let expected =
        [thought(), text(), call("Zv8", "{\"zone\":\"Zürich\"}"), kept("reasoning_content"), usage(130, 21, 96), END];
    check(include_str!("recorded/llama_cpp.sse"), openai(NameRule::Dotted), &expected).await;
}

#[tokio::test]
async fn ollama() {
    let first = StreamEvent::Text("Ich schaue nach – ".into());
    let rest = StreamEvent::Text("時計 🕰️.".into());
    let calls = [call("call_a1", "{\"zone\":\"Zürich\"}"), call("call_b2", "{\"zone\":\"UTC\"}")];
    let [one, two] = calls;
    let expected = [first, thought(), rest, one, two, kept("reasoning"), usage(170, 33, 0), END];
    check(include_str!("recorded/ollama.sse"), openai(NameRule::Dotted), &expected).await;
}

#[tokio::test]
async fn vllm() {
    let expected = [
        thought(),
        text(),
        call("chatcmpl-tool-9c", "{\"zone\": \"Zürich\"}"),
        kept("reasoning_content"),
        usage(150, 28, 144),
        END,
    ];
    check(include_str!("recorded/vllm.sse"), openai(NameRule::Dotted), &expected).await;
}

#[tokio::test]
async fn openrouter() {
    let counts = Usage { prompt: 640, completion: 57, cached: 512, written: 0, reasoning: 12, estimated: false };
    let detail = json!({"type": "reasoning.text", "text": "Wie spät?", "format": "anthropic-claude-v1", "index": 0});
    let fields = json!({"reasoning": "Wie spät?", "reasoning_details": [detail]});
    let kept = state("chat", "Wie spät?", json!({"fields": fields}));
    let expected =
        [thought(), text(), call("toolu_01", "{\"zone\":\"Zürich\"}"), kept, StreamEvent::Usage(counts), END];
    check(include_str!("recorded/openrouter.sse"), openai(NameRule::Strict), &expected).await;
}

#[tokio::test]
async fn openai_itself() {
    let calls = [call("call_Xk", "{\"zone\":\"Zürich\"}"), call("call_Yk", "{\"zone\":\"UTC\"}")];
    let [one, two] = calls;
    let expected = [text(), one, two, usage(1500, 45, 1408), END];
    check(include_str!("recorded/openai.sse"), openai(NameRule::Strict), &expected).await;
}

#[tokio::test]
async fn gemini() {
    let signature = json!({"function-call-5550": {"google": {"thought_signature": "CnIB"}}});
    let kept = state("chat", "", json!({"calls": signature}));
    let expected = [text(), call("function-call-5550", "{\"zone\":\"Zürich\"}"), kept, usage(88, 28, 0), END];
    check(include_str!("recorded/gemini.sse"), openai(NameRule::Strict), &expected).await;
}

#[tokio::test]
async fn anthropic() {
    let usage = StreamEvent::Usage(Usage {
        prompt: 1174,
        completion: 61,
        cached: 1024,
        written: 30,
        reasoning: 0,
        estimated: false,
    });
    let blocks = json!([
        {"type": "thinking", "thinking": "Wie spät?", "signature": "EqQB"},
        {"type": "text", "text": "Ich schaue nach – 時計 🕰️."},
        {"type": "tool_use", "id": "toolu_01"},
    ]);
    let kept = state("messages", "Wie spät?", blocks);
    let expected = [thought(), text(), call("toolu_01", "{\"zone\": \"Zürich\"}"), kept, usage, END];
    let decoder = || MessagesDecoder::new(names(NameRule::Strict), 1, seal());
    check(include_str!("recorded/anthropic.sse"), decoder, &expected).await;
}

#[tokio::test]
async fn responses() {
    let counts = Usage { prompt: 1500, completion: 90, cached: 1408, written: 0, reasoning: 64, estimated: false };
    let items = json!([
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Wie spät?"}], "encrypted_content": "gAAAAB-done"},
        {"type": "message", "text": "Ich schaue nach – 時計 🕰️.", "phase": "commentary"},
        {"type": "function_call", "call_id": "call_Xk"},
    ]);
    let kept = state("responses", "Wie spät?", items);
    let expected = [thought(), text(), call("call_Xk", "{\"zone\":\"Zürich\"}"), kept, StreamEvent::Usage(counts), END];
    let decoder = || ResponsesDecoder::new(names(NameRule::Strict), 1, seal());
    check(include_str!("recorded/responses.sse"), decoder, &expected).await;
}

#[tokio::test]
async fn mistral() {
    let thinking = json!({"type": "thinking", "thinking": [{"type": "text", "text": "Wie spät?"}], "signature": "sig", "closed": true});
    let data = json!({"content": [thinking, {"type": "text", "text": "Ich schaue nach – 時計 🕰️."}]});
    let kept = state("chat", "Wie spät?", data);
    let expected = [thought(), text(), call("D681PevKs", "{\"zone\":\"Zürich\"}"), kept, usage(120, 40, 0), END];
    check(include_str!("recorded/mistral.sse"), openai(NameRule::Strict), &expected).await;
}

/// The one call of these, and what was counted.
async fn reasons(recording: &str, name: &str, id: &str, counts: (u64, u64, u64, u64)) {
    let (prompt, completion, cached, reasoning) = counts;
    let usage = Usage { prompt, completion, cached, written: 0, reasoning, estimated: false };
    let call = call(id, "{\"zone\":\"Zürich\"}");
    let expected = [thought(), text(), call, kept(name), StreamEvent::Usage(usage), END];
    check(recording, openai(NameRule::Strict), &expected).await;
}

#[tokio::test]
async fn deepseek() {
    let recording = include_str!("recorded/deepseek.sse");
    reasons(recording, "reasoning_content", "call_00_x", (340, 83, 320, 24)).await;
}

#[tokio::test]
async fn kimi() {
    reasons(include_str!("recorded/kimi.sse"), "reasoning_content", "clock__now:0", (210, 60, 0, 0)).await;
}

#[tokio::test]
async fn groq() {
    reasons(include_str!("recorded/groq.sse"), "reasoning", "fc_1", (180, 50, 0, 9)).await;
}

#[tokio::test]
async fn glm() {
    reasons(include_str!("recorded/glm.sse"), "reasoning_content", "call_-81", (200, 61, 128, 0)).await;
}

#[tokio::test]
async fn lm_studio() {
    reasons(include_str!("recorded/lm_studio.sse"), "reasoning", "365174485", (90, 30, 0, 0)).await;
}

#[tokio::test]
async fn minimax() {
    let whole = "<think>\nWie spät?\n</think>\n\nIch schaue nach – 時計 🕰️.";
    let seal = || Seal { model: "MiniMax-M2.1".into(), ..seal() };
    let decoder = || ChatDecoder::new(names(NameRule::Strict), 1, seal());
    let StreamEvent::State(mut kept) = state("chat", "", json!({ "raw": whole })) else { panic!() };
    kept.model = "MiniMax-M2.1".into();
    let call = call("call_function_1", "{\"zone\":\"Zürich\"}");
    let expected = [StreamEvent::Text(whole.into()), call, StreamEvent::State(kept), usage(190, 50, 0), END];
    check(include_str!("recorded/minimax.sse"), decoder, &expected).await;
}
