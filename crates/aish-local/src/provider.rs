//! The embedded model as a provider.

use std::sync::Arc;
use std::time::Duration;

use aish_llm::{ChatError, ChatRequest, EventStream, FinishReason, Provider, StreamEvent};
use aish_types::{BoxFuture, Message, ToolCall, Usage};
use futures_util::stream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::process::{Ask, EndReason, ErrorKind, Event, Listener, LocalOptions, Process, Running, Tool};

/// How long a count may take before it counts as none.
const COUNT: Duration = Duration::from_secs(2);

/// The temperature of a small model when a request names none: of what it is not sure of, it is mostly wrong.
const SMALL_TEMPERATURE: f32 = 0.0;

/// The embedded model. Its process starts with the first question and ends with the last clone of this value.
#[derive(Debug, Clone)]
pub struct LocalModel {
    process: Arc<Process>,
}

impl LocalModel {
    /// Makes the provider; nothing is started yet.
    pub fn new(options: LocalOptions) -> Self {
        Self { process: Arc::new(Process::new(options)) }
    }

    /// Starts the process and loads the model, so that the first question need not wait for it.
    ///
    /// # Errors
    /// [`ChatError::Process`] when the executable cannot be run or the file cannot be loaded.
    pub async fn warm_up(&self) -> Result<(), ChatError> {
        self.process.running().await.map(|_| ())
    }

    /// Tells whether the model is small; see [`crate::ModelFile::is_small`].
    pub fn is_small(&self) -> bool {
        self.process.options().model.is_small()
    }
}

impl Provider for LocalModel {
    fn model(&self) -> &str {
        &self.process.options().model.name
    }

    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> EventStream {
        let ask = chat(request, self.is_small().then_some(SMALL_TEMPERATURE));
        let state = State::Asked { process: Arc::clone(&self.process), ask };
        Box::pin(stream::unfold((state, cancel), |(state, cancel)| async move {
            let (item, state) = tokio::select! {
                biased;
                () = cancel.cancelled(), if !matches!(state, State::Over) => (Some(Err(ChatError::Cancelled)), State::Over),
                step = advance(state) => step,
            };
            item.map(|item| (item, (state, cancel)))
        }))
    }

    fn count_tokens<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Option<u64>> {
        Box::pin(async move {
            let running = self.process.running().await.ok()?;
            let mut listener = running.connection.ask(Ask::Count { text: text.to_owned() });
            match timeout(COUNT, listener.next()).await.ok()?? {
                Event::Count { tokens, .. } => Some(tokens),
                _ => None,
            }
        })
    }

    fn context_size(&self) -> BoxFuture<'_, Option<u64>> {
        Box::pin(async move { Some(u64::from(self.process.running().await.ok()?.info.context)) })
    }
}

/// Where an answer stands.
enum State {
    /// The process may have to be started first.
    Asked {
        process: Arc<Process>,
        ask: Ask,
    },
    /// Events come.
    Answered {
        running: Arc<Running>,
        listener: Listener,
    },
    /// The usage is out, the end is not.
    Ending(FinishReason),
    Over,
}

type Item = Option<Result<StreamEvent, ChatError>>;

async fn advance(state: State) -> (Item, State) {
    let (running, mut listener) = match state {
        State::Over => return (None, State::Over),
        State::Ending(reason) => return (Some(Ok(StreamEvent::Finished(reason))), State::Over),
        State::Answered { running, listener } => (running, listener),
        State::Asked { process, ask } => match process.running().await {
            Ok(running) => {
                let listener = running.connection.ask(ask);
                (running, listener)
            }
            Err(error) => return (Some(Err(error)), State::Over),
        },
    };
    let Some(event) = listener.next().await else {
        return (Some(Err(ChatError::Process(running.death().await))), State::Over);
    };
    let item = match event {
        Event::Text { text, .. } => StreamEvent::Text(text),
        Event::Reasoning { text, .. } => StreamEvent::Reasoning(text),
        Event::ToolCall { call, .. } => {
            let call = ToolCall { id: call.id.into(), name: call.name.into(), arguments: call.arguments };
            StreamEvent::ToolCall(call)
        }
        Event::BrokenCall { text, reason, .. } => {
            let call = ToolCall { id: "".into(), name: "".into(), arguments: text };
            StreamEvent::MalformedCall { call, reason }
        }
        Event::End { reason: EndReason::Cancelled, .. } => return (Some(Err(ChatError::Cancelled)), State::Over),
        Event::End { reason, usage, .. } => {
            let usage = Usage {
                prompt: usage.prompt,
                completion: usage.completion,
                cached: usage.cached,
                written: 0,
                reasoning: 0,
                estimated: false,
            };
            let finish = match reason {
                EndReason::Stop | EndReason::Cancelled => FinishReason::Stop,
                EndReason::ToolCalls => FinishReason::ToolCalls,
                EndReason::Length => FinishReason::Length,
            };
            return (Some(Ok(StreamEvent::Usage(usage))), State::Ending(finish));
        }
        Event::Error { kind, message, .. } => {
            let error = match kind {
                ErrorKind::ContextOverflow => ChatError::ContextOverflow(message),
                ErrorKind::TemplateRefused => ChatError::TemplateRefused(message),
                ErrorKind::Other => ChatError::Process(message),
            };
            return (Some(Err(error)), State::Over);
        }
        Event::Hello { .. } | Event::Loaded { .. } | Event::Count { .. } => {
            return (Some(Err(ChatError::Process("it answers what was not asked".into()))), State::Over);
        }
    };
    (Some(Ok(item)), State::Answered { running, listener })
}

/// Puts a request into the child's words. Images and the like stay here: this model reads text.
fn chat(request: ChatRequest, temperature: Option<f32>) -> Ask {
    let mut messages = request.messages;
    for message in &mut messages {
        match message {
            Message::User { blocks, .. } | Message::Tool { blocks, .. } => blocks.clear(),
            Message::System { .. } | Message::Assistant { .. } => {}
        }
    }
    let tools = request
        .tools
        .into_iter()
        .map(|tool| Tool {
            name: tool.name.as_str().to_owned(),
            description: tool.description,
            parameters: tool.parameters,
        })
        .collect();
    let (max_tokens, temperature) = (request.max_tokens, request.temperature.or(temperature));
    Ask::Chat { messages, tools, max_tokens, temperature, schema: request.schema }
}
