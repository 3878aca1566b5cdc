//! JSON Schemas, compiled: the arguments of a call are checked against one, and a structured result too.
//!
//! A schema from outside is kept whole. It is bounded in size and depth, never fetched from elsewhere, and its patterns
//! are matched in linear time, or, where they need more, with a limit.

mod arguments;
mod coerce;
mod fault;
mod unknown;
mod work;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value};

pub(crate) use arguments::from_value;
pub use arguments::{Checked, Faults, parse};
pub(crate) use fault::short;
pub use unknown::unknown_argument;
use work::{MAX_EVALUATIONS, Work};

/// The largest schema, in bytes of JSON.
pub const MAX_BYTES: usize = 256 * 1024;
/// The deepest nesting of a schema.
pub const MAX_DEPTH: usize = 64;
const BACKTRACK_LIMIT: usize = 100_000;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It is over the bounds.
    #[error("the schema is over {MAX_BYTES} bytes or {MAX_DEPTH} levels deep")]
    TooLarge,
    /// It is no JSON Schema, or refers to one that is not in it.
    #[error("the schema cannot be used: {0}")]
    Invalid(String),
}

/// A compiled schema.
pub struct Schema {
    validator: Validator,
    properties: Map<String, Value>,
    required: Vec<String>,
    keeps_unknown: bool,
    work: Option<Work>,
}

impl Schema {
    /// Compiles a schema; null means any object.
    ///
    /// # Errors
    /// When it is over the bounds, no JSON Schema, or refers to one elsewhere.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let any_object = serde_json::json!({"type": "object"});
        let schema = if schema.is_null() { &any_object } else { schema };
        if !is_bounded(schema) {
            return Err(SchemaError::TooLarge);
        }
        let work = Work::of(schema).map_err(|knot| SchemaError::Invalid(knot.to_string()))?;
        let validator = build(schema)?;
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str).map(String::from).collect();
        let keeps_unknown = schema.get("properties").is_none() && !is_closed(schema) || lets_others_in(schema);
        Ok(Self { validator, properties, required, keeps_unknown, work })
    }

    /// Checks a value as it is, without coercion, and returns what is wrong with it.
    ///
    /// # Errors
    /// Every fault, in words.
    pub fn validate(&self, value: &Value) -> Result<(), Faults> {
        self.bounded(value)?;
        if self.validator.is_valid(value) {
            return Ok(());
        }
        let faults: Vec<String> =
            self.validator.iter_errors(value).take(20).map(|error| fault::of_result(&error)).collect();
        Err(Faults(faults))
    }

    /// Refuses a value that cannot be checked in the time that there is.
    fn bounded(&self, value: &Value) -> Result<(), Faults> {
        if self.work.as_ref().is_none_or(|work| work.fits(value)) {
            return Ok(());
        }
        Err(Faults(vec![format!(
            "Invalid arguments: the references of the schema would take more than {MAX_EVALUATIONS} steps to check this"
        )]))
    }
}

/// Compiles: newest draft first unless the schema names one, linear patterns first.
fn build(schema: &Value) -> Result<Validator, SchemaError> {
    let drafts: &[Option<Draft>] =
        if schema.get("$schema").is_some() { &[None] } else { &[None, Some(Draft::Draft7), Some(Draft::Draft4)] };
    let mut first = None;
    for draft in drafts {
        let options = || {
            let options = jsonschema::options().offline();
            match draft {
                Some(draft) => options.with_draft(*draft),
                None => options,
            }
        };
        let linear = options().with_pattern_options(PatternOptions::regex()).build(schema);
        let result = linear.or_else(|_| {
            let limited = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
            options().with_pattern_options(limited).build(schema)
        });
        match result {
            Ok(validator) => return Ok(validator),
            Err(error) => first = first.or_else(|| Some(fault::short(&error.to_string()))),
        }
    }
    Err(SchemaError::Invalid(first.unwrap_or_default()))
}

