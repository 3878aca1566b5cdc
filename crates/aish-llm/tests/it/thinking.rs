//! How a model is told to think, on the wires that have words of their own for it; chat completions' are in `chat::body::tests`.

use aish_llm::{Endpoint, ModelOptions, RemoteProvider, Thinking};
use aish_testkit::model_server::{AnthropicStream, Expect, Reply, ResponsesStream, Script};
use serde_json::{Value, json};

use crate::harness::{anthropic, ask, run, start};

fn options(thinking: Option<Thinking>, effort: Option<&str>) -> ModelOptions {
    ModelOptions { thinking, effort: effort.map(Into::into), ..ModelOptions::new("scripted") }
}

#[tokio::test]
async fn claude_is_told_how_to_think_in_its_own_words() {
    let summarized = json!({"thinking": {"type": "adaptive", "display": "summarized"}});
    for (thinking, effort, part) in [
        (Some(Thinking::On), None, summarized),
        (Some(Thinking::Off), None, json!({"thinking": {"type": "disabled"}})),
        (Some(Thinking::Budget(2000)), None, json!({"thinking": {"type": "enabled", "budget_tokens": 2000}})),
        (None, Some("medium"), json!({"output_config": {"effort": "medium"}})),
    ] {
        let mut expect = Expect::messages().body(part.clone());
        if thinking.is_none() {
            expect = expect.lacks("/thinking");
        }
        let server = start(Script::new().step(expect, AnthropicStream::answer("a").reply()));
        assert_eq!(run(&anthropic(&server, options(thinking, effort)), ask("hi")).await.text(), "a", "{part}");
        server.finish();
    }
}

#[tokio::test]
async fn responses_are_told_how_to_think_in_their_own_words() {
    for (thinking, effort, reasoning) in [
        (Some(Thinking::On), None, Some(json!({"summary": "auto"}))),
        (Some(Thinking::Off), None, Some(json!({"effort": "none"}))),
        (None, Some("high"), Some(json!({"effort": "high"}))),
        (None, None, None::<Value>),
    ] {
        let expect = Expect::request("POST", "/v1/responses");
        let expect = match &reasoning {
            Some(reasoning) => expect.body(json!({ "reasoning": reasoning })),
            None => expect.lacks("/reasoning"),
        };
        let server = start(Script::new().step(expect, ResponsesStream::new().text("a").completed().reply()));
        let provider = RemoteProvider::responses(Endpoint::parse(&server.url()).unwrap(), options(thinking, effort));
        assert_eq!(run(&provider, ask("hi")).await.text(), "a", "{reasoning:?}");
        server.finish();
    }
}

#[tokio::test]
async fn a_model_that_refuses_how_it_should_think_is_asked_without() {
    let script = Script::new()
        .step(
            Expect::messages().contains("adaptive"),
            Reply::error(400, "adaptive thinking is not supported on this model"),
        )
        .step(Expect::messages().lacks("/thinking"), AnthropicStream::answer("a").reply());
    let server = start(script);
    let got = run(&anthropic(&server, options(Some(Thinking::On), None)), ask("hi")).await;
    assert_eq!(got.text(), "a");
    assert_eq!(got.notices(), ["the model refused how it should think; asked without (models.NAME.thinking)"]);
    server.finish();
}
