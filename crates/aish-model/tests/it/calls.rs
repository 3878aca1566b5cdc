//! Tool calls of a small model: whatever the schema, a call parses and fits it.

use serde_json::{Map, Value, json};

use crate::session::Session;

/// A small generator of pseudo-random numbers (xorshift): the same schemas on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    fn schema(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => json!({"type": "string"}),
            1 => json!({"type": "string", "enum": ["red", "green", "blue"]}),
            2 => json!({"type": "integer", "minimum": 1, "maximum": 31}),
            3 => json!({"type": "number"}),
            4 => json!({"type": "boolean"}),
            5 => json!({"type": ["string", "null"], "maxLength": 12}),
            6 => json!({"type": "array", "items": self.schema(depth - 1), "minItems": 1}),
            7 => json!({"anyOf": [{"type": "integer"}, self.schema(depth - 1)]}),
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: u32) -> Value {
        let names = ["city", "path", "count", "unit", "query", "limit", "to", "color", "a b", "naïve"];
        let mut properties = Map::new();
        for _ in 0..=self.below(3) {
            properties.insert(self.pick(&names).into(), self.schema(depth));
        }
        let required: Vec<String> = properties.keys().filter(|_| self.below(2) == 0).cloned().collect();
        json!({"type": "object", "properties": properties, "required": required})
    }
}

/// A check of our own of what the schemas of this test say.
fn fits(value: &Value, schema: &Value) -> bool {
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().any(|choice| fits(value, choice));
    }
    if let Some(choices) = schema["enum"].as_array() {
        return choices.contains(value);
    }
    let is = |kind: &str| match kind {
        "string" => value
            .as_str()
            .is_some_and(|text| schema["maxLength"].as_u64().is_none_or(|most| text.chars().count() as u64 <= most)),
        "null" => value.is_null(),
        "integer" => value.as_i64().is_some_and(|number| {
            schema["minimum"].as_i64().is_none_or(|least| number >= least)
                && schema["maximum"].as_i64().is_none_or(|most| number <= most)
        }),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.as_array().is_some_and(|items| {
            items.len() as u64 >= schema["minItems"].as_u64().unwrap_or(0)
                && items.iter().all(|item| fits(item, &schema["items"]))
        }),
        "object" => value.as_object().is_some_and(|fields| {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            required.iter().all(|name| fields.contains_key(name.as_str().unwrap()))
                && fields
                    .iter()
                    .all(|(name, field)| schema["properties"].get(name).is_some_and(|schema| fits(field, schema)))
        }),
        other => panic!("{other}"),
    };
    match &schema["type"] {
        Value::String(kind) => is(kind),
        Value::Array(kinds) => kinds.iter().any(|kind| is(kind.as_str().unwrap())),
        other => panic!("{other}"),
    }
}

fn call(session: &mut Session, tools: Value, choice: &str, text: &str, seed: u64) -> Vec<Value> {
    session
        .ask(json!({"op": "chat", "choice": choice, "seed": seed, "temperature": 0.8, "max_tokens": 60, "tools": tools,
        "messages": [{"role": "user", "content": text}]}))
}

/// Twelve of them, unless `AISH_SCHEMAS` names another count (`cargo xtask schemas`).
#[test]
fn random_schemas_give_valid_calls() {
    let Some(mut session) = Session::with_model("random_schemas_give_valid_calls", 2048) else { return };
    let count = std::env::var("AISH_SCHEMAS").map_or(12, |count| count.parse().unwrap());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut valid = 0;
    for number in 0..count {
        let parameters = random.object(2);
        let name = format!("tool.{number}");
        let tools = json!([{"name": name, "description": "Does something useful.", "parameters": parameters}]);
        let events = call(&mut session, tools, "required", "Please do it for Paris.", number);
        let calls: Vec<&Value> = events.iter().filter(|event| event["event"] == "tool_call").collect();
        assert!(
            !calls.is_empty() && events.iter().all(|event| event["event"] != "broken_call"),
            "{parameters}: {events:?}"
        );
        for event in calls {
            assert_eq!(event["call"]["name"], name.as_str());
            let arguments: Value = serde_json::from_str(event["call"]["arguments"].as_str().unwrap()).unwrap();
            assert!(fits(&arguments, &parameters), "{arguments} does not fit {parameters}");
        }
        assert_eq!(events.last().unwrap()["reason"], "tool_calls");
        valid += 1;
    }
    println!("{valid} valid calls for {count} schemas");
}

#[test]
fn schemas_without_an_end_give_calls_that_end() {
    let Some(mut session) = Session::with_model("schemas_without_an_end_give_calls_that_end", 2048) else { return };
    let tree = json!({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "required": ["children"], "properties": {
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}});
    let schemas = [
        json!({}),
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"value": {}}, "required": ["value"]}),
        tree,
    ];
    for (seed, parameters) in (0..).zip(schemas) {
        let tools = json!([{"name": "store", "description": "Stores anything.", "parameters": parameters}]);
        let events = call(&mut session, tools, "required", "Store a long list of lists of numbers.", seed);
        assert!(events.iter().any(|event| event["event"] == "tool_call"), "{parameters}: {events:?}");
    }
}

#[test]
fn a_model_that_need_not_call_may_answer() {
    let Some(mut session) = Session::with_model("a_model_that_need_not_call_may_answer", 1024) else { return };
    let tools = json!([{"name": "clock", "description": "Tells the time.", "parameters": {"type": "object", "properties": {}}}]);
    for choice in ["auto", "none"] {
        let events = call(&mut session, tools.clone(), choice, "Say hello.", 1);
        assert!(events.iter().all(|event| event["event"] != "broken_call"), "{events:?}");
        assert!(choice == "auto" || events.iter().all(|event| event["event"] != "tool_call"), "{events:?}");
    }
}

#[test]
fn the_results_of_calls_are_read() {
    let Some(mut session) = Session::with_model("the_results_of_calls_are_read", 1024) else { return };
    let events = session.ask(json!({"op": "chat", "temperature": 0, "max_tokens": 30, "messages": [
        {"role": "user", "content": "What is the secret word?"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "secret", "arguments": "{}"}]},
        {"role": "tool", "tool_call_id": "c1", "name": "secret", "content": "The secret word is banana."}]}));
    assert_ne!(events.last().unwrap()["event"], "error", "{events:?}");
    assert!(events.last().unwrap()["usage"]["prompt"].as_u64().unwrap() > 30, "{events:?}");
}
