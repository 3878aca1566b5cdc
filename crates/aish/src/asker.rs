//! Asks models for the driver: what is offered, what is counted, and the summaries.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aish_llm::{
    Broker, CallOptions, ChatError, ChatRequest, EventStream, IMAGE_TOKENS, Purpose, StreamEvent, ToolSpec,
};
use aish_tools::Registry;
use aish_turn::{Budget, Counted, Event, Offer, Turn, summary};
use aish_types::{Block, Message, Risk, ToolDefinition, Usage, head_and_tail};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::calibration::{Calibration, CountedPrompt};
use crate::context_size::ContextSizes;
use crate::counting::Counting;
use crate::discovery::{Discovery, Listing, is_offered};
use crate::ledger::Ledger;
use crate::sent::Sent;
use crate::shell_tool::SHELL_SOURCE;

/// What of the registry is offered to the model.
#[derive(Debug, Clone, Default)]
pub struct Offering {
    /// Names of the built-in tools that are offered; tools of other sources always are.
    pub builtin: BTreeSet<String>,
    /// False offers nothing.
    pub tools: bool,
}

/// What servers' reports taught about their counts.
#[derive(Debug, Clone, Default)]
pub struct Learnt {
    /// Of prompts, by model.
    pub calibrations: BTreeMap<String, Calibration>,
    /// Of summaries, which are charged too.
    pub summaries: Calibration,
}

/// Characters of what is to be summarised for a token of its model's context: fewer than most texts have.
const CHARS_PER_TOKEN: u64 = 3;

/// Asks models.
#[derive(Clone)]
pub struct Asker {
    /// The broker over all models.
    pub broker: Broker,
    /// The configured name of the model that is asked.
    pub model: String,
    /// The tools.
    pub registry: Arc<Registry>,
    /// What of them is offered.
    pub offering: Offering,
    /// The tools that find and call all others, for when there are too many to list.
    pub discovery: Discovery,
    /// Whether the model is told of these two, or of all tools.
    pub listing: Listing,
    /// Counts tokens.
    pub counting: Counting,
    /// What the session has spent.
    pub ledger: Arc<Ledger>,
    /// Whether what is evicted is summarised.
    pub summarize: bool,
    /// Why main requests are made.
    pub purpose: Purpose,
    /// The JSON Schema that answers have to fit.
    pub schema: Option<Value>,
    /// What is known of the models' contexts.
    pub sizes: ContextSizes,
    /// What was learnt of how models count.
    pub learnt: Learnt,
    /// Tokens of the tool schemas, as counted for the prompt that is being answered.
    pub schemas: u64,
    /// What the prompt that is being answered was counted as.
    pub counted: Option<CountedPrompt>,
    /// The request that was sent last.
    pub sent: Option<Arc<Sent>>,
    /// Whether servers are asked beside a request what their models can do: where more requests follow.
    pub asks_beside: bool,
    /// The last failure, for the exit code.
    pub last_error: Option<ChatError>,
}

