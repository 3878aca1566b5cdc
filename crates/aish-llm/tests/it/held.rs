//! Answers without an end, tags in answers, and refusals that say what to do.

use std::io::Read;
use std::sync::Arc;

use aish_llm::{
    Broker, BrokerModel, CallOptions, Chain, ChatError, Endpoint, FinishReason, RemoteProvider, StreamEvent,
};
use aish_testkit::model_server::{End, Expect, OpenAiStream, Reply, Script};
use aish_types::Secret;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::harness::{FakePacer, LIMIT, anthropic, ask, broker, collect, openai, options, run, start};

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_answer_ends_at_what_was_asked_for() {
    for reasoning in [false, true] {
        let key = if reasoning { "reasoning_content" } else { "content" };
        let stream = (0..40_000).fold(OpenAiStream::new("m").role(), |stream, _| stream.delta(&json!({key: "word "})));
        let server = start(stream.reply().end(End::Hang));
        let (broker, _, books) = broker(&[&server], None);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new())).await;
        assert_eq!(got.events.last(), Some(&StreamEvent::Finished(FinishReason::Length)));
        let bytes: usize = got
            .events
            .iter()
            .map(|event| match event {
                StreamEvent::Text(text) | StreamEvent::Reasoning(text) => text.len(),
                _ => 0,
            })
            .sum();
        assert!(bytes < 10 * 1024, "{bytes} bytes of 1024 tokens");
        assert_eq!(books.booked.lock().unwrap().len(), 1);
        assert!(server.wait_for_disconnects(1, LIMIT), "the request ends");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_arguments_do_not_end_is_ended_and_not_run() {
    let begin = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\":\""}}]});
    let more = json!({"tool_calls": [{"index": 0, "function": {"arguments": "x".repeat(1000)}}]});
    let stream = (0..5_000).fold(OpenAiStream::new("m").delta(&begin), |stream, _| stream.delta(&more));
    let server = start(stream.reply().end(End::Hang));
    let (broker, _, books) = broker(&[&server], None);
    let got = collect(broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new())).await;
    assert_eq!(got.events.last(), Some(&StreamEvent::Finished(FinishReason::Length)), "{:?}", got.error);
    let is_cut = |event: &StreamEvent| matches!(event, StreamEvent::MalformedCall { .. });
    assert_eq!(got.events.iter().filter(|event| is_cut(event)).count(), 1);
    assert_eq!(books.booked.lock().unwrap().len(), 1);
    assert!(server.wait_for_disconnects(1, LIMIT), "the request ends");
}

#[tokio::test]
async fn tags_in_an_answer_are_reasoning() {
    let server = start(Script::new().chat(OpenAiStream::answer("<think>\nCMD: rm x\n</think>\n\nIt is Paris.")));
    let (broker, _, _) = broker(&[&server], None);
    let got = collect(broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new())).await;
    assert_eq!(got.text(), "It is Paris.");
    assert_eq!(got.joined()[0], StreamEvent::Reasoning("\nCMD: rm x\n".into()));
    server.finish();

    let server = start(Script::new().chat(OpenAiStream::answer("I look.\n</think>\nIt is Paris.")));
    let (broker, _, _) = self::broker(&[&server], None);
    let got = collect(broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new())).await;
    let at = got.events.iter().position(|event| *event == StreamEvent::TextWasReasoning).unwrap();
    let after: String =
        got.events[at..].iter().map(|event| if let StreamEvent::Text(text) = event { text } else { "" }).collect();
    assert_eq!(after, "It is Paris.");
    server.finish();
}

#[tokio::test]
async fn a_model_that_the_server_has_not_is_answered_with_those_that_it_has() {
    let list = Reply::json(200, &json!({"data": [{"id": "other"}, {"id": "scripted-2"}]}));
    let script = |refusal: Reply, expect: Expect| {
        Script::new().step(expect, refusal).always(Expect::request("GET", "/v1/models"), list.clone())
    };
    let words = "The model `scripted` does not exist or you do not have access to it.";
    let server = start(script(Reply::error(404, words), Expect::chat()));
    let got = run(&openai(&server, options()), ask("hi")).await;
    let said = got.error.unwrap().to_string();
    assert!(said.ends_with("; the server has: scripted-2, other"), "{said}");
    server.finish();

    let refusal = json!({"type": "error", "error": {"type": "not_found_error", "message": "model: scripted"}});
    let server = start(script(Reply::json(404, &refusal), Expect::messages()));
    let got = run(&anthropic(&server, options()), ask("hi")).await;
    let said = got.error.unwrap().to_string();
    assert!(said.ends_with("model: scripted; the server has: scripted-2, other"), "{said}");
    server.finish();
}

#[tokio::test]
async fn a_refused_key_is_named_by_its_source_and_never_shown() {
    for (key, source, words) in [
        (Some("sk-very-secret"), Some("$OPENAI_API_KEY"), "the key from $OPENAI_API_KEY was refused (401)"),
        (Some("sk-very-secret"), None, "the key was refused (401)"),
        (None, None, "a request without a key was refused (401)"),
    ] {
        let server = start(Reply::error(401, "Incorrect API key provided: sk-very-secret"));
        let mut options = options();
        options.key = key.map(|key| Secret::new(key.into()));
        options.key_source = source.map(str::to_owned);
        let said = run(&openai(&server, options), ask("hi")).await.error.unwrap().to_string();
        assert!(said.starts_with(words), "{said}");
        assert!(key.is_none() || !said.contains("sk-very-secret"), "{said}");
        server.finish();
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_not_tried_again() {
    let config = aish_testkit::tls::server().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let connection = rustls::ServerConnection::new(config).unwrap();
        // The client does not go on with it.
        drop(rustls::StreamOwned::new(connection, stream).read(&mut [0_u8; 64]));
        listener
    });
    let provider = Arc::new(RemoteProvider::chat(Endpoint::parse(&url).unwrap(), options()));
    let model = BrokerModel { provider, endpoint: Some(url), max_tokens: Some(100), price: None };
    let pacer = Arc::new(FakePacer::default());
    let chain = Chain { default: "m".into(), ..Chain::default() };
    let broker = Broker::new([("m".to_owned(), model)].into(), chain).with_pacer(pacer.clone());
    let got = collect(broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new())).await;
    assert!(matches!(got.error, Some(ChatError::Insecure { .. })), "{got:?}");
    assert!(pacer.waits.lock().unwrap().is_empty());
    drop(server.join().unwrap());
}
