//! What a server says of its model changes what the model is asked for.

use aish_llm::{ModelOptions, Provider};
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

#[tokio::test]
async fn what_is_published_holds_until_the_server_speaks() {
    let named = || ModelOptions::new("claude-opus-4-7");
    let script = Script::new()
        .step(
            Expect::messages().lacks("/temperature").body(json!({"max_tokens": 8192})),
            AnthropicStream::answer("a").reply(),
        )
        .step(
            Expect::request("GET", "/v1/models/claude-opus-4-7"),
            Reply::json(
                200,
                &json!({"id": "claude-opus-4-7", "max_tokens": 4000, "supported_parameters": ["temperature"]}),
            ),
        )
        .step(
            Expect::messages().body(json!({"max_tokens": 4000, "temperature": 0.5})),
            AnthropicStream::answer("b").reply(),
        );
    let server = start(script);
    let provider = anthropic(&server, ModelOptions { temperature: Some(0.5), ..named() });
    let published = provider.known_abilities().unwrap().clone();
    assert_eq!((published.sampling, published.tools, published.images), (Some(false), Some(true), Some(true)));
    assert!(published.output.is_some_and(|answer| answer > 8192) && published.context.is_some(), "{published:?}");
    let first = run(&provider, ask("hi")).await;
    assert_eq!(first.notices(), ["the model takes no temperature; asked without (models.NAME.temperature)"]);
    let said = provider.abilities().await.unwrap();
    assert_eq!((said.output, said.sampling, said.context), (Some(4000), Some(true), published.context));
    assert_eq!(run(&provider, ask("hi")).await.text(), "b");
    server.finish();

    let server =
        start(Script::new().step(Expect::messages().lacks("/temperature"), AnthropicStream::answer("a").reply()));
    assert_eq!(run(&anthropic(&server, named()), ask("hi")).await.notices(), [""; 0], "nobody asked for a temperature");
    server.finish();
}

#[tokio::test]
async fn a_server_is_asked_beside_a_request_once_and_its_word_holds_for_the_next() {
    let props =
        json!({"default_generation_settings": {"n_ctx": 4096}, "chat_template_caps": {"supports_tools": false}});
    let script = Script::new()
        .always(Expect::request("GET", "/props"), Reply::json(200, &props))
        .step(Expect::chat().contains("\"tools\""), OpenAiStream::answer("a").reply())
        .step(Expect::chat().lacks("/tools"), OpenAiStream::answer("b").reply());
    let server = start(script);
    let provider = openai(&server, options());
    assert_eq!(run(&provider, ask_with_tools("look", &["files.read"])).await.text(), "a");
    for _ in 0..3 {
        provider.ask_abilities_beside();
    }
    while provider.known_abilities().is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(run(&provider, ask_with_tools("look", &["files.read"])).await.text(), "b");
    let asked = server.requests().iter().filter(|request| request.path == "/props").count();
    assert_eq!(asked, 1);
    server.finish();
}
