//! Parameters as a list, one object each with `name`, `type`, `description`, `required`, `default` and `enum`: the form of plugins
//! that describe their tools as dataclasses. They become the JSON Schema that such a plugin's own tool layer would make.

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Parameters of one tool.
const MAX_PARAMETERS: usize = 100;

#[derive(Deserialize)]
struct Parameter {
    name: String,
    #[serde(default = "string")]
    r#type: String,
    #[serde(default)]
    description: String,
    #[serde(default = "required")]
    required: bool,
    #[serde(default)]
    default: Value,
    r#enum: Option<Vec<Value>>,
}

fn string() -> String {
    "string".into()
}

fn required() -> bool {
    true
}

/// Makes the schema of a list of parameters.
///
/// # Errors
/// When an entry is not a parameter, or two have the same name; in words for the author of the plugin.
pub(super) fn schema(list: &[Value]) -> Result<Value, String> {
    if list.len() > MAX_PARAMETERS {
        return Err(format!("a tool has at most {MAX_PARAMETERS} parameters"));
    }
    let (mut properties, mut needed) = (Map::new(), Vec::new());
    for (number, entry) in list.iter().enumerate() {
        let number = number + 1;
        let parameter: Parameter =
            serde_json::from_value(entry.clone()).map_err(|error| format!("parameter {number}: {error}"))?;
        let kind = parameter.r#type.to_ascii_lowercase();
        if !["string", "number", "integer", "boolean", "array", "object"].contains(&kind.as_str()) {
            return Err(format!(
                "parameter {number} has the type {kind:?}; known are string, number, integer, boolean, array, object"
            ));
        }
        let mut property = json!({"type": kind, "description": parameter.description});
        if let Some(fields) = property.as_object_mut() {
            if let Some(values) = parameter.r#enum.filter(|values| !values.is_empty()) {
                fields.insert("enum".into(), values.into());
            }
            if !parameter.default.is_null() {
                fields.insert("default".into(), parameter.default.clone());
            }
        }
        // What has a default can be left out, whatever it says of itself.
        if parameter.required && parameter.default.is_null() {
            needed.push(Value::from(parameter.name.clone()));
        }
        if properties.insert(parameter.name.clone(), property).is_some() {
            return Err(format!("two parameters are named {:?}", parameter.name));
        }
    }
    Ok(json!({"type": "object", "properties": properties, "required": needed}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_becomes_an_object() {
        let list = json!([
            {"name": "dice", "type": "string", "description": "as 2d6"},
            {"name": "times", "type": "INTEGER", "description": "", "required": false, "default": 1, "enum": [1, 2]},
            {"name": "bare"}
        ]);
        let made = schema(list.as_array().unwrap()).unwrap();
        assert_eq!(
            made,
            json!({"type": "object", "required": ["dice", "bare"], "properties": {
                "dice": {"type": "string", "description": "as 2d6"},
                "times": {"type": "integer", "description": "", "default": 1, "enum": [1, 2]},
                "bare": {"type": "string", "description": ""}}})
        );
        assert_eq!(schema(&[]).unwrap()["type"], "object");
    }

    #[test]
    fn what_is_no_list_of_parameters_is_said() {
        for (list, why) in [
            (json!(["x"]), "parameter 1: "),
            (json!([{"name": "x", "type": "path"}]), "parameter 1 has the type \"path\""),
            (json!([{"name": "x"}, {"name": "x"}]), "two parameters are named \"x\""),
        ] {
            let said = schema(list.as_array().unwrap()).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
        assert!(schema(&vec![json!({"name": "x"}); 101]).is_err());
    }
}
