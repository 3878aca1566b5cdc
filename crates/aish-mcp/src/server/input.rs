//! Input rounds of the 2026-07-28 era: what a call asked its client, and what the client has answered so far.
//!
//! A call that needs input ends with the questions and a sealed state; the client answers and sends the call again
//! with the state, and the handler runs from its start and finds the answers. The state is bound to the tool and
//! its arguments, and an answer counts only for the very question that it was given to, so that an approval of one
//! call cannot be handed in with another.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aish_safety::pin::{Digest, canonical};
use rmcp::model::{InputRequest, InputRequiredResult, RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Notify;

/// How long a sealed state is good for: a person may take their time.
const STATE_LIFETIME: Duration = Duration::from_secs(3600);

/// The state that travels through the client, sealed but not secret.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// Hash of each question that is open, by its key.
    asked: BTreeMap<String, Digest>,
    /// Questions that were answered in earlier rounds.
    answered: BTreeMap<String, (Digest, Value)>,
    /// What tells the call from others like it, the same in all of its rounds.
    #[serde(default)]
    ticket: String,
}

/// Seals and opens the states of one server.
pub(super) struct Rounds {
    codec: RequestStateCodec,
}

impl Rounds {
    /// Makes the rounds of a server. Servers that share work behind a balancer share the key; else it is random.
    pub(super) fn new(key: Option<[u8; 32]>) -> Self {
        let key = key.unwrap_or_else(rand::random);
        Self { codec: RequestStateCodec::new_unchecked(key) }
    }

    /// Opens the rounds of one request; `None` when the state was not sealed here for this very call.
    pub(super) fn open(&self, call: &Value, state: Option<&str>, responses: BTreeMap<String, Value>) -> Option<Inputs> {
        let binding = canonical(call);
        let mut known = BTreeMap::new();
        let mut ticket = format!("{:032x}", rand::random::<u128>());
        if let Some(state) = state {
            let state: State = self.codec.open_json_with(state, binding.as_bytes()).ok()?;
            (known, ticket) = (state.answered, state.ticket);
            for (key, value) in responses {
                if let Some(question) = state.asked.get(&key) {
                    known.insert(key, (question.clone(), value));
                }
            }
        }
        Some(Inputs { binding, known, ticket, asked: Mutex::default(), waiting: Notify::new() })
    }

    /// Ends a round: the open questions and the sealed state.
    pub(super) fn close(&self, inputs: &Inputs) -> Option<InputRequiredResult> {
        let asked = std::mem::take(&mut *inputs.asked.lock().unwrap_or_else(PoisonError::into_inner));
        let state = State {
            asked: asked.iter().map(|(key, (digest, _))| (key.clone(), digest.clone())).collect(),
            answered: inputs.known.clone(),
            ticket: inputs.ticket.clone(),
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
    ticket: String,
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

    /// Returns what tells the call from others like it, the same in all of its rounds.
    pub(super) fn ticket(&self) -> &str {
        &self.ticket
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
        let rounds = Rounds::new(None);
        let call = json!({"name": "rm", "arguments": {"path": "a"}});
        let first = rounds.open(&call, None, BTreeMap::new()).unwrap();
        assert_eq!(ask(&first, "Remove a?"), None);
        let result = rounds.close(&first).unwrap();
        assert_eq!(result.input_requests.unwrap().len(), 1);
        let second = rounds.open(&call, result.request_state.as_deref(), answers()).unwrap();
        assert_eq!(ask(&second, "Remove a?").unwrap()["action"], "accept");
        assert_eq!(second.ticket(), first.ticket());
        assert!(second.has_answered("elicit-") && !first.has_answered("elicit-"));
        assert_eq!(ask(&second, "Remove everything?"), None, "an answer counts for its own question only");
    }

    #[test]
    fn an_answer_without_its_state_counts_for_nothing() {
        let rounds = Rounds::new(None);
        let call = json!({"name": "rm", "arguments": {"path": "a"}});
        let forged = rounds.open(&call, None, answers()).unwrap();
        assert_eq!(ask(&forged, "Remove a?"), None);
    }

    #[test]
    fn a_state_of_another_call_or_server_is_refused() {
        let rounds = Rounds::new(None);
        let call = json!({"name": "rm", "arguments": {"path": "a"}});
        let first = rounds.open(&call, None, BTreeMap::new()).unwrap();
        ask(&first, "Remove a?");
        let state = rounds.close(&first).unwrap().request_state.unwrap();
        let other = json!({"name": "rm", "arguments": {"path": "/"}});
        assert!(rounds.open(&other, Some(&state), answers()).is_none());
        assert!(rounds.open(&call, Some(&format!("{state}x")), answers()).is_none());
        assert!(Rounds::new(None).open(&call, Some(&state), answers()).is_none());
    }
}
