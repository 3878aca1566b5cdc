//! Contradictions: a file that can be read and does not make sense.

use std::collections::HashMap;

use serde_json::{Number, Value};

use super::{ArgKind, Place, Tool};
use crate::expand;
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
    if let Some(sign) = shell_sign(text) {
        faults.warning(
            at,
            format!("'{key}' has a '{sign}' as in a shell, and no shell is involved: it is a word for the program; put it in a script"),
        );
    }
    shell_words::split(text).unwrap_or_else(|_| {
        faults.contradiction(at, format!("the quotes of '{key}' do not match; it is split at blanks"));
        text.split_whitespace().map(str::to_owned).collect()
    })
}

/// Returns what only a shell would understand at the beginning of a word without quotes, such as `|` or `2>`.
fn shell_sign(text: &str) -> Option<String> {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open && before != '\\' => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') && before != '\\' => quote = Some(c),
            None if before.is_whitespace() => {
                let word = text.get(at..)?.split_whitespace().next().unwrap_or_default();
                let sign = word.trim_start_matches(|c: char| c.is_ascii_digit());
                let is_sign = sign.starts_with(['|', '>', '<', ';'])
                    || sign == "&"
                    || sign.starts_with("&&")
                    || sign.starts_with("$(")
                    || sign.starts_with('`');
                if is_sign {
                    return Some(word.to_owned());
                }
            }
            None => {}
        }
        before = c;
    }
    None
}

/// What may be written where an argument's value is meant: `{name}` as a word of the command.
pub(super) fn places_in_command<'a>(
    command: impl Iterator<Item = &'a str>,
    is_argument: impl Fn(&str) -> bool,
    at: Position,
    faults: &mut Faults,
) {
    let inner = |word: &'a str| word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
    for name in command.filter_map(inner).filter(|name| is_argument(name)) {
        let message = format!(
            "'command' has {{{name}}}, and values are not filled in there; say `positional: true` or `flag` in '{name}'"
        );
        faults.warning(at, message);
    }
}

/// Names and flags that no client or program can mean.
pub(super) fn arg_words(name: &str, flag: Option<&str>, at: Position, faults: &mut Faults) {
    if name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        faults.contradiction(
            at,
            format!("the argument's name '{}' has blanks; clients may refuse it", name.escape_debug()),
        );
    }
    match flag {
        Some("") => {
            faults.contradiction(at, format!("'flag' of '{name}' is empty; --{} is used", name.replace('_', "-")))
        }
        Some(flag) if flag.contains(char::is_whitespace) => {
            faults.contradiction(at, format!("'flag' of '{name}' has blanks, and is one word: '{flag}'"));
        }
        Some(_) | None => {}
    }
}

/// Variables are not filled into what a program is given as its environment.
pub(super) fn env(env: &[(String, String)], at: Position, faults: &mut Faults) {
    for (name, value) in env {
        let filled = expand::variables(value, &|_: &str| Some(String::new())).0;
        if filled != *value {
            faults.warning(
                at,
                format!(
                    "'env': {name} is given as it is written, '{value}': variables are filled in for MCP servers alone"
                ),
            );
        }
    }
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
pub(super) fn tool(tool: &Tool, at: Position, faults: &mut Faults) {
    for (place, what) in [(Place::Stdin, "standard input"), (Place::WorkingDir, "working directory")] {
        let names: Vec<&str> = tool.args.iter().filter(|arg| arg.place == place).map(|arg| arg.name.as_str()).collect();
        if names.len() > 1 {
            faults.contradiction(
                at,
                format!("'{}' has {} arguments for the {what}: {}", tool.name, names.len(), names.join(", ")),
            );
        }
    }
    let mut flags: HashMap<&str, &str> = HashMap::new();
    for arg in &tool.args {
        let Place::Flag(flag) = &arg.place else { continue };
        let first = *flags.entry(flag.as_str()).or_insert(arg.name.as_str());
        if first != arg.name {
            faults.note(at, format!("'{first}' and '{}' of '{}' have the same flag, {flag}", arg.name, tool.name));
        }
    }
    places_in_command(tool.command.iter().map(String::as_str), |name| tool.arg(name).is_some(), at, faults);
    for resolve in &tool.resolve {
        let is_list = |place: &&str| tool.arg(place).is_some_and(|arg| arg.list.is_some());
        let (variable, name) = (&resolve.variable, &tool.name);
        if let Some(list) = resolve.args.iter().flat_map(|(_, text)| template::places(text)).find(is_list) {
            let message = format!("the look-up '{variable}' of '{name}' is left out where '{list}' has several items");
            faults.warning(at, message);
        }
    }
}

/// Tells places of the question that nothing fills in; all arguments and look-ups have to be there for that.
pub(super) fn confirm(tool: &Tool, at: Position, faults: &mut Faults) {
    let known = |name: &str| tool.arg(name).is_some() || tool.resolve.iter().any(|resolve| resolve.variable == name);
    if let Some(message) = &tool.confirm_message {
        for name in template::places(message).filter(|name| !known(name)) {
            faults.warning(
                at,
                format!("'confirm_message' of '{}' has the place {{{name}}}, and no argument has that name", tool.name),
            );
        }
    }
}
