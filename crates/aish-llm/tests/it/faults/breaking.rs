//! F1, F2, F4, F7, F9: streams that break, fall silent, or bring what must not run.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use aish_llm::{CallOptions, ChatError, FinishReason, ModelOptions, StreamEvent};
use aish_testkit::model_server::{End, Framing, Piece, Reply, Split};
use tokio_util::sync::CancellationToken;

use super::shape::Shape;
use super::{Random, matrix};
use crate::harness::{Collected, ask_with_tools, collect, options, start};

async fn through(shape: Shape, reply: Reply, options: ModelOptions) -> (Collected, usize) {
    let server = start(shape.always(reply));
    let (broker, _) = shape.broker_at(&server.url(), options);
    let request = ask_with_tools("go", &["tool"]);
    let got = collect(broker.stream(request, CallOptions::default(), CancellationToken::new())).await;
    (got, server.finish().len())
}

fn any_token(got: &Collected) -> bool {
    got.events.iter().any(|event| matches!(event, StreamEvent::Text(_) | StreamEvent::Reasoning(_)))
}

#[tokio::test]
async fn f1_a_stream_without_its_end_runs_nothing_and_is_retried_within_bounds() {
    matrix(|shape, mut random| async move {
        let whole = shape.with_calls("CMD: rm -rf /\n now", &[("c1", "tool", "{\"n\": 1}")], "tool_calls");
        let end = shape.bytes_before_end(&whole);
        let reply = whole.truncate(random.below(end)).end(random.pick(&[End::Clean, End::Cut, End::Reset]));
        let framing = random.pick(&[Framing::Chunked, Framing::Close]);
        let (got, requests) = through(shape, reply.framing(framing), options()).await;
        assert!(matches!(got.error, Some(ChatError::Interrupted(_) | ChatError::Connect { .. })), "{shape:?} {got:?}");
        assert_eq!(got.calls(), Vec::<String>::new());
        assert_eq!(requests, if any_token(&got) { 1 } else { 3 }, "{shape:?} {got:?}");
    })
    .await;
}

#[tokio::test]
async fn f2_silence_ends_and_comments_alone_do_not_keep_it_alive() {
    matrix(|shape, mut random| async move {
        let short = ModelOptions {
            timeout: Duration::from_secs(4),
            idle_timeout: Some(Duration::from_millis(1500)),
            ..options()
        };
        let whole = shape.answer("some words that never end");
        let end = shape.bytes_before_end(&whole);
        let reply = match random.below(4) {
            0 => Reply::silence(),
            1 => whole.truncate(0).end(End::Hang),
            2 => whole.truncate(random.below(end)).end(End::Hang),
            _ => {
                let mut reply = whole.truncate(0).end(End::Hang);
                for _ in 0..100 {
                    reply = reply.then(": still here\n\n").then_pause(Duration::from_millis(300));
                }
                reply
            }
        };
        let began = Instant::now();
        let (got, requests) = through(shape, reply, short).await;
        assert!(matches!(got.error, Some(ChatError::Timeout { .. })), "{shape:?} {got:?}");
        assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
        assert_eq!(requests, 1);
    })
    .await;
}