fn is_closed(schema: &Value) -> bool {
    schema.get("additionalProperties").and_then(Value::as_bool) == Some(false)
}

/// Says whether keys beside `properties` may mean something to the tool.
fn lets_others_in(schema: &Value) -> bool {
    let open = match schema.get("additionalProperties") {
        Some(Value::Bool(open)) => *open,
        Some(_) => true,
        None => false,
    };
    let composed = ["patternProperties", "allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if", "dependentSchemas"];
    open || composed.iter().any(|key| schema.get(key).is_some())
}

fn is_bounded(schema: &Value) -> bool {
    let mut room = MAX_BYTES;
    spend(schema, MAX_DEPTH, &mut room)
}

fn spend(value: &Value, levels: usize, room: &mut usize) -> bool {
    let (own, children): (usize, Box<dyn Iterator<Item = &Value>>) = match value {
        Value::Array(items) => (2, Box::new(items.iter())),
        Value::Object(map) => (2 + map.keys().map(|key| key.len() + 3).sum::<usize>(), Box::new(map.values())),
        Value::String(text) => (text.len() + 2, Box::new(std::iter::empty())),
        Value::Null | Value::Bool(_) | Value::Number(_) => (5, Box::new(std::iter::empty())),
    };
    let Some(left) = room.checked_sub(own + 1) else { return false };
    *room = left;
    let Some(below) = levels.checked_sub(1) else { return false };
    children.into_iter().all(|child| spend(child, below, room))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_over_the_bounds_is_refused() {
        let mut deep = json!({"type": "object"});
        for _ in 0..100 {
            deep = json!({"type": "object", "properties": {"a": deep}});
        }
        assert_eq!(Schema::compile(&deep).err(), Some(SchemaError::TooLarge));
        let wide = json!({"enum": (0..100_000).collect::<Vec<_>>()});
        assert_eq!(Schema::compile(&wide).err(), Some(SchemaError::TooLarge));
    }

    #[test]
    fn nothing_is_fetched() {
        for reference in ["http://127.0.0.1:1/x", "file:///etc/passwd", "other.json"] {
            let schema = json!({"type": "object", "properties": {"a": {"$ref": reference}}});
            assert!(matches!(Schema::compile(&schema), Err(SchemaError::Invalid(_))), "{reference}");
        }
    }

    #[test]
    fn references_inside_work_and_circles_end() {
        let schema = json!({"$defs": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/n"}}});
        let schema = Schema::compile(&schema).unwrap();
        assert!(schema.validate(&json!({"a": 1})).is_ok());
        assert!(schema.validate(&json!({"a": "x"})).is_err());
        let circle = json!({"properties": {"next": {"$ref": "#"}}, "required": ["v"]});
        assert!(Schema::compile(&circle).unwrap().validate(&json!({"v": 1, "next": {}})).is_err());
        if let Ok(schema) = Schema::compile(&json!({"$ref": "#"})) {
            let _ = schema.validate(&json!({"a": 1}));
        }
    }

    #[test]
    fn older_drafts_and_look_around_work() {
        let old = json!({"properties": {"a": {"type": "number", "minimum": 1, "exclusiveMinimum": true}}});
        assert!(Schema::compile(&old).unwrap().validate(&json!({"a": 1})).is_err());
        let look = Schema::compile(&json!({"properties": {"a": {"pattern": "^(?!x).*$"}}})).unwrap();
        assert!(look.validate(&json!({"a": "xy"})).is_err());
        assert!(look.validate(&json!({"a": "y"})).is_ok());
    }

    #[test]
    fn a_pattern_cannot_burn_time() {
        let schema = Schema::compile(&json!({"properties": {"a": {"pattern": "^(a+)+$(?!x)"}}})).unwrap();
        let text = format!("{}!", "a".repeat(10_000));
        let start = std::time::Instant::now();
        assert!(schema.validate(&json!({"a": text})).is_err());
        assert!(start.elapsed().as_secs() < 5);
    }
}
