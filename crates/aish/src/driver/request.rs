//! One request to the model, its stream fed into the turn event by event.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use aish_llm::{ChatError, EventStream, FinishReason, StreamEvent};
use aish_turn::{Effect, Event, Finish, Turn};
use aish_types::Message;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio_util::sync::CancellationToken;

use super::{Driver, Stage, status};
use crate::surface::Shown;

/// Lets the other tasks run that are ready, the connection's above all. The runtime's own yield asks the system for news
/// first, which costs a system call for each piece.
async fn let_others_run() {
    let mut waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns what a stream has now. The connection hands over one piece at a time, and has its turn first: to look before
/// that finds nothing most of the time.
async fn at_once(stream: &mut EventStream) -> Option<Option<Result<StreamEvent, ChatError>>> {
    let_others_run().await;
    stream.next().now_or_never()
}

/// What comes behind a piece of text.
enum Behind {
    /// This is there.
    Item(Option<Result<StreamEvent, ChatError>>),
    /// Nothing is, yet.
    Nothing,
    /// Nobody has looked.
    Unseen,
}

/// Adds to a piece of text what more of it is there, so that it is judged and drawn at once; returns what comes behind it.
async fn gather(stream: &mut EventStream, text: &mut String, interrupt: &CancellationToken) -> Behind {
    while text.len() < GATHERED && !interrupt.is_cancelled() {
        match at_once(stream).await {
            Some(Some(Ok(StreamEvent::Text(more)))) => text.push_str(&more),
            Some(item) => return Behind::Item(item),
            None => return Behind::Nothing,
        }
    }
    Behind::Unseen
}

/// Returns what a stream's end means to the turn.
pub fn finish_of(reason: FinishReason) -> Finish {
    match reason {
        FinishReason::Stop | FinishReason::ToolCalls => Finish::Whole,
        FinishReason::Length => Finish::Length,
        FinishReason::ContentFilter => Finish::Withheld,
    }
}

/// Bytes of text that are taken in together.
const GATHERED: usize = 16 * 1024;

/// Bytes of reasoning that are kept to be shown again.
const THOUGHT: usize = 1024 * 1024;

impl Driver {
    /// Streams an answer. Text is shown as it comes; returns what the stream's end means to the turn.
    pub(super) async fn stream(
        &mut self,
        messages: Vec<Message>,
        offer_tools: bool,
        turn: &mut Turn,
        stage: &mut Stage<'_>,
    ) -> Event {
        let cancel = stage.interrupt.child_token();
        let _stop = cancel.clone().drop_guard();
        stage.show(Shown::Waiting);
        self.seen.last_thought.clear();
        let mut stream = self.asker.ask(messages, offer_tools, turn, cancel);
        let mut finished = None;
        let mut behind = Behind::Unseen;
        let last = loop {
            // What is there already is taken in before anything is written.
            let there = match std::mem::replace(&mut behind, Behind::Unseen) {
                _ if stage.interrupt.is_cancelled() => None,
                Behind::Item(item) => Some(item),
                Behind::Nothing => None,
                Behind::Unseen => at_once(&mut stream).await,
            };
            let item = if let Some(item) = there {
                item
            } else {
                stage.surface.flush();
                let deadline = stage.surface.deadline();
                let tick = deadline.map(|at| at.saturating_sub(self.started.elapsed()).max(Duration::from_millis(16)));
                tokio::select! {
                    biased;
                    () = stage.interrupt.cancelled() => break Event::Interrupted,
                    item = stream.next() => item,
                    () = tokio::time::sleep(tick.unwrap_or(Duration::from_secs(3600))), if tick.is_some() => {
                        stage.surface.tick(self.started.elapsed());
                        continue;
                    }
                }
            };
            let event = match item {
                Some(Ok(StreamEvent::Finished(reason))) => {
                    finished = Some(reason);
                    continue;
                }
                Some(Ok(StreamEvent::Text(mut text))) => {
                    behind = gather(&mut stream, &mut text, stage.interrupt).await;
                    StreamEvent::Text(text)
                }
                Some(Ok(event)) => event,
                Some(Err(ChatError::Cancelled)) => break Event::Interrupted,
                Some(Err(error)) => break self.failed(&error),
                None => {
                    break match finished {
                        Some(reason) => Event::StreamEnded(finish_of(reason)),
                        None => self.failed(&ChatError::Interrupted("the stream ended without its end".to_owned())),
                    };
                }
            };
            self.feed(event, turn, stage);
        };
        drop(stream);
        self.end_answer(stage);
        last
    }

    /// Shows that the answer has ended, and what it took.
    fn end_answer(&mut self, stage: &mut Stage<'_>) {
        stage.show(Shown::AnswerEnd);
        if let Some((model, usage, cost)) = self.asker.ledger.take_last() {
            self.asker.learn(&model, &usage);
            stage.show(Shown::Usage { model: &model, usage, cost });
        }
        if let Some(warning) = self.asker.ledger.warning() {
            stage.show(Shown::Notice(&warning));
        }
    }

    fn feed(&mut self, event: StreamEvent, turn: &mut Turn, stage: &mut Stage<'_>) {
        let event = match event {
            StreamEvent::Text(text) => Event::Text(text),
            StreamEvent::Reasoning(text) => {
                stage.show(Shown::Reasoning(&text));
                if self.seen.last_thought.len() < THOUGHT {
                    self.seen.last_thought.push_str(&text);
                }
                Event::Reasoned
            }
            StreamEvent::TextWasReasoning => Event::TextWasReasoning,
            StreamEvent::State(state) => Event::State(state),
            StreamEvent::ToolCall(call) => Event::Call(call),
            StreamEvent::MalformedCall { call, reason } => Event::Malformed { call, reason },
            StreamEvent::Usage(usage) => Event::Usage(usage),
            StreamEvent::Notice(text) => return stage.show(Shown::Notice(&text)),
            StreamEvent::Finished(_) => return,
        };
        for effect in turn.handle(event) {
            match effect {
                Effect::ShowText(text) => stage.show(Shown::Text(&text)),
                Effect::Status(status) => status::show(&status, stage),
                // A stream's pieces lead to nothing else before its end.
                Effect::Measure
                | Effect::Summarize { .. }
                | Effect::Ask { .. }
                | Effect::Judge(_)
                | Effect::Run(_)
                | Effect::ShowOutcome { .. }
                | Effect::Keep(_)
                | Effect::Done(_) => {}
            }
        }
    }

    fn failed(&mut self, error: &ChatError) -> Event {
        let template_refused = matches!(error, ChatError::TemplateRefused(_));
        if matches!(error, ChatError::ContextOverflow(_)) {
            self.asker.sizes.refused(&self.asker.model);
        }
        self.asker.last_error = Some(error.clone());
        Event::StreamFailed { message: crate::models::advice(error).in_a_line(), template_refused }
    }
}
