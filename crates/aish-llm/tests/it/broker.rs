use std::time::Duration;

use aish_llm::{CallOptions, ChatError, Price, Purpose, RouterRule, StreamEvent};
use aish_testkit::model_server::{End, Expect, OpenAiStream, Reply, Script};
use aish_types::Usage;
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::harness::{Books, ask, broker, broker_with, collect, start};

fn cancel() -> CancellationToken {
    CancellationToken::new()
}

#[tokio::test]
async fn what_may_pass_is_tried_again_with_backoff() {
    let script = Script::new()
        .chat(Reply::error(503, "loading"))
        .chat(Reply::error(429, "slow down").header("Retry-After", "2"))
        .chat(OpenAiStream::answer("at last"));
    let server = start(script);
    let (broker, pacer, books) = broker(&[&server], None);
    let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
    assert_eq!(got.text(), "at last");
    assert_eq!(*pacer.waits.lock().unwrap(), [Duration::from_millis(375), Duration::from_millis(2100)]);
    assert_eq!(got.notices().len(), 2);
    assert!(
        got.notices()[1].contains("too many requests: slow down (it asks to wait 2 s); trying again in 2.1 s"),
        "{:?}",
        got.notices()
    );
    assert_eq!(books.booked.lock().unwrap().len(), 1);
    assert_eq!(books.planned.lock().unwrap().len(), 3);
    server.finish();
}

#[tokio::test]
async fn retries_are_bounded_and_the_next_model_answers() {
    let broken = start((0..3).fold(Script::new(), |script, _| script.chat(Reply::error(500, "broken"))));
    let good = start(OpenAiStream::answer("from b").reply());
    let (broker, pacer, books) = broker(&[&broken, &good], None);
    let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
    assert_eq!(got.text(), "from b");
    assert_eq!(pacer.waits.lock().unwrap().len(), 2);
    assert!(got.notices()[2].ends_with("asking b instead"), "{:?}", got.notices());
    assert_eq!(*books.planned.lock().unwrap(), ["model-a", "model-a", "model-a", "model-b"]);
    broken.finish();
    good.finish();
}

#[tokio::test]
async fn a_dead_endpoint_falls_back_at_once_and_alone_fails_after_retries() {
    let dead = start(Script::new());
    let url = dead.url();
    let good = start(OpenAiStream::answer("alive").reply());
    let (with_fallback, _, _) = broker(&[&dead, &good], None);
    let (alone, pacer, _) = broker(&[&dead], None);
    drop(dead);
    let got = collect(with_fallback.stream(ask("hi"), CallOptions::default(), cancel())).await;
    assert_eq!((got.text().as_str(), got.notices().len()), ("alive", 1));
    let got = collect(alone.stream(ask("hi"), CallOptions::default(), cancel())).await;
    assert!(matches!(&got.error, Some(ChatError::Connect { endpoint, .. }) if *endpoint == url), "{got:?}");
    assert_eq!(pacer.waits.lock().unwrap().len(), 2);
    good.finish();
}

#[tokio::test]
async fn where_credit_is_used_up_the_next_model_answers_at_once() {
    for (status, message) in [(402, "pay"), (429, "You exceeded your current quota, please check your plan")] {
        let empty = start(Script::new().chat(Reply::error(status, message)));
        let good = start(OpenAiStream::answer("from b").reply());
        let (broker, pacer, _) = broker(&[&empty, &good], None);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
        assert_eq!((got.text().as_str(), pacer.waits.lock().unwrap().len()), ("from b", 0));
        let notices = got.notices();
        assert!(notices.len() == 1 && notices[0].contains(message), "{notices:?}");
        assert!(notices[0].ends_with("asking b instead"), "{notices:?}");
        empty.finish();
        good.finish();
    }
}

#[tokio::test]
async fn what_will_not_pass_is_not_repeated() {
    for (status, message) in [
        (401, "bad key"),
        (403, "forbidden"),
        (400, "prompt is too long: 5 tokens > 4 maximum"),
        (400, "roles must alternate"),
        (404, "no such model"),
    ] {
        let no_list = Reply::error(404, "not here");
        let script = Script::new().chat(Reply::error(status, message));
        let server = start(script.always(Expect::request("GET", "/v1/models"), no_list));
        let spare = start(Script::new());
        let (broker, pacer, books) = broker(&[&server, &spare], None);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
        assert!(got.error.as_ref().unwrap().to_string().contains(message), "{got:?}");
        assert!(pacer.waits.lock().unwrap().is_empty() && books.booked.lock().unwrap().is_empty());
        server.finish();
        spare.finish();
    }
}

#[tokio::test]
async fn after_the_first_token_nothing_is_repeated() {
    let server = start(OpenAiStream::new("m").role().text("par").reply().end(End::Cut));
    let spare = start(Script::new());
    let (broker, _, books) = broker(&[&server, &spare], Some(Price::from_dollars(1.0, 1.0, None)));
    let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
    assert_eq!(got.text(), "par");
    assert!(matches!(got.error, Some(ChatError::Interrupted(_))), "{got:?}");
    let booked = books.booked.lock().unwrap();
    assert!(booked[0].1.estimated && booked[0].1.completion == 1 && booked[0].2.is_some(), "{booked:?}");
    server.finish();
    spare.finish();
}