#[tokio::test]
async fn f4_malformed_cut_doubled_and_unknown_calls() {
    matrix(|shape, mut random| async move {
        let whole = "{\"path\": \"/tmp/x\", \"n\": [1, 2]}";
        let cut = &whole[..1 + random.below(whole.len() - 1)];
        let broken = random.pick(&[cut, "{\"a\": }", "[1]", "\"text\"", "not json", "{} {}"]);
        let reply = shape.with_calls("x", &[("c1", "tool", broken), ("c2", "tool", "{}")], "tool_calls");
        let (got, _) = through(shape, reply, options()).await;
        assert_eq!(got.calls(), [format!("!tool({broken})"), "tool({})".to_owned()], "{shape:?}");

        let (got, _) = through(shape, shape.with_calls("x", &[("c1", "tool", whole)], "length"), options()).await;
        assert_eq!(got.calls(), [format!("!tool({whole})")], "{shape:?}");
        assert_eq!(got.events.last(), Some(&StreamEvent::Finished(FinishReason::Length)));

        let (got, _) = through(shape, shape.with_calls("x", &[("c1", "unknown", "{}")], "tool_calls"), options()).await;
        assert_eq!(got.calls(), ["unknown({})"], "{shape:?}");

        // Ollama's shape has one index: the same id there is one call that grew beyond its JSON.
        let doubled = shape.with_calls("x", &[("c1", "tool", "{}"), ("c1", "tool", "{}")], "tool_calls");
        let (got, _) = through(shape, doubled, options()).await;
        assert!(!got.calls().is_empty() && got.calls().iter().all(|call| call.starts_with('!')), "{shape:?} {got:?}");
    })
    .await;
}

#[tokio::test]
async fn f7_success_with_an_error_event_or_html_is_an_error() {
    matrix(|shape, mut random| async move {
        let text = random.pick(&[None, Some("par")]);
        let (reply, message) = match random.below(3) {
            0 => (shape.error_event(text, "it broke inside"), "it broke inside"),
            1 => (Reply::html(200, "<!DOCTYPE html><html><title>Sign in</title></html>"), "an HTML page: Sign in"),
            _ => (shape.error(200, "server_error", "it broke inside"), "it broke inside"),
        };
        let (got, requests) = through(shape, reply.split(Split::Seeded(random.next())), options()).await;
        let error = got.error.clone().expect("an error and not an empty answer");
        assert!(error.to_string().contains(message), "{shape:?} {error}");
        assert!(requests <= 3, "{requests}");
    })
    .await;
}

#[tokio::test]
async fn f9_half_closed_and_cut_connections_are_as_f1() {
    matrix(|shape, mut random| async move {
        let whole = shape.with_calls("CMD: ls\n", &[("c1", "tool", "{}")], "tool_calls");
        let end = shape.bytes_before_end(&whole);
        let reply = whole.truncate(random.below(end)).end(End::HalfClose);
        let framing = random.pick(&[Framing::Chunked, Framing::Close, Framing::Length]);
        let reply = match framing {
            // A length that is never reached.
            Framing::Length => reply.framing(Framing::Close).header("Content-Length", "100000"),
            Framing::Chunked | Framing::Close | Framing::Raw => reply.framing(framing),
        };
        let (got, requests) = through(shape, reply, options()).await;
        assert!(matches!(got.error, Some(ChatError::Interrupted(_) | ChatError::Connect { .. })), "{shape:?} {got:?}");
        assert_eq!(got.calls(), Vec::<String>::new());
        assert_eq!(requests, if any_token(&got) { 1 } else { 3 });
    })
    .await;
}

#[tokio::test]
async fn f9_a_tls_connection_that_is_cut_is_a_connect_error() {
    matrix(|shape, mut random: Random| async move {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let greeting: Vec<u8> = (0..random.below(40)).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
        let server = std::thread::spawn(move || {
            for _ in 0..3 {
                let (mut stream, _) = listener.accept().unwrap();
                // The client may be gone before it has read this.
                drop(std::io::Write::write_all(&mut stream, &greeting));
            }
        });
        let (broker, _) = shape.broker_at(&url, options());
        let request = ask_with_tools("go", &[]);
        let got = collect(broker.stream(request, CallOptions::default(), CancellationToken::new())).await;
        assert!(matches!(got.error, Some(ChatError::Connect { .. })), "{got:?}");
        server.join().unwrap();
    })
    .await;
}

#[test]
fn replies_are_cut_where_the_seed_says() {
    let reply = Shape::OpenAi.answer("a b").truncate(30);
    let bytes: usize = reply.pieces.iter().map(|piece| if let Piece::Bytes(b) = piece { b.len() } else { 0 }).sum();
    assert_eq!(bytes, 30);
}
