//! Which call a message of a server belongs to.
//!
//! A report of progress carries the token of its call, which the protocol's library chooses when the request is sent: the
//! transport is where both are known. A question in an input round is put inside the call that it belongs to. A question that
//! a server of an older protocol sends carries nothing: it belongs to the only call that is open, if there is only one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use aish_types::CallId;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ProgressToken, RequestMetaObject};
use serde_json::{Value, json};

/// Under what key of its metadata a request carries its call as far as the transport, which takes it out.
const KEY: &str = "aish/call";

tokio::task_local! {
    static CURRENT: CallId;
}

/// The calls of one server that are open.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    open: Mutex<Vec<CallId>>,
    tokens: Mutex<BTreeMap<String, CallId>>,
}

/// Ends a call when it is dropped.
pub(super) struct OpenCall {
    calls: Arc<OpenCalls>,
    id: CallId,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut open = self.calls.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = open.iter().position(|id| *id == self.id) {
            open.remove(at);
        }
        drop(open);
        self.calls.tokens.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, id| *id != self.id);
    }
}

impl OpenCalls {
    /// Opens a call until what is returned is dropped.
    pub(super) fn open(self: &Arc<Self>, id: CallId) -> OpenCall {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).push(id.clone());
        OpenCall { calls: Arc::clone(self), id }
    }

    /// Returns the call that a token of progress was given out for.
    pub(super) fn of_token(&self, token: &ProgressToken) -> Option<CallId> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).get(&text(token)).cloned()
    }

    /// Returns the call that a question belongs to that is put at this moment; none where it cannot be told.
    pub(super) fn of_question(&self) -> Option<CallId> {
        CURRENT.try_with(CallId::clone).ok().or_else(|| {
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            match open.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            }
        })
    }

    /// Notes the token of a call that is sent, and takes its mark off.
    pub(super) fn sent(&self, message: &mut ClientJsonRpcMessage) {
        let JsonRpcMessage::Request(request) = message else { return };
        let ClientRequest::CallToolRequest(call) = &mut request.request else { return };
        let Some(meta) = &mut call.params.meta else { return };
        let Some(Value::String(id)) = meta.remove(KEY) else { return };
        if meta.is_empty() {
            call.params.meta = None;
        }
        let token = call.extensions.get::<RequestMetaObject>().and_then(|meta| meta.get_progress_token());
        if let Some(token) = token {
            let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
            tokens.insert(text(&token), CallId::new(id));
        }
    }
}

fn text(token: &ProgressToken) -> String {
    serde_json::to_string(token).unwrap_or_default()
}

/// Marks a request as one of this call.
pub(super) fn mark(id: &CallId) -> RequestMetaObject {
    let mut meta = RequestMetaObject::default();
    meta.insert(KEY.into(), json!(id));
    meta
}

/// Runs the work of a call, so that questions inside it are known to be its own.
pub(super) async fn within<T>(id: CallId, work: impl Future<Output = T>) -> T {
    CURRENT.scope(id, work).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_of_the_only_open_call() {
        let calls = Arc::new(OpenCalls::default());
        assert_eq!(calls.of_question(), None);
        let first = calls.open(CallId::new("a"));
        assert_eq!(calls.of_question(), Some(CallId::new("a")));
        let second = calls.open(CallId::new("b"));
        assert_eq!(calls.of_question(), None, "it cannot be told whose it is");
        drop(first);
        assert_eq!(calls.of_question(), Some(CallId::new("b")));
        drop(second);
        assert_eq!(calls.of_question(), None);
    }

    #[tokio::test]
    async fn a_question_inside_a_call_is_its_own() {
        let calls = Arc::new(OpenCalls::default());
        let _open = [calls.open(CallId::new("a")), calls.open(CallId::new("b"))];
        let of = within(CallId::new("b"), async { calls.of_question() }).await;
        assert_eq!(of, Some(CallId::new("b")));
    }
}
