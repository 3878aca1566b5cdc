//! The answer of a hook, in the agent's own words: one JSON object, or nothing.

use serde_json::{Map, Value, json};

use crate::agent::{Agent, Event};
use crate::decision::Decision;

/// The longest reason, in characters.
const MAX_REASON: usize = 300;

/// Writes a decision down as the agent reads it; none where nothing is to be said.
///
/// `reason` is what the agent shows: to the model where the command is denied, to the person where it is asked about.
pub fn answer(agent: Agent, decision: Decision, reason: &str) -> Option<String> {
    let word = match decision {
        Decision::Abstain => return None,
        decision => decision.word(),
    };
    let value = match agent {
        Agent::Claude | Agent::Codex | Agent::Qwen => json!({"hookSpecificOutput": {
            "hookEventName": agent.event_name(Event::Before),
            "permissionDecision": word,
            "permissionDecisionReason": reason,
        }}),
        Agent::Gemini | Agent::Crush => json!({"decision": word, "reason": reason}),
        Agent::Goose => json!({"decision": "block", "reason": reason}),
        Agent::Cursor => json!({"permission": word, "user_message": reason, "agent_message": reason}),
        Agent::Copilot => json!({"permissionDecision": word, "permissionDecisionReason": reason}),
        // Our own module reads it.
        Agent::Opencode => json!({"decision": word, "reason": reason}),
    };
    Some(Value::to_string(&value))
}

/// Asks about a command that takes the place of the one that the agent sent; none for agents that are never answered so.
///
/// `input` has all arguments of the call as they came; only its command is another.
pub fn replacing(agent: Agent, reason: &str, input: &Map<String, Value>, command: &str) -> Option<String> {
    if agent != Agent::Claude {
        return None;
    }
    let mut input = input.clone();
    input.insert("command".to_owned(), command.into());
    let output = json!({
        "hookEventName": agent.event_name(Event::Before),
        "permissionDecision": Decision::Ask.word(),
        "permissionDecisionReason": reason,
        "updatedInput": input,
    });
    Some(json!({"hookSpecificOutput": output}).to_string())
}

/// Writes down what a command changed, for agents that read something after one; none for the others. It is a fact, and
/// tells nobody what to do.
pub fn told(agent: Agent, event: Event, text: &str) -> Option<String> {
    let output = json!({"hookEventName": agent.event_name(event)?, "additionalContext": text});
    match agent {
        // The person reads the message, the model the context.
        Agent::Claude => Some(json!({"systemMessage": text, "hookSpecificOutput": output}).to_string()),
        Agent::Codex | Agent::Gemini | Agent::Qwen => Some(json!({"hookSpecificOutput": output}).to_string()),
        Agent::Opencode | Agent::Cursor | Agent::Copilot | Agent::Goose | Agent::Crush => None,
    }
}

/// Puts the reason for asking about a command in a layer into one or two sentences.
pub fn reason_in_a_layer(rule: &str, why: &str) -> String {
    ended(rule, why, ". It runs in a layer: `aish undo` takes back exactly what it changes.")
}

/// Puts a reason into one or two sentences of 300 characters at most, control and invisible characters written out.
pub fn reason(rule: &str, why: &str) -> String {
    ended(rule, why, ". The person can run it themselves.")
}

/// The same for a command that runs.
pub fn reason_to_allow(rule: &str, why: &str) -> String {
    ended(rule, why, "")
}

fn ended(rule: &str, why: &str, tail: &str) -> String {
    let head = aish_types::visible(&format!("aish: {rule}: {}", why.trim_end_matches('.'))).replace('\n', " ");
    let room = MAX_REASON.saturating_sub(tail.chars().count());
    if head.chars().count() <= room {
        return format!("{head}{tail}");
    }
    let cut: String = head.chars().take(room.saturating_sub(1)).collect();
    format!("{cut}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a value with the names of objects in the order of the alphabet, whatever order they are kept in.
    fn sorted(value: &Value) -> String {
        let Value::Object(object) = value else { return value.to_string() };
        let mut fields: Vec<String> = object.iter().map(|(name, value)| format!("{name}: {}", sorted(value))).collect();
        fields.sort();
        format!("{{{}}}", fields.join(", "))
    }

    #[test]
    fn each_agent_reads_its_own_words() {
        let mut all = String::new();
        for agent in Agent::ALL {
            for decision in [Decision::Allow, Decision::Ask, Decision::Deny] {
                let said: std::collections::BTreeMap<String, Value> =
                    serde_json::from_str(&answer(agent, decision, "r").unwrap()).unwrap();
                let said =
                    said.into_iter().map(|(name, value)| format!("{name}: {}", sorted(&value))).collect::<Vec<_>>();
                let said = said.join(", ");
                all.push_str(&format!("{} {} {said}\n", agent.name(), decision.word()));
            }
            assert_eq!(answer(agent, Decision::Abstain, "r"), None);
        }
        insta::assert_snapshot!(all);
    }

    #[test]
    fn another_command_is_only_ever_asked_about_and_keeps_the_other_arguments() {
        let input = json!({"command": "rm a", "description": "Remove a", "timeout": 5000});
        for agent in Agent::ALL {
            let said = replacing(agent, "r", input.as_object().unwrap(), "aish try -- rm a");
            assert_eq!(said.is_some(), agent == Agent::Claude, "{agent:?}");
            let Some(said) = said else { continue };
            let said: Value = serde_json::from_str(&said).unwrap();
            let output = &said["hookSpecificOutput"];
            assert_eq!(output["permissionDecision"], "ask");
            assert_eq!(
                output["updatedInput"],
                json!({"command": "aish try -- rm a", "description": "Remove a", "timeout": 5000})
            );
        }
    }

    #[test]
    fn a_reason_is_short_and_visible() {
        let long = reason("files.delete", &"deletes \u{202e}/srv\u{7}\n ".repeat(60));
        assert_eq!(long.chars().count(), 300);
        assert!(
            long.ends_with("… The person can run it themselves.")
                || long.ends_with("…. The person can run it themselves.")
        );
        assert!(!long.contains(['\u{202e}', '\u{7}', '\n']));
        assert_eq!(
            reason("files.delete", "deletes /srv."),
            "aish: files.delete: deletes /srv. The person can run it themselves."
        );
    }
}
