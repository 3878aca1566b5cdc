//! How a model is told to think, on the wires that have words of their own for it; chat completions' are in `chat::body::tests`.

use aish_llm::{Api, ChatRequest, Endpoint, ModelOptions, Purpose, RemoteProvider, Thinking};
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
        let provider =
            RemoteProvider::new(Api::Responses, Endpoint::parse(&server.url()).unwrap(), options(thinking, effort));
        assert_eq!(run(&provider, ask("hi")).await.text(), "a", "{reasoning:?}");
        server.finish();
    }
}

#[tokio::test]
async fn each_purpose_thinks_in_its_own_way() {
    let options = ModelOptions {
        thinking_for: [("memory".to_owned(), Thinking::Off)].into(),
        effort_for: [("summary".to_owned(), "low".to_owned())].into(),
        ..options(Some(Thinking::On), Some("high"))
    };
    for (purpose, expected) in [
        (Purpose::Main, json!({"effort": "high", "summary": "auto"})),
        (Purpose::Summary, json!({"effort": "low", "summary": "auto"})),
        (Purpose::Memory, json!({"effort": "high"})),
    ] {
        let expect = Expect::request("POST", "/v1/responses");
        let server = start(Script::new().step(expect, ResponsesStream::new().text("a").completed().reply()));
        let provider = RemoteProvider::new(Api::Responses, Endpoint::parse(&server.url()).unwrap(), options.clone());
        let request = ChatRequest { purpose, ..ask("hi") };
        assert_eq!(run(&provider, request).await.text(), "a", "{purpose:?}");
        let sent = server.finish().remove(0).json().unwrap();
        assert_eq!(sent["reasoning"], expected, "{purpose:?}");
    }
}

#[test]
fn words_of_thinking_are_read() {
    for (word, expected) in [
        ("on", Some(Thinking::On)),
        ("adaptive", Some(Thinking::On)),
        ("off", Some(Thinking::Off)),
        ("2000", Some(Thinking::Budget(2000))),
        ("0", None),
        ("yes", None),
        ("-1", None),
    ] {
        assert_eq!(word.parse::<Thinking>().ok(), expected, "{word}");
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
