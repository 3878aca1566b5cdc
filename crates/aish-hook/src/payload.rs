//! What an agent sends to a hook: one JSON object on standard input.

use serde_json::{Map, Value};

use crate::agent::{Agent, Event};

/// The largest payload that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// What a payload says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// A call of a tool that is not the shell.
    OtherTool,
    /// The end of a session.
    SessionEnd {
        /// The session.
        session: Option<String>,
    },
    /// A command of the shell tool.
    Command(Box<CommandCall>),
}

/// A command that an agent wants to run or has run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandCall {
    /// The command, as the agent hands it to its shell.
    pub command: String,
    /// The folder that it runs in, joined but not resolved; none where the payload names none.
    pub folder: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The agent's id of the call.
    pub call: Option<String>,
    /// The sub-agent that made the call.
    pub sub_agent: Option<String>,
    /// The agent's mode of permission, in its own word.
    pub mode: Option<String>,
    /// Whether the command runs on in the background when the agent is told that it has run.
    pub background: bool,
    /// The command's exit status, after it ran and where the agent tells.
    pub status: Option<i32>,
    /// The agent that really called, where it reads the hooks of another one.
    pub caller: Option<Agent>,
    /// All arguments of the call, as they came.
    pub input: Map<String, Value>,
}

/// Why a payload was not understood. Whoever reads one blocks the command then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// It is larger than [`MAX_BYTES`].
    #[error("the payload is larger than 1 MiB")]
    TooLarge,
    /// It is not one JSON object.
    #[error("the payload is not one JSON object: {0}")]
    Malformed(String),
    /// It is about another event than the one that the hook was started for.
    #[error("the hook was started for {expected}, but the payload is about {found}")]
    OtherEvent {
        /// The event of the command line.
        expected: String,
        /// The event of the payload.
        found: String,
    },
    /// It is about the shell tool and has no command.
    #[error("the payload has no command")]
    NoCommand,
}

/// Reads a payload.
///
/// # Errors
/// When it is too large, not one JSON object, about another event, or about the shell without a command.
pub fn read(agent: Agent, event: Event, bytes: &[u8]) -> Result<Payload, PayloadError> {
    if bytes.len() > MAX_BYTES {
        return Err(PayloadError::TooLarge);
    }
    let object: Map<String, Value> =
        serde_json::from_slice(bytes).map_err(|error| PayloadError::Malformed(error.to_string()))?;
    check_event(agent, event, &object)?;
    if event == Event::SessionEnd {
        return Ok(Payload::SessionEnd { session: text(&object, SESSION) });
    }
    let caller = caller(agent, &object);
    // Cursor's event is about the shell and names no tool; every other agent says which tool it is about.
    let tool = text(&object, &["tool_name", "toolName", "tool"]);
    match &tool {
        Some(tool) if !agent.is_shell(tool) => return Ok(Payload::OtherTool),
        None if agent != Agent::Cursor => return Err(PayloadError::NoCommand),
        _ => {}
    }
    let input = input(&object);
    let command = text(&input, &["command"]).or_else(|| text(&object, &["command"]));
    let command = command.filter(|command| !command.trim().is_empty()).ok_or(PayloadError::NoCommand)?;
    Ok(Payload::Command(Box::new(CommandCall {
        folder: folder(&object, &input),
        session: text(&object, SESSION),
        call: text(&object, &["tool_use_id", "tool_call_id", "callID", "toolCallId"]),
        sub_agent: text(&object, &["agent_id"]),
        mode: text(&object, &["permission_mode"]),
        background: is_background(&object, &input),
        status: status(event, &object),
        caller,
        command,
        input,
    })))
}

const SESSION: &[&str] = &["session_id", "sessionId", "sessionID", "conversation_id"];

/// Returns the first of some fields that is a text.
fn text(object: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| object.get(*name)?.as_str()).map(str::to_owned)
}

/// Compares the event of the payload with the one of the command line.
fn check_event(agent: Agent, event: Event, object: &Map<String, Value>) -> Result<(), PayloadError> {
    let expected = agent.event_name(event).unwrap_or_default();
    match text(object, &["hook_event_name", "event"]) {
        Some(found) if found != expected => Err(PayloadError::OtherEvent { expected: expected.to_owned(), found }),
        _ => Ok(()),
    }
}

/// Returns the agent that reads the hooks of Claude Code as its own.
fn caller(agent: Agent, object: &Map<String, Value>) -> Option<Agent> {
    if agent != Agent::Claude {
        return None;
    }
    if object.contains_key("cursor_version") {
        return Some(Agent::Cursor);
    }
    let copilot = object.contains_key("timestamp")
        && !object.contains_key("tool_use_id")
        && !object.contains_key("permission_mode");
    copilot.then_some(Agent::Copilot)
}

/// Returns the arguments of the tool: an object, or the text of one.
fn input(object: &Map<String, Value>) -> Map<String, Value> {
    let given = ["tool_input", "toolArgs", "args"].iter().find_map(|name| object.get(*name));
    match given {
        Some(Value::Object(input)) => input.clone(),
        Some(Value::String(written)) => serde_json::from_str(written).unwrap_or_default(),
        _ => Map::new(),
    }
}

/// Returns the call's own folder, joined to the session's.
fn folder(object: &Map<String, Value>, input: &Map<String, Value>) -> Option<String> {
    let session = text(object, &["cwd", "working_dir"]);
    let own = text(input, &["dir_path", "workdir"]).filter(|folder| !folder.is_empty());
    match (session, own) {
        (session, None) => session,
        (_, Some(own)) if own.starts_with('/') => Some(own),
        (Some(session), Some(own)) => Some(format!("{}/{own}", session.trim_end_matches('/'))),
        (None, Some(_)) => None,
    }
}

fn is_background(object: &Map<String, Value>, input: &Map<String, Value>) -> bool {
    let asked = ["run_in_background", "is_background"].iter().any(|name| input.get(*name) == Some(&Value::Bool(true)));
    let task = object.get("tool_response").and_then(|response| response.get("backgroundTaskId"));
    asked || task.is_some_and(|task| !task.is_null())
}

/// Returns the exit status, as far as the agent tells.
fn status(event: Event, object: &Map<String, Value>) -> Option<i32> {
    match event {
        Event::Before | Event::SessionEnd => None,
        Event::AfterFailure => number_after(object.get("error")?.as_str()?, "Exit code "),
        Event::After => {
            let response = object.get("tool_response")?;
            if let Some(content) = response.get("llmContent").and_then(Value::as_str) {
                return number_after(content, "Exit Code: ");
            }
            // Claude Code has an event of its own for failures; a response of text alone says nothing of the status.
            response.get("stdout").map(|_| 0)
        }
    }
}

fn number_after(text: &str, mark: &str) -> Option<i32> {
    let (_, rest) = text.split_once(mark)?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '-').unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}
