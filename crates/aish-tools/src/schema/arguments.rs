//! The arguments of a call: parsed, coerced, filled in, checked; every fault at once.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use crate::schema::coerce::{self, admits_null};
use crate::schema::{Schema, fault};

/// Rounds of coercion: a coerced object may have members that are coerced in the next round.
const ROUNDS: usize = 8;
/// Faults that are listed.
const MAX_FAULTS: usize = 50;

/// Everything that is wrong with the arguments of a call, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<String>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// Arguments that hold against the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// After coercion and defaults, always an object.
    pub arguments: Value,
    /// Keys that the schema does not know; taken out.
    pub ignored: Vec<String>,
}

/// Parses the arguments as they came: the JSON text of an object, or of a string that holds one; nothing is no arguments.
///
/// # Errors
/// When the text is no JSON, or no object.
pub fn parse(text: &str) -> Result<Map<String, Value>, Faults> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Map::new());
    }
    let wrong = |why: String| Faults(vec![format!("Invalid arguments: {why}")]);
    let value = serde_json::from_str(text).map_err(|error| wrong(format!("not valid JSON: {error}")))?;
    object(value, &wrong)
}

/// Takes arguments that are parsed already.
///
/// # Errors
/// When they are neither an object, nor null, nor a string that holds an object.
pub(crate) fn from_value(value: Value) -> Result<Map<String, Value>, Faults> {
    object(value, &|why: String| Faults(vec![format!("Invalid arguments: {why}")]))
}

fn object(value: Value, wrong: &dyn Fn(String) -> Faults) -> Result<Map<String, Value>, Faults> {
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        Value::String(inner) if inner.trim().is_empty() => Ok(Map::new()),
        Value::String(inner) => match serde_json::from_str(&inner) {
            Ok(Value::Object(map)) => Ok(map),
            Ok(_) => Err(wrong("expected a JSON object, got a string".into())),
            Err(error) => Err(wrong(format!("not valid JSON: {error}"))),
        },
        Value::Bool(_) => Err(wrong("expected a JSON object, got a boolean".into())),
        Value::Number(_) => Err(wrong("expected a JSON object, got a number".into())),
        Value::Array(_) => Err(wrong("expected a JSON object, got an array".into())),
    }
}

impl Schema {
    /// Checks arguments: takes out what is null or unknown, fills defaults in, coerces what can be coerced.
    ///
    /// # Errors
    /// Every fault at once.
    pub fn check(&self, mut arguments: Map<String, Value>) -> Result<Checked, Faults> {
        let absent = |key: &String, value: &Value| {
            value.is_null() && self.properties.get(key).is_none_or(|p| !admits_null(p, self.required.contains(key)))
        };
        arguments.retain(|key, value| !absent(key, value));
        let ignored = self.take_unknown(&mut arguments);
        let mut filled = self.fill_defaults(&mut arguments);
        self.whole_numbers(&mut arguments);
        let mut inexact = Vec::new();
        for (name, value) in &arguments {
            let property = self.properties.get(name);
            property.into_iter().for_each(|property| coerce::inexact(property, value, name, &mut inexact));
        }
        if !inexact.is_empty() {
            return Err(Faults(inexact));
        }
        let mut arguments = Value::Object(arguments);
        for _ in 0..ROUNDS {
            self.bounded(&arguments)?;
            if self.validator.is_valid(&arguments) {
                return Ok(Checked { arguments, ignored });
            }
            let mends = self.mends(&arguments, &mut filled);
            if mends.is_empty() {
                break;
            }
            for (path, mended) in mends {
                apply(&mut arguments, &path, mended);
            }
        }
        self.bounded(&arguments)?;
        if self.validator.is_valid(&arguments) {
            return Ok(Checked { arguments, ignored });
        }
        Err(self.faults(&arguments))
    }

    fn take_unknown(&self, arguments: &mut Map<String, Value>) -> Vec<String> {
        if self.keeps_unknown {
            return Vec::new();
        }
        let unknown: Vec<String> =
            arguments.keys().filter(|key| !self.properties.contains_key(*key)).cloned().collect();
        for key in &unknown {
            arguments.remove(key);
        }
        unknown
    }

