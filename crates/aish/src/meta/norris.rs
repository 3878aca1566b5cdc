//! `:norris GOAL` and `:norris log`.

use std::path::PathBuf;
use std::sync::Arc;

use aish_route::PriorTurn;
use aish_turn::Record;
use aish_types::Message;

use crate::driver::clock::RunClock;
use crate::failure::Failure;
use crate::norris::approver::HaltApprover;
use crate::norris::log::{RunLog, Runs};
use crate::norris::order::Order;
use crate::norris::shell::{OwnShell, Seed};
use crate::norris::{self, Finished, report};
use crate::repl::Repl;
use crate::sandbox;
use crate::transactions::Transactions;

pub(super) async fn run(repl: &mut Repl, rest: &str) {
    let session = repl.conversation.driver.caller.session.clone();
    if !repl.runs.is_of(&session) {
        // Another session is gone on with since.
        repl.runs = RunLog::new(&repl.base, &session);
    }
    match rest.trim() {
        "" => repl.complain("what for? `:norris GOAL`; `:norris log` shows what the last run did"),
        "log" => show_log(repl, Runs::Last),
        "log all" => show_log(repl, Runs::All),
        line => match Order::parse(line, &repl.base.config.norris) {
            Ok(order) => work(repl, &order.watched()).await,
            Err(why) => repl.fail(&why),
        },
    }
}

fn show_log(repl: &Repl, runs: Runs) {
    let lines = repl.runs.show(runs);
    if lines.is_empty() {
        repl.print_words("there was no run in this session");
    }
    for line in lines {
        repl.print_words(&line);
    }
}

async fn work(repl: &mut Repl, order: &Order) {
    let interrupt = repl.interrupts.arm();
    let clock = Arc::new(RunClock::default());
    let (shell, sandbox) = match own_shell(repl).await {
        Ok((shell, sandbox)) => (Arc::new(shell), sandbox),
        Err(why) => return repl.complain(&why.to_string()),
    };
    repl.say(&sandbox);
    let approver = HaltApprover::new(Arc::clone(&repl.editor), Arc::clone(&clock), interrupt.clone());
    let mut turn = norris::turn(&repl.base, &repl.conversation);
    let mut surface = repl.screen.surface.of_run();
    let lent = repl.runner.lend(Arc::clone(&shell) as Arc<_>);
    let _silent = repl.silence();
    let mut driver = repl.conversation.driver_of_run(&repl.base, Arc::new(approver), &shell, vec![sandbox]);
    let finished = norris::play(&mut driver, &mut turn, order, &clock, &mut repl.runs, &mut surface, &interrupt).await;
    drop(lent);
    repl.conversation.learn_from(driver);
    shell.close().await;
    remember(repl, order, &finished);
}

/// The run's bash begins where the person's is, with what they exported, in the sandbox that works here.
async fn own_shell(repl: &Repl) -> Result<(OwnShell, String), Failure> {
    let folder = PathBuf::from(repl.folder());
    let transactions = Transactions::of(&repl.base);
    let sandbox = sandbox::find(&repl.base, &folder, transactions.works().await)?;
    let snapshot = repl.live.snapshot().await;
    let seed = Seed {
        sandbox: sandbox.chosen().cloned(),
        layers: sandbox.layers(&transactions),
        program: repl.base.config.shell.program.clone(),
        folder,
        exports: snapshot.map(|snapshot| snapshot.environment),
        secrets: Arc::clone(&repl.base.secrets),
    };
    Ok((OwnShell::new(seed)?, sandbox.say()))
}

/// Puts goal and report into the conversation, so that the person can ask about them.
fn remember(repl: &mut Repl, order: &Order, finished: &Finished) {
    let ending = report::ending(&finished.end, order);
    let said = finished.report.trim();
    repl.set_prior_turn(PriorTurn::of_answer(said));
    let report = if said.is_empty() { format!("[norris: {ending}]") } else { format!("{said}\n\n[norris: {ending}]") };
    let messages = [Message::user(format!(":norris {}", order.goal)), Message::assistant(report)];
    let transcript = repl.conversation.turn.transcript_mut();
    let exchange = transcript.open_exchange();
    let mut faults = Vec::new();
    for message in messages {
        let id = repl.conversation.turn.transcript_mut().push(exchange, message.clone());
        let driver = &mut repl.conversation.driver;
        faults.extend(driver.records.log.keep(&Record { id, exchange, message: Some(message) }, &driver.asker.model));
    }
    for fault in faults {
        repl.say(&fault);
    }
}
