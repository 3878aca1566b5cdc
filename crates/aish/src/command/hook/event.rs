//! `aish hook run`: one event of an agent, from its payload to an answer.
//!
//! Order: read, recognise, judge, choose, put aside, write the audit line, answer. Whatever goes wrong before a command
//! ends with exit code 2 and one line on standard error, which blocks the command in every agent; after a command it
//! ends with 0, because nothing can be blocked any more.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use aish_hook::agent::{Agent, Event, Scope};
use aish_hook::decision::{self, Circumstances};
use aish_hook::payload::{self, Payload};
use aish_hook::{answer, payload::PayloadError};
use aish_safety::{Surroundings, Verdict};

use super::hook_files;
use crate::arguments::SharedFlags;
use crate::base::Base;
use crate::config::section::{HookAsk, HookHalt};
use crate::exit::ExitCode;
use crate::explained::analysed;

mod record;
mod replace;
mod told;

/// How long all of it may take; the agent's own limit is longer and lets the command run in five of nine.
const DEADLINE: Duration = Duration::from_secs(3);
/// How long standard input may be silent.
const SILENCE: Duration = Duration::from_secs(1);

/// Why an event could not be handled.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Payload(#[from] PayloadError),
    #[error("standard input cannot be read: {0}")]
    Input(String),
    #[error("there is no folder for state: set HOME or XDG_STATE_HOME")]
    NoState,
    #[error("the answer cannot be written: {0}")]
    Output(std::io::Error),
    #[error("the checker failed")]
    Panic,
}

impl Fault {
    /// Returns the word of the audit log.
    const fn word(&self) -> &'static str {
        match self {
            Self::Payload(PayloadError::TooLarge) => "payload.size",
            Self::Payload(PayloadError::Malformed(_)) => "payload.malformed",
            Self::Payload(PayloadError::OtherEvent { .. }) => "payload.event",
            Self::Payload(PayloadError::NoCommand) => "payload.command",
            Self::Input(_) => "input",
            Self::NoState => "state",
            Self::Output(_) => "output",
            Self::Panic => "panic",
        }
    }
}

/// Handles an event. Never fails otherwise than by its exit code: 0, or 2 where the command must not run.
pub fn run(shared: &SharedFlags, agent: Agent, event: &str) -> ExitCode {
    let started = Instant::now();
    // An event that we do not know is not one before a command: nothing was asked of us.
    let Some(event) = agent.event(event) else { return ExitCode::Ok };
    watch_the_clock(event);
    let handled = std::panic::catch_unwind(|| handle(shared, agent, event, started)).unwrap_or(Err(Fault::Panic));
    match handled {
        Ok(()) => ExitCode::Ok,
        Err(_) if event != Event::Before => ExitCode::Ok,
        Err(fault) => {
            let word = fault.word();
            let _ = std::panic::catch_unwind(|| record::fault(shared, agent, event, word, started));
            blocked(&fault.to_string());
            ExitCode::Of(2)
        }
    }
}

/// Ends the program when the deadline has passed.
fn watch_the_clock(event: Event) {
    std::thread::spawn(move || {
        std::thread::sleep(DEADLINE);
        if event != Event::Before {
            std::process::exit(0);
        }
        blocked("the command could not be judged within 3 s");
        std::process::exit(2);
    });
}

fn blocked(why: &str) {
    let why = aish_types::visible(why).replace('\n', " ");
    let _ = writeln!(std::io::stderr().lock(), "aish: {why}");
}

