//! What a server does not take is learned from its refusal.

use aish_llm::StreamEvent;
use aish_testkit::model_server::{AnthropicStream, Expect, OpenAiStream, Reply, Script};
use aish_types::{Block, Message};
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
