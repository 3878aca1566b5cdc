//! The seed's lines about token counts, by their names there.

use std::sync::Arc;
use std::time::Duration;

use aish_llm::{BrokerModel, ModelOptions, Support, TokenCounter, TokenizerChoice, Traffic, UseEndpoint};
use aish_testkit::model_server::{Expect, ModelServer, Reply, Script, Times};
use serde_json::json;

use crate::harness::{openai, options, start};

const AUTO: TokenizerChoice = TokenizerChoice::Auto;

fn model(server: &ModelServer, name: &str) -> BrokerModel {
    let options = ModelOptions { tokenize_timeout: Duration::from_secs(3), ..ModelOptions::new(name) };
    let provider = Arc::new(openai(server, ModelOptions { ..options }));
    BrokerModel { provider, endpoint: Some(server.url()), max_tokens: Some(100), price: None }
}

fn counter(use_endpoint: UseEndpoint) -> TokenCounter {
    TokenCounter::new(use_endpoint, Traffic::default())
}

/// A server that counts words, for as many requests as come.
fn word_counter() -> Script {
    Script::new().times(Times::Any, Expect::request("POST", "/tokenize"), Reply::json(200, &json!({"tokens": [1, 2]})))
}

#[tokio::test]
async fn hello_world_is_2_through_tokenize_and_2_through_the_fallback() {
    let expect = Expect::request("POST", "/tokenize").body(json!({"content": "hello world", "model": "local"}));
    let server = start(Script::new().step(expect, Reply::json(200, &json!({"tokens": [24912, 2375]}))));
    let local = model(&server, "local");
    let counter = counter(UseEndpoint::Allowed);
    let got = counter.count(&local, &AUTO, "hello world").await;
    assert_eq!((got.count, got.tokenizer.as_str()), (2, format!("endpoint {}", server.url()).as_str()));
    assert_eq!(counter.supported(&server.url()), Support::Yes);
    server.finish();

    let cloud = start(Script::new().step(Expect::request("POST", "/tokenize"), Reply::error(404, "not found")));
    let model = model(&cloud, "some/model");
    let got = counter.count(&model, &AUTO, "hello world").await;
    assert_eq!((got.count, got.tokenizer.as_str()), (2, "chars"));
    assert_eq!(counter.supported(&cloud.url()), Support::No);
    // Never asked again.
    assert_eq!(counter.count(&model, &AUTO, "hello world, once more").await.count, 5);
    cloud.finish();
}

#[tokio::test]
async fn use_endpoint_off_sends_no_probe() {
    let server = start(Script::new());
    let counter = counter(UseEndpoint::Forbidden);
    let got = counter.count(&model(&server, "m"), &AUTO, "hello world").await;
    assert_eq!((got.count, got.tokenizer.as_str()), (2, "chars"));
    assert_eq!(counter.supported(&server.url()), Support::NotAsked);
    server.finish();
}

#[tokio::test]
async fn empty_text_is_0_and_sends_nothing() {
    let server = start(Script::new());
    assert_eq!(counter(UseEndpoint::Allowed).count(&model(&server, "m"), &AUTO, "").await.count, 0);
    server.finish();
}

#[tokio::test]
async fn two_presets_on_one_endpoint_share_one_probe() {
    let server = start(Script::new().step(Expect::request("POST", "/tokenize"), Reply::error(404, "no")));
    let counter = counter(UseEndpoint::Allowed);
    let (one, two) = (model(&server, "one"), model(&server, "two"));
    let counts = [counter.count(&one, &AUTO, "four"), counter.count(&two, &AUTO, "eightttt")];
    let counts = futures_util::future::join_all(counts).await;
    assert_eq!(counts.iter().map(|count| count.count).collect::<Vec<_>>(), [1, 2]);
    server.finish();
}

#[tokio::test]
async fn anything_but_200_with_a_list_of_tokens_is_unsupported() {
    for reply in [
        Reply::error(500, "x"),
        Reply::json(201, &json!({"tokens": [1]})),
        Reply::json(200, &json!({"tokens": 3})),
        Reply::json(200, &json!({"count": 3})),
        Reply::html(200, "<html></html>"),
        Reply::json(200, &json!([])),
        Reply::raw("junk"),
        Reply::silence(),
    ] {
        let server = start(Script::new().step(Expect::request("POST", "/tokenize"), reply));
        let counter = counter(UseEndpoint::Allowed);
        assert_eq!(counter.count(&model(&server, "m"), &AUTO, "hello world").await.count, 2);
        assert_eq!(counter.supported(&server.url()), Support::No);
        server.finish();
    }
}

#[tokio::test]
async fn an_endpoint_is_not_asked_while_our_own_request_to_it_streams() {
    let server = start(word_counter());
    let traffic = Traffic::default();
    let counter = TokenCounter::new(UseEndpoint::Allowed, traffic.clone());
    let model = model(&server, "m");
    let running = traffic.begin(&server.url());
    assert_eq!(counter.count(&model, &AUTO, "twelve bytes").await.tokenizer.as_str(), "chars");
    // It has not become unsupported by that.
    assert_eq!(counter.supported(&server.url()), Support::NotAsked);
    drop(running);
    assert_eq!(counter.count(&model, &AUTO, "twelve bytes").await.count, 2);
    assert_eq!(server.finish().len(), 1);
}

#[tokio::test]
async fn model_switches_the_tokenizer_with_the_model() {
    let server = start(word_counter());
    let (allowed, forbidden) = (counter(UseEndpoint::Allowed), counter(UseEndpoint::Forbidden));
    let (llama, gpt) = (model(&server, "llama"), model(&server, "gpt-4o"));
    let id = |counter: &TokenCounter, model: &BrokerModel, choice: &TokenizerChoice| {
        counter.tokenizer(model, choice).to_string()
    };
    assert_eq!(id(&forbidden, &llama, &AUTO), "chars");
    assert_eq!(id(&forbidden, &gpt, &AUTO), "o200k");
    assert_eq!(id(&forbidden, &gpt, &TokenizerChoice::Cl100k), "cl100k");
    assert_eq!(id(&forbidden, &gpt, &TokenizerChoice::Chars), "chars");
    let endpoint = format!("endpoint {}", server.url());
    assert_eq!(id(&allowed, &llama, &AUTO), endpoint);
    assert_eq!(id(&forbidden, &llama, &TokenizerChoice::Endpoint), endpoint);
    let text = "お誕生日おめでとう";
    assert_eq!(forbidden.count(&gpt, &AUTO, text).await.count, 8);
    assert_eq!(forbidden.count(&llama, &AUTO, text).await.count, 6);
    assert_eq!(forbidden.count(&llama, &TokenizerChoice::Endpoint, text).await.count, 2);
    server.finish();
}

#[tokio::test]
async fn an_endpoint_that_fails_later_is_not_asked_again() {
    let once = |reply| (Expect::request("POST", "/tokenize"), reply);
    let (one, two) = (once(Reply::json(200, &json!({"tokens": [1]}))), once(Reply::error(503, "busy")));
    let server = start(Script::new().step(one.0, one.1).step(two.0, two.1));
    let counter = counter(UseEndpoint::Allowed);
    let model = model(&server, "m");
    let counts = [
        counter.count(&model, &AUTO, "hello world").await.count,
        counter.count(&model, &AUTO, "hello world").await.count,
        counter.count(&model, &AUTO, "hello world").await.count,
    ];
    assert_eq!(counts, [1, 2, 2]);
    assert_eq!(options().tokenize_timeout, Duration::from_secs(2));
    server.finish();
}
