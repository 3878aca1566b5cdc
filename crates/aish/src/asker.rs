//! Asks models for the driver: what is offered, what is counted, and the summaries.

use std::collections::BTreeSet;
use std::sync::Arc;

use aish_llm::{Broker, CallOptions, ChatError, ChatRequest, EventStream, Purpose, StreamEvent, ToolSpec};
use aish_tools::Registry;
use aish_turn::{Counted, Event, Offer, Turn, summary};
use aish_types::{Message, Risk, ToolDefinition};
use futures_util::StreamExt as _;
use tokio_util::sync::CancellationToken;

use crate::counting::Counting;
use crate::discovery::{Discovery, Listing, is_offered};
use crate::ledger::Ledger;

/// What of the registry is offered to the model.
#[derive(Debug, Clone, Default)]
pub struct Offering {
    /// Names of the built-in tools that are offered; tools of other sources always are.
    pub builtin: BTreeSet<String>,
    /// False offers nothing.
    pub tools: bool,
}

/// Asks models.
pub struct Asker {
    /// The broker over all models.
    pub broker: Broker,
    /// The configured name of the model that is asked.
    pub model: String,
    /// The tools.
    pub registry: Arc<Registry>,
    /// What of them is offered.
    pub offering: Offering,
    /// The two tools that stand for all.
    pub discovery: Discovery,
    /// Whether they do now.
    pub listing: Listing,
    /// Counts tokens.
    pub counting: Counting,
    /// The session's books.
    pub ledger: Arc<Ledger>,
    /// Whether what is evicted is summarised.
    pub summarize: bool,
    /// Why main requests are made.
    pub purpose: Purpose,
    /// The last failure, for the exit code.
    pub last_error: Option<ChatError>,
}

impl Asker {
    /// Returns the configured name of the model for small questions.
    pub fn fast_model(&self) -> &str {
        self.broker.chain().fast.as_deref().unwrap_or(&self.model)
    }

    /// Returns the definitions of the tools that the model can reach.
    pub fn offered(&self) -> Vec<Arc<ToolDefinition>> {
        if !self.offering.tools {
            return Vec::new();
        }
        let mut offered = self.registry.list(None);
        offered.retain(|definition| is_offered(definition, &self.offering.builtin));
        offered
    }

    /// Decides what the model is told of: all tools, or the two that stand for them.
    pub async fn choose_listing(&mut self, turn: &Turn) {
        let all = specs(&self.offered());
        let tokens = self.counting.count_schemas(&all).await;
        self.listing = self.discovery.listing(all.len(), tokens, turn.budget().token_budget);
    }

    /// Returns the definitions that the model is told of.
    fn told(&self) -> Vec<Arc<ToolDefinition>> {
        match self.listing {
            Listing::Direct => self.offered(),
            Listing::Discovery if self.offering.tools => self.discovery.definitions(),
            Listing::Discovery => Vec::new(),
        }
    }

    /// Returns the offers for the turn: which tools only read, by our own word.
    pub fn offer(&self) -> Vec<Offer> {
        self.told()
            .iter()
            .map(|definition| Offer {
                name: definition.name.clone(),
                read_only: definition.trusted && definition.risk == Risk::Read && !definition.requires_confirmation,
            })
            .collect()
    }

    /// Counts what is not counted yet.
    pub async fn measure(&self, turn: &mut Turn) -> Event {
        let tokenizer = self.counting.tokenizer();
        let uncounted: Vec<(u64, String)> =
            turn.transcript().uncounted(&tokenizer).map(|entry| (entry.id, entry.countable().into_owned())).collect();
        for (id, text) in uncounted {
            let tokens = self.counting.count(&text).await;
            turn.transcript_mut().set_count(id, Counted { tokenizer: tokenizer.clone(), tokens });
        }
        let system_text = turn.transcript().system_text().into_owned();
        let system_tokens = self.counting.count(&system_text).await;
        let schema_tokens = self.counting.count_schemas(&specs(&self.told())).await;
        Event::Measured { system_tokens, schema_tokens }
    }

    /// Summarises evicted messages with the fast model; none when that fails or does not shrink.
    pub async fn summarize(
        &self,
        evicted: &[Message],
        previous: Option<&str>,
        interrupt: &CancellationToken,
    ) -> Option<String> {
        if !self.summarize {
            return None;
        }
        let request = ChatRequest {
            messages: vec![Message::user(summary::request(evicted, previous))],
            tools: Vec::new(),
            max_tokens: Some(256),
            temperature: Some(0.0),
            purpose: Purpose::Summary,
        };
        let mut stream = self.broker.stream(request, CallOptions::default(), interrupt.child_token());
        let mut words = Some(String::new());
        while let Some(item) = stream.next().await {
            match item {
                Ok(StreamEvent::Text(piece)) => words.iter_mut().for_each(|words| words.push_str(&piece)),
                Ok(_) => {}
                Err(_) => words = None,
            }
        }
        summary::block(evicted, previous, words.as_deref())
    }

    /// Sends the request and returns its stream.
    pub fn ask(
        &self,
        messages: Vec<Message>,
        offer_tools: bool,
        prompt_tokens: u64,
        cancel: CancellationToken,
    ) -> EventStream {
        let tools = if offer_tools { specs(&self.told()) } else { Vec::new() };
        let request = ChatRequest { messages, tools, max_tokens: None, temperature: None, purpose: self.purpose };
        let options = CallOptions { model: Some(self.model.clone()), prompt_tokens: Some(prompt_tokens) };
        self.broker.stream(request, options, cancel)
    }
}

fn specs(definitions: &[Arc<ToolDefinition>]) -> Vec<ToolSpec> {
    definitions
        .iter()
        .map(|definition| ToolSpec {
            name: definition.name.clone(),
            description: definition.description.clone(),
            parameters: definition.input_schema.clone(),
        })
        .collect()
}
