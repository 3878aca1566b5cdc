//! How much a check may cost: the evaluations of a schema with references are counted before they are made.
//!
//! A few lines can ask for more than there is time for: each of thirty definitions takes the next one twice, or a definition
//! takes itself twice for each level of a value. What has no references costs no more than its own size for each value.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

/// Evaluations of a part of the schema on a part of the value.
pub(super) const MAX_EVALUATIONS: u64 = 1_000_000;

/// References that lead back to what is applied to the same value already.
const MAX_CIRCLES: usize = 3;

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords whose schemas are applied to the same value.
const HERE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Keywords with a schema under each name, applied to the same value.
const HERE_BY_NAME: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords whose schemas are applied to members that have no other one.
const OTHERS: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "propertyNames"];
/// Keywords whose schemas are applied to items.
const ITEMS: [&str; 4] = ["items", "additionalItems", "unevaluatedItems", "contains"];

/// References that go round in circles without getting deeper into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its references go round in circles")]
pub(super) struct Knot;

/// A schema as a graph of its parts.
pub(super) struct Work {
    parts: Vec<Part>,
    root: usize,
}

/// A part of a schema, by the numbers of the parts that it applies.
#[derive(Default)]
struct Part {
    /// To the same value; what comes later, so that nothing leads back.
    here: Vec<usize>,
    members: HashMap<String, Vec<usize>>,
    /// To members by a pattern.
    patterns: Vec<usize>,
    others: Vec<usize>,
    items: Vec<usize>,
    /// To the item of each place.
    places: Vec<usize>,
}

impl Part {
    fn goes_down(&self) -> bool {
        !(self.members.is_empty()
            && [&self.patterns, &self.others, &self.items, &self.places].iter().all(|list| list.is_empty()))
    }

    fn of_member(&self, name: &str) -> impl Iterator<Item = usize> {
        let known = self.members.get(name);
        let others: &[usize] = if known.is_some() { &[] } else { &self.others };
        known.into_iter().flatten().chain(&self.patterns).chain(others).copied()
    }

    fn of_item(&self, at: usize) -> impl Iterator<Item = usize> {
        self.places.get(at).into_iter().chain(&self.items).copied()
    }
}

impl Work {
    /// Reads a schema; none where nothing in it is applied twice.
    ///
    /// # Errors
    /// When its references go round in circles.
    pub(super) fn of(schema: &Value) -> Result<Option<Self>, Knot> {
        if !has_references(schema) {
            return Ok(None);
        }
        let mut reader = Reader { schema, known: HashMap::new(), parts: Vec::new(), named: HashMap::new() };
        reader.name(schema, &mut String::new());
        let root = reader.at("", schema);
        let mut at = 0;
        // References lead to parts that no keyword does.
        while let Some((pointer, part)) = reader.parts.get(at).map(|(pointer, part, _)| (pointer.clone(), *part)) {
            let read = reader.read(&pointer, part);
            if let Some((_, _, place)) = reader.parts.get_mut(at) {
                *place = read;
            }
            at += 1;
        }
        let parts = reader.parts.into_iter().map(|(_, _, part)| part).collect();
        let (parts, numbers) = without_circles(parts).ok_or(Knot)?;
        Ok(Some(Self { parts, root: numbers.get(root).copied().unwrap_or_default() }))
    }

    /// Says whether a value is checked within the bound.
    pub(super) fn fits(&self, value: &Value) -> bool {
        let mut left = MAX_EVALUATIONS;
        self.walk(value, BTreeMap::from([(self.root, 1)]), &mut left).is_some()
    }

    /// Counts what is applied to a value and everything in it; none where that is too much.
    fn walk(&self, value: &Value, mut applied: BTreeMap<usize, u64>, left: &mut u64) -> Option<()> {
        let mut down: Vec<(&Part, u64)> = Vec::new();
        while let Some((number, times)) = applied.pop_first() {
            *left = left.checked_sub(times)?;
            let Some(part) = self.parts.get(number) else { continue };
            for next in &part.here {
                let count = applied.entry(*next).or_default();
                *count = count.saturating_add(times);
            }
            if part.goes_down() {
                down.push((part, times));
            }
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    self.below(member, Step::Member(name), &down, left)?;
                }
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.below(item, Step::Item(at), &down, left)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Some(())
    }

    /// Counts what is applied to a member or item, by the parts that are applied to the whole, each so many times.
    fn below(&self, child: &Value, step: Step<'_>, down: &[(&Part, u64)], left: &mut u64) -> Option<()> {
        *left = left.checked_sub(u64::try_from(down.len()).unwrap_or(u64::MAX))?;
        let mut applied: BTreeMap<usize, u64> = BTreeMap::new();
        for (part, times) in down {
            let parts: Vec<usize> = match step {
                Step::Member(name) => part.of_member(name).collect(),
                Step::Item(at) => part.of_item(at).collect(),
            };
            for number in parts {
                let count = applied.entry(number).or_default();
                *count = count.saturating_add(*times);
            }
        }
        if applied.is_empty() { Some(()) } else { self.walk(child, applied, left) }
    }
}