    fn fill_defaults(&self, arguments: &mut Map<String, Value>) -> Vec<String> {
        let mut filled = Vec::new();
        for (name, property) in &self.properties {
            if let Some(default) = property.get("default").filter(|default| !default.is_null())
                && !arguments.contains_key(name)
            {
                arguments.insert(name.clone(), default.clone());
                filled.push(name.clone());
            }
        }
        filled
    }

    /// Makes `3.0` a whole number where one is asked for, so that tools need not know that JSON has only one kind.
    fn whole_numbers(&self, arguments: &mut Map<String, Value>) {
        for (name, value) in arguments {
            if let Some(property) = self.properties.get(name) {
                coerce::whole_numbers(property, value);
            }
        }
    }

    /// Finds what coercion can mend, by the path of each error; a default that does not hold is taken out again.
    fn mends(&self, arguments: &Value, filled: &mut Vec<String>) -> Vec<(String, Option<Value>)> {
        let mut mends: Vec<(String, Option<Value>)> = Vec::new();
        for error in self.validator.iter_errors(arguments) {
            let path = error.instance_path().as_str().to_owned();
            if mends.iter().any(|(known, _)| *known == path) {
                continue;
            }
            let top = path.strip_prefix('/').map(|rest| unescape(rest.split('/').next().unwrap_or(rest)));
            if let Some(at) = top.and_then(|top| filled.iter().position(|name| *name == top)) {
                let name = filled.swap_remove(at);
                mends.push((format!("/{}", escape(&name)), None));
            } else if let Some(mended) = mend(&error) {
                mends.push((path, Some(mended)));
            }
        }
        mends
    }

    fn faults(&self, arguments: &Value) -> Faults {
        let mut faults: Vec<(bool, String)> = Vec::new();
        for error in self.validator.iter_errors(arguments).take(MAX_FAULTS) {
            let is_there = !matches!(error.kind(), ValidationErrorKind::Required { .. });
            let fault = (is_there, fault::of_argument(&error));
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        // What is missing is said first.
        faults.sort_by_key(|(is_there, _)| *is_there);
        Faults(faults.into_iter().map(|(_, text)| text).collect())
    }
}

/// Returns the value that would satisfy the keyword which failed, where there is one and it loses nothing.
fn mend(error: &ValidationError<'_>) -> Option<Value> {
    // Not inside a composition: another branch may take the value as it is meant.
    coerced(error).or_else(|| match error.kind() {
        ValidationErrorKind::Type { kind } => coerce::to_list(error.instance().as_ref(), kind),
        _ => None,
    })
}

fn coerced(error: &ValidationError<'_>) -> Option<Value> {
    let value = error.instance().as_ref();
    match error.kind() {
        ValidationErrorKind::Type { kind } => coerce::to_types(value, kind),
        ValidationErrorKind::Enum { options } => coerce::to_choice(value, options.as_array()?),
        ValidationErrorKind::Constant { expected_value } => {
            coerce::to_choice(value, std::slice::from_ref(&**expected_value))
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let here = error.instance_path().as_str();
            let branches = context.iter().flatten();
            branches.filter(|inner| is_same_place(inner.instance_path().as_str(), here)).find_map(coerced)
        }
        _ => None,
    }
}

/// Errors inside a composition carry the whole path or the path from the composition down, by keyword.
fn is_same_place(inner: &str, outer: &str) -> bool {
    inner == outer || inner.is_empty()
}

fn apply(arguments: &mut Value, path: &str, mended: Option<Value>) {
    match mended {
        Some(value) => {
            if let Some(place) = arguments.pointer_mut(path) {
                *place = value;
            }
        }
        None => {
            if let (Some(map), Some(key)) = (arguments.as_object_mut(), path.strip_prefix('/')) {
                map.remove(&unescape(key));
            }
        }
    }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}
