//! A conversation without a terminal: the asker and the turn, over any models.

mod beside;
mod cap;
mod context;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aish_llm::{
    Broker, BrokerModel, Chain, ChatError, Purpose, StreamEvent, TokenCounter, TokenizerChoice, UseEndpoint,
};
use aish_tools::Registry;
use aish_tools::builtin::{Builtins, Ports};
use aish_turn::{Budget, Effect, Event, Finish, Transcript, Turn, TurnOptions};
use aish_types::Usage;
use futures_util::StreamExt as _;
use tokio_util::sync::CancellationToken;

use super::{Asker, Learnt, Offering};
use crate::context_size::ContextSizes;
use crate::counting::Counting;
use crate::discovery::{Discovery, Listing};
use crate::ledger::Ledger;
use crate::models::Place;

/// Makes what asks the chain's default model, whose context nobody configured.
fn asker(
    models: BTreeMap<String, BrokerModel>,
    chain: Chain,
    ledger: Ledger,
    tokenizer: TokenizerChoice,
    tools: bool,
) -> Asker {
    let ledger = Arc::new(ledger);
    let name = chain.default.clone();
    let model = models.get(&name).cloned();
    let max_tokens = model.as_ref().unwrap().max_tokens.unwrap_or(1024);
    let broker = Broker::new(models, chain).with_guard(Arc::clone(&ledger) as Arc<_>);
    let place = Place {
        model: name.clone(),
        endpoint: String::new(),
        origin: crate::models::Origin::Config,
        context: None,
        max_tokens,
        tokenizer: tokenizer.clone(),
        small: false,
        tools,
    };
    let registry = Arc::new(Registry::default());
    let builtin: BTreeSet<String> = ["get_time".to_owned()].into();
    let names: Vec<String> = builtin.iter().cloned().collect();
    registry.add(Arc::new(Builtins::named(&names, &Ports::default()).unwrap()));
    let counter = TokenCounter::new(UseEndpoint::Forbidden, broker.traffic());
    Asker {
        counting: Counting::new(counter, model, tokenizer),
        discovery: Discovery::over(&registry, &builtin, 32),
        broker,
        model: name.clone(),
        registry,
        offering: Offering { builtin, tools },
        listing: Listing::Direct,
        ledger,
        summarize: true,
        purpose: Purpose::Main,
        schema: None,
        sizes: ContextSizes::new(None, BTreeMap::from([(name, place)])),
        learnt: Learnt::default(),
        schemas: 0,
        counted: None,
        sent: None,
        asks_beside: false,
        last_error: None,
    }
}

/// Makes an empty conversation.
fn turn(token_budget: u64) -> Turn {
    let budget = Budget { max_turns: 100, token_budget, system_tokens: 0, schema_tokens: 0, tokens_per_message: 0 };
    let transcript = Transcript::new("You are aish, an assistant inside a command-line shell. Answer briefly.");
    Turn::new(TurnOptions { commands: false, ..TurnOptions::default() }, transcript, budget)
}

/// Plays one exchange; returns our estimate of the prompt and what the server reported.
async fn play(asker: &mut Asker, turn: &mut Turn, text: &str) -> Result<(u64, Usage), ChatError> {
    turn.handle(Event::Asked { text: text.into(), blocks: Vec::new() });
    let mut event = asker.measure(turn).await;
    let (messages, offer_tools) = loop {
        match turn.handle(event).pop() {
            Some(Effect::Ask { messages, offer_tools }) => break (messages, offer_tools),
            Some(Effect::Summarize { evicted, previous }) => {
                let summary = asker.summarize(&evicted, previous.as_deref(), &CancellationToken::new()).await;
                event = Event::Summarized(summary);
            }
            other => panic!("{other:?}"),
        }
    };
    let estimate = turn.budget().estimate(turn.transcript());
    let mut stream = asker.ask(messages, offer_tools, turn, CancellationToken::new());
    let mut usage = None;
    while let Some(item) = stream.next().await {
        match item {
            Ok(StreamEvent::Usage(reported)) => usage = Some(reported),
            Ok(_) => {}
            Err(error) => {
                turn.handle(Event::StreamFailed { message: error.to_string(), template_refused: false });
                return Err(error);
            }
        }
    }
    let usage = usage.unwrap();
    if let Some((model, usage, _)) = asker.ledger.take_last() {
        asker.learn(&model, &usage);
    }
    // The same answer whatever the model said: what is compared is the count.
    turn.handle(Event::Text(format!("I have looked at that for you: {text}")));
    turn.handle(Event::StreamEnded(Finish::Whole));
    Ok((estimate, usage))
}
