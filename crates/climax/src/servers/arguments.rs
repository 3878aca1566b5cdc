//! Arguments that a user's file fills in or hides: they leave a tool's schema wherever it tells of them.
//!
//! A schema tells of its arguments in its own `properties`, and in all parts that are applied to the same object: those of
//! `allOf`, `anyOf` and `oneOf`, and what it refers to.

use std::cell::Cell;

use serde_json::{Map, Value, json};

/// How deep parts and references are followed.
const MAX_DEPTH: usize = 8;

/// How many values are looked at or copied: each reference may lead to many more.
const MAX_VALUES: usize = 100_000;

/// What becomes of an argument that a caller does not give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Absent<'v> {
    /// This value is sent in any case.
    Fixed(&'v Value),
    /// It is never sent.
    Hidden,
    /// It stays in the schema, and need not be given.
    Optional,
}

/// Takes out an argument, or what says that it has to be given. Returns whether the schema told of it.
pub(super) fn leave_out(schema: &mut Value, name: &str, absent: Absent<'_>) -> bool {
    let whole = schema.clone();
    Leaving { whole: &whole, name, absent, left: Cell::new(MAX_VALUES) }.part(schema, MAX_DEPTH)
}

/// Returns what a schema says of an argument in its own `properties`, to be changed.
pub(super) fn property<'s>(schema: &'s mut Value, name: &str) -> Option<&'s mut Map<String, Value>> {
    schema.pointer_mut("/properties").and_then(|all| all.get_mut(name)).and_then(Value::as_object_mut)
}

/// Writes a name as a server may read it that does not look at case or signs.
pub(crate) fn folded(name: &str) -> String {
    let letters = name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    letters.filter(|letter| letter.is_alphanumeric()).collect()
}

struct Leaving<'l> {
    whole: &'l Value,
    name: &'l str,
    absent: Absent<'l>,
    /// The values that may still be looked at or copied.
    left: Cell<usize>,
}

impl Leaving<'_> {
    fn part(&self, part: &mut Value, depth: usize) -> bool {
        let (Some(depth), Some(map), true) = (depth.checked_sub(1), part.as_object_mut(), self.may_take(1)) else {
            return false;
        };
        let mut told = self.reference(map, depth);
        if self.absent != Absent::Optional
            && let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut)
        {
            told |= properties.remove(self.name).is_some();
        } else {
            told |= map.get("properties").is_some_and(|properties| properties.get(self.name).is_some());
        }
        told |= self.required(map);
        for key in ["anyOf", "oneOf"] {
            if let (Absent::Fixed(value), Some(Value::Array(branches))) = (self.absent, map.get_mut(key))
                && branches.iter().any(|branch| self.admits(branch, value))
            {
                branches.retain(|branch| self.admits(branch, value));
            }
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            for branch in map.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                told |= self.part(branch, depth);
            }
        }
        for key in ["then", "else"] {
            told |= map.get_mut(key).is_some_and(|branch| self.part(branch, depth));
        }
        told
    }

    /// Puts what is referred to in the place of the reference where it tells of the argument: others may refer to it, too.
    fn reference(&self, map: &mut Map<String, Value>, depth: usize) -> bool {
        let Some(target) = map.get("$ref").and_then(|to| self.target(to)) else { return false };
        if !self.may_take(size(target)) {
            return false;
        }
        let mut target = target.clone();
        if !self.part(&mut target, depth) {
            return false;
        }
        map.remove("$ref");
        match target {
            Value::Object(target)
                if target.keys().all(|key| !map.contains_key(key) || map.get(key) == target.get(key)) =>
            {
                map.extend(target);
            }
            target => match map.get_mut("allOf") {
                Some(Value::Array(all)) => all.push(target),
                Some(_) | None => drop(map.insert("allOf".into(), json!([target]))),
            },
        }
        true
    }

    /// Takes so many values of those that are left; none are where that is too much.
    fn may_take(&self, values: usize) -> bool {
        let left = self.left.get().checked_sub(values);
        self.left.set(left.unwrap_or_default());
        left.is_some()
    }

    fn target(&self, reference: &Value) -> Option<&Value> {
        self.whole.pointer(reference.as_str()?.strip_prefix('#')?)
    }

    /// Takes it out of what has to be given.
    fn required(&self, map: &mut Map<String, Value>) -> bool {
        let mut told = false;
        let mut forget = |list: &mut Vec<Value>| {
            let before = list.len();
            list.retain(|item| item != self.name);
            told |= list.len() < before;
        };
        if let Some(Value::Array(names)) = map.get_mut("required") {
            forget(names);
        }
        let mut follows = Vec::new();
        for key in ["dependentRequired", "dependencies"] {
            let Some(dependent) = map.get_mut(key).and_then(Value::as_object_mut) else { continue };
            if let (Absent::Fixed(_), Some(Value::Array(names))) = (self.absent, dependent.get(self.name)) {
                follows.extend(names.clone());
            }
            if self.absent != Absent::Optional {
                dependent.remove(self.name);
            }
            dependent.values_mut().filter_map(Value::as_array_mut).for_each(&mut forget);
        }
        if let (Absent::Fixed(_), Some(least)) = (self.absent, map.get("minProperties").and_then(Value::as_u64)) {
            map.insert("minProperties".into(), json!(least.saturating_sub(1)));
        }
        if !follows.is_empty()
            && let Some(names) = map.entry("required").or_insert_with(|| json!([])).as_array_mut()
        {
            follows.retain(|name| !names.contains(name));
            names.extend(follows);
        }
        told
    }

    /// Says whether a branch is one for this value, as far as it names values.
    fn admits(&self, branch: &Value, value: &Value) -> bool {
        let branch = branch.get("$ref").and_then(|to| self.target(to)).unwrap_or(branch);
        let Some(property) = branch.get("properties").and_then(|properties| properties.get(self.name)) else {
            return true;
        };
        let is_constant = property.get("const").is_none_or(|constant| constant == value);
        is_constant && property.get("enum").and_then(Value::as_array).is_none_or(|choices| choices.contains(value))
    }
}

