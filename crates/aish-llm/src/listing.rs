//! A server's list of its models: `GET E/v1/models`.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::time::timeout;

use crate::event::ChatError;
use crate::http::{HttpClient, body_of, read_text, refusal};

/// How long the list may take.
const WAIT: Duration = Duration::from_secs(5);
/// How many names a message has at most.
const NAMES: usize = 12;

/// Asks for the list; empty when the server has none. What the list says of each model is left as it is.
///
/// # Errors
/// When the server is not there, refuses the key, or answers with something else.
pub(crate) async fn fetch(http: &HttpClient, headers: HeaderMap) -> Result<Vec<Value>, ChatError> {
    let silent = || ChatError::Timeout {
        endpoint: http.endpoint().to_string(),
        seconds: WAIT.as_secs(),
        after_first_token: false,
    };
    let asking = async {
        let path = if http.endpoint().as_str().contains("openrouter.ai") { "/v1/models/user" } else { "/v1/models" };
        let response = http.send(http.get(path)?.headers(headers)).await?;
        match response.status().as_u16() {
            404 | 405 | 501 => return Ok(Vec::new()),
            200..=299 => {}
            _ => return Err(refusal(response).await),
        }
        let text = read_text(body_of(response)?).await?;
        let reply: Value =
            serde_json::from_str(&text).map_err(|_| ChatError::Unreadable("its list of models is no JSON".into()))?;
        let list = ["data", "models"].iter().find_map(|key| reply.get(*key)?.as_array()).or(reply.as_array());
        Ok(list.cloned().unwrap_or_default())
    };
    timeout(WAIT, asking).await.map_err(|_| silent())?
}

/// Returns the names of listed models.
pub(crate) fn names(list: &[Value]) -> Vec<String> {
    let name =
        |model: &Value| ["id", "name", "model"].iter().find_map(|key| model.get(*key)?.as_str().map(str::to_owned));
    list.iter().filter_map(name).filter(|name| !name.is_empty()).collect()
}

/// Returns whether a refusal is about the model's name.
pub(crate) fn is_unknown_model(error: &ChatError) -> bool {
    let ChatError::Refused { status: 400 | 404 | 422, message } = error else { return false };
    let text = message.to_lowercase();
    text.contains("model")
        && ["not found", "not exist", "unknown", "invalid model", "no such", "not a valid", "not_found"]
            .iter()
            .any(|words| text.contains(words))
}

/// Adds the names that the server has to a refusal of a model's name.
pub(crate) fn with_names(error: ChatError, wanted: &str, mut names: Vec<String>) -> ChatError {
    let ChatError::Refused { status, message } = error else { return error };
    if names.is_empty() {
        return ChatError::Refused { status, message };
    }
    let begin = |name: &str| name.chars().zip(wanted.chars()).take_while(|(a, b)| a == b).count();
    names.sort_by_key(|name| std::cmp::Reverse(begin(name)));
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    ChatError::Refused { status, message: format!("{message}; the server has: {}{more}", names.join(", ")) }
}