impl Asker {
    /// Takes over what another asker of the same models learnt of them.
    pub fn learn_from(&mut self, other: Self) {
        (self.learnt, self.sizes) = (other.learnt, other.sizes);
    }

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
        let patches = self.broker.model(&self.model).is_some_and(|known| takes_patches(known.provider.model()));
        offered.retain(|definition| is_offered(definition, &self.offering.builtin) && suits(definition, patches));
        // The shell is offered beside other tools, never alone: `CMD:` lines do without it.
        if offered.iter().all(|definition| definition.source.as_str() == SHELL_SOURCE) {
            offered.clear();
        }
        offered
    }

    /// Counts what is not counted yet, learns the model's context where that matters, and decides what the model is
    /// told of: all tools, or the two that stand for them.
    pub async fn measure(&mut self, turn: &mut Turn) -> Event {
        let tokenizer = self.count_entries(turn).await;
        let system_tokens = self.scaled(self.counting.count(&turn.transcript().system_text()).await);
        let all = specs(&self.offered());
        let all_tokens = self.scaled(self.counting.count_schemas(&all).await);
        let mut budget = turn.budget().clone();
        (budget.system_tokens, budget.schema_tokens, budget.tokens_per_message) = (system_tokens, all_tokens, 0);
        let needed = budget.estimate(turn.transcript());
        // What a long prompt leaves to another model has that model's room.
        let asked = self.broker.pick(self.purpose, needed).to_owned();
        let token_budget = self.sizes.learn(&asked, &self.broker, needed).await;
        self.listing = self.discovery.listing(all.len(), all_tokens, token_budget);
        turn.set_offers(self.offer());
        let schema_tokens = match self.listing {
            Listing::Direct => all_tokens,
            Listing::Discovery => self.scaled(self.counting.count_schemas(&specs(&self.told())).await),
        };
        let template = self.template(turn, &tokenizer, schema_tokens);
        let budget = turn.budget_mut();
        (budget.token_budget, budget.tokens_per_message) = (token_budget, template.0);
        self.schemas = schema_tokens;
        // What the template saves on the schemas may be more than the system message has.
        let whole = system_tokens.saturating_add(schema_tokens).saturating_add_signed(template.1);
        Event::Measured { system_tokens: whole.saturating_sub(schema_tokens), schema_tokens: whole.min(schema_tokens) }
    }

    /// Counts the entries that this tokenizer has not counted; returns its name.
    async fn count_entries(&self, turn: &mut Turn) -> String {
        let mut tokenizer = self.counting.tokenizer();
        // Twice, when the endpoint stops counting in the middle: one prompt is counted by one tokenizer.
        for _ in 0..2 {
            let scale = self.scale();
            // Another scale is another count.
            let name =
                |tokenizer: &str| if scale == 100 { tokenizer.to_owned() } else { format!("{tokenizer} {scale}%") };
            let uncounted: Vec<(u64, String, u64)> = turn
                .transcript()
                .uncounted(&name(&tokenizer))
                .map(|entry| (entry.id, entry.countable().into_owned(), images(&entry.message)))
                .collect();
            for (id, text, images) in uncounted {
                let (counted, by) = self.counting.count_and_name(&text).await;
                let tokens = self.scaled(counted) + images * IMAGE_TOKENS;
                turn.transcript_mut().set_count(id, Counted { tokenizer: name(&by), tokens });
            }
            let now = self.counting.tokenizer();
            if now == tokenizer {
                break;
            }
            tokenizer = now;
        }
        tokenizer
    }

    /// Returns what the template adds: to each message, and beside that to the whole, which is less than nothing where it
    /// writes the schemas shorter than they were counted.
    fn template(&self, turn: &Turn, tokenizer: &str, schemas: u64) -> (u64, i64) {
        let adds = |messages| self.learnt.calibrations.get(&self.model)?.overhead(messages, tokenizer, schemas);
        let sent = turn.transcript().render(turn.tool_results()).len() as u64;
        let (Some(now), Some(later)) = (adds(sent), adds(sent + 1000)) else { return (0, 0) };
        let each = later.saturating_sub(now) / 1000;
        let entries = turn.transcript().entries().len() as u64;
        (each, now.cast_signed() - (each * entries).cast_signed() - schemas.cast_signed())
    }

    /// Returns by how much the model's counts are scaled, in percent: not at all where a tokenizer counts.
    fn scale(&self) -> u64 {
        match self.learnt.calibrations.get(&self.model) {
            Some(calibration) if self.counting.tokenizer() == "chars" => calibration.scale(),
            Some(_) | None => 100,
        }
    }

    fn scaled(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.scale()) / 100
    }

    /// Learns from what the server reported for the prompt that was sent last.
    pub fn learn(&mut self, model: &str, usage: &Usage) {
        let asked = self.broker.model(&self.model).is_some_and(|known| known.provider.model() == model);
        let Some(counted) = self.counted.take().filter(|_| !usage.estimated) else { return };
        let calibration = self.learnt.calibrations.entry(self.model.clone()).or_default();
        if asked {
            calibration.learn(&counted, usage.prompt);
        } else {
            // A fallback answered: its tokenizer teaches nothing about ours, its charge does.
            calibration.charged(counted.estimate, usage.prompt);
        }
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

    /// Summarises evicted messages with the fast model; none when that fails or does not shrink.
    pub async fn summarize(
        &mut self,
        evicted: &[Message],
        previous: Option<&str>,
        interrupt: &CancellationToken,
    ) -> Option<String> {
        if !self.summarize {
            return None;
        }
        // Much may go at once, as where a smaller model takes a session over: the summary's model has to read it.
        let room = self.sizes.budget(self.fast_model()).max(Budget::DEFAULT_TOKENS).saturating_mul(CHARS_PER_TOKEN);
        let text = summary::request(evicted, previous);
        let text = head_and_tail(&text, usize::try_from(room).unwrap_or(usize::MAX)).text.into_owned();
        let estimate = text.len() as u64 / 4 + 8;
        let options = CallOptions { model: None, prompt_tokens: Some(self.learnt.summaries.most(estimate)) };
        let request =
            ChatRequest { max_tokens: Some(256), ..ChatRequest::new(vec![Message::user(text)], Purpose::Summary) };
        let mut stream = self.broker.stream(request, options, interrupt.child_token());
        let mut words = Some(String::new());
        while let Some(item) = stream.next().await {
            match item {
                Ok(StreamEvent::TextWasReasoning) => words.iter_mut().for_each(String::clear),
                Ok(StreamEvent::Text(piece)) => words.iter_mut().for_each(|words| words.push_str(&piece)),
                Ok(StreamEvent::Usage(usage)) if !usage.estimated => {
                    self.learnt.summaries.charged(estimate, usage.prompt)
                }
                Ok(_) => {}
                Err(_) => words = None,
            }
        }
        summary::block(evicted, previous, words.as_deref())
    }

    /// Sends the request and returns its stream.
    pub fn ask(
        &mut self,
        messages: Vec<Message>,
        offer_tools: bool,
        turn: &Turn,
        cancel: CancellationToken,
    ) -> EventStream {
        let estimate = turn.budget().estimate(turn.transcript());
        let prompt_tokens =
            self.learnt.calibrations.get(&self.model).map_or(estimate, |calibration| calibration.most(estimate));
        self.counted = self.counted_prompt(&messages, estimate, turn);
        let tools = if offer_tools { specs(&self.told()) } else { Vec::new() };
        let (schema, purpose) = (self.schema.clone(), self.purpose);
        let request = ChatRequest { tools, schema, ..ChatRequest::new(messages, purpose) };
        let options = CallOptions { model: None, prompt_tokens: Some(prompt_tokens) };
        let model = self.broker.pick(purpose, prompt_tokens).to_owned();
        let known = self.broker.model(&model);
        if let Some(known) = known.filter(|_| self.asks_beside) {
            known.provider.ask_abilities_beside();
        }
        let endpoint = known.and_then(|known| known.endpoint.clone());
        let model = known.map_or(model, |known| known.provider.model().to_owned());
        self.sent = Some(Arc::new(Sent { model, endpoint, request: request.clone() }));
        self.broker.stream(request, options, cancel)
    }

    /// Returns what a prompt was counted as; `None` for one with images, whose tokens are only estimated.
    fn counted_prompt(&self, messages: &[Message], estimate: u64, turn: &Turn) -> Option<CountedPrompt> {
        if messages.iter().any(|message| images(message) > 0) {
            return None;
        }
        let tokenizer = self.counting.tokenizer();
        let budget = turn.budget();
        let entries = turn.transcript().entries().len() as u64;
        let (_, whole) = self.template(turn, &tokenizer, self.schemas);
        let added = whole + (budget.tokens_per_message * entries).cast_signed();
        let counted = estimate.saturating_add_signed(-added) * 100 / self.scale();
        let (messages, schemas) = (messages.len() as u64, self.schemas);
        Some(CountedPrompt { messages, counted, schemas, estimate, tokenizer })
    }
}

/// Returns how many images a message carries.
fn images(message: &Message) -> u64 {
    match message {
        Message::User { blocks, .. } | Message::Tool { blocks, .. } => {
            blocks.iter().filter(|block| matches!(block, Block::Image { .. })).count() as u64
        }
        Message::System { .. } | Message::Assistant { .. } => 0,
    }
}

/// Says whether a model belongs to a family that was trained on `apply_patch`.
fn takes_patches(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    ["gpt-4.1", "gpt-5", "gpt-6", "gpt-oss", "codex", "o3", "o4-mini"].iter().any(|family| name.starts_with(family))
}

/// Says whether a tool is one that models change files with, and this one does: with patches, or with passages.
fn suits(definition: &ToolDefinition, patches: bool) -> bool {
    match (definition.source.as_str(), definition.name.as_str()) {
        ("builtin", "apply_patch") => patches,
        ("builtin", "edit_file" | "write_file") => !patches,
        _ => true,
    }
}

fn specs(definitions: &[Arc<ToolDefinition>]) -> Vec<ToolSpec> {
    definitions
        .iter()
        .map(|definition| ToolSpec {
            name: definition.name.clone(),
            description: definition.description.to_string(),
            parameters: definition.input_schema.value(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
