//! F5, F6, F8: servers that refuse, for a while or for good.

use std::time::Duration;

use aish_llm::{CallOptions, ChatError, ChatRequest, StreamEvent};
use aish_testkit::model_server::{End, Piece, Reply, Split};
use aish_types::Message;
use tokio_util::sync::CancellationToken;

use super::matrix;
use super::shape::Shape;
use crate::harness::{ask, ask_with_tools, collect, options, run, start};

fn cancel() -> CancellationToken {
    CancellationToken::new()
}

#[tokio::test]
async fn f5_what_may_pass_is_waited_for_within_bounds() {
    matrix(|shape, mut random| async move {
        let asked = random.below(61);
        let fault = match random.below(4) {
            0 => shape.error(429, "rate_limit_error", "slow down").header("Retry-After", &asked.to_string()),
            1 => shape.error(random.pick(&[500, 502, 503, 504, 529]), "api_error", "later"),
            2 => Reply::silence().end(End::Reset),
            _ => shape.answer("x").truncate(0).end(End::Reset),
        };
        let failures = random.below(3);
        let server = start(shape.script(vec![fault.clone(); failures].into_iter().chain([shape.answer("at last")])));
        let (broker, pacer) = shape.broker(&server);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
        assert_eq!((got.text().as_str(), &got.error), ("at last", &None), "{shape:?} {fault:?}");
        assert_eq!((pacer.waits.lock().unwrap().len(), got.notices().len()), (failures, failures));
        assert!(pacer.waits.lock().unwrap().iter().all(|wait| *wait <= Duration::from_secs(66)));
        server.finish();

        let server = start(shape.script(vec![fault; 3]));
        let (broker, pacer) = shape.broker(&server);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
        assert!(got.error.is_some() && got.text().is_empty(), "{got:?}");
        assert_eq!(pacer.waits.lock().unwrap().len(), 2);
        server.finish();
    })
    .await;
}

#[tokio::test]
async fn f5_a_wait_that_is_too_long_fails_at_once_with_its_number() {
    matrix(|shape, mut random| async move {
        let asked = 61 + random.below(1_000_000);
        let (status, kind) = random.pick(&[(429, "rate_limit_error"), (503, "api_error")]);
        let fault = shape.error(status, kind, "slow down").header("Retry-After", &asked.to_string());
        let server = start(shape.script([fault]));
        let (broker, pacer) = shape.broker(&server);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
        let words = got.error.map(|error| error.to_string()).unwrap_or_default();
        assert!(words.contains(&format!("{asked} s")), "{words}");
        assert!(pacer.waits.lock().unwrap().is_empty());
        server.finish();
    })
    .await;
}

#[tokio::test]
async fn f5_what_cannot_get_better_is_not_tried_again() {
    matrix(|shape, mut random| async move {
        let empty = |reply: Reply| Reply { pieces: vec![], ..reply };
        let fault = match random.below(4) {
            0 => empty(shape.answer("x")),
            1 => Reply { pieces: vec![Piece::Bytes(b": alive\n\n\n".to_vec())], ..shape.answer("x") },
            2 => shape.answer("x").header("Content-Encoding", "br"),
            _ => Reply::new(200, "text/event-stream", "<html><title>Sign in</title></html>"),
        };
        let server = start(shape.script([fault]));
        let (broker, pacer) = shape.broker(&server);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
        assert!(matches!(got.error, Some(ChatError::Unreadable(_))), "{shape:?} {got:?}");
        assert!(pacer.waits.lock().unwrap().is_empty());
        server.finish();
    })
    .await;
}

#[tokio::test]
async fn a_wrong_label_a_compressed_reply_and_a_bad_byte_are_read() {
    matrix(|shape, mut random| async move {
        let reply = shape.answer("It is Paris.");
        let body = reply.body();
        let gzip = |body: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            std::io::Write::write_all(&mut encoder, body).unwrap();
            encoder.finish().unwrap()
        };
        let seed = random.below(1000) as u64;
        let (reply, expected) = match random.below(5) {
            0 => (reply.header("Content-Type", "application/json"), "It is Paris."),
            1 => (Reply::new(200, "text/event-stream", gzip(&body)).header("Content-Encoding", "gzip"), "It is Paris."),
            2 => (Reply::new(200, "text/event-stream", gzip(&body)), "It is Paris."),
            3 => (Reply::new(200, "text/event-stream", shape.document("It is Paris.")), "It is Paris."),
            _ => {
                let at = body.windows(5).position(|part| part == b"Paris").unwrap();
                let mut bad = body.clone();
                bad[at + 2] = 0xff;
                (Reply::new(200, "text/event-stream", bad), "It is Pa\u{fffd}is.")
            }
        };
        let server = start(shape.script([reply.split(Split::Seeded(seed))]));
        let got = run(shape.provider(&server.url(), options()).as_ref(), ask("hi")).await;
        assert_eq!((got.text().as_str(), &got.error), (expected, &None), "{shape:?}");
        server.finish();
    })
    .await;
}

