//! F10 and F26: a person who stops it, and clocks that jump.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aish_llm::{CallOptions, ChatError, StreamEvent, SystemPacer};
use aish_testkit::model_server::{End, Reply};
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use super::one_by_one;
use crate::harness::{ask, collect, start};

#[tokio::test(flavor = "multi_thread")]
async fn f10_cancelling_is_prompt_while_connecting_and_streaming() {
    let delays = Mutex::new(Vec::new());
    let delays = &delays;
    one_by_one(|shape, mut random| async move {
        let streaming = shape.answer(&"word ".repeat(2000)).pause_between(Duration::from_millis(2));
        let whole = shape.answer("a b c");
        let end = shape.bytes_before_end(&whole);
        let reply = match random.below(4) {
            0 => Reply::silence(),
            1 => whole.truncate(0).end(End::Hang),
            2 => whole.truncate(random.below(end)).end(End::Hang),
            _ => streaming,
        };
        let server = start(shape.always(reply));
        let (broker, _) = shape.broker(&server);
        let token = CancellationToken::new();
        let mut stream = broker.stream(ask("hi"), CallOptions::default(), token.clone());
        let after = Duration::from_millis(u64::try_from(random.below(80)).unwrap());
        let canceller = tokio::spawn(async move {
            tokio::time::sleep(after).await;
            token.cancel();
            Instant::now()
        });
        let mut last = None;
        while let Some(item) = stream.next().await {
            last = Some(item);
        }
        let late = canceller.await.unwrap().elapsed();
        assert_eq!(last, Some(Err(ChatError::Cancelled)), "{shape:?} {late:?}");
        assert!(late < Duration::from_secs(5), "{late:?}");
        delays.lock().unwrap().push(late);
        assert!(!broker.traffic().is_busy(&server.url()));
    })
    .await;
    // The middle one: a loaded machine may be late now and then, the program may not be as a rule.
    let mut delays = delays.lock().unwrap();
    delays.sort();
    let middle = delays[delays.len() / 2];
    assert!(middle < Duration::from_secs(1), "{middle:?}");
}

/// The timers are monotonic; a jump ends a wait once and sends one request, not a storm of them.
#[tokio::test]
async fn f26_a_jump_of_the_clock_makes_no_storm_of_retries() {
    one_by_one(|shape, mut random| async move {
        let server = start(shape.script([
            shape.error(503, "x", "busy").header("Retry-After", &(5 + random.below(25)).to_string()),
            shape.answer("after the jump"),
        ]));
        let (broker, _) = shape.broker(&server);
        let broker = broker.with_pacer(Arc::new(SystemPacer));
        let mut stream = broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new());
        assert!(matches!(stream.next().await, Some(Ok(_))), "the notice of the wait");
        let waiting = tokio::spawn(async move { stream.collect::<Vec<_>>().await });
        tokio::task::yield_now().await;
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3600 + random.next() % 100_000)).await;
        tokio::time::resume();
        let got = waiting.await.unwrap();
        assert!(matches!(got.last(), Some(Ok(StreamEvent::Finished(_)))), "{shape:?} {got:?}");
        assert_eq!(server.finish().len(), 2);
    })
    .await;
}

/// A machine that sleeps in the middle of an answer finds the rest of it in its buffers.
#[tokio::test]
async fn f26_an_answer_that_waited_through_a_jump_is_read_to_its_end() {
    one_by_one(|shape, mut random| async move {
        let server = start(shape.always(shape.answer("one two three four")));
        let (broker, _) = shape.broker(&server);
        let mut stream = broker.stream(ask("hi"), CallOptions::default(), CancellationToken::new());
        let first = stream.next().await;
        assert!(matches!(first, Some(Ok(_))), "{first:?}");
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3600 + random.next() % 100_000)).await;
        tokio::time::resume();
        let got = collect(stream).await;
        assert_eq!(got.error, None, "{shape:?}");
    })
    .await;
}
