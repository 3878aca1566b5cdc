//! `aish norris`: one goal, worked on without a shell round it.

use std::sync::Arc;

use aish_safety::{Approver, Mode, Nobody};
use aish_term::LineEditor;
use tokio_util::sync::CancellationToken;

use super::ask::{editor_options, fail, spawn_interrupt, text_surface};
use super::piped::Piped;
use super::sources::Sources;
use crate::arguments::{NorrisFlags, SharedFlags};
use crate::base::Base;
use crate::conversation::Conversation;
use crate::driver::CommandEnvironment;
use crate::driver::clock::RunClock;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::norris::approver::HaltApprover;
use crate::norris::log::RunLog;
use crate::norris::order::Order;
use crate::norris::shell::{COMMAND_MS, OwnShell, Seed};
use crate::norris::{self, report};
use crate::output::Output;
use crate::sandbox::{self, SandboxChoice};
use crate::search::find_models;
use crate::surface::json::JsonSurface;
use crate::surface::{Shown, Surface};
use crate::transactions::Transactions;

/// Works on a goal and returns how it ended.
///
/// # Errors
/// When standard input cannot be read.
pub async fn run(base: &Base, shared: &SharedFlags, flags: &NorrisFlags) -> Result<ExitCode, Failure> {
    let mut surface = surface(base, shared, flags);
    let now = base.started.elapsed();
    for fault in base.faults() {
        surface.show(Shown::Notice(&fault), now);
    }
    let given = flags.goal.join(" ");
    let goal = if given.trim().is_empty() { Piped::told(surface.as_mut(), now)? } else { Some(given) };
    let Some(goal) = goal else {
        surface.show(Shown::Error("a goal is missing; try: aish norris \"find the largest files here\""), now);
        return Ok(ExitCode::Usage);
    };
    let mut order = Order::new(goal.trim(), &base.config.norris, flags);
    let found = find_models(base, shared.model.as_deref()).await;
    if let Some(failure) = found.lacks(shared.model.as_deref()) {
        fail(surface.as_mut(), &failure, now);
        return Ok(ExitCode::Error);
    }
    let interrupt = CancellationToken::new();
    spawn_interrupt(interrupt.clone());
    let transactions = Transactions::of(base);
    let sandbox = match sandbox::find(base, &base.folder, transactions.works().await) {
        Ok(sandbox) => sandbox,
        Err(why) => {
            surface.show(Shown::Error(&why.to_string()), now);
            return Ok(ExitCode::Error);
        }
    };
    let shell = Arc::new(OwnShell::new(seed(base, &sandbox, &transactions))?);
    let (sources, mut notices) = Sources::start(base, Arc::clone(&shell) as Arc<_>, COMMAND_MS).await;
    let session = crate::session::new_id(&base.clock);
    let mut log = RunLog::new(base, &session);
    let clock = Arc::new(RunClock::default());
    let approver: Arc<dyn Approver> = match person(base, shared, &clock, &interrupt) {
        Some(person) => {
            order = order.watched();
            Arc::new(person)
        }
        None => Arc::new(Nobody(Mode::Autonomous)),
    };
    let environment = CommandEnvironment {
        surroundings: shell.surroundings(base),
        apart: shell.apart(),
        standing_notes: vec![sandbox.say()],
    };
    let setup = sources.setup(base, session, approver, environment);
    let mut conversation = Conversation::new(base, found, setup);
    notices.append(&mut conversation.notices);
    notices.push(sandbox.say());
    for notice in &notices {
        surface.show(Shown::Notice(notice), now);
    }
    let mut turn = norris::turn(base, &conversation);
    let driver = &mut conversation.driver;
    let finished = norris::play(driver, &mut turn, &order, &clock, &mut log, surface.as_mut(), &interrupt).await;
    sources.close().await;
    shell.close().await;
    Ok(report::exit_code(&finished))
}

/// Returns how the run's bash is started where there is no person's shell to take after.
fn seed(base: &Base, sandbox: &SandboxChoice, transactions: &Arc<Transactions>) -> Seed {
    Seed {
        sandbox: sandbox.chosen().cloned(),
        layers: sandbox.layers(transactions),
        program: base.config.shell.program.clone(),
        folder: base.folder.clone(),
        exports: None,
        secrets: Arc::clone(&base.secrets),
    }
}

/// A person is asked where one can be: standard input and standard error are both a terminal.
fn person(
    base: &Base,
    shared: &SharedFlags,
    clock: &Arc<RunClock>,
    interrupt: &CancellationToken,
) -> Option<HaltApprover> {
    let editor = LineEditor::start(editor_options(base, shared)?).ok()?;
    Some(HaltApprover::new(Arc::new(editor), Arc::clone(clock), interrupt.clone()))
}

fn surface(base: &Base, shared: &SharedFlags, flags: &NorrisFlags) -> Box<dyn Surface> {
    if flags.json {
        return Box::new(JsonSurface::new(Output));
    }
    Box::new(text_surface(base, shared, flags.quiet).of_run())
}
