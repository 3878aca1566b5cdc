//! The conversation of a channel: exchanges, and a summary of what was before them.

use std::collections::BTreeMap;

use aish_turn::Transcript;
use aish_types::{Message, head_and_tail};
use serde::{Deserialize, Serialize};

use crate::service::accepted::Record;
use crate::service::keyed::{change, encode, key, read};
use crate::service::reply::Failure;
use crate::state::{Bucket, StateStore};

/// Characters that are kept of a tool's result.
const RESULT_CHARS: usize = 2_000;

/// A question and all that followed from it, under the key of its request: it is kept once.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Exchange {
    request: String,
    messages: Vec<Message>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct History {
    exchanges: Vec<Exchange>,
    /// The summary of what was there before them.
    summary: Option<String>,
}

/// What an exchange pushed out of the conversation: it goes when the exchange is added.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Eviction {
    /// The keys of the requests whose exchanges go.
    pub(crate) requests: Vec<String>,
    /// The summary that stands for them; none leaves the one that is there.
    pub(crate) summary: Option<String>,
}

/// The conversation of a channel, with which request each of its exchanges is of.
pub(crate) struct Conversation {
    pub(crate) transcript: Transcript,
    requests: BTreeMap<u64, String>,
}

impl Conversation {
    /// Returns what is in the conversation and no longer in a transcript that began with it.
    pub(crate) fn forgotten(&self, now: &Transcript) -> Eviction {
        let is_gone = |exchange: &u64| now.entries().iter().all(|entry| entry.exchange != *exchange);
        let gone = self.requests.iter().filter(|(exchange, _)| is_gone(exchange));
        Eviction {
            requests: gone.map(|(_, request)| request.clone()).collect(),
            summary: now.summary().map(str::to_owned),
        }
    }
}

/// Returns the conversation of a channel below a system prompt.
pub(crate) async fn load(state: &dyn StateStore, channel: &str, system: &str) -> Result<Conversation, Failure> {
    let (history, _) = read::<History>(state, Bucket::History, &key(&[channel])).await?;
    let mut past = Conversation { transcript: Transcript::new(system), requests: BTreeMap::new() };
    past.transcript.set_summary(history.summary);
    for Exchange { request, messages } in history.exchanges {
        let number = past.transcript.open_exchange();
        for message in messages {
            past.transcript.push(number, message);
        }
        past.requests.insert(number, request);
    }
    Ok(past)
}

/// Adds the exchange of a request to a channel, once, and takes out what it pushed out.
pub(crate) async fn add(state: &dyn StateStore, channel: &str, request: &str, record: &Record) -> Result<(), Failure> {
    let kept: Vec<Message> = record.messages.iter().map(shorten).collect();
    change(state, Bucket::History, &key(&[channel]), |history: &mut History| {
        if history.exchanges.iter().any(|exchange| exchange.request == request) {
            return Ok(());
        }
        history.exchanges.retain(|exchange| !record.forgotten.requests.contains(&exchange.request));
        if let Some(summary) = &record.forgotten.summary {
            history.summary = Some(summary.clone());
        }
        history.exchanges.push(Exchange { request: request.into(), messages: kept.clone() });
        // Escapes make a text longer than it is; what is too long even alone is not kept.
        while !history.exchanges.is_empty() && encode(history)?.len() > state.max_value() {
            history.exchanges.remove(0);
        }
        Ok(())
    })
    .await
}

fn shorten(message: &Message) -> Message {
    let mut message = message.clone();
    if let Message::Tool { content, blocks, .. } = &mut message {
        *content = head_and_tail(content, RESULT_CHARS).text.into_owned();
        blocks.clear();
    }
    message
}
