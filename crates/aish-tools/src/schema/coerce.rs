//! Coercion that loses nothing: `"42"` to 42, `3.0` to 3, `"true"` to true, JSON text to the list or object in it, `"a"` to a list
//! of it.

use jsonschema::JsonType;
use jsonschema::error::TypeKind;
use serde_json::{Number, Value};

/// Integers up to here are exact as floating-point numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Converts to the first of the wanted types that takes the value.
pub(crate) fn to_types(value: &Value, kind: &TypeKind) -> Option<Value> {
    match kind {
        TypeKind::Single(wanted) => to_type(value, *wanted),
        TypeKind::Multiple(set) => {
            // Text is the last resort: it takes every scalar.
            let order = [
                JsonType::Integer,
                JsonType::Number,
                JsonType::Boolean,
                JsonType::Array,
                JsonType::Object,
                JsonType::String,
            ];
            order.into_iter().filter(|wanted| set.contains(*wanted)).find_map(|wanted| to_type(value, wanted))
        }
    }
}

fn to_type(value: &Value, wanted: JsonType) -> Option<Value> {
    match wanted {
        JsonType::Integer => match value {
            Value::String(text) => whole_text(text.trim()),
            Value::Number(_) => whole(value),
            _ => None,
        },
        JsonType::Number => match value {
            Value::String(text) => number_text(text.trim()),
            _ => None,
        },
        JsonType::Boolean => match value {
            Value::String(text) => boolean_text(text.trim()),
            Value::Number(number) => match number.as_f64() {
                Some(0.0) => Some(Value::Bool(false)),
                Some(1.0) => Some(Value::Bool(true)),
                _ => None,
            },
            _ => None,
        },
        JsonType::String => match value {
            Value::Number(number) => Some(Value::String(number.to_string())),
            Value::Bool(is) => Some(Value::String(is.to_string())),
            _ => None,
        },
        JsonType::Array => inner(value).filter(Value::is_array),
        JsonType::Object => inner(value).filter(Value::is_object),
        JsonType::Null => None,
    }
}

/// Takes a single value for a list of one, where a list is wanted and nothing else would do. A text that begins as a list does
/// and is none was meant as one, and says so as a fault.
pub(crate) fn to_list(value: &Value, kind: &TypeKind) -> Option<Value> {
    let wants = match kind {
        TypeKind::Single(wanted) => *wanted == JsonType::Array,
        TypeKind::Multiple(set) => set.contains(JsonType::Array),
    };
    let is_single = match value {
        Value::String(text) => !is_broken_list(text),
        Value::Number(_) | Value::Bool(_) => true,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    };
    (wants && is_single).then(|| Value::Array(vec![value.clone()]))
}

/// Tells `['a', 'b']` from `[id].tsx`.
fn is_broken_list(text: &str) -> bool {
    text.trim_start().strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['"', '\'']))
}

/// Returns the member of a list of choices that reads as the value does.
pub(crate) fn to_choice(value: &Value, choices: &[Value]) -> Option<Value> {
    let text = scalar(value)?;
    choices.iter().find(|choice| scalar(choice).is_some_and(|choice| choice == text)).cloned()
}

/// Says whether null means something under a schema, and not that the argument is absent.
pub(crate) fn admits_null(schema: &Value, required: bool) -> bool {
    let names_null = |types: &Value| match types {
        Value::String(one) => one == "null",
        Value::Array(many) => many.iter().any(|one| one == "null"),
        _ => false,
    };
    let Some(map) = schema.as_object() else { return required };
    if let Some(types) = map.get("type") {
        return names_null(types);
    }
    if let Some(choices) = map.get("enum").and_then(Value::as_array) {
        return choices.iter().any(Value::is_null);
    }
    if let Some(constant) = map.get("const") {
        return constant.is_null();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = map.get(key).and_then(Value::as_array) {
            return branches.iter().any(|branch| admits_null(branch, false));
        }
    }
    required
}

/// Returns a number as a whole one, if it is one.
pub(crate) fn whole(value: &Value) -> Option<Value> {
    if value.is_i64() || value.is_u64() {
        return Some(value.clone());
    }
    let number = value.as_f64()?;
    (number.fract() == 0.0 && number.abs() <= EXACT).then(|| Value::from(number as i64))
}

/// Makes `3.0` a whole number where the schema asks for one, also among the items of a list.
pub(crate) fn whole_numbers(schema: &Value, value: &mut Value) {
    if let (Value::Array(items), Some(schema)) = (&mut *value, schema.get("items")) {
        items.iter_mut().for_each(|item| whole_numbers(schema, item));
        return;
    }
    let wants = schema.get("type").and_then(Value::as_str) == Some("integer");
    if wants
        && value.is_f64()
        && let Some(whole) = whole(value)
    {
        *value = whole;
    }
}

/// Finds whole numbers that cannot be passed on as they were written: beyond 64 bits, the nearest floating-point number is
/// all that is left of one. Looks at what the schema says of members and items.
pub(crate) fn inexact(schema: &Value, value: &Value, name: &str, faults: &mut Vec<String>) {
    match value {
        Value::Number(number) if number.is_f64() && schema.get("type").is_some_and(|kind| kind == "integer") => {
            if number.as_f64().is_some_and(|number| number.fract() == 0.0 && number.abs() > EXACT) {
                faults.push(format!(
                    "Argument '{name}': {number} cannot be passed on exactly; give a whole number of at most 64 bits, without a \
                     point or an exponent"
                ));
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                if let Some(schema) = schema.get("properties").and_then(|properties| properties.get(key)) {
                    inexact(schema, member, &format!("{name}.{key}"), faults);
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                if let Some(schema) = schema.get("items") {
                    inexact(schema, item, &format!("{name}[{at}]"), faults);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn whole_text(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if let Ok(number) = digits.parse::<i64>() {
        return Some(number.into());
    }
    if let Ok(number) = digits.parse::<u64>() {
        return Some(number.into());
    }
    whole(&number_text(text)?)
}

fn number_text(text: &str) -> Option<Value> {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    if text.is_empty() || !text.chars().all(plain) {
        return None;
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    Number::from_f64(text.parse().ok()?).map(Value::Number)
}

fn boolean_text(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(Value::Bool(true)),
        "false" | "no" | "off" | "0" => Some(Value::Bool(false)),
        _ => None,
    }
}

fn inner(value: &Value) -> Option<Value> {
    serde_json::from_str(value.as_str()?).ok()
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
