//! The embedded model as a provider.

use std::sync::Arc;
use std::time::Duration;

use aish_llm::{ChatError, ChatRequest, EventStream, FinishReason, Provider, StreamEvent};
use aish_types::embedded::{self, Chat, Choice, EndReason, ErrorKind, Event, Request, Tool};
use aish_types::{BoxFuture, Message, ToolCall, Usage};
use futures_util::stream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::process::{Listener, LocalOptions, Process, Running};

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

    /// Returns whether the model is small; see [`crate::ModelFile::is_small`].
    pub fn is_small(&self) -> bool {
        self.process.options.model.is_small()
    }
}

impl Provider for LocalModel {
    fn model(&self) -> &str {
        &self.process.options.model.name
    }

    fn stream(&self, request: ChatRequest, cancel: CancellationToken) -> EventStream {
        let chat = chat(request, self.is_small().then_some(SMALL_TEMPERATURE));
        let state = State::Asked { process: Arc::clone(&self.process), chat };
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
            let mut listener = running.connection.ask(|id| Request::Count { id, text: text.to_owned() });
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
        chat: Box<Chat>,
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
        State::Asked { process, mut chat } => match process.running().await {
            Ok(running) => {
                let listener = running.connection.ask(|id| {
                    chat.id = id;
                    Request::Chat(chat)
                });
                (running, listener)
            }
            Err(error) => return (Some(Err(error)), State::Over),
        },
    };
    let Some(event) = listener.next().await else {
        return (Some(Err(ChatError::Process(running.death().await))), State::Over);
    };
    match event {
        Event::Text { text, .. } => goes_on(StreamEvent::Text(text), running, listener),
        Event::Reasoning { text, .. } => goes_on(StreamEvent::Reasoning(text), running, listener),
        Event::ToolCall { call, .. } => {
            let call = ToolCall { id: call.id.into(), name: call.name.into(), arguments: call.arguments };
            goes_on(StreamEvent::ToolCall(call), running, listener)
        }
        Event::BrokenCall { text, reason, .. } => {
            let call = ToolCall { id: "".into(), name: "".into(), arguments: text };
            goes_on(StreamEvent::MalformedCall { call, reason }, running, listener)
        }
        Event::End { reason, usage, .. } => {
            let finish = match reason {
                EndReason::Cancelled => return (Some(Err(ChatError::Cancelled)), State::Over),
                EndReason::Stop => FinishReason::Stop,
                EndReason::ToolCalls => FinishReason::ToolCalls,
                EndReason::Length => FinishReason::Length,
            };
            let embedded::Usage { prompt, completion, cached } = usage;
            let usage = Usage { prompt, completion, cached, ..Usage::default() };
            (Some(Ok(StreamEvent::Usage(usage))), State::Ending(finish))
        }
        Event::Error { kind, message, .. } => (Some(Err(failed(kind, message))), State::Over),
        Event::Hello { .. } | Event::Loaded { .. } | Event::Count { .. } | Event::Tokens { .. } => {
            (Some(Err(ChatError::Process("it answers what was not asked".into()))), State::Over)
        }
    }
}

fn goes_on(event: StreamEvent, running: Arc<Running>, listener: Listener) -> (Item, State) {
    (Some(Ok(event)), State::Answered { running, listener })
}

fn failed(kind: ErrorKind, message: String) -> ChatError {
    match kind {
        ErrorKind::ContextOverflow => ChatError::ContextOverflow(message),
        ErrorKind::TemplateRefused => ChatError::TemplateRefused(message),
        ErrorKind::BadRequest
        | ErrorKind::NotLoaded
        | ErrorKind::NoFile
        | ErrorKind::NotGguf
        | ErrorKind::LoadFailed
        | ErrorKind::Processor
        | ErrorKind::Confinement
        | ErrorKind::Template
        | ErrorKind::Grammar
        | ErrorKind::Compute => ChatError::Process(message),
    }
}

/// Writes a request in the words of the protocol; its number comes later. Images and the like stay here: this model reads text.
fn chat(request: ChatRequest, temperature: Option<f32>) -> Box<Chat> {
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
    let (id, choice, schema, seed) = (0, Choice::Auto, request.schema, None);
    Box::new(Chat { id, messages, tools, choice, max_tokens, temperature, schema, seed })
}
