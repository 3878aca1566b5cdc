//! What is wrong with an argument, in the words that a caller can act on.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

const MAX_SHOWN: usize = 200;

/// Says what is wrong with an argument; of a composition, what is wrong in each branch.
pub(crate) fn of_argument(error: &ValidationError<'_>) -> String {
    one(error, "")
}

/// Says what is wrong with a result.
pub(crate) fn of_result(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().as_str();
    let text = short(&error.to_string());
    if path.is_empty() { text } else { format!("{path}: {text}") }
}

fn one(error: &ValidationError<'_>, above: &str) -> String {
    let name = dotted(error.instance_path().as_str());
    let name = if name.is_empty() { above.to_owned() } else { name };
    let value = error.instance().as_ref();
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let property = property.as_str().map_or_else(|| property.to_string(), str::to_owned);
            let whole = if name.is_empty() { property } else { format!("{name}.{property}") };
            format!("Missing required argument '{whole}'")
        }
        ValidationErrorKind::Enum { options } => {
            let options: Vec<String> = options.as_array().into_iter().flatten().map(show).collect();
            format!("Argument '{name}' must be one of: {}", options.join(", "))
        }
        ValidationErrorKind::Constant { expected_value } => {
            format!("Argument '{name}' must be one of: {}", show(expected_value))
        }
        ValidationErrorKind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(set) => {
                    let all: Vec<String> = set.iter().map(|one| one.to_string()).collect();
                    all.join(" or ")
                }
            };
            let hint = if wanted == "array" { r#"; give a list, as in ["a", "b"]"# } else { "" };
            format!("Argument '{name}': cannot convert '{}' to {wanted}{hint}", short(&show(value)))
        }
        ValidationErrorKind::MinItems { limit } => {
            format!("Argument '{name}' is a list of {}, and at least {limit} must be given", length(value))
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("Argument '{name}' is a list of {}, and at most {limit} can be given", length(value))
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let branches: Vec<String> = context
                .iter()
                .map(|errors| errors.iter().map(|error| one(error, &name)).collect::<Vec<_>>().join(" and "))
                .collect();
            short(&branches.join("; or: "))
        }
        _ if name.is_empty() => format!("Invalid arguments: {}", short(&error.to_string())),
        _ => format!("Argument '{name}': {}", short(&error.to_string())),
    }
}

fn length(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

/// Cuts a text that is shown inside a message.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Shows a value: text without its quotes, all else as JSON.
fn show(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Writes a JSON pointer as `a.b[0]`.
fn dotted(pointer: &str) -> String {
    let mut out = String::new();
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        if !out.is_empty() && !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_digit()) {
            out.push_str(&format!("[{segment}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&segment);
        }
    }
    out
}
