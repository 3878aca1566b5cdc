use aish_llm::{ChatError, FinishReason, ModelOptions, StreamEvent};
use aish_testkit::model_server::{AnthropicStream, End, Expect, Reply, Script, Split};
use aish_types::{Block, Message, Secret, ToolCall, Usage};
use serde_json::json;

use crate::harness::{anthropic, ask, ask_with_tools, options, run, start};

fn messages(reply: impl Into<Reply>) -> Script {
    Script::new().step(Expect::messages(), reply.into())
}

#[tokio::test]
async fn streams_thinking_text_usage_and_the_end() {
    let stream = AnthropicStream::new("m", 20, 80).ping().thinking("hm").text("Grüße, Welt").stop("end_turn");
    let expect = Expect::messages()
        .header("x-api-key", "sk-ant")
        .header("anthropic-version", "2023-06-01")
        .no_header("authorization")
        .body(json!({"model": "scripted", "max_tokens": 1024, "stream": true, "system": "You are aish.",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}))
        .lacks("/tools");
    let server = start(Script::new().step(expect, stream.reply().split(Split::Every(1))));
    let key = Some(Secret::new("sk-ant".into()));
    let got = run(&anthropic(&server, ModelOptions { key, ..options() }), ask("hi")).await;
    let usage = Usage { prompt: 100, completion: 3, cached: 80, written: 0, reasoning: 0, estimated: false };
    let mut seen = got.joined();
    let kept = seen.iter().position(|event| matches!(event, StreamEvent::State(_))).map(|place| seen.remove(place));
    let Some(StreamEvent::State(state)) = kept else { panic!("the thinking is not kept for the next request") };
    assert_eq!(state.data[0]["signature"], "c2ln");
    assert_eq!(
        seen,
        [
            StreamEvent::Reasoning("hm".into()),
            StreamEvent::Text("Grüße, Welt".into()),
            StreamEvent::Usage(usage),
            StreamEvent::Finished(FinishReason::Stop)
        ]
    );
    server.finish();
}

#[tokio::test]
async fn calls_and_results_travel() {
    let mut request = ask_with_tools("go", &["files.read"]);
    request.messages.push(Message::Assistant {
        content: "I look.".into(),
        tool_calls: vec![
            ToolCall {
                id: "functions.read:0".into(),
                name: "files.read".into(),
                arguments: "{\"z\":1,\"a\":2}".into(),
            },
            ToolCall { id: "c2".into(), name: "files.read".into(), arguments: String::new() },
        ],
        state: None,
    });
    for (id, content) in [("functions.read:0", "one"), ("c2", "")] {
        let blocks = vec![Block::Image { media_type: "image/png".into(), data: "QQ==".into() }];
        let (tool_call_id, content) = (id.into(), content.into());
        request.messages.push(Message::Tool { tool_call_id, name: "files.read".into(), content, blocks });
    }
    request.messages.push(Message::user("and?"));
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}});
    let expect = Expect::messages()
        .body(json!({
            "tools": [{"name": "files__read", "description": "Does it.", "input_schema": {"type": "object"}}],
            "messages": [
                {"role": "user"},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "functions_read_0", "name": "files__read", "input": {"a": 2, "z": 1}},
                    {"type": "tool_use", "id": "c2", "name": "files__read", "input": {}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "functions_read_0", "content": [{"type": "text", "text": "one"}, image]},
                    {"type": "tool_result", "tool_use_id": "c2", "content": [image]},
                    {"type": "text", "text": "and?"}]},
            ]
        }))
        .contains("{\"z\":1,\"a\":2}");
    let reply = AnthropicStream::new("m", 1, 0)
        .tool_use("t1", "files__read", "{\"n\":1}", 3)
        .tool_use("t2", "files__read", "", 0)
        .stop("tool_use");
    let server = start(Script::new().step(expect, reply.reply()));
    let got = run(&anthropic(&server, options()), request).await;
    assert_eq!(got.calls(), ["files.read({\"n\":1})", "files.read()"]);
    assert_eq!(got.events.last(), Some(&StreamEvent::Finished(FinishReason::ToolCalls)));
    server.finish();
}

#[tokio::test]
async fn without_message_stop_no_call_is_released() {
    let whole = AnthropicStream::new("m", 1, 0).tool_use("t", "x", "{}", 0).stop_reason("tool_use").reply();
    for end in [End::Clean, End::Cut, End::Reset] {
        let server = start(messages(whole.clone().end(end)));
        let got = run(&anthropic(&server, options()), ask_with_tools("hi", &["x"])).await;
        assert!(matches!(got.error, Some(ChatError::Interrupted(_))), "{end:?}: {got:?}");
        assert_eq!(got.calls(), Vec::<String>::new());
        server.finish();
    }
}

#[tokio::test]
async fn errors_have_their_meaning() {
    let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
    let event = |value: serde_json::Value| AnthropicStream::new("m", 1, 0).event("error", &value).reply();
    for (reply, expected) in [
        (Reply::json(529, &error("overloaded_error", "Overloaded")), "the server failed (529): Overloaded"),
        (
            Reply::json(429, &error("rate_limit_error", "slow")).header("retry-after", "3"),
            "too many requests: slow (it asks to wait 3 s)",
        ),
        (
            Reply::json(401, &error("authentication_error", "invalid x-api-key")),
            "a request without a key was refused (401): invalid x-api-key",
        ),
        (
            Reply::json(400, &error("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")),
            "the conversation is longer than the model's context: prompt is too long: 9 tokens > 8 maximum",
        ),
        (event(error("overloaded_error", "Overloaded")), "the server failed (529): Overloaded"),
        (event(error("api_error", "boom")), "the answer broke off: boom"),
        (Reply::json(200, &error("api_error", "boom")), "the answer broke off: boom"),
        (Reply::html(200, "<html></html>"), "the server's answer cannot be read: an HTML page"),
    ] {
        let server = start(messages(reply));
        let got = run(&anthropic(&server, options()), ask("hi")).await;
        assert_eq!(got.error.unwrap().to_string(), expected);
        server.finish();
    }
}

#[tokio::test]
async fn a_whole_message_and_a_cut_one_are_understood() {
    let whole = json!({"type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "t", "name": "x", "input": {"n": 1}}],
        "usage": {"input_tokens": 3, "output_tokens": 2}});
    let server = start(messages(Reply::json(200, &whole)));
    let got = run(&anthropic(&server, options()), ask_with_tools("hi", &["x"])).await;
    assert_eq!((got.text().as_str(), got.calls()), ("ok", vec!["x({\"n\":1})".to_owned()]));
    server.finish();
    let server = start(messages(AnthropicStream::new("m", 1, 0).tool_use("t", "x", "{}", 0).stop("max_tokens")));
    let got = run(&anthropic(&server, options()), ask_with_tools("hi", &["x"])).await;
    assert_eq!(got.calls(), ["!x({})"]);
    server.finish();
}
