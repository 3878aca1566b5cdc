//! What is said of undo, before and after.

use std::path::Path;

use aish_journal::undo::{AgentCall, CallState, Plan, Purpose, Restored, Step};

/// How a note begins that tells what undo brings back.
pub const NOTE: &str = "undo: ";

/// How one begins that tells what undo does not bring back.
pub const LOSS: &str = "undo: cannot ";

/// The most lines of one kind.
const SHOWN: usize = 5;

/// Tells what would be put aside and what cannot be brought back.
pub fn planned(plan: &Plan, unnamed: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    if plan.files > 0 {
        lines.push(format!("{NOTE}{}, {} put aside", count(plan.files), size(plan.bytes)));
    }
    let missed = plan.missed.iter().map(|(path, why)| format!("{LOSS}bring back {} because {why}", path.display()));
    let unnamed = unnamed.iter().map(|what| format!("{LOSS}bring back {what}"));
    let all: Vec<String> = missed.chain(unnamed).collect();
    let more = all.len().saturating_sub(SHOWN);
    lines.extend(all.into_iter().take(SHOWN));
    if more > 0 {
        lines.push(format!("{LOSS}bring back {more} more"));
    }
    lines
}

/// Lists steps, newest first. Those of other sessions than the given one are marked.
///
/// `call` is the call of another agent that they are for.
pub fn list(steps: &[Step], session: Option<&str>, call: Option<&AgentCall>) -> Vec<String> {
    if steps.is_empty() {
        return vec!["there is nothing to undo".to_owned()];
    }
    let line = |step: &Step| {
        let time = step.time.get(..16).unwrap_or(&step.time).replace('T', " ");
        let missed = if step.missed.is_empty() { String::new() } else { format!(", {} not", step.missed.len()) };
        let command: String = step.command.lines().next().unwrap_or_default().chars().take(100).collect();
        let kept = match step.purpose {
            Purpose::Command => "",
            Purpose::Undo => "(what was there before an undo) ",
        };
        let agent = call.map(|call| of_agent(call, step)).unwrap_or_default();
        let other = match session {
            _ if call.is_some() => "",
            Some(session) if step.session.as_deref() != Some(session) => "(another session) ",
            Some(_) | None => "",
        };
        format!(
            "{}  {time}  {}, {}{missed}  {agent}{other}{kept}{command}",
            step.id,
            count(step.files),
            size(step.bytes)
        )
    };
    steps.iter().rev().map(line).collect()
}

/// Says whose command a step is for: the agent, its session, and how far the command is.
fn of_agent(call: &AgentCall, step: &Step) -> String {
    let session = step.session.as_deref().unwrap_or_default();
    let session = session.strip_prefix(&format!("{}:", call.agent)).unwrap_or(session);
    let state = match (call.state, call.status) {
        (CallState::Open, _) => ", may still run".to_owned(),
        (CallState::Background, _) => ", in the background".to_owned(),
        (CallState::Finished, Some(status)) => format!(", exit {status}"),
        (CallState::Finished, None) => String::new(),
        (CallState::Unknown, _) => ", its end was not told".to_owned(),
    };
    format!("({}, session {session}{state}) ", call.agent)
}

/// Warns before an undo of a command that another agent may still run.
pub fn running(call: Option<&AgentCall>) -> Option<String> {
    let call = call.filter(|call| matches!(call.state, CallState::Open | CallState::Background))?;
    Some(format!("{} has not told the end of this command: it may still run, and change these files again", call.agent))
}

/// Tells what of a step an undo cannot bring back, before it brings back the rest.
pub fn lost(step: &Step) -> Vec<String> {
    let missed = step.missed.iter().map(|(path, why)| format!("{path} because {why}"));
    let all: Vec<String> = missed.chain(step.unnamed.iter().cloned()).collect();
    let more = all.len().saturating_sub(SHOWN);
    let mut lines: Vec<String> = all.iter().take(SHOWN).map(|what| format!("cannot bring back {what}")).collect();
    if more > 0 {
        lines.push(format!("cannot bring back {more} more"));
    }
    lines
}

