//! The protocol: what is refused, counted, streamed, cancelled, and remembered.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::session::{Session, text};

fn chat(text: &str) -> Value {
    json!({"op": "chat", "temperature": 0, "max_tokens": 40, "messages": [
        {"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": text}]})
}

#[test]
fn what_cannot_be_read_is_refused_and_the_next_is_served() {
    let mut session = Session::start(&[]);
    session.send("nonsense");
    assert_eq!(session.event()["kind"], "bad_request");
    session.send("{\"op\":\"fly\",\"id\":1}");
    assert_eq!(session.event()["kind"], "bad_request");
    assert_eq!(session.ask(chat("Hi"))[0]["kind"], "not_loaded");
    assert!(session.close().success());
}

#[test]
fn a_file_that_is_no_gguf_is_named() {
    let mut session = Session::start(&[Path::new("/etc/passwd")]);
    let refused = session.ask(json!({"op": "load", "path": "/etc/passwd"}));
    assert_eq!(refused[0]["kind"], "not_gguf");
    assert!(refused[0]["message"].as_str().unwrap().contains("/etc/passwd is no GGUF file"), "{refused:?}");
    let missing = session.ask(json!({"op": "load", "path": "/nonexistent.gguf"}));
    assert_eq!(missing[0]["kind"], "no_file");
}

#[test]
fn a_file_that_is_cut_is_refused() {
    let Some(file) = std::env::var_os("AISH_TEST_GGUF") else { return };
    let whole = std::fs::read(file).unwrap();
    let cut = std::env::temp_dir().join(format!("aish-model-cut-{}.gguf", std::process::id()));
    for (length, kind) in [(1_000, "not_gguf"), (whole.len() / 2, "load_failed")] {
        std::fs::write(&cut, &whole[..length]).unwrap();
        let mut session = Session::start(&[&cut]);
        let refused = session.ask(json!({"op": "load", "path": cut.to_str().unwrap()}));
        assert_eq!(refused[0]["kind"], kind, "{refused:?}");
    }
    std::fs::remove_file(&cut).unwrap();
}

#[test]
fn tokens_are_counted_and_listed() {
    let Some(mut session) = Session::with_model("tokens_are_counted_and_listed", 256) else { return };
    let text = "The capital of France is Paris.";
    assert_eq!(session.ask(json!({"op": "count", "text": text}))[0]["tokens"], 7);
    let listed = session.ask(json!({"op": "tokenize", "text": text}));
    assert_eq!(listed[0]["tokens"].as_array().unwrap().len(), 7);
    assert_eq!(session.ask(json!({"op": "count", "text": ""}))[0]["tokens"], 0);
}

#[test]
fn an_answer_streams_and_the_prompt_is_not_read_twice() {
    let Some(mut session) = Session::with_model("an_answer_streams_and_the_prompt_is_not_read_twice", 512) else {
        return;
    };
    let events = session.ask(chat("What is the capital of France?"));
    assert!(text(&events).contains("Paris"), "{events:?}");
    assert!(events.len() > 4, "it comes in pieces: {events:?}");
    let end = events.last().unwrap();
    assert_eq!((end["reason"].as_str(), end["usage"]["cached"].as_u64()), (Some("stop"), Some(0)));
    let again = session.ask(chat("What is the capital of France?"));
    let usage = &again.last().unwrap()["usage"];
    assert_eq!(usage["cached"].as_u64().unwrap() + 1, usage["prompt"].as_u64().unwrap());
    assert_eq!(text(&again), text(&events), "temperature 0 says the same again");
}

#[test]
fn the_same_seed_says_the_same() {
    let Some(mut session) = Session::with_model("the_same_seed_says_the_same", 256) else { return };
    let mut request = chat("Tell me something.");
    request["temperature"] = json!(1.5);
    request["seed"] = json!(7);
    let first = text(&session.ask(request.clone()));
    assert_eq!(text(&session.ask(request.clone())), first);
    request["seed"] = json!(8);
    assert_ne!(text(&session.ask(request)), first);
}

#[test]
fn a_cancelled_answer_ends_and_a_queued_one_never_begins() {
    let Some(mut session) = Session::with_model("a_cancelled_answer_ends_and_a_queued_one_never_begins", 1024) else {
        return;
    };
    let mut long = chat("Write a long story about a dragon and a ship.");
    long["max_tokens"] = json!(900);
    let running = session.request(long.clone());
    let queued = session.request(long);
    assert_eq!(session.event()["event"], "text");
    let started = Instant::now();
    session.send(&json!({"op": "cancel", "id": queued}).to_string());
    session.send(&json!({"op": "cancel", "id": running}).to_string());
    let first = session.rest();
    assert_eq!(first.last().unwrap()["reason"], "cancelled");
    let second = session.rest();
    assert_eq!((second.len(), second[0]["reason"].as_str()), (1, Some("cancelled")));
    assert!(started.elapsed() < Duration::from_secs(60));
    assert!(text(&session.ask(chat("What is the capital of France?"))).contains("Paris"));
}

#[test]
fn a_prompt_that_does_not_fit_is_refused_with_numbers() {
    let Some(mut session) = Session::with_model("a_prompt_that_does_not_fit_is_refused_with_numbers", 256) else {
        return;
    };
    let refused = session.ask(chat(&"word ".repeat(400)));
    assert_eq!(refused[0]["kind"], "context_overflow");
    assert!(refused[0]["message"].as_str().unwrap().contains("this model takes 255"), "{refused:?}");
}

#[test]
fn it_ends_when_its_input_ends_even_in_the_middle_of_an_answer() {
    let Some(mut session) = Session::with_model("it_ends_when_its_input_ends", 1024) else { return };
    let mut long = chat("Write a long story.");
    long["max_tokens"] = json!(900);
    session.request(long);
    assert_eq!(session.event()["event"], "text");
    let started = Instant::now();
    session.close();
    assert!(started.elapsed() < Duration::from_secs(20));
}
