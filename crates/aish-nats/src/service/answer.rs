//! One answer of a model without tools, collected from its stream.

use aish_llm::event::StreamEvent;
use aish_llm::provider::EventStream;
use aish_llm::request::ChatRequest;
use aish_types::Usage;
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::service::Service;
use crate::service::reply::Failure;

/// What a model said.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) usage: Usage,
}

impl Service {
    /// Asks the model, and keeps in mind whether it answered: that is what `status` calls healthy.
    pub(crate) async fn answer(
        &self,
        request: ChatRequest,
        named: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<Answer, Failure> {
        let answer = collect(self.model.ask(request, named, cancel.clone())).await;
        if !cancel.is_cancelled() {
            let failure = answer.as_ref().err().map(ToString::to_string);
            self.health.note_model(failure);
        }
        answer
    }
}

/// Reads a stream to its end. One that breaks off is no answer.
async fn collect(mut stream: EventStream) -> Result<Answer, Failure> {
    let mut answer = Answer::default();
    let mut finished = None;
    while let Some(event) = stream.next().await {
        match event.map_err(|error| Failure::Model(error.to_string()))? {
            StreamEvent::Text(text) => answer.text.push_str(&text),
            StreamEvent::Reasoning(_) => {}
            StreamEvent::TextWasReasoning => answer.text.clear(),
            // No tools are offered here, and nothing is said again.
            StreamEvent::State(_) | StreamEvent::ToolCall(_) | StreamEvent::MalformedCall { .. } => {}
            StreamEvent::Usage(usage) => answer.usage = answer.usage + usage,
            StreamEvent::Notice(notice) => tracing::info!("{notice}"),
            StreamEvent::Finished(reason) => finished = Some(reason),
        }
    }
    if finished.is_none() {
        return Err(Failure::Model("the answer broke off".to_owned()));
    }
    if answer.usage.total() == 0 {
        let completion = answer.text.len() as u64 / 4;
        answer.usage = Usage { completion, estimated: true, ..Usage::default() };
    }
    Ok(answer)
}
