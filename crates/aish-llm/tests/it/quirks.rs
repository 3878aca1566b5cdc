//! What a server does not take is learned from its refusal.

use aish_llm::StreamEvent;
use aish_testkit::model_server::{AnthropicStream, Expect, OpenAiStream, Reply, Script};
use aish_types::{Block, Message, ToolCall};
use serde_json::json;

use crate::harness::{anthropic, ask, ask_with_tools, openai, options, run, start};

#[tokio::test]
async fn a_model_that_takes_no_images_or_tools_is_asked_without_and_says_so() {
    let image = Block::Image { media_type: "image/png".into(), data: "QQ==".into() };
    let mut with_image = ask("look");
    with_image.messages[1] = Message::User { content: "look".into(), blocks: vec![image] };
    let hint = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj";
    let no_tools = "registry.ollama.ai/library/gemma:2b does not support tools";
    for (request, part, refusal) in [
        (with_image, "image_url", Reply::error(500, hint)),
        (ask_with_tools("go", &["files.read"]), "\"tools\"", Reply::error(400, no_tools)),
    ] {
        let script = Script::new()
            .step(Expect::chat().contains(part), refusal)
            .step(Expect::chat(), OpenAiStream::answer("a").reply())
            .step(Expect::chat(), OpenAiStream::answer("b").reply());
        let server = start(script);
        let provider = openai(&server, options());
        let first = run(&provider, request.clone()).await;
        assert!(matches!(first.events.first(), Some(StreamEvent::Notice(_))), "{first:?}");
        assert_eq!(first.text(), "a");
        let second = run(&provider, request).await;
        assert!(!second.events.iter().any(|event| matches!(event, StreamEvent::Notice(_))), "it is said once");
        let bodies: Vec<String> =
            server.finish().iter().map(|sent| String::from_utf8_lossy(&sent.body).into_owned()).collect();
        assert_eq!(bodies.iter().map(|body| body.contains(part)).collect::<Vec<_>>(), [true, false, false]);
    }
}

#[tokio::test]
async fn prompts_are_marked_for_the_cache_until_a_server_refuses_that() {
    let marked = || Expect::messages().body(json!({"cache_control": {"type": "ephemeral"}}));
    let script = Script::new()
        .step(marked(), Reply::error(400, "cache_control: Extra inputs are not permitted"))
        .step(Expect::messages().lacks("/cache_control"), AnthropicStream::answer("a").reply())
        .step(Expect::messages().lacks("/cache_control"), AnthropicStream::answer("b").reply());
    let server = start(script);
    let provider = anthropic(&server, options());
    assert_eq!(run(&provider, ask("hi")).await.text(), "a");
    assert_eq!(run(&provider, ask("hi")).await.text(), "b");
    server.finish();
}

#[tokio::test]
async fn calls_get_short_ids_and_tools_short_descriptions_where_a_server_wants_them() {
    let mut request = ask_with_tools("go", &["files.read"]);
    request.tools[0].description = "äx".repeat(1024);
    let call = ToolCall { id: "call_1".into(), name: "files.read".into(), arguments: "{}".into() };
    request.messages.push(Message::Assistant { content: String::new(), tool_calls: vec![call], state: None });
    let result = "done".to_owned();
    let result =
        Message::Tool { tool_call_id: "call_1".into(), name: "files.read".into(), content: result, blocks: Vec::new() };
    request.messages.push(result);
    let script = Script::new()
        .chat(Reply::error(400, "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."))
        .chat(Reply::error(400, "Invalid 'tools[0].function.description': string too long. Expected 1024"))
        .chat(OpenAiStream::answer("a"));
    let server = start(script);
    assert_eq!(run(&openai(&server, options()), request).await.text(), "a");
    let sent: Vec<serde_json::Value> =
        server.finish().iter().map(|sent| serde_json::from_slice(&sent.body).unwrap()).collect();
    let ids = |body: &serde_json::Value| {
        let (call, result) = (&body["messages"][2]["tool_calls"][0]["id"], &body["messages"][3]["tool_call_id"]);
        assert_eq!(call, result);
        call.as_str().unwrap().len()
    };
    assert_eq!([ids(&sent[0]), ids(&sent[1]), ids(&sent[2])], [6, 9, 9]);
    let described =
        |body: &serde_json::Value| body["tools"][0]["function"]["description"].as_str().unwrap().chars().count();
    assert_eq!([described(&sent[1]), described(&sent[2])], [2048, 1024]);
}
