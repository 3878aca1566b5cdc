//! Contradictions: a file that can be read and does not make sense.

use serde_json::{Number, Value};

use super::{ArgKind, Place, Tool};
use crate::fault::{Faults, Position};
use crate::template;
use crate::yaml::{self, Kind, Node, scalar};

/// Reads a value of the type; none when it is not of that type.
pub(super) fn typed(node: &Node<'_>, kind: ArgKind) -> Option<Value> {
    if kind.is_structured() {
        let value = yaml::json(node);
        let fits = match kind {
            ArgKind::Array => value.is_array(),
            ArgKind::Object => value.is_object(),
            ArgKind::Any | ArgKind::String | ArgKind::Integer | ArgKind::Number | ArgKind::Boolean => true,
        };
        return fits.then_some(value);
    }
    let Kind::Scalar { text, .. } = &node.kind else { return None };
    match kind {
        ArgKind::String => Some(Value::from(text.as_ref())),
        ArgKind::Integer => scalar::integer(text.trim()).map(Value::from).or_else(|| whole(text)),
        ArgKind::Number => match scalar::value(text.trim()) {
            value @ Value::Number(_) => Some(value),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        },
        ArgKind::Boolean => scalar::boolean(text.trim()).map(Value::from),
        ArgKind::Array | ArgKind::Object | ArgKind::Any => None,
    }
}

/// Reads `3.0` as 3.
fn whole(text: &str) -> Option<Value> {
    let number = scalar::number(text.trim())?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53, checked here")]
    let whole = (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0).then_some(number as i64)?;
    Some(Value::Number(Number::from(whole)))
}

/// Splits words with shell quoting; where the quotes do not match, blanks alone split.
pub(super) fn words(text: &str, key: &str, at: Position, faults: &mut Faults) -> Vec<String> {
    shell_words::split(text).unwrap_or_else(|_| {
        faults.contradiction(at, format!("the quotes of '{key}' do not match; it is split at blanks"));
        text.split_whitespace().map(str::to_owned).collect()
    })
}

/// Names that a client can call.
pub(super) fn tool_name(name: &str, at: Position, faults: &mut Faults) {
    let fits = name.len() <= 128 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    if !fits {
        faults.error(at, format!("the tool name '{name}' is outside [A-Za-z0-9_.-], 1 to 128 characters"));
    }
}

/// What an argument says of its place.
pub(super) struct Switches {
    pub(super) positional: bool,
    pub(super) stdin: bool,
    pub(super) cwd: bool,
    pub(super) flag: bool,
    pub(super) kind: ArgKind,
}

/// An argument has one place.
pub(super) fn place(name: &str, switches: &Switches, at: Position, faults: &mut Faults) {
    let Switches { positional, stdin, cwd, flag, kind } = *switches;
    for (one, other, words) in [
        (positional, flag, "'positional' and 'flag'; the flag is ignored"),
        (stdin, cwd, "'stdin' and 'cwd'; it is the working directory"),
        (positional, stdin, "'positional' and 'stdin'; it is the standard input"),
        (positional, cwd, "'positional' and 'cwd'; it is the working directory"),
    ] {
        if one && other {
            faults.contradiction(at, format!("the argument '{name}' has both {words}"));
        }
    }
    if flag && (stdin || cwd) && !positional {
        faults.note(at, format!("the argument '{name}' has a flag that is never used"));
    }
    if kind == ArgKind::Boolean && (stdin || cwd) {
        faults.contradiction(
            at,
            format!("the argument '{name}' is a boolean; that cannot be the standard input or a folder"),
        );
    }
}

/// What can only be seen when the whole tool is read.
pub(super) fn tool(tool: &Tool, at: Position, confirm_at: Position, faults: &mut Faults) {
    for (place, what) in [(Place::Stdin, "standard input"), (Place::WorkingDir, "working directory")] {
        let names: Vec<&str> = tool.args.iter().filter(|arg| arg.place == place).map(|arg| arg.name.as_str()).collect();
        if names.len() > 1 {
            faults.contradiction(
                at,
                format!("'{}' has {} arguments for the {what}: {}", tool.name, names.len(), names.join(", ")),
            );
        }
    }
    let known = |name: &str| tool.arg(name).is_some() || tool.resolve.iter().any(|resolve| resolve.variable == name);
    if let Some(message) = &tool.confirm_message {
        for name in template::places(message).filter(|name| !known(name)) {
            faults.warning(
                confirm_at,
                format!("'confirm_message' of '{}' has the place {{{name}}}, and no argument has that name", tool.name),
            );
        }
    }
}
