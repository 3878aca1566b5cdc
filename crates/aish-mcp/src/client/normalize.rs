//! The layer that makes sense of what servers send before it is decoded.
//!
//! Order for each message: batches are taken apart; an answer is matched with the request that it belongs to, by its
//! id or what is left of it; errors and results are put into the shape that their method promises. What cannot be
//! mended is dropped with a trace, and never touches another message. Answers that nobody waits for are dropped, so
//! that a late reply reaches no other call.

mod claim;
mod content;
mod keys;
mod listing;
pub(super) mod repair;
mod result;
pub(super) mod schema;

use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use claim::{Open, whole};

/// Error code of what this layer reports itself.
const OWN_ERROR: i64 = -32000;

/// What is waited for.
#[derive(Debug, Default)]
pub(super) struct Normalizer {
    open: Mutex<Open>,
}

impl Normalizer {
    /// Notes a message that goes out.
    pub(super) fn sent(&self, message: &Value) {
        self.lock().sent(message);
    }

    /// Gives a request up; returns whether it was open.
    pub(super) fn forget(&self, id: i64) -> bool {
        self.lock().requests.remove(&id).is_some()
    }

    /// Ends all open requests with an error each.
    pub(super) fn fail_all(&self, message: &str) -> Vec<Value> {
        let open = std::mem::take(&mut self.lock().requests);
        open.into_keys().map(|id| failure(id, OWN_ERROR, message)).collect()
    }

    /// Returns whether something is waited for that every server answers at once: all but calls.
    pub(super) fn expects_soon(&self) -> bool {
        self.lock().requests.values().any(|method| method != "tools/call")
    }

    /// Returns whether the server sent messages of ours back.
    pub(super) fn repeats(&self) -> bool {
        self.lock().repeats
    }

