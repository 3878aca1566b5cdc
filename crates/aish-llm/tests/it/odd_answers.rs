//! Answers of servers that nearly speak a wire.

use std::sync::Arc;

use aish_llm::{
    Broker, BrokerModel, CallOptions, Chain, ChatError, FinishReason, KeyCommand, Price, Provider, StreamEvent,
};
use aish_testkit::model_server::{AnthropicStream, Expect, OpenAiStream, Reply, Script};
use aish_types::Secret;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::harness::{FakePacer, anthropic, ask, ask_with_tools, broker, collect, openai, options, run, start};

fn chat() -> OpenAiStream {
    OpenAiStream::new("m").text("four words are here")
}

#[tokio::test]
async fn what_an_answer_does_without_may_be_anything() {
    for odd in [
        json!({"choices": [], "usage": "none"}),
        json!({"choices": [], "usage": {"prompt_tokens": 5, "prompt_tokens_details": "x", "completion_tokens_details": []}}),
        json!({"choices": [], "timings": "slow"}),
        json!({"choices": [null]}),
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [null]}}]}),
    ] {
        let server = start(chat().chunk(&odd).finish("stop").done().reply());
        let got = run(&openai(&server, options()), ask("hi")).await;
        assert_eq!((got.text().as_str(), &got.error), ("four words are here", &None), "{odd}");
        server.finish();
    }
    let usage = json!({"type": "message_delta", "delta": {}, "usage": "many"});
    let stream = AnthropicStream::new("m", 10, 0).text("fine").event("message_delta", &usage).stop("end_turn");
    let server = start(Script::new().step(Expect::messages(), stream.reply()));
    let got = run(&anthropic(&server, options()), ask("hi")).await;
    assert_eq!((got.text().as_str(), &got.error), ("fine", &None));
    server.finish();
}

#[tokio::test]
async fn half_a_letter_a_missing_blank_line_and_a_choice_that_nobody_asked_for_lose_no_answer() {
    let event = |content: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\"}}}}]}}\n");
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let other = "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\n\n";
    for (body, expected) in [
        (
            event("a\\ud83d") + "\n" + &event("\\ude00b \\ud83d\\ude00 \\\\ud83d") + "\n" + end,
            "a\u{fffd}\u{fffd}b 😀 \\ud83d",
        ),
        (event("a") + &event("b") + end, "ab"),
        (other.to_owned() + &event("a") + "\n" + end, "a"),
    ] {
        let server = start(Reply::new(200, "text/event-stream", body.clone()));
        let got = run(&openai(&server, options()), ask("hi")).await;
        assert_eq!((got.text().as_str(), &got.error), (expected, &None), "{body}");
        server.finish();
    }
}

#[tokio::test]
async fn a_call_without_a_list_around_it_is_a_call() {
    let call = json!({"index": 0, "id": "a", "function": {"name": "tool", "arguments": "{}"}});
    let server = start(OpenAiStream::new("m").tool_delta(call).finish("tool_calls").done().reply());
    let got = run(&openai(&server, options()), ask_with_tools("hi", &["tool"])).await;
    assert_eq!(got.calls(), ["tool({})"]);
    server.finish();
}

#[tokio::test]
async fn an_input_that_comes_whole_and_in_deltas_is_one_input() {
    let whole = json!({"type": "tool_use", "id": "a", "name": "tool", "input": {"n": 1}});
    for deltas in [vec![], vec![json!({"type": "input_json_delta", "partial_json": "{\"n\":1}"})]] {
        let stream = AnthropicStream::new("m", 10, 0).block(&whole, deltas).tool_use("b", "tool", "{\"n\":2}", 3);
        let server = start(Script::new().step(Expect::messages(), stream.stop("tool_use").reply()));
        let got = run(&anthropic(&server, options()), ask_with_tools("hi", &["tool"])).await;
        assert_eq!(got.calls(), ["tool({\"n\":1})", "tool({\"n\":2})"]);
        server.finish();
    }
}

#[tokio::test]
async fn a_message_may_end_as_completions_do_and_not_before_it_says_why() {
    for (reason, is_whole) in [(true, true), (false, false)] {
        let stream = AnthropicStream::new("m", 10, 0).text("fine");
        let stop = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
        let stream = if reason { stream.event("message_delta", &stop) } else { stream };
        let mut body = stream.reply().body();
        body.extend_from_slice(b"data: [DONE]\n\n");
        let server = start(Script::new().step(Expect::messages(), Reply::new(200, "text/event-stream", body)));
        let got = run(&anthropic(&server, options()), ask("hi")).await;
        assert_eq!((got.text().as_str(), got.error.is_none()), ("fine", is_whole), "{got:?}");
        server.finish();
    }
}

#[tokio::test]
async fn every_vendors_word_for_an_end_that_is_none_is_known() {
    let finished = |reason| move |event: &StreamEvent| *event == StreamEvent::Finished(reason);
    for (word, reason) in [
        ("sensitive", Some(FinishReason::ContentFilter)),
        ("refusal", Some(FinishReason::ContentFilter)),
        ("model_context_window_exceeded", Some(FinishReason::Length)),
        ("MAX_OUTPUT_TOKENS", Some(FinishReason::Length)),
        ("insufficient_system_resource", None),
        ("network_error", None),
        ("abort", None),
        ("malformed_function_call", None),
    ] {
        let server = start(chat().finish(word).done().reply());
        let got = run(&openai(&server, options()), ask("hi")).await;
        match reason {
            Some(reason) => assert!(got.events.last().is_some_and(finished(reason)), "{word}: {got:?}"),
            None => assert!(matches!(got.error, Some(ChatError::Interrupted(_))), "{word}: {got:?}"),
        }
        server.finish();
    }
}

