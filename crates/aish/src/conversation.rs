//! A conversation: driver, transcript and what goes along, put together from [`Base`], found models and a [`Setup`].
//!
//! Commands alone import it.

mod follow;
mod images;
mod resumed;
mod run;
mod sampling;
pub mod settings;
mod switch;
mod wants;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aish_llm::{Broker, Purpose, TokenCounter, UseEndpoint};
use aish_safety::{Approver, Gate};
use aish_tools::{Door, Registry};
use aish_turn::{Budget, Cap, Transcript, Turn, TurnOptions};
use aish_types::{Block, SessionId};

use crate::asker::{Asker, Learnt, Offering};
use crate::base::Base;
use crate::context_size::ContextSizes;
use crate::counting::Counting;
use crate::discovery::{Discovery, Listing};
use crate::driver::{Caller, Calls, CommandEnvironment, Driver, Records, Seen, SessionLog, Undo};
use crate::here::Here;
use crate::kept::KeptFile;
use crate::ledger::{Ledger, uncovered};
use crate::models::{ModelSet, Place};
use crate::sent::ToldHosts;
use crate::servers::news::CallNews;
use crate::servers::writer::Sampling;
use crate::system_prompt::{Facts, system_prompt};
use crate::toolset;

/// What a conversation needs beside [`Base`].
pub struct Conversation {
    /// The driver.
    pub driver: Driver,
    /// The machine with its transcript.
    pub turn: Turn,
    /// What to tell the person.
    pub notices: Vec<String>,
    /// What the system prompt says.
    pub facts: Facts,
    /// Where the person is.
    pub here: Here,
    /// What was told of the project's files and of models that cannot answer.
    pub told: BTreeSet<String>,
    /// Where the models are.
    pub found_places: BTreeMap<String, Place>,
    /// Whether tools are offered to models that take them.
    pub offer_tools: bool,
    /// What goes along with the next question.
    pub attached: Vec<Block>,
    /// Lets MCP servers use the model, where they may.
    pub sampling: Option<Arc<Sampling>>,
}

/// The choices that differ between the shell and `aish ask`.
pub struct Setup {
    /// Who is asked.
    pub approver: Arc<dyn Approver>,
    /// The session.
    pub session: SessionId,
    /// Where messages are written.
    pub log: Box<dyn SessionLog>,
    /// The tools.
    pub registry: Arc<Registry>,
    /// Whether tools are offered.
    pub offer_tools: bool,
    /// Whether `CMD:` lines are proposals.
    pub commands: bool,
    /// What servers say while calls run.
    pub news: Arc<CallNews>,
    /// Where commands run.
    pub environment: CommandEnvironment,
}

/// Makes the gate of this person's policy, audit log, pins and approvals for good.
pub fn gate(base: &Base) -> Gate {
    let kept = Arc::new(KeptFile::of(base));
    Gate::new(Arc::new(base.audit()), Arc::new(base.pins()), base.policy()).with_kept(kept)
}

impl Conversation {
    /// Puts a conversation together over found models.
    pub fn new(base: &Base, found: ModelSet, setup: Setup) -> Self {
        let ledger = Arc::new(Ledger::of(base, &setup.session));
        Self::on(base, found, setup, ledger)
    }

    /// Puts a conversation together over found models, on books that are open already.
    pub fn on(base: &Base, found: ModelSet, setup: Setup, ledger: Arc<Ledger>) -> Self {
        let ModelSet { broker, default, mut notices, places: found_places } = found;
        let told = notices.iter().cloned().collect();
        let model = default.unwrap_or_default();
        let small = found_places.get(&model).is_some_and(|place| place.small);
        let asker = asker(base, &setup, broker, model, &found_places, ledger);
        let here = Here::of(base);
        let facts = Facts {
            here: here.line(),
            system: std::env::consts::OS.to_owned(),
            shell: base.config.shell.program.clone(),
            tools: !asker.offered().is_empty(),
            commands: setup.commands,
            answer: None,
            instructions: None,
            small,
        };
        let budget = Budget {
            max_turns: base.config.context.max_turns,
            token_budget: asker.sizes.budget(&asker.model),
            system_tokens: 0,
            schema_tokens: 0,
            tokens_per_message: 0,
        };
        let options = TurnOptions {
            cap: Cap::Rounds(base.config.mcp.max_tool_depth),
            tool_results: base.config.context.tool_results(),
            commands: setup.commands,
            max_result_chars: base.config.tools.max_result_chars,
            ..TurnOptions::default()
        };
        let turn = Turn::new(options, Transcript::new(system_prompt(&facts)), budget);
        let offer_tools = setup.offer_tools;
        let driver = driver(base, setup, asker);
        notices.extend(uncovered(&driver.asker.ledger.limits(), &driver.asker.broker));
        let mut conversation = Self {
            driver,
            turn,
            notices,
            facts,
            here,
            told,
            found_places,
            offer_tools,
            attached: Vec::new(),
            sampling: None,
        };
        let said = conversation.follow(&base.project);
        conversation.notices.extend(said);
        conversation
    }
}

/// Makes what asks the models.
fn asker(
    base: &Base,
    setup: &Setup,
    broker: Broker,
    model: String,
    places: &BTreeMap<String, Place>,
    ledger: Arc<Ledger>,
) -> Asker {
    let place = places.get(&model);
    let offering = Offering {
        builtin: base.config.tools.builtin.iter().cloned().collect::<BTreeSet<_>>(),
        tools: setup.offer_tools && place.is_none_or(|place| place.tools),
    };
    let broker = broker.with_guard(Arc::clone(&ledger) as Arc<_>);
    let use_endpoint = if base.config.tokenize.use_endpoint { UseEndpoint::Allowed } else { UseEndpoint::Forbidden };
    let counter = TokenCounter::new(use_endpoint, broker.traffic());
    let choice = place.map(|place| place.tokenizer.clone()).unwrap_or_default();
    Asker {
        counting: Counting::new(counter, broker.model(&model).cloned(), choice),
        broker,
        model,
        registry: Arc::clone(&setup.registry),
        discovery: Discovery::over(&setup.registry, &offering.builtin, base.config.tools.direct_limit),
        listing: Listing::Direct,
        offering,
        ledger,
        summarize: base.config.context.summarize,
        purpose: Purpose::Main,
        schema: None,
        sizes: ContextSizes::new(base.config.context.token_budget, places.clone()),
        learnt: Learnt::default(),
        schemas: 0,
        counted: None,
        sent: None,
        asks_beside: false,
        last_error: None,
    }
}

/// Makes what performs the effects of a turn.
fn driver(base: &Base, setup: Setup, asker: Asker) -> Driver {
    let state = base.paths.state.as_ref();
    Driver {
        asker,
        door: Door::new(toolset::executor(base, &setup.registry), gate(base)),
        approver: setup.approver,
        caller: Caller { session: setup.session, user: base.variable("USER").unwrap_or_else(|| "user".to_owned()) },
        environment: setup.environment,
        undo: Undo::of(base),
        calls: Calls::over(setup.news),
        seen: Seen::default(),
        records: Records {
            log: setup.log,
            files: state.map(|state| state.join("files")),
            told_hosts: Arc::new(ToldHosts::at(state.map(|state| state.join("told-hosts.json")))),
        },
        secrets: Arc::clone(&base.secrets),
        autonomous: None,
        started: base.started,
    }
}