    /// Puts what came into messages that can be decoded.
    pub(super) fn received(&self, value: Value) -> Vec<Value> {
        match value {
            Value::Array(items) => items.into_iter().flat_map(|item| self.received(item)).collect(),
            Value::Object(message) => self.message(message).into_iter().collect(),
            // A message that was written as JSON twice.
            Value::String(text) if text.trim_start().starts_with('{') => match serde_json::from_str(&text) {
                Ok(Value::Object(message)) => self.message(message).into_iter().collect(),
                Ok(_) | Err(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn message(&self, mut message: Map<String, Value>) -> Option<Value> {
        if message.keys().any(|key| key.eq_ignore_ascii_case("jsonrpc")) {
            keys::settle(&mut message, &["id", "jsonrpc", "method", "params", "result", "error"]);
        }
        let given = |key: &str| message.get(key).is_some_and(|value| !value.is_null());
        let answers = given("result") || given("error");
        if !answers && message.get("method").is_some_and(Value::is_string) {
            if claim::is_ours(&message) {
                self.lock().repeats = true;
                return None;
            }
            message.insert("jsonrpc".into(), json!("2.0"));
            return Some(Value::Object(request_or_notification(message)));
        }
        let result = message.remove("result").map(unwrapped);
        let has_result = result.as_ref().is_some_and(|result| !result.is_null());
        if message.get("id").is_none() && !is_envelope(&message, result.as_ref()) {
            tracing::debug!("a line of a log was dropped");
            return None;
        }
        let error = message.remove("error").filter(|error| !(error.is_null() || has_result && is_empty(error)));
        if error.is_none() && result.is_none() {
            let claimed = self.lock().claim_bare(&message);
            if let Some((id, method)) = claimed {
                return Some(answer(id, result::mend(&method, Value::Object(message))));
            }
            // An envelope with nothing in it answers all the same: nothing else will come.
            let is_envelope = message.keys().all(|key| ["id", "jsonrpc", "method", "params"].contains(&key.as_str()));
            let id = message.get("id").filter(|id| is_envelope && !id.is_null());
            let claimed = id.and_then(|id| self.lock().claim(Some(id), None));
            let Some((id, method)) = claimed else {
                tracing::debug!("a message that is neither request nor answer was dropped");
                return None;
            };
            return Some(answer(id, result::mend(&method, Value::Null)));
        }
        let id = message.get("id");
        let claimed = self.lock().claim(id, error.is_none().then_some(result.as_ref()).flatten());
        let Some((id, method)) = claimed else {
            tracing::debug!(?id, "an answer that nobody waits for was dropped");
            return None;
        };
        Some(match error {
            Some(error) => error_of(id, error),
            None => answer(id, result::mend(&method, result.unwrap_or_default())),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of an answer in the result of an answer, as one that passes it on may wrap it.
fn unwrapped(result: Value) -> Value {
    match result {
        Value::Object(mut inner) if inner.contains_key("jsonrpc") && inner.contains_key("result") => {
            inner.remove("result").unwrap_or_default()
        }
        other => other,
    }
}

/// Returns whether what has no id may be an answer all the same. A log's line has other things in it.
fn is_envelope(message: &Map<String, Value>, result: Option<&Value>) -> bool {
    let own = ["jsonrpc", "error", "method", "params"];
    result.is_some_and(Value::is_object)
        || message.get("jsonrpc").is_some()
        || !message.contains_key("error") && result.is_none()
        || message.keys().all(|key| own.contains(&key.as_str()))
}

/// An error that says nothing, as some write beside each result.
fn is_empty(error: &Value) -> bool {
    match error {
        Value::Object(map) => map.get("code").is_none_or(|code| code.is_null() || code.as_f64() == Some(0.0)),
        Value::String(text) => text.is_empty(),
        Value::Bool(flag) => !flag,
        Value::Array(items) => items.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Null => true,
    }
}

fn answer(id: i64, body: Result<Value, result::Unfit>) -> Value {
    match body {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => failure(id, OWN_ERROR, &error.to_string()),
    }
}

/// Makes an error answer.
pub(super) fn failure(id: i64, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// Puts an error into shape: its code may be a text, its message may be missing, or it may be a mere text.
fn error_of(id: i64, error: Value) -> Value {
    let (code, message, data) = match error {
        Value::Object(mut error) => {
            if let Some(Value::Object(inner)) = error.get("error") {
                error = inner.clone();
            }
            keys::settle(&mut error, &["code", "message", "data"]);
            let code = match error.get("code") {
                Some(Value::Number(code)) => code.as_i64().or_else(|| whole(code.as_f64()?)),
                Some(Value::String(code)) => code.trim().parse().ok(),
                _ => None,
            };
            let name = error.get("code").and_then(Value::as_str).map(str::to_owned);
            let text = match error.get("message") {
                Some(Value::String(text)) if !text.is_empty() => text.clone(),
                Some(other) if !other.is_null() => other.to_string(),
                _ => match (name, error.get("data")) {
                    (Some(name), _) => name,
                    (None, Some(Value::String(data))) => data.clone(),
                    (None, _) => "the server reported an error without a message".into(),
                },
            };
            (code, text, error.remove("data"))
        }
        Value::String(text) => (None, text, None),
        other => (None, other.to_string(), None),
    };
    let code = code.filter(|code| i32::try_from(*code).is_ok()).unwrap_or(OWN_ERROR);
    let mut body = json!({"code": code, "message": message});
    if let (Some(body), Some(data)) = (body.as_object_mut(), data.filter(|data| !data.is_null())) {
        body.insert("data".into(), data);
    }
    json!({"jsonrpc": "2.0", "id": id, "error": body})
}

/// Puts a request or notification of the server into shape.
fn request_or_notification(mut message: Map<String, Value>) -> Map<String, Value> {
    match message.get("id") {
        Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            message.remove("id");
        }
        Some(Value::Number(number)) if number.as_i64().is_none() => {
            let id = number.as_f64().and_then(whole).map_or_else(|| json!(number.to_string()), |id| json!(id));
            message.insert("id".into(), id);
        }
        _ => {}
    }
    if message.get("params").is_some_and(|params| !params.is_object()) {
        message.remove("params");
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(method: &str, body: Value) -> Option<Value> {
        let normalizer = Normalizer::default();
        normalizer.sent(&json!({"jsonrpc": "2.0", "id": 3, "method": method}));
        normalizer.received(body).pop()
    }

    #[test]
    fn ids_are_recognised_in_every_dress() {
        for id in [json!(3), json!("3"), json!(3.0), json!(" 3 "), json!("3.0"), Value::Null] {
            let got = answer("ping", json!({"jsonrpc": "2.0", "id": id, "result": {}})).unwrap();
            assert_eq!(got["id"], 3, "{id}");
        }
        assert_eq!(answer("ping", json!({"result": {}})).unwrap()["id"], 3);
        for id in [json!(4), json!("x"), json!([3, 3]), json!(3.5)] {
            assert_eq!(answer("ping", json!({"id": id, "result": {}})), None, "{id}");
        }
    }

    #[test]
    fn a_missing_id_is_not_guessed_between_two() {
        let normalizer = Normalizer::default();
        normalizer.sent(&json!({"id": 1, "method": "ping"}));
        normalizer.sent(&json!({"id": 2, "method": "ping"}));
        assert!(normalizer.received(json!({"id": null, "result": {}})).is_empty());
        assert_eq!(normalizer.received(json!({"id": 2, "result": {}})).len(), 1);
        assert!(normalizer.received(json!({"id": 2, "result": {}})).is_empty(), "a second answer is late");
        assert_eq!(normalizer.received(json!({"result": {}})).len(), 1);
    }

    #[test]
    fn an_answer_is_known_in_every_envelope() {
        let info = json!({"protocolVersion": "2025-03-26", "serverInfo": {"name": "x"}});
        for body in [
            json!({"id": 3, "method": "initialize", "result": info}),
            json!({"id": 3, "method": null, "params": null, "result": info, "error": null}),
            json!({"id": 3, "result": info, "error": {}}),
            json!({"id": [3], "result": info}),
            json!(json!({"id": 3, "result": info}).to_string()),
            info.clone(),
        ] {
            let got = answer("initialize", body.clone()).unwrap();
            assert_eq!(got["result"]["serverInfo"]["name"], "x", "{body}");
        }
    }

    #[test]
    fn an_answer_with_nothing_in_it_is_one() {
        for body in
            [json!({"jsonrpc": "2.0", "id": 3}), json!({"id": "3", "error": null}), json!({"id": 3, "method": null})]
        {
            assert!(answer("tools/call", body.clone()).is_some_and(|got| got["result"].is_object()), "{body}");
        }
        for body in
            [json!({"jsonrpc": "2.0"}), json!({"id": null}), json!({"id": 4}), json!({"id": 3, "level": "info"})]
        {
            assert_eq!(answer("tools/call", body.clone()), None, "{body}");
        }
    }

    #[test]
    fn a_message_of_ours_that_comes_back_is_no_request() {
        let normalizer = Normalizer::default();
        normalizer.sent(&json!({"id": 1, "method": "initialize"}));
        assert!(
            normalizer.received(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})).is_empty()
        );
        assert!(normalizer.repeats() && normalizer.expects_soon());
        assert_eq!(normalizer.received(json!({"id": 5, "method": "roots/list", "result": null})).len(), 1);
    }

    #[test]
    fn errors_are_put_into_shape() {
        for (error, code, message) in [
            (json!({"code": "-32601", "message": "no"}), -32601, "no"),
            (json!({"code": "E_NOPE", "message": "no"}), OWN_ERROR, "no"),
            (json!({"code": "E_NOPE"}), OWN_ERROR, "E_NOPE"),
            (json!({"code": -32601.0, "message": {"a": 1}}), -32601, "{\"a\":1}"),
            (json!({"code": 99_999_999_999_i64, "message": "big"}), OWN_ERROR, "big"),
            (json!("boom"), OWN_ERROR, "boom"),
            (json!(true), OWN_ERROR, "true"),
        ] {
            let got = answer("ping", json!({"id": 3, "error": error, "result": null})).unwrap();
            assert_eq!((got["error"]["code"].as_i64(), got["error"]["message"].as_str()), (Some(code), Some(message)));
        }
    }

    #[test]
    fn a_line_of_a_log_is_no_answer() {
        for log in [
            json!({"level": "error", "error": "no config found", "msg": "defaults"}),
            json!({"time": 1, "result": "started"}),
            json!({"level": 30, "pid": 5, "msg": "up"}),
        ] {
            assert_eq!(answer("initialize", log.clone()), None, "{log}");
        }
        assert!(answer("initialize", json!({"error": "go away"})).is_some());
        assert!(answer("initialize", json!({"result": {}, "time": 1})).is_some());
        let success = json!({"id": 3, "result": {"a": 1}, "error": {"code": 0, "message": "ok"}});
        assert_eq!(answer("ping", success).unwrap()["result"]["a"], 1);
    }

    #[test]
    fn a_batch_is_taken_apart() {
        let normalizer = Normalizer::default();
        normalizer.sent(&json!({"id": 1, "method": "ping"}));
        let batch = json!([{"method": "notifications/message", "params": {"level": "info", "data": 1}}, 5,
            {"id": "1", "result": {}}, {"id": 9, "result": {}}]);
        assert_eq!(normalizer.received(batch).len(), 2);
    }
}
