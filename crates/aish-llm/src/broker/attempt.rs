//! One call of the broker as a stream: attempts, waits, fallbacks, and the books.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use aish_types::Usage;
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use super::BrokerModel;
use crate::estimate;
use crate::event::{ChatError, FinishReason, StreamEvent};
use crate::pacing::{Pacer, RetryPolicy};
use crate::provider::EventStream;
use crate::request::ChatRequest;
use crate::spend::{BookedCall, PlannedCall, Reservation, SpendGuard};
use crate::think::{Part, ThinkTags};
use crate::traffic::{Running, Traffic};

/// More bytes than a token of a language has on average: of an answer of so many, the server has lost count.
const BYTES_PER_TOKEN: u64 = 8;
/// What an answer may have beyond that, so that a short one of long tokens is not cut.
const SPARE_BYTES: u64 = 1024;

/// Bytes of an answer whose length is left to the model.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// More tokens than any context has: who reports more has not counted.
const MOST_TOKENS: u64 = 100_000_000;
/// Tokens of an answer where money is limited and nobody says another number.
const LIMITED: u32 = 4096;

fn event_of(part: Part) -> StreamEvent {
    match part {
        Part::Text(text) => StreamEvent::Text(text),
        Part::Reasoning(text) => StreamEvent::Reasoning(text),
        Part::TextWasReasoning => StreamEvent::TextWasReasoning,
    }
}

/// What a call consists of.
pub(super) struct Call {
    pub(super) request: ChatRequest,
    /// Configured names and models, the asked one first; never empty.
    pub(super) candidates: Vec<(String, BrokerModel)>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) retry: RetryPolicy,
    pub(super) guard: Arc<dyn SpendGuard>,
    pub(super) pacer: Arc<dyn Pacer>,
    pub(super) traffic: Traffic,
    pub(super) cancel: CancellationToken,
}

/// What is to be done after a failure before the first token.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Retry(Duration),
    Fallback,
    GiveUp,
}

type Item = Result<StreamEvent, ChatError>;

pub(super) fn play(call: Call) -> EventStream {
    let prompt_tokens = call.prompt_tokens.unwrap_or_else(|| estimate::prompt_tokens(&call.request));
    // In a box, since a stream of this kind moves what it keeps for each item.
    let playing = Box::new(Playing {
        call,
        prompt_tokens,
        at: 0,
        failed: 0,
        pending: VecDeque::new(),
        answer: None,
        wait: None,
        over: false,
    });
    stream::unfold(playing, |mut playing| async move {
        let item = playing.next().await?;
        Some((item, playing))
    })
    .boxed()
}

struct Playing {
    call: Call,
    prompt_tokens: u64,
    /// The candidate that is being asked.
    at: usize,
    /// Failed attempts at this candidate.
    failed: u32,
    pending: VecDeque<StreamEvent>,
    answer: Option<Answer>,
    /// To be waited before the next attempt, once the notice of it has been passed on.
    wait: Option<Duration>,
    over: bool,
}

/// An answer that is arriving. Dropping it before its end books what came.
struct Answer {
    events: EventStream,
    any_token: bool,
    bytes: u64,
    usage: Option<Usage>,
    booked: bool,
    /// Bytes that no answer within the tokens that were asked for can have.
    most_bytes: u64,
    think: ThinkTags,
    prompt_tokens: u64,
    model: BrokerModel,
    purpose: crate::request::Purpose,
    guard: Arc<dyn SpendGuard>,
    _running: Option<Running>,
    /// Given back once the answer is booked.
    _reserved: Reservation,
}

