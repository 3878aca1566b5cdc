//! The conversation of a channel, bounded as the shell's is.

use aish_turn::{Budget, Transcript};
use aish_types::{Message, head_and_tail};
use serde::{Deserialize, Serialize};

use crate::service::keyed::{change, encode, key, read};
use crate::service::options::ServiceOptions;
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
}

/// Returns the messages of a channel, oldest first.
pub(crate) async fn load(state: &dyn StateStore, channel: &str) -> Result<Vec<Message>, Failure> {
    let (history, _) = read::<History>(state, Bucket::History, &key(&[channel])).await?;
    Ok(history.exchanges.into_iter().flat_map(|exchange| exchange.messages).collect())
}

/// Adds an exchange to a channel, once, and lets the oldest go.
pub(crate) async fn add(
    state: &dyn StateStore,
    channel: &str,
    request: &str,
    messages: &[Message],
    options: &ServiceOptions,
) -> Result<(), Failure> {
    let kept: Vec<Message> = messages.iter().map(shorten).collect();
    change(state, Bucket::History, &key(&[channel]), |history: &mut History| {
        if history.exchanges.iter().any(|exchange| exchange.request == request) {
            return Ok(());
        }
        history.exchanges.push(Exchange { request: request.into(), messages: kept.clone() });
        while history.exchanges.len() > 1 && is_over(history, options) {
            history.exchanges.remove(0);
        }
        // Escapes make a text longer than it is; what is too long even alone is not kept.
        while !history.exchanges.is_empty() && encode(history)?.len() > state.max_value() {
            history.exchanges.remove(0);
        }
        Ok(())
    })
    .await
}

fn is_over(history: &History, options: &ServiceOptions) -> bool {
    let messages: usize = history.exchanges.iter().map(|exchange| exchange.messages.len()).sum();
    let bytes: usize = history.exchanges.iter().flat_map(|exchange| &exchange.messages).map(size).sum();
    messages > options.max_turns || (bytes as u64) / 4 > options.token_budget
}

fn size(message: &Message) -> usize {
    let calls = message.tool_calls().iter().map(|call| call.name.as_str().len() + call.arguments.len());
    message.content().len() + calls.sum::<usize>()
}

fn shorten(message: &Message) -> Message {
    let mut message = message.clone();
    if let Message::Tool { content, blocks, .. } = &mut message {
        *content = head_and_tail(content, RESULT_CHARS).text.into_owned();
        blocks.clear();
    }
    message
}

/// Lays out what a model is asked: the system prompt, what still fits of the conversation, and this exchange.
pub(crate) fn prompt(
    system: &str,
    history: &[Message],
    exchange: &[Message],
    schema_bytes: usize,
    options: &ServiceOptions,
) -> Vec<Message> {
    let mut transcript = Transcript::new(system);
    transcript.load(history.iter().cloned());
    let running = transcript.open_exchange();
    for message in exchange {
        transcript.push(running, message.clone());
    }
    let budget = Budget {
        max_turns: options.max_turns,
        token_budget: options.token_budget,
        system_tokens: system.len() as u64 / 4,
        schema_tokens: schema_bytes as u64 / 4,
        tokens_per_message: 0,
    };
    budget.enforce(&mut transcript, Some(running));
    transcript.render(true)
}
