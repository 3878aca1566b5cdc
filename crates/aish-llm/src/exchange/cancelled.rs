//! After `Cancelled` nothing more comes, whatever had arrived by then.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use super::{Decoder, OpenReply, Progress, exchange};
use crate::event::{ChatError, FinishReason, StreamEvent};
use crate::sse::{BodyError, Limits};

/// Answers with five words and the end, all from one event.
struct Burst;

impl Decoder for Burst {
    fn event(&mut self, _: &str, out: &mut VecDeque<StreamEvent>) -> Result<Progress, ChatError> {
        out.extend((1..=5).map(|number| StreamEvent::Text(number.to_string())));
        Ok(Progress::Done)
    }

    fn document(&mut self, _: &str, out: &mut VecDeque<StreamEvent>) -> Result<(), ChatError> {
        self.event("", out).map(drop)
    }

    fn cut(&mut self) {}

    fn finish(&mut self, out: &mut VecDeque<StreamEvent>) {
        out.push_back(StreamEvent::Finished(FinishReason::Stop));
    }
}

/// Takes so many events of a reply of this kind, cancels, and returns what comes then.
async fn after_cancel(kind: &str, taken: usize) -> Vec<Result<StreamEvent, ChatError>> {
    let second = Duration::from_secs(10);
    let limits =
        Limits { patience: second, idle_before: second, idle_after: second, trailing: second, unsaid: u64::MAX };
    let whole: &[u8] = if kind.ends_with("json") { b"{}" } else { b"data: x\n\n" };
    let body = stream::iter([Ok::<Bytes, BodyError>(Bytes::from_static(whole))]).boxed();
    let opening = Box::pin(std::future::ready(Ok(OpenReply {
        kind: kind.into(),
        body,
        decoder: Box::new(Burst),
        notices: Vec::new(),
    })));
    let cancel = CancellationToken::new();
    let mut events = exchange(opening, limits, "http://x".into(), cancel.clone());
    for _ in 0..taken {
        assert!(matches!(events.next().await, Some(Ok(StreamEvent::Text(_)))));
    }
    cancel.cancel();
    events.collect().await
}

#[tokio::test]
async fn after_cancelled_nothing_more_comes() {
    // The reply of a server that does not stream is whole before the first of it is passed on.
    for kind in ["text/event-stream", "application/json"] {
        for taken in 0..=5 {
            let got = after_cancel(kind, taken).await;
            assert_eq!(got, [Err(ChatError::Cancelled)], "after {taken} events of {kind}");
        }
    }
}
