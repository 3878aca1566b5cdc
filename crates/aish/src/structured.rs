//! Answers that fit a JSON Schema (`aish ask --schema FILE`): the schema, what the model is told of it, and the check.

use crate::failure::Failure;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use aish_tools::schema::{Faults, MAX_BYTES, Schema};
use aish_types::is_dangerous;
use serde_json::Value;
use serde_json::value::RawValue;

/// Faults that the model and the person are told of, in bytes.
const FAULTS: usize = 1000;

/// The schema that an answer has to fit.
pub struct AnswerSchema {
    /// As it was read.
    pub value: Value,
    compiled: Schema,
}

/// An answer that fits.
#[derive(Debug, PartialEq)]
pub struct Fitting {
    /// Its JSON text, with the model's own order and numbers, and nothing in it that acts on a terminal.
    pub text: String,
    /// The same as a value.
    pub value: Value,
}

/// Why an answer does not fit, as the model and the person are told.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    NoJson(serde_json::Error),
    /// It has faults; of a long list the middle is left out.
    #[error("{}", aish_types::head_and_tail(&.0.to_string(), FAULTS).text)]
    Faults(Faults),
}

impl AnswerSchema {
    /// Reads a schema from a file.
    ///
    /// # Errors
    /// What is wrong with the file, in words: it cannot be read, is over the bounds, or is no JSON Schema.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display();
        let mut text = String::new();
        let most = MAX_BYTES as u64 + 1;
        File::open(path)
            .and_then(|file| file.take(most).read_to_string(&mut text))
            .map_err(|error| Failure::user(format!("{name} cannot be read: {error}")))?;
        let value: Value = match serde_json::from_str(&text) {
            Ok(value) if text.len() <= MAX_BYTES => value,
            Ok(_) => return Err(Failure::user(format!("{name} is over {MAX_BYTES} bytes"))),
            Err(_) if text.len() > MAX_BYTES => return Err(Failure::user(format!("{name} is over {MAX_BYTES} bytes"))),
            Err(error) => return Err(Failure::user(format!("{name} is no JSON: {error}"))),
        };
        if !(value.is_object() || value.is_boolean()) {
            return Err(Failure::user(format!("{name} is no JSON Schema: that is an object, true or false")));
        }
        let compiled = Schema::compile(&value).map_err(|error| Failure::user(format!("{name}: {error}")))?;
        Ok(Self { value, compiled })
    }

    /// Returns what the model is told of it, also where its server holds it to the schema: a grammar explains nothing.
    pub fn instruction(&self) -> String {
        format!(
            "Your final answer is one JSON value that fits this JSON Schema, and nothing else: no text around it, no code \
             block.\n{}",
            self.value
        )
    }

    /// Checks an answer; a code block around it is taken off.
    ///
    /// # Errors
    /// When it is no JSON, or does not fit.
    pub fn check(&self, answer: &str) -> Result<Fitting, AnswerError> {
        let raw: &RawValue = serde_json::from_str(unfenced(answer)).map_err(AnswerError::NoJson)?;
        let value: Value = serde_json::from_str(raw.get()).map_err(AnswerError::NoJson)?;
        self.compiled.validate(&value).map_err(AnswerError::Faults)?;
        Ok(Fitting { text: harmless(raw.get()), value })
    }
}

/// Returns what the model is asked when its answer does not fit.
pub fn again(faults: &AnswerError) -> String {
    format!("That answer does not fit the JSON Schema: {faults}\nAnswer again with the JSON value alone.")
}

/// Takes a code block off an answer that is nothing but one.
fn unfenced(answer: &str) -> &str {
    let answer = answer.trim();
    let inner = answer.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inner.and_then(|inner| inner.split_once('\n')) {
        Some((language, inner)) if matches!(language.trim(), "" | "json" | "JSON") => inner.trim(),
        Some(_) | None => answer,
    }
}

/// Writes characters that act on a terminal, or hide, as escapes of JSON; they stand in strings alone, except for carriage
/// returns between values, which go.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\n' | '\t' => out.push(character),
            '\r' => {}
            dangerous if is_dangerous(dangerous) => {
                let mut units = [0; 2];
                for unit in dangerous.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            plain => out.push(plain),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn schema(text: &str) -> Result<AnswerSchema, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("schema.json");
        fs::write(&file, text).unwrap();
        AnswerSchema::read(&file).map_err(|why| why.to_string().replace(&file.display().to_string(), "FILE"))
    }

    const CITY: &str = r#"{"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}"#;

    #[test]
    fn an_answer_fits_or_is_told_why_not() {
        let schema = schema(CITY).unwrap();
        for answer in [r#"{"city":"Oslo"}"#, " {\"city\" : \"Oslo\"}\n", "```json\n{\"city\":\"Oslo\"}\n```"] {
            assert_eq!(schema.check(answer).unwrap().value["city"], "Oslo", "{answer}");
        }
        for (answer, why) in [
            ("Oslo", "no JSON"),
            ("{\"city\":\"Oslo\"} is it", "no JSON"),
            (r#"{"city":1}"#, "city"),
            ("{}", "city"),
            ("[]", "object"),
            ("", "no JSON"),
            ("```sh\n{}\n```", "no JSON"),
        ] {
            let told = schema.check(answer).unwrap_err().to_string();
            assert!(told.contains(why), "{answer}: {told}");
        }
    }

    #[test]
    fn the_models_own_order_and_numbers_stay_and_nothing_acts_on_a_terminal() {
        let any = schema("true").unwrap();
        let check = |answer: &str| any.check(answer).unwrap().text;
        assert_eq!(
            check("{\"b\": 1.0, \"a\": 123456789012345678901234567890}"),
            "{\"b\": 1.0, \"a\": 123456789012345678901234567890}"
        );
        let shown = check("\"a\u{9b}31m\u{202e}\u{e0041}\"");
        assert_eq!(shown, r#""a\u009b31m\u202e\udb40\udc41""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "a\u{9b}31m\u{202e}\u{e0041}");
        assert_eq!(check("[1,\r\n2]"), "[1,\n2]");
    }

    #[test]
    fn a_file_that_is_no_schema_is_refused_with_its_fault() {
        for (text, why) in [
            ("", "no JSON"),
            ("[]", "no JSON Schema"),
            ("null", "no JSON Schema"),
            (r#"{"type": "text"}"#, "cannot be used"),
            (r#"{"$ref": "https://elsewhere.example/schema"}"#, "cannot be used"),
        ] {
            let told = schema(text).err().unwrap();
            assert!(told.contains(why) && told.starts_with("FILE"), "{text}: {told}");
        }
        let large = format!("{{\"enum\": [\"{}\"]}}", "x".repeat(MAX_BYTES));
        assert!(schema(&large).err().unwrap().contains("over"));
        assert!(
            AnswerSchema::read(Path::new("/nonexistent/schema")).err().unwrap().to_string().contains("cannot be read")
        );
    }
}
