//! What a stranger's tool is asked to do, by its name and its arguments: commands, queries and paths among them are
//! judged as such. A judgement from here may only raise.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use aish_programs::words::tool_calls::{COMMANDS, DELETES, DESTROYS, QUERIES};
use serde_json::Value;

use crate::call::PreparedCall;
use crate::command::{Surroundings, analyse, analyse_argv, judge_sql};
use crate::policy::rule::NONE;
use crate::verdict::{Judgement, Verdict};

/// The deepest nesting of arguments that is looked at.
const DEPTH: usize = 16;

/// Judges a tool's arguments; none where they tell nothing.
pub(crate) fn judge_arguments(call: &PreparedCall, surroundings: &Surroundings) -> Option<Judgement> {
    let mut worst = None;
    let mut open: Vec<(&str, &Value, usize)> = alloc::vec![("", &call.arguments, 0)];
    while let Some((key, value, depth)) = open.pop() {
        if depth > DEPTH {
            return Some(Judgement::new(Verdict::Halt, "tool.arguments", "its arguments are nested too deep"));
        }
        match value {
            Value::Object(entries) => {
                open.extend(entries.iter().map(|(key, value)| (key.as_str(), value, depth + 1)));
            }
            Value::Array(items) => {
                let words: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_string)).collect();
                if let Some(words) = words.filter(|words| !words.is_empty() && is_one_of(COMMANDS, key)) {
                    worst = stricter(worst, analyse_argv(&words, surroundings, &NONE).judgement);
                }
                open.extend(items.iter().map(|item| (key, item, depth + 1)));
            }
            Value::String(text) if is_one_of(COMMANDS, key) => {
                worst = stricter(worst, analyse(text, surroundings, &NONE).judgement);
            }
            Value::String(text) if is_one_of(QUERIES, key) => {
                if let Some(judgement) = judge_sql(text, surroundings) {
                    worst = stricter(worst, judgement);
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    worst
}

fn is_one_of(keys: &[&str], key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    keys.contains(&lower.as_str())
}

/// Keeps what halts: that a command would be asked about is the tool's own affair.
fn stricter(worst: Option<Judgement>, judgement: Judgement) -> Option<Judgement> {
    if worst.is_some() || judgement.verdict < Verdict::Halt {
        return worst;
    }
    let reason = format!("its arguments would do this: {}", judgement.reason);
    Some(Judgement::new(Verdict::Halt, judgement.rule, reason))
}

/// Judges a stranger's tool by the verbs in its name.
pub(crate) fn judge_name(call: &PreparedCall) -> Option<Judgement> {
    let definition = &call.definition;
    if definition.trusted {
        return None;
    }
    let (_, name) = definition.name.split();
    let lower = name.to_ascii_lowercase();
    let mut parts = lower.split(['_', '-', '.', '/']);
    let first = parts.next().unwrap_or_default();
    let destroys = DESTROYS.contains(&first)
        || DELETES.contains(&first)
            && parts.any(|part| {
                matches!(
                    part,
                    "all"
                        | "database"
                        | "repository"
                        | "repo"
                        | "project"
                        | "bucket"
                        | "namespace"
                        | "table"
                        | "cluster"
                        | "account"
                        | "user"
                        | "directory"
                        | "branch"
                        | "volume"
                        | "instance"
                )
            });
    destroys.then(|| Judgement::new(Verdict::Halt, "tool.name", format!("by its name, {name} destroys something")))
}
