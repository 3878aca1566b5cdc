//! Norris, the autonomous mode: the model plans and acts by itself until it is done, stopped or stuck.
//!
//! Order: [`order`] (goal, limits and what was agreed to), [`shell`] (its own bash), [`approver`] (the HALT gate),
//! [`clock`], [`surface`] (shows each step and hands it to the [`log`]), and [`play`], which runs turns until the
//! pure machine ([`aish_turn::Run`]) says that it is over; [`report`] says how.

pub mod approver;
pub mod log;
pub mod order;
pub mod report;
pub mod shell;
pub mod surface;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use aish_llm::{ChatError, Purpose};
use aish_turn::run::prompts;
use aish_turn::{Cap, End, Event, Faults, Limit, Limits, Next, Outcome, Run, Spent, Transcript, Turn, TurnOptions};
use aish_types::Message;
use tokio_util::sync::CancellationToken;

use crate::base::Base;
use crate::conversation::Conversation;
use crate::driver::Driver;
use crate::driver::autonomous::Autonomous;
use crate::driver::clock::RunClock;
use crate::surface::Surface;
use log::RunLog;
use order::Order;
use surface::RunSurface;

/// Rounds of calls after which the model is told the goal again, and what is older may leave the context.
const ROUNDS: u32 = 8;

/// How a run ended and what it used.
#[derive(Debug)]
pub struct Finished {
    /// How.
    pub end: End,
    /// What it used.
    pub spent: Spent,
    /// The model's last words.
    pub report: String,
}

/// Makes the machine of a run's turns over the conversation's prompt, with a transcript of its own.
pub fn turn(base: &Base, conversation: &Conversation) -> Turn {
    let asker = &conversation.driver.asker;
    let small = conversation.found_places.get(&asker.model).is_some_and(|place| place.small);
    let system = if small {
        prompts::SMALL_SYSTEM.to_owned()
    } else {
        format!("{}\n\n{}", conversation.turn.transcript().system(), prompts::SYSTEM)
    };
    let options = TurnOptions {
        cap: Cap::Rounds(ROUNDS),
        faults: Faults::Model,
        tool_results: conversation.turn.tool_results(),
        commands: true,
        max_result_chars: base.config.tools.max_result_chars,
        ..TurnOptions::default()
    };
    Turn::new(options, Transcript::new(system), conversation.turn.budget().clone())
}

/// Plays a run to its end. The driver's gate and executor are those of the run already; `clock` began with it.
pub async fn play(
    driver: &mut Driver,
    turn: &mut Turn,
    order: &Order,
    clock: &Arc<RunClock>,
    log: &mut RunLog,
    shown: &mut dyn Surface,
    interrupt: &CancellationToken,
) -> Finished {
    let unrecorded = Arc::new(AtomicBool::new(false));
    let mut surface = RunSurface::new(shown, log, Arc::clone(&unrecorded));
    surface.start(order, driver.started.elapsed());
    let ledger = Arc::clone(&driver.asker.ledger);
    ledger.cap_run(Some(order.limits.money));
    driver.asker.purpose = Purpose::Norris;
    driver.door.gate_mut().autonomy_mut().consent = order.consent;
    let run = Run::new(order.goal.clone(), order.limits);
    driver.autonomous = Some(Autonomous::new(run, Arc::clone(clock), &ledger, unrecorded).with_person(order.person));
    let stop = interrupt.child_token();
    let watch = tokio::spawn(watch_time(Arc::clone(clock), order.limits, stop.clone()));
    let mut question = driver.autonomous.as_ref().map(|autonomous| autonomous.run.opening()).unwrap_or_default();
    let mut report = String::new();
    let end = loop {
        let asked = Event::Asked { text: question, blocks: Vec::new() };
        let outcome = driver.play(turn, asked, &mut surface, &stop).await;
        let refused = matches!(driver.asker.last_error.take(), Some(ChatError::SpendRefused(_)));
        let Some(autonomous) = &mut driver.autonomous else { break End::Failed };
        autonomous.settle(&ledger);
        match &outcome {
            Outcome::Interrupted if !interrupt.is_cancelled() => autonomous.run.reached(Limit::Time),
            Outcome::Failed if refused => autonomous.run.reached(Limit::Money),
            _ => {}
        }
        let words = last_words(turn);
        let next = autonomous.run.turn_ended(&outcome, &words);
        if !words.trim().is_empty() {
            report = words;
        }
        match next {
            Next::Ask(text) => question = text,
            Next::End(end) => break end,
        }
    };
    watch.abort();
    ledger.cap_run(None);
    let spent = driver.autonomous.take().map(|autonomous| *autonomous.run.spent()).unwrap_or_default();
    let finished = Finished { end, spent, report };
    surface.end(&finished, order, driver.started.elapsed());
    finished
}

/// Cancels what runs when the run's time is over.
async fn watch_time(clock: Arc<RunClock>, limits: Limits, stop: CancellationToken) {
    loop {
        let left = limits.millis.saturating_sub(clock.millis());
        if left == 0 {
            return stop.cancel();
        }
        tokio::time::sleep(std::time::Duration::from_millis(left)).await;
    }
}

/// Returns the model's last text, if it came last.
fn last_words(turn: &Turn) -> String {
    match turn.transcript().entries().last().map(|entry| &entry.message) {
        Some(Message::Assistant { content, .. }) => content.clone(),
        Some(Message::System { .. } | Message::User { .. } | Message::Tool { .. }) | None => String::new(),
    }
}