#[tokio::test]
async fn usage_always_comes_before_the_end() {
    let reported = OpenAiStream::new("m").text("four").finish("stop").usage(100, 4, 60).done();
    let silent = OpenAiStream::new("m").text("12345678").finish("stop").done();
    let server = start(Script::new().chat(reported).chat(silent));
    let (broker, _, books) = broker(&[&server], Some(Price::from_dollars(2.0, 10.0, Some(0.5))));
    let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
    let usage = Usage { prompt: 100, completion: 4, cached: 60, written: 0, reasoning: 0, estimated: false };
    assert_eq!(got.events[got.events.len() - 2], StreamEvent::Usage(usage));
    let options = CallOptions { prompt_tokens: Some(77), ..CallOptions::default() };
    let got = collect(broker.stream(ask("hi"), options, cancel())).await;
    let usage = Usage { prompt: 77, completion: 2, cached: 0, written: 0, reasoning: 0, estimated: true };
    assert_eq!(got.events[got.events.len() - 2], StreamEvent::Usage(usage));
    let costs: Vec<u64> = books.booked.lock().unwrap().iter().map(|(_, _, cost)| cost.unwrap().nanos()).collect();
    assert_eq!(costs, [40 * 2000 + 60 * 500 + 4 * 10_000, 77 * 2000 + 2 * 10_000]);
    server.finish();
}

#[tokio::test]
async fn a_cap_holds_before_each_request_fallbacks_included() {
    // Each answer costs 2 milli-dollars; the cap is 10, and the next request may cost up to 1.1 more.
    let answer = || OpenAiStream::new("m").text("x").finish("stop").usage(1000, 1000, 0).done();
    let script = (0..4)
        .fold(Script::new(), |script, _| script.chat(Reply::error(400, "max_tokens is too large")).chat(answer()));
    let server = start(script);
    let books = Books { cap_nanos: Some(10_000_000), ..Books::default() };
    let (broker, _, books) = broker_with(&[&server], Some(Price::from_dollars(1.0, 1.0, None)), books);
    let mut refused = 0;
    for _ in 0..25 {
        let options = CallOptions { prompt_tokens: Some(1000), ..CallOptions::default() };
        let got = collect(broker.stream(ask("hi"), options, cancel())).await;
        refused += usize::from(matches!(got.error, Some(ChatError::SpendRefused(_))));
    }
    assert!(books.spent() <= 10_000_000, "{}", books.spent());
    assert_eq!((books.spent(), refused), (8_000_000, 17));
    server.finish();
}

#[tokio::test]
async fn waiting_can_be_cancelled_and_a_dropped_stream_is_booked() {
    let server = start(OpenAiStream::new("m").role().text("part").reply().end(End::Hang));
    let (broker, _, books) = broker(&[&server], None);
    let mut stream = broker.stream(ask("hi"), CallOptions::default(), cancel());
    while !matches!(stream.next().await, Some(Ok(StreamEvent::Text(_)))) {}
    assert!(broker.traffic().is_busy(&server.url()));
    drop(stream);
    assert!(!broker.traffic().is_busy(&server.url()));
    assert!(books.booked.lock().unwrap()[0].1.estimated);

    let server = start(Reply::error(503, "busy").header("Retry-After", "20"));
    let (slow, _, _) = self::broker(&[&server], None);
    let slow = slow.with_pacer(std::sync::Arc::new(aish_llm::SystemPacer));
    let token = cancel();
    let mut stream = slow.stream(ask("hi"), CallOptions::default(), token.clone());
    assert!(matches!(stream.next().await, Some(Ok(StreamEvent::Notice(_)))));
    token.cancel();
    assert_eq!(collect(stream).await.error, Some(ChatError::Cancelled));
    server.finish();
}

#[tokio::test]
async fn an_unknown_model_is_named() {
    let server = start(Script::new());
    let (broker, _, _) = broker(&[&server], None);
    let options = CallOptions { model: Some("nope".into()), ..CallOptions::default() };
    let got = collect(broker.stream(ask("hi"), options, cancel())).await;
    assert_eq!(got.error.unwrap().to_string(), "no model to ask: there is no model \"nope\"; there are: a");
    server.finish();
}

#[tokio::test]
async fn rules_pick_by_purpose_and_length_unless_a_person_chose() {
    let rule = |purpose, longer_than, model: &str| RouterRule {
        purpose,
        longer_than,
        model: model.to_owned(),
        ..RouterRule::default()
    };
    let rules =
        vec![rule(None, Some(100), "gone"), rule(Some(Purpose::Summary), None, "b"), rule(None, Some(100), "c")];
    let servers = [start(Script::new()), start(Script::new()), start(Script::new().chat(OpenAiStream::answer("long")))];
    let (broker, ..) = broker(&[&servers[0], &servers[1], &servers[2]], None);
    let mut broker = broker.with_rules(rules);
    for (purpose, tokens, expected) in [
        (Purpose::Main, 100, "a"),
        (Purpose::Main, 101, "c"),
        (Purpose::Norris, 101, "c"),
        (Purpose::Summary, 5, "b"),
        (Purpose::Summary, 500, "b"),
        (Purpose::Fast, 5, "a"),
    ] {
        assert_eq!(broker.pick(purpose, tokens), expected, "{purpose:?} {tokens}");
    }
    let long = ask(&"word ".repeat(200));
    let got = collect(broker.stream(long.clone(), CallOptions::default(), cancel())).await;
    assert_eq!(got.text(), "long", "the length is estimated where nobody counted");
    assert!(broker.set_default("b"));
    assert_eq!(broker.pick(Purpose::Main, 1_000), "b");
    for server in servers {
        server.finish();
    }
}