/// Counts the values in one, itself among them.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(mut schema: Value, absent: Absent<'_>) -> (Value, bool) {
        let told = leave_out(&mut schema, "key", absent);
        (schema, told)
    }

    #[test]
    fn an_argument_leaves_every_part_that_tells_of_it() {
        let both = json!({"path": {}, "key": {}});
        let path = json!({"path": {}});
        for (schema, expected) in [
            (
                json!({"properties": both, "required": ["path", "key"], "minProperties": 2}),
                json!({"properties": path, "required": ["path"], "minProperties": 1}),
            ),
            (
                json!({"properties": path, "anyOf": [{"required": ["path", "key"]}, {"required": ["key"]}]}),
                json!({"properties": path, "anyOf": [{"required": ["path"]}, {"required": []}]}),
            ),
            (
                json!({"allOf": [{"properties": both, "required": ["key"]}], "then": {"required": ["key"]}}),
                json!({"allOf": [{"properties": path, "required": []}], "then": {"required": []}}),
            ),
            (
                json!({"properties": path, "dependentRequired": {"path": ["key"], "key": ["path"]}}),
                json!({"properties": path, "dependentRequired": {"path": []}, "required": ["path"]}),
            ),
            (
                json!({"oneOf": [{"properties": {"key": {"const": "K"}, "a": {}}}, {"properties": {"key": {"enum": ["L"]}}}]}),
                json!({"oneOf": [{"properties": {"a": {}}}]}),
            ),
        ] {
            assert_eq!(left(schema.clone(), Absent::Fixed(&json!("K"))), (expected, true), "{schema}");
        }
        assert_eq!(left(json!({"properties": path}), Absent::Hidden), (json!({"properties": path}), false));
    }

    #[test]
    fn what_others_refer_to_stays_as_it_is() {
        let definitions = json!({"a": {"type": "object", "properties": {"key": {}, "b": {"$ref": "#/$defs/a"}}, "required": ["key"]}});
        let (schema, told) = left(json!({"$ref": "#/$defs/a", "$defs": definitions}), Absent::Fixed(&json!(1)));
        assert!(told);
        assert_eq!(
            schema,
            json!({"$defs": definitions, "type": "object", "properties": {"b": {"$ref": "#/$defs/a"}}, "required": []})
        );
        let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
        assert_eq!(left(circle.clone(), Absent::Hidden), (circle, false));
    }

    #[test]
    fn references_that_multiply_end() {
        let definitions: Map<String, Value> = (0..10)
            .map(|at| {
                let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
                (format!("d{at}"), json!({"allOf": vec![next; 300]}))
            })
            .collect();
        let schema = json!({"$ref": "#/$defs/d0", "properties": {"key": {}}, "$defs": definitions});
        let (schema, told) = left(schema, Absent::Hidden);
        assert_eq!((schema["properties"].clone(), told), (json!({}), true));
    }

    #[test]
    fn an_argument_with_a_default_need_not_be_given() {
        let (schema, told) =
            left(json!({"properties": {"key": {}}, "required": ["key"], "minProperties": 1}), Absent::Optional);
        assert_eq!((schema, told), (json!({"properties": {"key": {}}, "required": [], "minProperties": 1}), true));
    }

    #[test]
    fn names_that_a_server_may_take_for_one_another_are_one() {
        for name in ["API_KEY", "apiKey", "api-key", " apikey", "api\u{212a}ey", "a\u{200b}pikey"] {
            assert_eq!(folded(name), "apikey", "{name}");
        }
    }
}
