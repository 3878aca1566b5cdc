//! Input rounds of the 2026-07-28 era: what a call asked its client, and what the client has answered so far.
//!
//! A call that needs input ends with the questions and a sealed state; the client answers and sends the call again
//! with the state, and the handler runs from its start and finds the answers. The state is bound to the tool and
//! its arguments, and an answer counts only for the very question that it was given to, so that an approval of one
//! call cannot be handed in with another. A state is opened once: who sends it again runs nothing again. What was opened
//! is kept by the process that sealed it, and the key is its own, so no state outlives what is known of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aish_safety::pin::{Digest, canonical};
use rmcp::model::{InputRequest, InputRequiredResult, RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Notify;

/// How long a sealed state is good for: a person may take their time.
const STATE_LIFETIME: Duration = Duration::from_secs(3600);
/// How many opened states are remembered one by one. Behind them, all that were sealed before are refused.
const MOST_OPENED: usize = 65_536;

/// The state that travels through the client, sealed but not secret.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// Hash of each question that is open, by its key.
    asked: BTreeMap<String, Digest>,
    /// Questions that were answered in earlier rounds.
    answered: BTreeMap<String, (Digest, Value)>,
    /// What tells the call from others like it, the same in all of its rounds.
    ticket: String,
    /// Which of this server's states it is, by the order of sealing.
    number: u64,
}

/// Why the state of a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum StateError {
    /// It was not sealed here for this very call, or too long ago.
    #[error("The requestState is not valid")]
    Invalid,
    /// It was sent before.
    #[error(
        "The requestState was used before: an answer is good for one run. Send the call without it to be asked again"
    )]
    Used,
}

/// The states that were opened.
#[derive(Debug, Default)]
struct Opened {
    numbers: BTreeSet<u64>,
    /// States below this number are taken for opened.
    floor: u64,
}

impl Opened {
    /// Returns whether a state is opened for the first time.
    fn first(&mut self, number: u64) -> bool {
        if number < self.floor || !self.numbers.insert(number) {
            return false;
        }
        if self.numbers.len() > MOST_OPENED
            && let Some(lowest) = self.numbers.pop_first()
        {
            self.floor = lowest.saturating_add(1);
        }
        true
    }
}

/// Seals and opens the states of one server.
pub(super) struct Rounds {
    codec: RequestStateCodec,
    sealed: AtomicU64,
    opened: Mutex<Opened>,
}

impl Rounds {
    /// Makes the rounds of a server.
    pub(super) fn new() -> Self {
        let codec = RequestStateCodec::new_unchecked(rand::random::<[u8; 32]>());
        Self { codec, sealed: AtomicU64::new(0), opened: Mutex::default() }
    }

    /// Opens the rounds of one request.
    ///
    /// # Errors
    /// When the state was not sealed here for this very call, or was opened before.
    pub(super) fn open(
        &self,
        call: &Value,
        state: Option<&str>,
        responses: BTreeMap<String, Value>,
    ) -> Result<Inputs, StateError> {
        let binding = canonical(call);
        let mut known = BTreeMap::new();
        let mut ticket = format!("{:032x}", rand::random::<u128>());
        if let Some(state) = state {
            let state: State = self.codec.open_json_with(state, binding.as_bytes()).map_err(|_| StateError::Invalid)?;
            if !self.opened.lock().unwrap_or_else(PoisonError::into_inner).first(state.number) {
                return Err(StateError::Used);
            }
            (known, ticket) = (state.answered, state.ticket);
            for (key, value) in responses {
                if let Some(question) = state.asked.get(&key) {
                    known.insert(key, (question.clone(), value));
                }
            }
        }
        Ok(Inputs { binding, known, ticket, asked: Mutex::default(), waiting: Notify::new() })
    }

    /// Ends a round: the open questions and the sealed state.
    pub(super) fn close(&self, inputs: &Inputs) -> Option<InputRequiredResult> {
        let asked = std::mem::take(&mut *inputs.asked.lock().unwrap_or_else(PoisonError::into_inner));
        let state = State {
            asked: asked.iter().map(|(key, (digest, _))| (key.clone(), digest.clone())).collect(),
            answered: inputs.known.clone(),
            ticket: inputs.ticket.clone(),
            number: self.sealed.fetch_add(1, Ordering::Relaxed),
        };
        let options = SealOptions::new().associated_data(inputs.binding.as_bytes()).ttl(STATE_LIFETIME);
        let sealed = self.codec.seal_json_with(&state, &options).ok()?;
        let requests = asked.into_iter().map(|(key, (_, request))| (key, request)).collect();
        Some(InputRequiredResult::new(Some(requests), Some(sealed)))
    }
}

/// The questions and answers of one request.
pub(super) struct Inputs {
    binding: String,
    known: BTreeMap<String, (Digest, Value)>,
    /// What tells the call from others like it, the same in all of its rounds.
    pub(super) ticket: String,
    asked: Mutex<BTreeMap<String, (Digest, InputRequest)>>,
    waiting: Notify,
}

