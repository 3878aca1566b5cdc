//! A turn of the chat service: its effects, performed over the model, the toolbox and the stored record.

use std::collections::{HashMap, VecDeque};

use aish_llm::event::{ChatError, FinishReason, StreamEvent};
use aish_llm::request::{ChatRequest, Purpose, ToolSpec};
use aish_tools::Ready;
use aish_turn::{Effect, Event, Finish, Judged, Offer, Outcome, Record, Status, Transcript, Turn, summary};
use aish_types::{CallContext, CallId, Message, Risk, ToolCall, ToolOutcome, Usage};
use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::service::accepted::Claim;
use crate::service::reply::Failure;
use crate::service::{Service, toolbox};
use crate::state::StateStore;

/// Bytes of a result's images and files, as they are stored.
const MAX_BLOCKS: usize = 200_000;
/// Tokens of a summary at most.
const SUMMARY_TOKENS: u32 = 256;

/// The messages of the exchange in the record of its request. It is stored before a call runs and after: whoever goes on
/// after a crash sees that a call may have had its effect.
pub(crate) struct StoredLog<'a> {
    held: &'a mut Claim,
    /// The transcript's ids of the record's messages.
    ids: Vec<u64>,
    is_stored: bool,
}

impl<'a> StoredLog<'a> {
    /// Puts the record's messages into an exchange of a transcript.
    pub(crate) fn begin(held: &'a mut Claim, transcript: &mut Transcript, exchange: u64) -> Self {
        let messages = held.record.messages.iter().cloned();
        let ids = messages.map(|message| transcript.push(exchange, message)).collect();
        Self { held, ids, is_stored: true }
    }

    fn keep(&mut self, record: Record) {
        self.is_stored = false;
        let messages = &mut self.held.record.messages;
        let known = self.ids.iter().position(|id| *id == record.id);
        match (known, record.message) {
            (Some(at), Some(message)) => {
                if let Some(kept) = messages.get_mut(at) {
                    *kept = message;
                }
            }
            (Some(at), None) => {
                self.ids.remove(at);
                messages.remove(at);
            }
            (None, Some(message)) => {
                self.ids.push(record.id);
                messages.push(message);
            }
            (None, None) => {}
        }
    }

    async fn store(&mut self, state: &dyn StateStore) -> Result<(), Failure> {
        if !std::mem::replace(&mut self.is_stored, true) {
            self.held.save(state).await?;
        }
        Ok(())
    }
}

/// Performs the effects of one turn.
pub(crate) struct Player<'a> {
    service: &'a Service,
    log: StoredLog<'a>,
    context: CallContext,
    /// The tools that are offered.
    pub(crate) offers: Vec<Offer>,
    specs: Vec<ToolSpec>,
    approved: HashMap<CallId, (ToolCall, Ready)>,
    cancel: &'a CancellationToken,
    /// Why the model gave no answer.
    pub(crate) failed: Option<String>,
}

impl<'a> Player<'a> {
    /// Makes a player over the tools that are offered here, or none.
    pub(crate) fn new(
        service: &'a Service,
        log: StoredLog<'a>,
        context: CallContext,
        offer_tools: bool,
        cancel: &'a CancellationToken,
    ) -> Self {
        let definitions = if offer_tools { service.toolbox.offered(None) } else { Vec::new() };
        let reads = |risk: Risk, trusted: bool| trusted && risk == Risk::Read;
        let offers = definitions
            .iter()
            .map(|tool| Offer { name: tool.name.clone(), read_only: reads(tool.risk, tool.trusted) })
            .collect();
        let specs = definitions.iter().map(|definition| toolbox::spec(definition)).collect();
        Self { service, log, context, offers, specs, approved: HashMap::new(), cancel, failed: None }
    }

    /// Plays a turn to its end.
    ///
    /// # Errors
    /// When the record cannot be stored.
    pub(crate) async fn play(&mut self, turn: &mut Turn, first: Event) -> Result<Outcome, Failure> {
        let mut events = VecDeque::from([first]);
        while let Some(event) = events.pop_front() {
            for effect in turn.handle(event) {
                match effect {
                    Effect::Measure => {
                        self.log.held.record.calls_made = turn.counted_calls() as usize;
                        self.log.store(&*self.service.state).await?;
                        events.push_back(self.measured(turn));
                    }
                    Effect::Summarize { evicted, previous } => {
                        let summary = self.summarize(&evicted, previous.as_deref()).await;
                        events.push_back(Event::Summarized(summary));
                    }
                    Effect::Ask { messages, offer_tools } => {
                        events.push_back(self.ask(turn, messages, offer_tools).await)
                    }
                    Effect::Judge(call) => events.push_back(self.judge(call).await),
                    Effect::Run(ids) => {
                        self.log.store(&*self.service.state).await?;
                        events.extend(self.run(&ids).await);
                    }
                    Effect::Keep(record) => self.log.keep(record),
                    Effect::Status(Status::Failed { message }) => self.failed = Some(message),
                    Effect::Status(status) => tracing::debug!(?status, "a turn of the chat service"),
                    Effect::ShowText(_) | Effect::ShowOutcome { .. } => {}
                    Effect::Done(outcome) => {
                        self.log.held.record.calls_made = turn.counted_calls() as usize;
                        return Ok(outcome);
                    }
                }
            }
        }
        // The machine always ends with `Done`; without it there is no answer.
        Ok(Outcome::NothingLeft)
    }

    fn measured(&self, turn: &Turn) -> Event {
        let bytes: usize =
            self.specs.iter().map(|spec| spec.description.len() + spec.parameters.to_string().len()).sum();
        Event::Measured {
            system_tokens: turn.transcript().system_text().len() as u64 / 4,
            schema_tokens: bytes as u64 / 4,
        }
    }

