//! Parameters as the project's own tools declare them, and the JSON Schema made of them.

use serde_json::{Map, Value, json};

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// Text.
    String,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// A list.
    Array,
    /// An object.
    Object,
}

impl ParameterKind {
    /// Returns the JSON Schema word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// One parameter of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ParameterKind,
    /// What it means, for the model.
    pub description: Option<String>,
    /// True when a call without it is refused.
    pub required: bool,
    /// What is used when it is absent.
    pub default: Option<Value>,
    /// The values it may have; empty means any.
    pub choices: Vec<Value>,
}

impl Parameter {
    /// Makes a required parameter.
    pub fn required(name: impl Into<String>, kind: ParameterKind) -> Self {
        Self { name: name.into(), kind, description: None, required: true, default: None, choices: Vec::new() }
    }

    /// Makes a parameter that may be left out.
    pub fn optional(name: impl Into<String>, kind: ParameterKind) -> Self {
        Self { required: false, ..Self::required(name, kind) }
    }

    /// Says what it means.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets what is used when it is absent.
    #[must_use]
    pub fn default(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    /// Sets the values it may have.
    #[must_use]
    pub fn choices<V: Into<Value>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.choices = values.into_iter().map(Into::into).collect();
        self
    }
}

/// Makes the JSON Schema of an arguments object.
pub fn input_schema(parameters: &[Parameter]) -> Value {
    let mut properties = Map::new();
    for parameter in parameters {
        let mut property = Map::new();
        property.insert("type".into(), parameter.kind.as_str().into());
        if let Some(description) = &parameter.description {
            property.insert("description".into(), description.as_str().into());
        }
        if !parameter.choices.is_empty() {
            property.insert("enum".into(), Value::Array(parameter.choices.clone()));
        }
        if let Some(default) = &parameter.default {
            property.insert("default".into(), default.clone());
        }
        properties.insert(parameter.name.clone(), Value::Object(property));
    }
    let required: Vec<&str> = parameters.iter().filter(|p| p.required).map(|p| p.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_says_what_a_parameter_is() {
        let schema = input_schema(&[
            Parameter::required("a", ParameterKind::Number),
            Parameter::optional("f", ParameterKind::String).describe("how").default("x").choices(["x", "y"]),
        ]);
        assert_eq!(
            schema,
            json!({"type": "object", "required": ["a"], "properties": {
                "a": {"type": "number"},
                "f": {"type": "string", "description": "how", "enum": ["x", "y"], "default": "x"},
            }})
        );
    }
}