/// Tells what an undo did, but for what was [`lost`] and is told already.
pub fn restored(restored: &Restored, step: &Step, undo: &str) -> Vec<String> {
    // Of what could not be put aside nothing is undone.
    let is_lost = step.files == 0 && !(step.missed.is_empty() && step.unnamed.is_empty());
    let is_new = |path: &Path| !step.missed.iter().any(|(lost, _)| Path::new(lost) == path);
    let refused: Vec<_> = restored.failed.iter().filter(|(path, _)| is_new(path)).collect();
    let is_refused = restored.restored.is_empty() && !refused.is_empty();
    let said = if is_lost || is_refused { "not undone" } else { "undone" };
    let mut lines = vec![format!("{said}: {}", restored.command)];
    for path in restored.restored.iter().take(SHOWN) {
        lines.push(format!("  {}", path.display()));
    }
    let more = restored.restored.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    if is_lost {
        lines.push("  nothing of it could be put aside".to_owned());
    } else if restored.restored.is_empty() && !is_refused {
        lines.push("  everything that was put aside is as it was".to_owned());
    }
    for (path, why) in refused {
        lines.push(format!("not brought back: {} because {why}", path.display()));
    }
    if let Some(kept) = &restored.kept {
        lines.push(kept_instead(undo, kept));
    }
    lines
}

/// Tells where an undo put what was there before it.
pub fn kept_instead(undo: &str, step: &str) -> String {
    format!("what was there instead is kept: `{undo} {step}` brings it back")
}

fn count(files: u64) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

/// Writes a size in bytes for a person.
pub fn size(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit / (unit / 10));
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", tenths(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => format!("{} GB", tenths(1_000_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_told_once_and_first() {
        let step = Step {
            id: "1-0".into(),
            time: String::new(),
            time_ms: 1,
            command: "cp big small".into(),
            purpose: Purpose::Command,
            session: Some("s".into()),
            files: 1,
            missed: vec![("/big".into(), "it is too large".into())],
            unnamed: vec!["what `tar x` writes".into()],
            bytes: 1,
            undone: false,
        };
        assert_eq!(
            lost(&step),
            ["cannot bring back /big because it is too large", "cannot bring back what `tar x` writes"]
        );
        let done = Restored {
            command: step.command.clone(),
            restored: vec!["/small".into()],
            failed: vec![("/big".into(), "it is too large".into()), ("/x".into(), "no leave".into())],
            ..Restored::default()
        };
        assert_eq!(
            restored(&done, &step, "aish undo"),
            ["undone: cp big small", "  /small", "not brought back: /x because no leave"]
        );
        let nothing = Step { files: 0, ..step.clone() };
        let lost = Restored { command: step.command.clone(), ..Restored::default() };
        let told = ["not undone: cp big small", "  nothing of it could be put aside"];
        assert_eq!(restored(&lost, &nothing, "aish undo"), told, "it is not said to be undone");
        let same = ["undone: cp big small", "  everything that was put aside is as it was"];
        assert_eq!(restored(&lost, &step, "aish undo"), same);
        let refused = Restored { failed: vec![("/x".into(), "no leave".into())], ..lost.clone() };
        let told = ["not undone: cp big small", "not brought back: /x because no leave"];
        assert_eq!(restored(&refused, &step, "aish undo"), told, "nothing is as it was");
        let marked = |session| list(std::slice::from_ref(&step), session, None)[0].contains("(another session)");
        assert_eq!([marked(None), marked(Some("s")), marked(Some("t"))], [false, false, true]);
    }

    #[test]
    fn sizes_and_counts_read_well() {
        assert_eq!(
            [size(0), size(1), size(999), size(12_345), size(268_435_456)],
            ["0 bytes", "1 byte", "999 bytes", "12.3 kB", "268.4 MB"]
        );
        let plan = Plan { files: 3, bytes: 12_000, missed: vec![("/x".into(), "it is too large".into())] };
        let unnamed: Vec<String> = (0..7).map(|n| format!("what `{n}` changes")).collect();
        let lines = planned(&plan, &unnamed);
        assert_eq!(lines[0], "undo: 3 files, 12.0 kB put aside");
        assert_eq!(lines[1], "undo: cannot bring back /x because it is too large");
        assert_eq!(lines.last().unwrap(), "undo: cannot bring back 3 more");
    }
}