    async fn summarize(&mut self, evicted: &[Message], previous: Option<&str>) -> Option<String> {
        let request = ChatRequest {
            max_tokens: Some(SUMMARY_TOKENS),
            temperature: Some(0.0),
            ..ChatRequest::new(vec![Message::user(summary::request(evicted, previous))], Purpose::Summary)
        };
        let answer = self.service.answer(request, None, self.cancel).await.ok();
        if let Some(answer) = &answer {
            self.use_tokens(answer.usage);
        }
        summary::block(evicted, previous, answer.as_ref().map(|answer| answer.text.as_str()))
    }

    fn use_tokens(&mut self, usage: Usage) {
        self.log.held.record.usage = self.log.held.record.usage + usage;
    }

    /// Asks the model and feeds its stream to the turn; returns the event of the stream's end.
    async fn ask(&mut self, turn: &mut Turn, messages: Vec<Message>, offer_tools: bool) -> Event {
        let request = ChatRequest {
            tools: if offer_tools { self.specs.clone() } else { Vec::new() },
            max_tokens: self.service.options.max_tokens,
            ..ChatRequest::new(messages, Purpose::Main)
        };
        let mut stream = self.service.model.ask(request, None, self.cancel.clone());
        let (mut finished, mut usage, mut written) = (None, Usage::default(), 0_usize);
        let failure = loop {
            let event = match stream.next().await {
                None if finished.is_some() => break None,
                None => break Some(("the answer broke off".to_owned(), false)),
                Some(Err(error)) => {
                    break Some((error.to_string(), matches!(error, ChatError::TemplateRefused(_))));
                }
                Some(Ok(event)) => event,
            };
            match &event {
                StreamEvent::Text(text) => written += text.len(),
                StreamEvent::Usage(part) => usage = usage + *part,
                StreamEvent::Notice(notice) => tracing::info!("{notice}"),
                StreamEvent::Finished(reason) => finished = Some(*reason),
                StreamEvent::Reasoning(_)
                | StreamEvent::TextWasReasoning
                | StreamEvent::State(_)
                | StreamEvent::ToolCall(_)
                | StreamEvent::MalformedCall { .. } => {}
            }
            if let Some(event) = event_of(event) {
                // What is shown piece by piece elsewhere is sent whole here.
                drop(turn.handle(event));
            }
        };
        if usage.total() == 0 && failure.is_none() {
            usage = Usage { completion: written as u64 / 4, estimated: true, ..Usage::default() };
        }
        self.use_tokens(usage);
        if !self.cancel.is_cancelled() {
            let error = failure.as_ref().map(|(error, _)| error.clone());
            self.service.health.note_model(error);
        }
        match (failure, finished) {
            (Some((message, template_refused)), _) => Event::StreamFailed { message, template_refused },
            (None, Some(FinishReason::Length)) => Event::StreamEnded(Finish::Length),
            (None, Some(FinishReason::ContentFilter)) => Event::StreamEnded(Finish::Withheld),
            (None, Some(FinishReason::Stop | FinishReason::ToolCalls) | None) => Event::StreamEnded(Finish::Whole),
        }
    }

    async fn judge(&mut self, call: ToolCall) -> Event {
        let id = call.id.clone();
        let judged = match self.service.toolbox.pass(&call, &self.context).await {
            Ok(ready) => {
                let arguments = ready.call().arguments.clone();
                self.approved.insert(id.clone(), (call, ready));
                Judged::Approved { arguments }
            }
            Err(outcome) => {
                self.service.tool_event(&self.context, &call, &outcome);
                Judged::Refused(outcome)
            }
        };
        Event::Judged { id, judged }
    }

    /// Runs approved calls, several of them at once: the turn gives several together only where all of them read.
    async fn run(&mut self, ids: &[CallId]) -> Vec<Event> {
        let ready: Vec<_> = ids.iter().filter_map(|id| self.approved.remove(id)).collect();
        let (service, context, cancel) = (self.service, &self.context, self.cancel);
        let running = ready.into_iter().map(|(call, ready)| async move {
            let outcome = service.toolbox.run(ready, cancel).await;
            service.tool_event(context, &call, &outcome);
            Event::Ran { id: call.id, outcome: storable(outcome) }
        });
        join_all(running).await
    }
}

/// Returns what a turn hears of an event of a model's stream.
fn event_of(event: StreamEvent) -> Option<Event> {
    match event {
        StreamEvent::Text(text) => Some(Event::Text(text)),
        StreamEvent::Reasoning(_) => Some(Event::Reasoned),
        StreamEvent::TextWasReasoning => Some(Event::TextWasReasoning),
        StreamEvent::State(state) => Some(Event::State(state)),
        StreamEvent::ToolCall(call) => Some(Event::Call(call)),
        StreamEvent::MalformedCall { call, reason } => Some(Event::Malformed { call, reason }),
        StreamEvent::Usage(part) => Some(Event::Usage(part)),
        StreamEvent::Notice(_) | StreamEvent::Finished(_) => None,
    }
}

/// Takes images and files out of an outcome that are too large to be stored with the request.
fn storable(mut outcome: ToolOutcome) -> ToolOutcome {
    let bytes = serde_json::to_vec(&outcome.blocks).map_or(usize::MAX, |bytes| bytes.len());
    if bytes > MAX_BLOCKS {
        outcome.blocks.clear();
        outcome.text.push_str("\n(images and files of this result are too large to be kept here)");
    }
    outcome
}
