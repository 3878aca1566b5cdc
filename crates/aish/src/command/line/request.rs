//! One request to the model for a key that was pressed: through the broker and its cap, with its answer shown as it comes.

use std::sync::Arc;

use aish_llm::{CallOptions, ChatError, ChatRequest, Purpose, StreamEvent};
use aish_types::Message;
use futures_util::StreamExt as _;

use super::desk::Desk;
use crate::exit::ExitCode;
use crate::ledger::Ledger;
use crate::models::{advice, no_model};
use crate::search::find_models;

/// The longest answer, in bytes; what is longer is no line.
const LONGEST: usize = 32 * 1024;
/// Tokens of the answer; the thinking of a model that thinks counts among them.
const REPLY: u32 = 4096;

/// Asks the model and returns its text, or how the key ends: what went wrong is said then.
pub(super) async fn answer(desk: &Desk<'_>, system: String, user: String) -> Result<String, ExitCode> {
    desk.paint("asking the model; Ctrl-C stops");
    let wanted = desk.shared.model.as_deref();
    let found = tokio::select! {
        found = find_models(desk.base, wanted) => found,
        () = desk.cancel.cancelled() => return Err(ExitCode::Interrupted),
    };
    let Some(model) = found.default.clone().filter(|model| wanted.is_none_or(|wanted| wanted == model)) else {
        return Err(desk.failed(&no_model(wanted).in_a_line()));
    };
    let session = crate::session::new_id(&desk.base.clock);
    let broker = found.broker.with_guard(Arc::new(Ledger::of(desk.base, &session)) as Arc<_>);
    let request = ChatRequest {
        max_tokens: Some(REPLY),
        ..ChatRequest::new(vec![Message::system(system), Message::user(user)], Purpose::Main)
    };
    desk.paint(&format!("asking {model}; Ctrl-C stops"));
    let mut stream = broker.stream(request, CallOptions::default(), desk.cancel.child_token());
    let (mut text, mut ended) = (String::new(), false);
    loop {
        let event = tokio::select! {
            event = stream.next() => event,
            () = desk.cancel.cancelled() => return Err(ExitCode::Interrupted),
        };
        match event {
            None => break,
            Some(Ok(StreamEvent::TextWasReasoning)) => text.clear(),
            Some(Ok(StreamEvent::Text(piece))) => {
                text.push_str(&piece);
                if text.len() > LONGEST {
                    return Err(desk.failed("the model's answer is too long for a line"));
                }
                desk.paint(&text);
            }
            Some(Ok(StreamEvent::Notice(notice))) => desk.paint(&notice),
            Some(Ok(StreamEvent::Finished(_))) => ended = true,
            Some(Ok(_)) => {}
            Some(Err(ChatError::Cancelled)) => return Err(ExitCode::Interrupted),
            Some(Err(error)) => {
                let code = desk.failed(&advice(&error).in_a_line());
                return Err(if matches!(error, ChatError::SpendRefused(_)) { ExitCode::Budget } else { code });
            }
        }
    }
    match ended && !text.trim().is_empty() {
        true => Ok(text),
        false => Err(desk.failed("the model's answer did not come whole; nothing was changed")),
    }
}