fn handle(shared: &SharedFlags, agent: Agent, event: Event, started: Instant) -> Result<(), Fault> {
    let bytes = read_input()?;
    let call = match payload::read(agent, event, &bytes)? {
        Payload::Command(call) if event == Event::Before => call,
        Payload::Command(call) => return say(told::ran(shared, agent, event, &call)),
        Payload::SessionEnd { session } => {
            told::session_ended(shared, agent, session.as_deref());
            return Ok(());
        }
        Payload::OtherTool => return Ok(()),
    };
    let folder = call.folder.as_deref().map(Path::new).filter(|folder| folder.is_absolute() && folder.is_dir());
    let base = Base::load_in(shared, folder.map_or_else(|| PathBuf::from("/"), Path::to_path_buf));
    if base.paths.state.is_none() {
        return Err(Fault::NoState);
    }
    let surroundings = surroundings(&base, folder);
    let judgement = analysed(&call.command, &surroundings, &base.policy()).judgement;
    let agent_that_reads = call.caller.unwrap_or(agent);
    let circumstances = Circumstances {
        mode: call.mode.as_deref(),
        unattended: base.variable("CLAUDE_CODE_SESSION_ATTENDED").as_deref() == Some("0"),
        by_own_rule: judgement.rule.is_of_policy(),
        waits_for_input: agent.types_unseen() && waits_for_input(&base, &call.command, &surroundings),
    };
    let waits = circumstances.waits_for_input && judgement.verdict != Verdict::Halt;
    let chosen = decision::decide(agent_that_reads, judgement.verdict, options(&base), circumstances);
    let reason = if waits {
        answer::reason(
            "hook.typed-input",
            "leaves a program waiting for text that no hook sees; give it as one command",
        )
    } else if chosen == aish_hook::decision::Decision::Allow {
        answer::reason_to_allow(&judgement.rule, &judgement.reason)
    } else {
        answer::reason(&judgement.rule, &judgement.reason)
    };
    let replaced = decision::may_replace(agent_that_reads, judgement.verdict, options(&base), circumstances)
        .then(|| replace::by_a_transaction(&base, agent, &call, &surroundings))
        .flatten();
    let reason = match &replaced {
        Some(_) => answer::reason_in_a_layer(&judgement.rule, &judgement.reason),
        None => reason,
    };
    let wanted = record::Wanted { decision: chosen, reason, replaced };
    let wanted = record::decision(&base, agent, &call, &judgement, wanted, started);
    match &wanted.replaced {
        Some(command) => say(answer::replacing(agent, &wanted.reason, &call.input, command)),
        None => say(answer::answer(agent, wanted.decision, &wanted.reason)),
    }
}

/// Reads standard input to its end, within a size and a time.
fn read_input() -> Result<Vec<u8>, Fault> {
    let (sender, receiver) = mpsc::sync_channel::<std::io::Result<Vec<u8>>>(1);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut piece = vec![0; 64 * 1024];
            let read = input.read(&mut piece).map(|count| {
                piece.truncate(count);
                piece
            });
            let over = !matches!(&read, Ok(piece) if !piece.is_empty());
            if sender.send(read).is_err() || over {
                return;
            }
        }
    });
    let mut bytes = Vec::new();
    loop {
        match receiver.recv_timeout(SILENCE) {
            Ok(Ok(piece)) if piece.is_empty() => return Ok(bytes),
            Ok(Ok(piece)) => bytes.extend_from_slice(&piece),
            Ok(Err(error)) => return Err(Fault::Input(error.to_string())),
            Err(_) => return Err(Fault::Input("it was silent for 1 s and did not end".to_owned())),
        }
        if bytes.len() > payload::MAX_BYTES {
            return Err(PayloadError::TooLarge.into());
        }
    }
}

/// What is known around the command: nothing of a live shell, and the folder only where it is one.
fn surroundings(base: &Base, folder: Option<&Path>) -> Surroundings {
    let mut known = folder.map_or_else(|| base.surroundings_anywhere(), |folder| base.surroundings_in(folder));
    known.protected.extend(hook_files(base, &[Scope::User]));
    known.protected_in_project = hook_files(base, &[Scope::Project, Scope::Shared]);
    known
}

/// Programs for the interpreters that read their standard input: each destroys something by its own language's means.
const PROBES: &[&str] = &[
    "rm -rf /srv",
    "import shutil; shutil.rmtree('/srv')",
    "system('rm -rf /srv')",
    "require('fs').rmSync('/srv', {recursive: true})",
    "DROP TABLE users;",
];

/// Tells whether a command leaves an interpreter or a shell that runs what is typed into it: with a destroying program
/// at its standard input, such a command would be halted.
fn waits_for_input(base: &Base, command: &str, surroundings: &Surroundings) -> bool {
    let policy = base.policy();
    PROBES.iter().any(|probe| {
        let fed = format!("printf '%s' {} | {{ {command}\n}}", shell_words::quote(probe));
        analysed(&fed, surroundings, &policy).judgement.verdict == Verdict::Halt
    })
}

fn options(base: &Base) -> decision::Options {
    use decision::{OnAsk, OnHalt};
    let hooks = &base.config.hooks;
    decision::Options {
        ask: match hooks.ask {
            HookAsk::Abstain => OnAsk::Abstain,
            HookAsk::Ask => OnAsk::Ask,
            HookAsk::Deny => OnAsk::Deny,
        },
        halt: match hooks.halt {
            HookHalt::Deny => OnHalt::Deny,
            HookHalt::Ask => OnHalt::Ask,
        },
        allow: hooks.allow,
        transactions: hooks.transactions,
    }
}

/// Writes the answer whole, or not at all.
fn say(answer: Option<String>) -> Result<(), Fault> {
    let Some(answer) = answer else { return Ok(()) };
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{answer}\n").as_bytes()).and_then(|()| out.flush()).map_err(Fault::Output)
}
