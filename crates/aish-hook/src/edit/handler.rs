//! One entry of ours as each agent writes it.

use std::path::Path;

use serde_json::{Value, json};

use crate::agent::{Agent, Event, Form};
use crate::own;

/// Seconds after which the agent ends a hook. Our own limit is 3 s and blocks; the agent's lets the command run in five
/// of nine, so that ours has to come first.
const SECONDS: u64 = 10;

/// Returns the field that holds the command.
pub(super) const fn command_key(agent: Agent) -> &'static str {
    match agent {
        Agent::Copilot => "bash",
        _ => "command",
    }
}

/// Writes the handler of an event. None where the agent has no such event.
pub(super) fn handler(agent: Agent, event: Event, program: &Path) -> Option<Value> {
    let command = own::command(program, agent, event)?;
    let before = event == Event::Before;
    Some(match agent {
        // Clients that do not know `onFailure` ignore it.
        Agent::Claude if before => {
            json!({"type": "command", "command": command, "timeout": SECONDS, "onFailure": "block"})
        }
        Agent::Goose if before => {
            json!({"type": "command", "command": command, "timeout": SECONDS, "on_failure": "block"})
        }
        Agent::Claude | Agent::Codex | Agent::Goose => {
            json!({"type": "command", "command": command, "timeout": SECONDS})
        }
        Agent::Gemini => json!({"type": "command", "name": "aish", "command": command, "timeout": SECONDS * 1000}),
        Agent::Qwen => json!({"type": "command", "command": command, "timeout": SECONDS * 1000}),
        Agent::Cursor if before => json!({"command": command, "timeout": SECONDS, "failClosed": true}),
        Agent::Cursor => json!({"command": command, "timeout": SECONDS}),
        Agent::Copilot => {
            json!({"type": "command", "bash": command, "matcher": agent.matcher(event), "timeoutSec": SECONDS})
        }
        Agent::Crush => {
            json!({"name": "aish", "matcher": agent.matcher(event), "command": command, "timeout": SECONDS})
        }
        Agent::Opencode => return None,
    })
}

/// Puts a handler into what stands in the event's list.
pub(super) fn entry(agent: Agent, event: Event, handler: Value) -> Value {
    match (agent.form(), agent.matcher(event)) {
        (Form::Grouped, Some(matcher)) => json!({"matcher": matcher, "hooks": [handler]}),
        (Form::Grouped, None) => json!({"hooks": [handler]}),
        (Form::Flat | Form::Module, _) => handler,
    }
}
