//! What a plain scalar means where a number or a boolean is wanted.

use serde_json::{Number, Value};

/// Reads a boolean in the spellings of YAML 1.1.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Reads a whole number: decimal, `0x`, `0o`, or the old octal with a leading zero; underscores are skipped.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let clean: String = text.chars().filter(|&c| c != '_').collect();
    let (negative, digits) = match clean.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, clean.strip_prefix('+').unwrap_or(&clean)),
    };
    let magnitude = if let Some(hex) = digits.strip_prefix("0x") {
        i64::from_str_radix(hex, 16).ok()?
    } else if let Some(octal) = digits.strip_prefix("0o") {
        i64::from_str_radix(octal, 8).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) {
        i64::from_str_radix(digits, 8).ok()?
    } else if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        if negative {
            return format!("-{digits}").parse().ok();
        }
        digits.parse().ok()?
    } else {
        return None;
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Reads a finite number.
pub(crate) fn number(text: &str) -> Option<f64> {
    let looks_numeric = text.bytes().next().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.'));
    if !looks_numeric {
        return None;
    }
    if let Some(whole) = integer(text) {
        #[expect(clippy::cast_precision_loss, reason = "a config's number is a float where one is wanted")]
        return Some(whole as f64);
    }
    let clean: String = text.chars().filter(|&c| c != '_').collect();
    clean.parse::<f64>().ok().filter(|n| n.is_finite())
}

/// Reads a plain scalar as the JSON value that YAML 1.1 makes of it.
pub(crate) fn value(text: &str) -> Value {
    if let Some(whole) = integer(text) {
        return Value::from(whole);
    }
    if let Some(number) = number(text) {
        return Number::from_f64(number).map_or(Value::Null, Value::Number);
    }
    boolean(text).map_or_else(|| Value::from(text), Value::Bool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_mean_what_yaml_1_1_says() {
        for (text, expected) in [
            ("12", Value::from(12)),
            ("-7", Value::from(-7)),
            ("0x1F", Value::from(31)),
            ("010", Value::from(8)),
            ("1_000", Value::from(1000)),
            ("1.5", Value::from(1.5)),
            ("1e3", Value::from(1000.0)),
            ("yes", Value::from(true)),
            ("Off", Value::from(false)),
            ("v1.2", Value::from("v1.2")),
            ("-", Value::from("-")),
            ("inf", Value::from("inf")),
            ("-9223372036854775808", Value::from(i64::MIN)),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }
}
