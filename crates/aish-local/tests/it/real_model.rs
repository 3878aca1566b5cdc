//! The provider with the real executable and a real model: `AISH_MODEL_EXE` and `AISH_TEST_GGUF` say where they are.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use aish_llm::{ChatError, ChatRequest, FinishReason, Provider, Purpose, StreamEvent, ToolSpec};
use aish_local::{LocalModel, LocalOptions, ModelFile, SMALL_PROMPT};
use aish_testkit::skip;
use aish_types::Message;
use futures_util::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn model(test: &str) -> Option<LocalModel> {
    model_with_context(test, 2048)
}

fn model_with_context(test: &str, context: u32) -> Option<LocalModel> {
    let (Some(executable), Some(file)) = (std::env::var_os("AISH_MODEL_EXE"), std::env::var_os("AISH_TEST_GGUF"))
    else {
        skip(test, "AISH_MODEL_EXE and AISH_TEST_GGUF are not set; ./test sets them");
        return None;
    };
    let path = PathBuf::from(file);
    let bytes = std::fs::metadata(&path).unwrap().len();
    let model = ModelFile { name: "smollm2".into(), path, bytes };
    Some(LocalModel::new(LocalOptions { executable: executable.into(), model, context: Some(context), threads: None }))
}

fn ask(text: &str) -> ChatRequest {
    ChatRequest {
        max_tokens: Some(64),
        temperature: Some(0.0),
        ..ChatRequest::new(vec![Message::system(SMALL_PROMPT), Message::user(text)], Purpose::Main)
    }
}

#[tokio::test]
async fn an_answer_streams_and_its_usage_is_counted() {
    let Some(model) = model("an_answer_streams_and_its_usage_is_counted") else { return };
    let events: Vec<StreamEvent> = model
        .stream(ask("What is the capital of France?"), CancellationToken::new())
        .map(Result::unwrap)
        .collect()
        .await;
    let pieces: Vec<&str> = events
        .iter()
        .filter_map(|event| if let StreamEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect();
    assert!(pieces.len() > 3, "it comes in pieces: {pieces:?}");
    assert!(pieces.concat().contains("Paris"), "{pieces:?}");
    let Some(StreamEvent::Usage(usage)) = events.iter().rev().nth(1) else { panic!("{events:?}") };
    assert!(usage.prompt > 50 && usage.completion >= pieces.len() as u64 && !usage.estimated, "{usage:?}");
    assert_eq!(events.last(), Some(&StreamEvent::Finished(FinishReason::Stop)));

    // The same beginning is not read again.
    let events: Vec<StreamEvent> = model
        .stream(ask("What is the capital of Italy?"), CancellationToken::new())
        .map(Result::unwrap)
        .collect()
        .await;
    let usage = events.iter().find_map(|event| if let StreamEvent::Usage(usage) = event { Some(*usage) } else { None });
    assert!(usage.unwrap().cached > 40, "{usage:?}");
}

#[tokio::test]
async fn counts_are_those_of_the_models_own_tokenizer() {
    let Some(model) = model("counts_are_those_of_the_models_own_tokenizer") else { return };
    // Counted with llama.cpp's own tokenizer on the same file.
    for (text, tokens) in [("", 0), ("Hello, world!", 4), ("The capital of France is Paris.", 7), ("<|im_start|>", 1)] {
        assert_eq!(model.count_tokens(text).await, Some(tokens), "{text:?}");
    }
    assert_eq!(model.context_size().await, Some(2048));
    assert!(model.is_small());
}

#[tokio::test]
async fn cancelling_ends_at_once_and_the_next_question_is_answered() {
    let Some(model) = model("cancelling_ends_at_once_and_the_next_question_is_answered") else { return };
    let cancel = CancellationToken::new();
    let mut long = ask("Write a long story about a dragon and a ship.");
    long.max_tokens = Some(1500);
    let mut stream = model.stream(long, cancel.clone());
    assert!(matches!(stream.next().await, Some(Ok(StreamEvent::Text(_)))));
    let started = Instant::now();
    cancel.cancel();
    while let Some(event) = stream.next().await {
        assert!(!matches!(event, Ok(StreamEvent::Finished(_))), "{event:?}");
    }
    let mut next = model.stream(ask("What is the capital of France?"), CancellationToken::new());
    assert!(matches!(next.next().await, Some(Ok(StreamEvent::Text(_)))));
    assert!(started.elapsed() < Duration::from_secs(20), "the long answer did not go on");
}

#[tokio::test]
async fn a_conversation_that_does_not_fit_is_an_overflow() {
    let Some(model) = model("a_conversation_that_does_not_fit_is_an_overflow") else { return };
    let mut stream = model.stream(ask(&"word ".repeat(2500)), CancellationToken::new());
    assert!(matches!(stream.next().await, Some(Err(ChatError::ContextOverflow(_)))));
}

#[tokio::test]
async fn an_answer_longer_than_the_context_goes_on() {
    let Some(model) = model_with_context("an_answer_longer_than_the_context_goes_on", 256) else { return };
    // The question nearly fills the context, so that an answer of ordinary length does not fit behind it.
    let filler = "The ship was old and the dragon was young. ".repeat(14);
    let mut request =
        ask(&format!("{filler}Write a very long story about this dragon and this ship, with many chapters."));
    request.max_tokens = Some(400);
    request.temperature = Some(0.0);
    let events: Vec<StreamEvent> = model.stream(request, CancellationToken::new()).map(Result::unwrap).collect().await;
    let usage = events.iter().find_map(|event| if let StreamEvent::Usage(usage) = event { Some(*usage) } else { None });
    assert!(usage.unwrap().total() > 256, "more than the context holds: {usage:?}");
    assert!(matches!(events.last(), Some(StreamEvent::Finished(_))), "{events:?}");
}

#[tokio::test]
async fn offered_tools_leave_an_answer_possible() {
    let Some(model) = model("offered_tools_leave_an_answer_possible") else { return };
    let mut request = ask("Say hello.");
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    request.tools = vec![ToolSpec { name: "weather.get".into(), description: "Gets the weather.".into(), parameters }];
    let events: Vec<StreamEvent> = model.stream(request, CancellationToken::new()).map(Result::unwrap).collect().await;
    let malformed = events.iter().any(|event| matches!(event, StreamEvent::MalformedCall { .. }));
    assert!(!malformed && events.len() > 2, "{events:?}");
}