#[tokio::test]
async fn f5_no_such_host_is_a_connect_error() {
    matrix(|shape, mut random| async move {
        // Not even a name: the resolver refuses it without asking the network.
        let url = format!("http://no-such-host-{}-{}", random.below(1_000_000), "x".repeat(80));
        let (broker, pacer) = shape.broker_at(&url, options());
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
        assert!(matches!(got.error, Some(ChatError::Connect { .. })), "{got:?}");
        assert_eq!(pacer.waits.lock().unwrap().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn f5_a_wait_can_be_cancelled() {
    matrix(|shape, mut random| async move {
        let server = start(shape.script([shape.error(503, "x", "busy").header("Retry-After", "25")]));
        let (broker, _) = shape.broker(&server);
        let broker = broker.with_pacer(std::sync::Arc::new(aish_llm::SystemPacer));
        let token = cancel();
        let canceller = token.clone();
        let after = Duration::from_millis(u64::try_from(20 + random.below(60)).unwrap());
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            canceller.cancel();
        });
        let began = std::time::Instant::now();
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), token)).await;
        assert_eq!(got.error, Some(ChatError::Cancelled));
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    })
    .await;
}

#[tokio::test]
async fn f6_what_will_not_pass_is_said_once() {
    type Is = fn(&ChatError) -> bool;
    let unauthorized: Is = |error| matches!(error, ChatError::Unauthorized { .. });
    let quota: Is = |error| matches!(error, ChatError::Quota(_));
    let overflow: Is = |error| matches!(error, ChatError::ContextOverflow(_));
    let cases = move |shape: Shape| {
        [
            (shape.error(401, "authentication_error", "invalid key"), unauthorized),
            (shape.error(403, "permission_error", "not for you"), unauthorized),
            (shape.error(402, "billing_error", "payment required"), quota),
            (shape.error(429, "insufficient_quota", "You exceeded your current quota, please check your plan"), quota),
            (shape.error(400, "invalid_request_error", "prompt is too long: 9000 tokens > 8000 maximum"), overflow),
            (shape.error(400, "invalid_request_error", "the request exceeds the available context size"), overflow),
        ]
    };
    matrix(|shape, mut random| async move {
        let (reply, is) = random.pick(&cases(shape));
        let server = start(shape.script([reply, shape.answer("still here")]));
        let (broker, pacer) = shape.broker(&server);
        let got = collect(broker.stream(ask("hi"), CallOptions::default(), cancel())).await;
        assert!(got.error.as_ref().is_some_and(is), "{shape:?} {got:?}");
        assert!(pacer.waits.lock().unwrap().is_empty());
        // The session goes on.
        let got = collect(broker.stream(ask("again"), CallOptions::default(), cancel())).await;
        assert_eq!(got.text(), "still here");
        server.finish();
    })
    .await;
}

#[tokio::test]
async fn f8_a_retry_after_a_tool_ran_does_not_run_it_again() {
    matrix(|shape, mut random| async move {
        let first = shape.with_calls("let me see", &[("c1", "tool", "{\"n\": 1}")], "tool_calls");
        let fault = match random.below(3) {
            0 => shape.error(503, "x", "busy"),
            1 => Reply::silence().end(End::Reset),
            _ => shape.answer("x").truncate(0).end(End::Cut),
        };
        let server = start(shape.script([first, fault, shape.answer("it is done")]));
        let (broker, pacer) = shape.broker(&server);
        let mut request: ChatRequest = ask_with_tools("go", &["tool"]);
        let mut runs = 0;
        let mut last = String::new();
        for _ in 0..2 {
            let got = collect(broker.stream(request.clone(), CallOptions::default(), cancel())).await;
            assert_eq!(got.error, None);
            last = got.text();
            for event in &got.events {
                if let StreamEvent::ToolCall(call) = event {
                    runs += 1;
                    request.messages.push(Message::Assistant {
                        content: last.clone(),
                        tool_calls: vec![call.clone()],
                        state: None,
                    });
                    request.messages.push(Message::Tool {
                        tool_call_id: call.id.clone(),
                        name: call.name.clone(),
                        content: "42".into(),
                        blocks: Vec::new(),
                    });
                }
            }
        }
        assert_eq!((runs, last.as_str(), pacer.waits.lock().unwrap().len()), (1, "it is done", 1), "{shape:?}");
        let requests = server.finish();
        assert_eq!(requests[1].body, requests[2].body, "a retry is the same request");
    })
    .await;
}