/// The way from a value into it.
#[derive(Debug, Clone, Copy)]
enum Step<'v> {
    Member(&'v str),
    Item(usize),
}

fn has_references(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => REFERENCES.iter().any(|key| map.contains_key(*key)) || map.values().any(has_references),
        Value::Array(items) => items.iter().any(has_references),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Numbers the parts of a schema by their pointers.
struct Reader<'s> {
    schema: &'s Value,
    known: HashMap<String, usize>,
    parts: Vec<(String, &'s Value, Part)>,
    /// Pointers of the parts that have a name of their own, by `#name` or by their address.
    named: HashMap<String, String>,
}

impl<'s> Reader<'s> {
    fn at(&mut self, pointer: &str, part: &'s Value) -> usize {
        if let Some(known) = self.known.get(pointer) {
            return *known;
        }
        let number = self.parts.len();
        self.known.insert(pointer.to_owned(), number);
        self.parts.push((pointer.to_owned(), part, Part::default()));
        number
    }

    /// Notes the names that parts give themselves.
    fn name(&mut self, part: &'s Value, pointer: &mut String) {
        let length = pointer.len();
        match part {
            Value::Object(map) => {
                for (key, sign) in [("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", ""), ("id", "")] {
                    if let Some(name) = map.get(key).and_then(Value::as_str) {
                        self.named.entry(format!("{sign}{name}")).or_insert_with(|| pointer.clone());
                    }
                }
                for (key, inner) in map {
                    pointer.push('/');
                    pointer.push_str(&escaped(key));
                    self.name(inner, pointer);
                    pointer.truncate(length);
                }
            }
            Value::Array(items) => {
                for (at, inner) in items.iter().enumerate() {
                    pointer.push_str(&format!("/{at}"));
                    self.name(inner, pointer);
                    pointer.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Finds the part that a reference means; one that cannot be told counts as the whole.
    fn meant(&mut self, reference: &str) -> usize {
        let pointer = match (reference.strip_prefix('#'), self.named.get(reference)) {
            (_, Some(pointer)) => pointer.clone(),
            (Some(pointer), None) => percent_decoded(pointer),
            // By its address, or the end of it.
            (None, None) => {
                let end = reference.trim_start_matches("./");
                let named = self.named.iter().find(|(name, _)| !end.is_empty() && name.ends_with(end));
                named.map(|(_, pointer)| pointer.clone()).unwrap_or_default()
            }
        };
        let whole = self.schema;
        match whole.pointer(&pointer) {
            Some(part) => self.at(&pointer, part),
            None => self.at("", whole),
        }
    }

    fn read(&mut self, pointer: &str, part: &'s Value) -> Part {
        let mut out = Part::default();
        let Value::Object(map) = part else { return out };
        for key in HERE {
            out.here.extend(self.each(map, pointer, key));
        }
        for key in HERE_BY_NAME {
            out.here.extend(self.by_name(map, pointer, key).into_iter().map(|(_, number)| number));
        }
        for key in REFERENCES {
            if let Some(reference) = map.get(key).and_then(Value::as_str) {
                out.here.push(self.meant(reference));
            }
        }
        for (name, number) in self.by_name(map, pointer, "properties") {
            out.members.entry(name).or_default().push(number);
        }
        out.patterns.extend(self.by_name(map, pointer, "patternProperties").into_iter().map(|(_, number)| number));
        for key in OTHERS {
            out.others.extend(self.each(map, pointer, key));
        }
        for key in ITEMS {
            out.items.extend(self.each(map, pointer, key));
        }
        out.places = self.each(map, pointer, "prefixItems");
        out
    }

    /// The schema of a keyword, or each one of its list.
    fn each(&mut self, map: &'s Map<String, Value>, pointer: &str, key: &str) -> Vec<usize> {
        match map.get(key) {
            Some(part @ Value::Object(_)) => vec![self.at(&format!("{pointer}/{key}"), part)],
            Some(Value::Array(parts)) => {
                let parts = parts.iter().enumerate();
                parts.map(|(at, part)| self.at(&format!("{pointer}/{key}/{at}"), part)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn by_name(&mut self, map: &'s Map<String, Value>, pointer: &str, key: &str) -> Vec<(String, usize)> {
        let named = map.get(key).and_then(Value::as_object).into_iter().flatten();
        let schemas = named.filter(|(_, part)| part.is_object());
        schemas
            .map(|(name, part)| (name.clone(), self.at(&format!("{pointer}/{key}/{}", escaped(name)), part)))
            .collect()
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn percent_decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let code = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                out.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                out.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Renumbers the parts so that what is applied to the same value comes later, and leaves out what leads back: a validator does
/// not go round in a circle either. None where there is more than a circle or two: each of them may be left in many ways.
fn without_circles(parts: Vec<Part>) -> Option<(Vec<Part>, Vec<usize>)> {
    let (mut begun, mut done): (HashSet<usize>, HashSet<usize>) = (HashSet::new(), HashSet::new());
    let mut back: HashSet<(usize, usize)> = HashSet::new();
    let mut numbers = vec![0; parts.len()];
    for start in 0..parts.len() {
        let mut stack = vec![(start, 0)];
        while let Some((number, at)) = stack.pop() {
            if at == 0 && !begun.insert(number) {
                continue;
            }
            match parts.get(number).and_then(|part| part.here.get(at).copied()) {
                Some(next) => {
                    stack.push((number, at + 1));
                    if !begun.contains(&next) {
                        stack.push((next, 0));
                    } else if !done.contains(&next) {
                        back.insert((number, next));
                    }
                }
                None => {
                    done.insert(number);
                    if let Some(place) = numbers.get_mut(number) {
                        *place = parts.len() - done.len();
                    }
                }
            }
        }
    }
    if back.len() > MAX_CIRCLES {
        return None;
    }
    let new = |number: usize| numbers.get(number).copied().unwrap_or_default();
    let mut placed: Vec<(usize, Part)> = Vec::with_capacity(parts.len());
    for (number, mut part) in parts.into_iter().enumerate() {
        part.here.retain(|next| !back.contains(&(number, *next)));
        let members = part.members.values_mut();
        let lists = [&mut part.here, &mut part.patterns, &mut part.others, &mut part.items, &mut part.places];
        members.chain(lists).flatten().for_each(|next| *next = new(*next));
        placed.push((new(number), part));
    }
    placed.sort_unstable_by_key(|(number, _)| *number);
    Some((placed.into_iter().map(|(_, part)| part).collect(), numbers))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fits(schema: &Value, value: &Value) -> bool {
        Work::of(schema).unwrap().is_none_or(|work| work.fits(value))
    }

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!({"x": inner}))
    }

    #[test]
    fn what_doubles_with_each_definition_is_too_much() {
        let doubling = |count: usize| {
            let mut definitions: Map<String, Value> = (0..count)
                .map(|at| {
                    let next = json!({"$ref": format!("#/$defs/l{}", at + 1)});
                    (format!("l{at}"), json!({"anyOf": [next, next]}))
                })
                .collect();
            definitions.insert(format!("l{count}"), json!({"type": "integer"}));
            json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/l0"}}, "$defs": definitions})
        };
        assert!(fits(&doubling(10), &json!({"x": "a"})));
        assert!(!fits(&doubling(30), &json!({"x": "a"})));
        assert!(fits(&doubling(30), &json!({"y": "a"})), "nothing of it is applied");
    }

    #[test]
    fn what_doubles_with_each_level_of_a_value_is_too_much() {
        let member = json!({"properties": {"x": {"$ref": "#/$defs/a"}}});
        for schema in [
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [member, member]}}}),
            json!({"$ref": "#a", "$defs": {"a": {"$anchor": "a", "allOf": [
                {"additionalProperties": {"$ref": "#a"}}, {"patternProperties": {"": {"$ref": "#a"}}}]}}}),
            json!({"$id": "http://h/s", "oneOf": [{"properties": {"x": {"$ref": "s"}}}, {"properties": {"x": {"$ref": "s"}}}]}),
            json!({"$dynamicAnchor": "n", "anyOf": [{"properties": {"x": {"$dynamicRef": "#n"}}},
                {"properties": {"x": {"$dynamicRef": "#n"}}}]}),
        ] {
            assert!(fits(&schema, &nested(8)), "{schema}");
            assert!(!fits(&schema, &nested(40)), "{schema}");
        }
        let lists = json!({"items": {"$ref": "#"}, "contains": {"$ref": "#"}});
        assert!(!fits(&lists, &(0..40).fold(json!([]), |inner, _| json!([inner]))));
    }

    #[test]
    fn ordinary_recursion_is_checked() {
        let tree = json!({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {
            "name": {"type": "string"}, "left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"},
            "all": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}});
        let deep = (0..60).fold(json!({"name": "a"}), |inner, _| json!({"left": inner, "all": [{"name": "b"}]}));
        assert!(fits(&tree, &deep));
        let wide: Vec<Value> = (0..20_000).map(|at| json!({"name": at})).collect();
        assert!(fits(&tree, &json!({"all": wide})));
        assert!(Work::of(&json!({"type": "object", "properties": {"a": {"enum": [1]}}})).unwrap().is_none());
        assert!(fits(&json!({"$ref": "#"}), &json!({"a": 1})));
    }

    #[test]
    fn a_knot_of_references_is_no_schema() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let all: Vec<Value> = names.iter().map(|name| json!({"$ref": format!("#/$defs/{name}")})).collect();
        let definitions: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({"anyOf": all}))).collect();
        assert!(Work::of(&json!({"$ref": "#/$defs/a", "$defs": definitions})).is_err());
    }
}