impl Playing {
    async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                return Some(Ok(event));
            }
            if self.over {
                return None;
            }
            if let Some(time) = self.wait.take()
                && let Err(error) = wait(&self.call.cancel, self.call.pacer.as_ref(), time).await
            {
                return self.end(error);
            }
            let Some(answer) = &mut self.answer else {
                match self.begin() {
                    Ok(()) => continue,
                    Err(error) => return self.end(error),
                }
            };
            match answer.events.next().await {
                Some(Ok(event)) => {
                    self.take(event);
                }
                Some(Err(error)) => match self.after(error) {
                    Ok(()) => {}
                    Err(error) => return self.end(error),
                },
                None => {
                    let cut = ChatError::Interrupted("the stream ended before the answer did".into());
                    if let Err(error) = self.after(cut) {
                        return self.end(error);
                    }
                }
            }
        }
    }

    fn end(&mut self, error: ChatError) -> Option<Item> {
        self.over = true;
        self.answer = None;
        Some(Err(error))
    }

    /// Asks the guard and sends the request to the candidate.
    fn begin(&mut self) -> Result<(), ChatError> {
        if self.call.cancel.is_cancelled() {
            return Err(ChatError::Cancelled);
        }
        let Some((_, model)) = self.call.candidates.get(self.at) else {
            return Err(ChatError::NoModel("no model is left to ask".into()));
        };
        let free = model.price.is_none() || !self.call.guard.is_limited();
        let limit = self.call.request.max_tokens.or(model.max_tokens);
        let limit = if free { limit } else { limit.or(Some(LIMITED)) };
        let most = limit.unwrap_or(LIMITED);
        let plan = PlannedCall {
            model: model.provider.model(),
            purpose: self.call.request.purpose,
            prompt_tokens: self.prompt_tokens,
            max_completion_tokens: most.into(),
            price: model.price,
            worst_cost: model.price.map(|price| price.most(self.prompt_tokens, most.into())),
        };
        let reserved = self.call.guard.reserve(&plan).map_err(|refusal| ChatError::SpendRefused(refusal.0))?;
        let running = model.endpoint.as_deref().map(|endpoint| self.call.traffic.begin(endpoint));
        self.answer = Some(Answer {
            events: {
                let request = ChatRequest { max_tokens: limit, ..self.call.request.clone() };
                model.provider.stream(request, self.call.cancel.clone())
            },
            any_token: false,
            bytes: 0,
            usage: None,
            booked: false,
            most_bytes: limit.map_or(MOST_BYTES, |limit| {
                u64::from(limit).saturating_mul(BYTES_PER_TOKEN).saturating_add(SPARE_BYTES)
            }),
            think: ThinkTags::default(),
            prompt_tokens: self.prompt_tokens,
            model: model.clone(),
            purpose: self.call.request.purpose,
            guard: Arc::clone(&self.call.guard),
            _running: running,
            _reserved: reserved,
        });
        Ok(())
    }

    fn take(&mut self, event: StreamEvent) {
        let Some(answer) = &mut self.answer else { return };
        match &event {
            StreamEvent::Text(text) => {
                answer.came(text.len());
                self.pending.extend(answer.think.push(text).into_iter().map(event_of));
                return self.hold();
            }
            StreamEvent::Reasoning(text) => {
                answer.came(text.len());
                answer.think.reasoned();
                self.pending.push_back(event);
                return self.hold();
            }
            StreamEvent::TextWasReasoning | StreamEvent::State(_) => {}
            StreamEvent::ToolCall(call) | StreamEvent::MalformedCall { call, .. } => {
                answer.came(call.name.as_str().len() + call.arguments.len());
            }
            StreamEvent::Usage(usage) => {
                // It is passed on once, at the end.
                answer.usage = Some(*usage);
                return;
            }
            StreamEvent::Notice(_) => {}
            StreamEvent::Finished(_) => {
                self.pending.extend(answer.think.finish().into_iter().map(event_of));
                let usage = answer.book();
                self.pending.push_back(StreamEvent::Usage(usage));
                self.answer = None;
                self.over = true;
            }
        }
        self.pending.push_back(event);
    }

    /// Ends an answer that goes on beyond what was asked for: the server does not hold itself to the limit.
    fn hold(&mut self) {
        let Some(answer) = self.answer.as_mut().filter(|answer| answer.bytes > answer.most_bytes) else { return };
        self.pending.extend(answer.think.finish().into_iter().map(event_of));
        let usage = answer.book();
        self.pending.push_back(StreamEvent::Usage(usage));
        self.pending.push_back(StreamEvent::Finished(FinishReason::Length));
        self.answer = None;
        self.over = true;
    }

    /// Decides what follows a failure.
    fn after(&mut self, error: ChatError) -> Result<(), ChatError> {
        let any_token = self.answer.as_ref().is_some_and(|answer| answer.any_token);
        self.answer = None;
        if any_token {
            return Err(error);
        }
        self.failed += 1;
        let name = self.call.candidates.get(self.at).map(|(name, _)| name.clone()).unwrap_or_default();
        match self.decide(&error) {
            Next::GiveUp => Err(error),
            Next::Fallback => {
                self.at += 1;
                self.failed = 0;
                let next = self.call.candidates.get(self.at).map(|(name, _)| name.as_str()).unwrap_or_default();
                self.pending.push_back(StreamEvent::Notice(format!("{name}: {error}; asking {next} instead")));
                Ok(())
            }
            Next::Retry(wait) => {
                let seconds = wait.as_secs_f64();
                let notice = StreamEvent::Notice(format!("{name}: {error}; trying again in {seconds:.1} s"));
                self.pending.push_back(notice);
                self.wait = Some(wait);
                Ok(())
            }
        }
    }

    fn decide(&self, error: &ChatError) -> Next {
        let next_exists = self.at + 1 < self.call.candidates.len();
        let fallback = || if next_exists { Next::Fallback } else { Next::GiveUp };
        let again = |asked: Option<u64>| {
            let too_long = asked.is_some_and(|asked| Duration::from_millis(asked) > self.call.retry.longest_asked);
            if !too_long && self.failed < self.call.retry.attempts {
                Next::Retry(self.call.retry.wait(self.failed, asked, self.call.pacer.unit()))
            } else {
                fallback()
            }
        };
        match error {
            // Nobody is there: the next model answers sooner than a second try.
            ChatError::Connect { .. } if next_exists => Next::Fallback,
            ChatError::Connect { .. } | ChatError::Interrupted(_) => again(None),
            ChatError::RateLimited { retry_after_ms: Some(asked), .. }
            | ChatError::Server { retry_after_ms: Some(asked), .. }
                if next_exists && Duration::from_millis(*asked) > self.call.retry.longest =>
            {
                Next::Fallback
            }
            ChatError::RateLimited { retry_after_ms, .. } | ChatError::Server { retry_after_ms, .. } => {
                again(*retry_after_ms)
            }
            // The wait was long already, and who is out of credit stays so.
            ChatError::Timeout { .. } | ChatError::Process(_) | ChatError::Quota(_) => fallback(),
            ChatError::Unauthorized { .. }
            | ChatError::Insecure { .. }
            | ChatError::ContextOverflow(_)
            | ChatError::TemplateRefused(_)
            | ChatError::Refused { .. }
            | ChatError::Unreadable(_)
            | ChatError::SpendRefused(_)
            | ChatError::NoModel(_)
            | ChatError::Cancelled => Next::GiveUp,
        }
    }
}

async fn wait(cancel: &CancellationToken, pacer: &dyn Pacer, time: Duration) -> Result<(), ChatError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ChatError::Cancelled),
        () = pacer.sleep(time) => Ok(()),
    }
}

impl Answer {
    fn came(&mut self, bytes: usize) {
        self.any_token = true;
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Books what the server reported, else what can be estimated: no prompt has nothing in it, nor has an answer that came, and
    /// none has more than any context.
    fn book(&mut self) -> Usage {
        let can_be = |usage: &Usage| {
            (1..=MOST_TOKENS).contains(&usage.prompt)
                && usage.completion <= MOST_TOKENS
                && (usage.completion > 0 || self.bytes == 0)
        };
        let usage = self.usage.filter(can_be).unwrap_or(Usage {
            prompt: self.prompt_tokens,
            completion: self.bytes.div_ceil(4),
            cached: 0,
            written: 0,
            reasoning: 0,
            estimated: true,
        });
        if !self.booked {
            self.booked = true;
            let cost = self.model.price.map(|price| price.of(&usage));
            let model = self.model.provider.model();
            self.guard.book(&BookedCall { model, purpose: self.purpose, usage, cost });
        }
        usage
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if self.any_token || self.usage.is_some() {
            self.book();
        }
    }
}
