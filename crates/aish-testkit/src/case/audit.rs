//! The audit of a case: what it must say, and that it is complete.

use std::path::Path;

use serde_json::{Map, Value};

type Line = Map<String, Value>;

/// Holds the audit of a state folder against what it must say, line by line.
pub(super) fn audited(expected: &[Line], state: &Path) -> Result<(), String> {
    let lines = read(&state.join("audit.jsonl"))?;
    let kept = lines.len() == expected.len()
        && lines
            .iter()
            .zip(expected)
            .all(|(line, wanted)| wanted.iter().all(|(key, value)| line.get(key) == Some(value)));
    if kept { Ok(()) } else { Err(format!("the audit is not {expected:?}: {lines:?}")) }
}

/// Says which effect of a case has no line in the audit that let it through. Effects are told by others: the logs of
/// autonomous runs name each call that was let through, the undo journal each command that changed files.
pub(super) fn complete(state: &Path) -> Result<(), String> {
    let mut approved: Vec<Line> = read(&state.join("audit.jsonl"))?;
    approved.retain(|line| is(line, "approved", &true.into()));
    for step in read(&state.join("undo/undo.jsonl"))? {
        let is_command = is(&step, "purpose", &"command".into()) && !is(&step, "undone", &true.into());
        if is_command && !approved.iter().any(|line| line.get("command") == step.get("command")) {
            return Err(format!("the audit lets nothing through that did this: {step:?}"));
        }
    }
    let Ok(sessions) = std::fs::read_dir(state.join("sessions")) else { return Ok(()) };
    let logs = sessions.filter_map(|entry| Some(entry.ok()?.path()));
    for log in logs.filter(|path| path.extension().is_some_and(|kind| kind == "norris")) {
        for step in read(&log)? {
            if !is(&step, "type", &"verdict".into()) || !is(&step, "approved", &true.into()) {
                continue;
            }
            // Each line of the audit is for one call.
            match approved.iter().position(|line| line.get("tool") == step.get("tool")) {
                Some(at) => {
                    approved.remove(at);
                }
                None => return Err(format!("the audit has no line for a call that ran: {step:?}")),
            }
        }
    }
    Ok(())
}

fn is(line: &Line, key: &str, value: &Value) -> bool {
    line.get(key) == Some(value)
}

/// Reads lines of JSON; a file that is not there has none.
fn read(path: &Path) -> Result<Vec<Line>, String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines: Result<Vec<Line>, _> = text.lines().map(serde_json::from_str).collect();
    lines.map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_without_its_line_is_found() {
        let state = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = state.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert_eq!(complete(state.path()), Ok(()), "nothing happened");
        write("audit.jsonl", "{\"tool\":\"shell\",\"command\":\"rm a\",\"approved\":true}\n");
        write("undo/undo.jsonl", "{\"purpose\":\"command\",\"command\":\"rm a\",\"undone\":false}\n");
        write("sessions/s.norris", "{\"type\":\"verdict\",\"tool\":\"shell\",\"approved\":true}\n");
        assert_eq!(complete(state.path()), Ok(()));
        write("undo/undo.jsonl", "{\"purpose\":\"command\",\"command\":\"rm b\",\"undone\":false}\n");
        assert!(complete(state.path()).is_err());
        write("undo/undo.jsonl", "");
        let two = "{\"type\":\"verdict\",\"tool\":\"shell\",\"approved\":true}\n".repeat(2);
        write("sessions/s.norris", &two);
        assert!(complete(state.path()).is_err(), "two calls, one line");
    }
}
