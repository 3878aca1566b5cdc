//! What stays of an event: what was put aside, and its line in the audit log, on the disk before the answer.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aish_hook::agent::{Agent, Event};
use aish_hook::answer;
use aish_hook::decision::Decision;
use aish_safety::pin::Digest;
use aish_safety::{AuditEntry, By, Judgement, Verdict};
use aish_types::{CallContext, CallId, SessionId, ToolName, mask, mask_named};
use serde::Serialize;

use aish_hook::payload::CommandCall;
use aish_journal::undo::{AgentCall, CallState, Claim, KeyKind};

use crate::arguments::SharedFlags;
use crate::base::Base;
use crate::undo::{UndoKeeper, answer as answers};

/// How long putting something aside may take: half of the hook's own deadline.
const ASIDE: Duration = Duration::from_millis(1500);

/// What the audit line of a hook holds beside the decision.
#[derive(Debug, Default, Serialize)]
struct HookNote<'a> {
    event: &'a str,
    answer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<String>,
    /// What takes the command's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'a str>,
    ms: u64,
}

/// What is to be answered.
pub(super) struct Wanted {
    pub(super) decision: Decision,
    /// What the agent shows.
    pub(super) reason: String,
    /// The command that takes the place of the one that was sent; a person is asked about it then.
    pub(super) replaced: Option<String>,
}

/// Puts aside what the command changes, unless it is denied or a layer will hold it, and writes the decision down. Returns what is answered:
/// where the decision cannot be written, a harmless command is left to the agent's own rules and any other is denied.
pub(super) fn decision(
    base: &Base,
    agent: Agent,
    call: &CommandCall,
    judgement: &Judgement,
    wanted: Wanted,
    started: Instant,
) -> Wanted {
    let chosen = if wanted.replaced.is_some() { Decision::Ask } else { wanted.decision };
    let wanted = Wanted { decision: chosen, ..wanted };
    let is_apart = chosen == Decision::Deny || wanted.replaced.is_some();
    let undo = if is_apart { None } else { put_aside(base, agent, call) };
    let note = HookNote {
        event: agent.event_name(Event::Before).unwrap_or_default(),
        answer: chosen.word(),
        mode: call.mode.as_deref(),
        undo,
        replaced: wanted.replaced.as_deref().map(|command| mask_named(&mask(&base.secrets.redact(command)))),
        ms: elapsed(started),
        ..HookNote::default()
    };
    let entry = AuditEntry {
        command: Some(base.secrets.redact(&call.command).into_owned()),
        verdict: judgement.verdict,
        rule: judgement.rule.to_string(),
        approved: chosen != Decision::Deny,
        ..entry(agent, Some(call), if chosen == Decision::Abstain { By::Nobody } else { By::Policy })
    };
    match base.audit().append_with(&entry, &note) {
        Ok(()) => wanted,
        Err(_) if judgement.verdict == Verdict::Allow => Wanted { decision: Decision::Abstain, ..wanted },
        Err(error) => Wanted {
            decision: Decision::Deny,
            reason: answer::reason("audit.unwritable", &error.to_string()),
            replaced: None,
        },
    }
}

/// Writes down that an event could not be handled, as far as that can be written.
pub(super) fn fault(shared: &SharedFlags, agent: Agent, event: Event, fault: &str, started: Instant) {
    let base = Base::load_in(shared, PathBuf::from("/"));
    if base.paths.state.is_none() {
        return;
    }
    let note = HookNote {
        event: agent.event_name(event).unwrap_or_default(),
        answer: Decision::Deny.word(),
        fault: Some(fault),
        ms: elapsed(started),
        ..HookNote::default()
    };
    let _ = base.audit().append_with(&entry(agent, None, By::Policy), &note);
}

fn elapsed(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn entry(agent: Agent, call: Option<&CommandCall>, by: By) -> AuditEntry {
    let text = |field: Option<&String>| field.cloned().unwrap_or_default();
    AuditEntry {
        context: CallContext {
            call: CallId::new(text(call.and_then(|call| call.call.as_ref()))),
            session: session(agent, call),
            user: "local".to_owned(),
            channel: None,
            folder: call.and_then(|call| call.folder.clone()),
        },
        tool: ToolName::new("shell"),
        source: format!("hook:{}", agent.name()),
        command: None,
        call_hash: String::new(),
        verdict: Verdict::Halt,
        rule: "hook.fault".to_owned(),
        approved: false,
        by,
    }
}

/// Names the agent's session among ours.
pub(super) fn session(agent: Agent, call: Option<&CommandCall>) -> SessionId {
    let id = call.and_then(|call| call.session.as_deref()).unwrap_or("unknown");
    SessionId::new(format!("{}:{id}", agent.name()))
}

/// Puts aside what the command names, as far as there is time; returns the step.
fn put_aside(base: &Base, agent: Agent, call: &CommandCall) -> Option<String> {
    let folder = call.folder.as_ref()?;
    let keeper = UndoKeeper::open(base)?;
    let journal = answers::journal(base)?;
    let surroundings = base.surroundings_in(Path::new(folder));
    let rules = aish_safety::PolicyRules::default();
    let changes = aish_safety::analyse(&call.command, &surroundings, &rules).changes;
    if changes.is_empty() {
        return None;
    }
    let key = Key::of(agent, call);
    // Both of two entries for one call are answered; one puts aside. Where that cannot be told, both do.
    let kind = if key.exact { KeyKind::Call } else { KeyKind::Command };
    if matches!(journal.claim_call(&key.text, kind), Ok(Claim::Taken)) {
        return journal.open_call(&key.text).map(|(step, _)| step.id);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().enable_io().build().ok()?;
    let kept = async {
        let prepared = keeper.plan(&call.command, &changes, &surroundings).await;
        keeper.save(&prepared, &session(agent, Some(call))).await.ok().flatten()
    };
    let step = runtime.block_on(async { tokio::time::timeout(ASIDE, kept).await.ok().flatten() });
    // A thread that still copies ends with the program.
    runtime.shutdown_background();
    let Some(step) = step else {
        journal.unclaim(&key.text);
        return None;
    };
    let state = CallState::Open;
    let call = AgentCall { agent: agent.name().to_owned(), key: key.text, state, finished_ms: None, status: None };
    // Without it the step stands in the list like one of ours, and can be undone all the same.
    let _ = journal.note_call(&step, &call);
    Some(step.id)
}

/// What a call is known by.
pub(super) struct Key {
    pub(super) text: String,
    /// Whether it is of this call alone, and not of every one with the same command.
    pub(super) exact: bool,
}

impl Key {
    pub(super) fn of(agent: Agent, call: &CommandCall) -> Self {
        let agent = call.caller.unwrap_or(agent).name();
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let (session, sub_agent) = (text(&call.session), text(&call.sub_agent));
        match &call.call {
            Some(id) => Self { text: [agent, &session, &sub_agent, id].join("\u{1f}"), exact: true },
            None => {
                let folder = text(&call.folder);
                // The text is kept, and a command may spell out a key.
                let command = Digest::of(call.command.as_bytes()).to_string();
                Self { text: [agent, &session, &sub_agent, &folder, &command].join("\u{1f}"), exact: false }
            }
        }
    }
}