impl Inputs {
    /// Returns the answer to a question when this round knows a usable one; else asks it and never returns.
    pub(super) async fn answer(&self, key: String, request: InputRequest, usable: fn(&Value) -> bool) -> Value {
        let wire = serde_json::to_value(&request).unwrap_or_default();
        let digest = Digest::of(canonical(&wire).as_bytes());
        if let Some((question, answer)) = self.known.get(&key)
            && *question == digest
            && usable(answer)
        {
            return answer.clone();
        }
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (digest, request));
        self.waiting.notify_one();
        std::future::pending().await
    }

    /// Returns whether a question was answered whose key begins like this.
    pub(super) fn has_answered(&self, prefix: &str) -> bool {
        self.known.keys().any(|key| key.starts_with(prefix))
    }

    /// Waits until the call can go no further without its client.
    pub(super) async fn blocked(&self) {
        self.waiting.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use serde_json::json;

    use super::*;

    fn question(message: &str) -> InputRequest {
        serde_json::from_value(json!({"method": "elicitation/create", "params": {
            "mode": "form", "message": message,
            "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}},
        }}))
        .unwrap()
    }

    fn ask(inputs: &Inputs, message: &str) -> Option<Value> {
        inputs.answer("elicit-1".into(), question(message), |_| true).now_or_never()
    }

    fn answers() -> BTreeMap<String, Value> {
        BTreeMap::from([("elicit-1".to_owned(), json!({"action": "accept", "content": {"ok": true}}))])
    }

    #[test]
    fn an_answer_comes_back_in_the_next_round() {
        let rounds = Rounds::new();
        let call = json!({"name": "rm", "arguments": {"path": "a"}});
        let first = rounds.open(&call, None, BTreeMap::new()).unwrap();
        assert_eq!(ask(&first, "Remove a?"), None);
        let result = rounds.close(&first).unwrap();
        assert_eq!(result.input_requests.unwrap().len(), 1);
        let second = rounds.open(&call, result.request_state.as_deref(), answers()).unwrap();
        assert_eq!(ask(&second, "Remove a?").unwrap()["action"], "accept");
        assert_eq!(second.ticket, first.ticket);
        assert!(second.has_answered("elicit-") && !first.has_answered("elicit-"));
        assert_eq!(ask(&second, "Remove everything?"), None, "an answer counts for its own question only");
    }

    #[test]
    fn an_answer_without_its_state_counts_for_nothing() {
        let rounds = Rounds::new();
        let call = json!({"name": "rm", "arguments": {"path": "a"}});
        let forged = rounds.open(&call, None, answers()).unwrap();
        assert_eq!(ask(&forged, "Remove a?"), None);
    }

    #[test]
    fn a_state_of_another_call_or_server_is_refused() {
        let rounds = Rounds::new();
        let call = json!({"name": "rm", "arguments": {"path": "a"}});
        let first = rounds.open(&call, None, BTreeMap::new()).unwrap();
        ask(&first, "Remove a?");
        let state = rounds.close(&first).unwrap().request_state.unwrap();
        let other = json!({"name": "rm", "arguments": {"path": "/"}});
        let refused = |rounds: &Rounds, call, state: &str| rounds.open(call, Some(state), answers()).err();
        assert_eq!(refused(&rounds, &other, &state), Some(StateError::Invalid));
        assert_eq!(refused(&rounds, &call, &format!("{state}x")), Some(StateError::Invalid));
        assert_eq!(refused(&Rounds::new(), &call, &state), Some(StateError::Invalid));
        assert_eq!(refused(&rounds, &call, &state), None, "what was refused has not used it up");
    }

    #[test]
    fn a_state_is_good_for_one_request() {
        let rounds = Rounds::new();
        let call = json!({"name": "rm", "arguments": {"path": "a"}});
        let states: Vec<String> = ["Remove a?", "Remove a?"]
            .iter()
            .map(|message| {
                let first = rounds.open(&call, None, BTreeMap::new()).unwrap();
                ask(&first, message);
                rounds.close(&first).unwrap().request_state.unwrap()
            })
            .collect();
        for state in states.iter().rev() {
            let answered = rounds.open(&call, Some(state), answers()).unwrap();
            assert_eq!(ask(&answered, "Remove a?").unwrap()["action"], "accept");
            ask(&answered, "And b?");
            let next = rounds.close(&answered).unwrap().request_state.unwrap();
            assert_eq!(rounds.open(&call, Some(state), answers()).err(), Some(StateError::Used));
            assert!(rounds.open(&call, Some(&next), answers()).is_ok(), "the next round has a state of its own");
            assert_eq!(rounds.open(&call, Some(&next), answers()).err(), Some(StateError::Used));
        }
    }

    #[test]
    fn what_is_remembered_is_bounded_and_what_is_forgotten_is_refused() {
        let mut opened = Opened::default();
        let most = u64::try_from(MOST_OPENED).unwrap();
        assert!((1..=most + 10).all(|number| opened.first(number)));
        assert_eq!(opened.numbers.len(), MOST_OPENED);
        assert!((0..=most + 10).all(|number| !opened.first(number)));
        assert!(opened.first(most + 11));
    }
}
