//! The course of a chat: accepted, worked on, answered, sent.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::service::accepted::{self, Acceptance, Claim, Phase, Record};
use crate::service::reply::{Failure, Reply};
use crate::service::{Answered, Service, history, id, keyed, limits, wire};
use crate::state::Bucket;

/// How often, and how far apart, a repeated request looks for the reply that another worker is working on.
const WAIT_STEP: Duration = Duration::from_millis(50);
const WAIT_STEPS: u32 = 6_000;
/// Bytes of a message; it is stored beside the request that it came in.
const MAX_MESSAGE: usize = 100_000;

impl Service {
    pub(crate) async fn accept_chat(
        &self,
        payload: &Value,
        common: &wire::Common,
        inbox: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<Answered, Failure> {
        let chat: wire::Chat = wire::read(payload)?;
        for (field, text) in [("channel", &chat.channel), ("user", &chat.user), ("message", &chat.message)] {
            if text.trim().is_empty() {
                return Err(Failure::bad_request(format!("{field} is empty")));
            }
        }
        if chat.message.len() > MAX_MESSAGE {
            return Err(Failure::TooLarge(format!("a message has at most {MAX_MESSAGE} bytes")));
        }
        let request_id = common.request_id.clone().filter(|id| !id.is_empty()).unwrap_or_else(|| id(&*self.random));
        let key = keyed::key(&["chat", &chat.channel, &chat.user, &request_id]);
        // A repeated request was counted when it first came.
        if common.request_id.is_none() || accepted::load(&*self.state, &key).await?.is_none() {
            limits::count(&*self.state, self.options.limits, &chat.user, self.now_ms()).await?;
        }
        let record = Record {
            operation: "chat".into(),
            payload: payload.clone(),
            reply_to: common.reply_to.clone().or_else(|| inbox.map(String::from)),
            worker: self.worker.clone(),
            phase: Phase::Running,
            messages: Vec::new(),
            calls_made: 0,
            usage: aish_types::Usage::default(),
            forgotten: history::Eviction::default(),
            reply: None,
            counted: None,
        };
        let taken = accepted::accept(&*self.state, self.open.begin(&key), record, chat).await;
        self.note_state(&taken);
        match taken? {
            Acceptance::Mine(held) => self.work(held, cancel).await,
            Acceptance::Known(record) => {
                let reply = self.wait_for(&key, record).await?;
                Ok(Answered { reply: reply.into(), reply_to: common.reply_to.clone(), held: None })
            }
        }
    }

    /// Works on a request that is ours until its reply is stored. When that fails in between, the request is gone on with
    /// later; it gets no reply now. Where the store is full it gets the cause as its reply and is forgotten: whoever asks it
    /// again begins anew.
    pub(crate) async fn work(&self, held: Claim, cancel: &CancellationToken) -> Result<Answered, Failure> {
        let key = held.open.key().to_owned();
        let reply_to = held.record.reply_to.clone();
        let request_id = held.chat.request_id.clone();
        let result = self.finish(held, cancel).await;
        self.note_state(&result);
        match result {
            Err(failure) if failure.is_full() => {
                tracing::warn!(key, error = %failure, "a request cannot be kept");
                if let Err(error) = self.state.remove(Bucket::Requests, &key).await {
                    tracing::warn!(key, %error, "it cannot be forgotten either");
                }
                let reply = self.told(&failure, request_id.as_deref()).into();
                Ok(Answered { reply, reply_to, held: None })
            }
            Ok(_) | Err(Failure::Lost(_)) => result,
            Err(failure) => {
                tracing::warn!(key, error = %failure, "a request is put off");
                self.open.put_off();
                Err(Failure::Lost(failure.to_string()))
            }
        }
    }

    async fn finish(&self, mut held: Claim, cancel: &CancellationToken) -> Result<Answered, Failure> {
        if held.record.phase == Phase::Running {
            let request_id = held.chat.request_id.clone();
            let request_id = request_id.as_deref();
            let reply = match self.chat(&mut held, cancel).await {
                Err(lost @ Failure::Lost(_)) => return Err(lost),
                Err(failure) => self.told(&failure, request_id),
                Ok(reply) => reply.named(request_id),
            };
            held.record.reply = Some(reply);
            held.record.phase = Phase::Answered;
            match held.save(&*self.state).await {
                Err(failure @ Failure::TooLarge(_)) => {
                    held.record.messages.clear();
                    held.record.reply = Some(self.told(&failure, request_id));
                    held.save(&*self.state).await?;
                }
                saved => saved?,
            }
        }
        let Some(reply) = held.record.reply.clone() else {
            return Err(Failure::Unavailable("the request was answered, and its reply is not known"));
        };
        let chat = &held.chat;
        if reply.success {
            history::add(&*self.state, &chat.channel, held.open.key(), &held.record).await?;
            self.events.publish(
                "response",
                json!({"channel": chat.channel, "user": chat.user, "tokens_used": held.record.usage.total(),
                       "tool_calls_made": held.record.calls_made, "request_id": reply.get("request_id")}),
            );
        }
        Ok(Answered { reply: reply.into(), reply_to: held.record.reply_to.clone(), held: Some(held) })
    }

    /// Tells who listens of a failure, and makes the reply.
    fn told(&self, failure: &Failure, request_id: Option<&str>) -> Reply {
        let event = json!({"operation": "chat", "code": failure.code(), "error": failure.to_string(), "request_id": request_id});
        self.events.publish("error", event);
        failure.reply().named(request_id)
    }

    /// Notes that a reply was sent. Where that cannot be written it is tried again with the counts: the request stays ours, so
    /// that its reply is not sent a second time.
    pub async fn sent(&self, answered: Answered) {
        let Some(mut held) = answered.held else { return };
        held.record.phase = Phase::Sent;
        held.record.messages.clear();
        match held.save(&*self.state).await {
            Ok(()) => self.meter.add(held),
            Err(failure @ Failure::Lost(_)) => {
                tracing::warn!(error = %failure, "a reply was sent, and another worker sends it again");
            }
            Err(failure) => {
                tracing::warn!(error = %failure, "a reply was sent and cannot be marked so yet");
                self.meter.add_unmarked(held);
            }
        }
    }

    /// Waits for the reply of a request that came before.
    async fn wait_for(&self, key: &str, first: Record) -> Result<Reply, Failure> {
        let mut record = Some(first);
        for _ in 0..WAIT_STEPS {
            match record {
                Some(Record { reply: Some(reply), .. }) => return Ok(reply),
                Some(_) => tokio::time::sleep(WAIT_STEP).await,
                None => break,
            }
            record = accepted::load(&*self.state, key).await?.map(|(record, _)| record);
        }
        Err(Failure::Unavailable("the request came before, and its reply is not known"))
    }
}