#[tokio::test]
async fn a_refusal_inside_a_stream_is_not_tried_again() {
    for (kind, is) in [
        ("invalid_request_error", (|error| matches!(error, ChatError::Refused { .. })) as fn(&ChatError) -> bool),
        ("authentication_error", |error| matches!(error, ChatError::Unauthorized { .. })),
    ] {
        let error = json!({"error": {"message": "no", "type": kind}});
        let server = start(OpenAiStream::new("m").role().event(&error).reply());
        let (broker, pacer, _) = broker(&[&server], None);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new())).await;
        assert!(got.error.as_ref().is_some_and(is) && pacer.waits.lock().unwrap().is_empty(), "{got:?}");
        server.finish();
    }
}

#[tokio::test]
async fn counts_that_cannot_be_are_estimated_and_cost_what_is_estimated() {
    for usage in [(0, 0), (0, 4), (10, 0), (1 << 60, 4)] {
        let (prompt, completion) = usage;
        let server = start(chat().finish("stop").usage(prompt, completion, 0).done().reply());
        let (broker, _, books) = broker(&[&server], Some(Price::from_dollars(1.0, 1.0, None)));
        let options = CallOptions { prompt_tokens: Some(77), ..CallOptions::default() };
        collect(broker.stream(ask("hi"), options, CancellationToken::new())).await;
        let booked = books.booked.lock().unwrap();
        assert!(booked[0].1.estimated && booked[0].1.prompt == 77 && booked[0].1.completion == 5, "{booked:?}");
        assert_eq!(books_cost(&booked[0].2), 82_000);
        server.finish();
    }
}

#[tokio::test]
async fn the_count_that_a_message_begins_with_is_not_its_end() {
    let stop = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    let stream = AnthropicStream::new("m", 10, 0).text("four words are here").event("message_delta", &stop);
    let stream = stream.event("message_stop", &json!({"type": "message_stop"}));
    let server = start(Script::new().step(Expect::messages(), stream.reply()));
    let got = run(&anthropic(&server, options()), ask("hi")).await;
    assert!(got.error.is_none() && !got.events.iter().any(|event| matches!(event, StreamEvent::Usage(_))), "{got:?}");
    server.finish();
}

fn books_cost(cost: &Option<aish_types::Money>) -> u64 {
    cost.map(aish_types::Money::nanos).unwrap_or_default()
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_shown_nowhere() {
    const KEY: &str = "a-key-of-mine-4711";
    let said = json!({"error": {"message": format!("{KEY} is bad"), "type": "invalid_request_error"}});
    let replies: [Reply; 4] = [
        Reply::json(401, &said),
        Reply::json(200, &said),
        OpenAiStream::new("m").role().event(&said).reply(),
        Reply::new(502, "text/html", format!("<html><title>{KEY}</title></html>")),
    ];
    for reply in replies {
        for by_command in [false, true] {
            let server =
                start(Script::new().times(aish_testkit::model_server::Times::Any, Expect::chat(), reply.clone()));
            let mut keyed = options();
            match by_command {
                false => keyed.key = Some(Secret::new(KEY.into())),
                true => keyed.key_command = Some(KeyCommand::new(|| Ok(Secret::new(KEY.into())))),
            }
            let provider: Arc<dyn Provider> = Arc::new(openai(&server, keyed));
            let model = BrokerModel { provider, endpoint: None, max_tokens: Some(100), price: None };
            let chain = Chain { default: "m".into(), ..Chain::default() };
            let broker =
                Broker::new([("m".to_owned(), model)].into(), chain).with_pacer(Arc::new(FakePacer::default()));
            let got = collect(broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new())).await;
            let error = got.error.clone().unwrap().to_string();
            assert!(error.contains("[redacted]") && !format!("{got:?}").contains(KEY), "{got:?}");
            server.finish();
        }
    }
}

#[tokio::test]
async fn every_wire_gets_an_objects_schema_with_properties() {
    let mut request = ask_with_tools("hi", &["tool"]);
    request.tools[0].parameters = json!({"type": "object", "anyOf": [{"required": ["a"]}]});
    let whole = json!({"type": "object", "properties": {}});
    let script = Script::new()
        .step(Expect::chat(), OpenAiStream::answer("a").reply())
        .step(Expect::messages(), AnthropicStream::answer("a").reply());
    let server = start(script);
    run(&openai(&server, options()), request.clone()).await;
    run(&anthropic(&server, options()), request).await;
    let sent: Vec<Value> = server.finish().iter().map(|sent| serde_json::from_slice(&sent.body).unwrap()).collect();
    assert_eq!(sent[0]["tools"][0]["function"]["parameters"], whole);
    assert_eq!(sent[1]["tools"][0]["input_schema"], whole);
}
