//! Which open request an answer belongs to.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Methods that only a client calls: a server that sends one back is only repeating what it was sent.
const OURS: &[&str] = &[
    "initialize",
    "notifications/initialized",
    "notifications/roots/list_changed",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "logging/setLevel",
    "completion/complete",
];

/// The open requests, and what is known of how the server answers.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// Each open request's id and method.
    pub(super) requests: BTreeMap<i64, String>,
    /// Notifications that the server may answer, though it must not, and the last request before them.
    strays: usize,
    stray_after: i64,
    last: i64,
    /// Whether the server sent a message of ours back.
    pub(super) repeats: bool,
}

impl Open {
    /// Notes a request or notification that goes out.
    pub(super) fn sent(&mut self, message: &Value) {
        let Some(method) = message.get("method").and_then(Value::as_str) else { return };
        match message.get("id").and_then(Value::as_i64) {
            Some(id) => {
                self.last = self.last.max(id);
                self.requests.insert(id, method.to_owned());
            }
            None => {
                self.strays += 1;
                self.stray_after = self.last;
                // An answer to a cancelled request is late.
                if method == "notifications/cancelled"
                    && let Some(id) = message.pointer("/params/requestId").and_then(Value::as_i64)
                {
                    self.requests.remove(&id);
                }
            }
        }
    }

    /// Finds the open request that an answer belongs to: its id as a number, a text or a float; where the id is
    /// missing, the one that is open if it is the only one and this is no answer to a notification.
    pub(super) fn claim(&mut self, id: Option<&Value>, result: Option<&Value>) -> Option<(i64, String)> {
        let key = match id {
            Some(Value::Array(one)) if one.len() == 1 => one.first().and_then(number),
            None | Some(Value::Null) => {
                let key = self.only()?;
                if self.strays > 0 && !result.is_some_and(says_something) {
                    self.strays -= 1;
                    return None;
                }
                Some(key)
            }
            Some(given) => number(given),
        };
        let key = key?;
        let method = self.requests.remove(&key)?;
        if key > self.stray_after {
            // What was sent before this request has had its answer.
            self.strays = 0;
        }
        Some((key, method))
    }

    /// Finds the open request that a bare result belongs to, one without the envelope of an answer.
    pub(super) fn claim_bare(&mut self, message: &Map<String, Value>) -> Option<(i64, String)> {
        let key = match message.get("id") {
            Some(id) if !id.is_null() => number(id).filter(|id| self.requests.contains_key(id))?,
            _ => self.only()?,
        };
        let telling = match self.requests.get(&key)?.as_str() {
            "initialize" => "protocolVersion",
            "tools/list" => "tools",
            "tools/call" => "content",
            "server/discover" => "supportedVersions",
            _ => return None,
        };
        message.get(telling).filter(|value| !value.is_null())?;
        Some((key, self.requests.remove(&key)?))
    }

    fn only(&self) -> Option<i64> {
        let mut open = self.requests.keys();
        open.next().copied().filter(|_| open.next().is_none())
    }
}

/// Returns whether a request or notification is one of ours, repeated.
pub(super) fn is_ours(message: &Map<String, Value>) -> bool {
    message.get("method").and_then(Value::as_str).is_some_and(|method| OURS.contains(&method))
}

fn says_something(result: &Value) -> bool {
    match result {
        Value::Null | Value::Bool(_) => false,
        Value::Object(map) => !map.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Number(_) | Value::Array(_) => true,
    }
}

fn number(id: &Value) -> Option<i64> {
    match id {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse().ok().or_else(|| whole(text.parse().ok()?)).or_else(|| behind_a_word(text))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The number of an id as `req-1`.
fn behind_a_word(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let word = text.strip_suffix(digits)?;
    let is_word = word.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_' | ':' | '#' | '/'));
    if is_word && word.starts_with(|c: char| c.is_ascii_alphabetic()) { digits.parse().ok() } else { None }
}

#[expect(clippy::cast_possible_truncation, reason = "compared with the float that it came from")]
pub(super) fn whole(number: f64) -> Option<i64> {
    let id = number as i64;
    #[expect(clippy::cast_precision_loss, reason = "ids are small")]
    let same = (id as f64 - number).abs() < f64::EPSILON;
    same.then_some(id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_to_a_notification_is_not_taken_for_one_to_the_open_request() {
        for stray in [Some(json!({})), Some(Value::Null), None] {
            let mut open = Open::default();
            open.sent(&json!({"id": 1, "method": "initialize"}));
            assert!(open.claim(Some(&json!(1)), Some(&json!({"protocolVersion": "x"}))).is_some());
            open.sent(&json!({"method": "notifications/initialized"}));
            open.sent(&json!({"id": 2, "method": "tools/list"}));
            assert_eq!(open.claim(None, stray.as_ref()), None, "{stray:?}");
            let claimed = open.claim(Some(&Value::Null), Some(&json!({"tools": []})));
            assert_eq!(claimed.map(|(id, _)| id), Some(2));
        }
    }

    #[test]
    fn an_error_without_an_id_is_taken_when_no_notification_waits() {
        let mut open = Open::default();
        open.sent(&json!({"method": "notifications/initialized"}));
        open.sent(&json!({"id": 2, "method": "tools/list"}));
        assert!(open.claim(Some(&json!(2)), Some(&json!({"tools": []}))).is_some());
        open.sent(&json!({"id": 3, "method": "tools/call"}));
        assert!(open.claim(Some(&Value::Null), None).is_some());
    }

    #[test]
    fn a_number_behind_a_word_is_that_number() {
        for (id, expected) in [
            ("req-7", Some(7)),
            ("id:12", Some(12)),
            ("7", Some(7)),
            ("x", None),
            ("-7", Some(-7)),
            ("a 7", None),
            ("a7b", None),
        ] {
            assert_eq!(number(&json!(id)), expected, "{id}");
        }
    }

    #[test]
    fn a_bare_result_is_taken_by_what_it_holds() {
        let mut open = Open::default();
        open.sent(&json!({"id": 1, "method": "tools/list"}));
        let bare = |value: Value| value.as_object().cloned().unwrap_or_default();
        assert_eq!(open.claim_bare(&bare(json!({"level": "info"}))), None);
        assert_eq!(open.claim_bare(&bare(json!({"id": 7, "tools": []}))), None);
        assert!(open.claim_bare(&bare(json!({"tools": []}))).is_some());
    }
}
