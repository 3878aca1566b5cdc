//! What a server says of its model changes what the model is asked for.

use aish_llm::Provider;
use aish_testkit::model_server::{AnthropicStream, Expect, OpenAiStream, Reply, Script};
use aish_types::{Block, Message};
use serde_json::json;

use crate::harness::{anthropic, ask, ask_with_tools, openai, options, run, start};

#[tokio::test]
async fn a_model_is_not_asked_for_what_its_server_says_it_cannot() {
    let props = json!({"default_generation_settings": {"n_ctx": 4096}, "modalities": {"vision": false},
        "chat_template_caps": {"supports_tools": false, "supports_tool_calls": false}});
    let script = Script::new()
        .step(Expect::request("GET", "/props"), Reply::json(200, &props))
        .step(Expect::chat().lacks("/tools").not_contains("image_url"), OpenAiStream::answer("a").reply())
        .step(Expect::chat(), OpenAiStream::answer("b").reply());
    let server = start(script);
    let provider = openai(&server, options());
    assert_eq!(provider.abilities().await.unwrap().tools, Some(false));
    let mut request = ask_with_tools("look", &["files.read"]);
    let image = Block::Image { media_type: "image/png".into(), data: "QQ==".into() };
    request.messages[1] = Message::User { content: "look".into(), blocks: vec![image] };
    let first = run(&provider, request.clone()).await;
    let told = [
        "the model takes no images; asked without (models.NAME.images = false)",
        "the model takes no tools; asked without (models.NAME.tools = false)",
    ];
    assert_eq!(first.notices(), told);
    assert_eq!(run(&provider, request).await.notices(), [""; 0], "it is said once");
    assert_eq!(provider.learned(), told);
    assert_eq!(provider.known_abilities().unwrap().words(), "4096 tokens of context, no tools, no images");
    server.finish();
}

#[tokio::test]
async fn anthropic_tells_of_one_model_and_bounds_its_answers() {
    let model = json!({"id": "scripted", "max_input_tokens": 200_000, "max_tokens": 512,
        "capabilities": {"thinking": {"types": {"adaptive": {"supported": true}}}}});
    let script = Script::new()
        .step(Expect::request("GET", "/v1/models/scripted"), Reply::json(200, &model))
        .step(Expect::messages().body(json!({"max_tokens": 512})), AnthropicStream::answer("a").reply());
    let server = start(script);
    let provider = anthropic(&server, options());
    assert_eq!(provider.context_size().await, Some(200_000));
    assert_eq!(run(&provider, ask("hi")).await.text(), "a");
    server.finish();
}

#[tokio::test]
async fn lm_studio_tells_more_on_a_page_of_its_own() {
    let list = json!({"data": [{"id": "scripted", "object": "model", "owned_by": "organization_owner"}]});
    let page = json!({"id": "scripted", "type": "llm", "capabilities": [], "max_context_length": 32_768, "loaded_context_length": 8192});
    let script = Script::new()
        .step(Expect::request("GET", "/props"), Reply::error(404, "no"))
        .step(Expect::request("GET", "/v1/models"), Reply::json(200, &list))
        .step(Expect::request("GET", "/api/v0/models/scripted"), Reply::json(200, &page));
    let server = start(script);
    let abilities = openai(&server, options()).abilities().await.unwrap();
    assert_eq!((abilities.context, abilities.tools, abilities.images), (Some(8192), Some(false), Some(false)));
    server.finish();
}
