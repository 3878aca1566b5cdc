//! The body of an operation as arguments: the fields of an object or form each by itself, anything else as a whole.

use serde_json::{Map, Value};

use super::document::Document;
use super::operation::{Arguments, old_style, text, without_text};
use crate::http::{JSON, Media, Part, Slot, Style};

/// The media type of a form.
const FORM: &str = "application/x-www-form-urlencoded";
/// Media types of one body that are looked at.
const MAX_MEDIA: usize = 100;

/// Where the body of an operation is told.
pub(super) struct Body<'b> {
    pub(super) document: &'b Document,
    pub(super) operation: &'b Map<String, Value>,
    /// `body` and `formData` parameters of version 2.0.
    pub(super) form: &'b [&'b Map<String, Value>],
}

/// Reads it.
///
/// # Errors
/// In words, when it is needed and cannot be sent.
pub(super) fn read(body: &Body<'_>, arguments: &mut Arguments<'_>) -> Result<Media, String> {
    if body.document.is_old() { old(body, arguments) } else { new(body, arguments) }
}

fn new(body: &Body<'_>, arguments: &mut Arguments<'_>) -> Result<Media, String> {
    let Some(request) = body.operation.get("requestBody") else { return Ok(Media::default()) };
    let request = body.document.resolve(request).and_then(Value::as_object).ok_or("its body's $ref leads nowhere")?;
    let required = request.get("required") == Some(&Value::Bool(true));
    let Some(content) = request.get("content").and_then(Value::as_object).filter(|content| !content.is_empty()) else {
        return Ok(Media::default());
    };
    let Some((media, entry)) = chosen(content) else {
        let names: Vec<&str> = content.keys().map(String::as_str).take(3).collect();
        return match required {
            true => Err(format!("its body is {}, which is not sent", names.join(", "))),
            false => {
                let names = aish_types::visible(&names.join(", ")).into_owned();
                arguments.left_out.push(format!("body: {names} is not sent"));
                Ok(Media::default())
            }
        };
    };
    let empty = Value::Object(Map::new());
    let schema = entry.get("schema").unwrap_or(&empty);
    let is_deep = |field: &str| {
        let encoding = entry.get("encoding").and_then(|encoding| encoding.get(field));
        encoding.is_some_and(|encoding| encoding["style"] == "deepObject")
    };
    add(schema, required, &media, &is_deep, arguments);
    Ok(media)
}

/// Chooses what the body is sent as: JSON, else a form, else a text.
fn chosen(content: &Map<String, Value>) -> Option<(Media, &Value)> {
    let plain = |name: &str| name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let find = |fits: &dyn Fn(&str) -> bool| content.iter().take(MAX_MEDIA).find(|(name, _)| fits(&plain(name)));
    if let Some((_, entry)) = find(&|name| name == JSON || name == "*/*" || name == "application/*") {
        return Some((Media::default(), entry));
    }
    if let Some((name, entry)) = find(&|name| name.ends_with("+json")) {
        return Some((Media::Json(plain(name)), entry));
    }
    if let Some((_, entry)) = find(&|name| name == FORM) {
        return Some((Media::Form, entry));
    }
    let is_text = |name: &str| {
        name.starts_with("text/") || name.ends_with("/xml") || name.ends_with("+xml") || name.ends_with("yaml")
    };
    find(&is_text).map(|(name, entry)| (Media::Text(plain(name)), entry))
}

fn old(body: &Body<'_>, arguments: &mut Arguments<'_>) -> Result<Media, String> {
    let own = body.operation.get("consumes").or_else(|| body.document.root.get("consumes"));
    let consumes: Vec<&str> =
        own.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).take(MAX_MEDIA).collect();
    if let Some(whole) = body.form.iter().find(|parameter| text(parameter, "in") == "body") {
        let media = match consumes.as_slice() {
            [] => Media::default(),
            names => {
                let content: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
                chosen(&content).ok_or_else(|| format!("its body is {}, which is not sent", names.join(", ")))?.0
            }
        };
        let required = whole.get("required") == Some(&Value::Bool(true));
        let empty = Value::Object(Map::new());
        add(whole.get("schema").unwrap_or(&empty), required, &media, &|_| false, arguments);
        return Ok(media);
    }
    let has_file = body.form.iter().any(|parameter| text(parameter, "type") == "file");
    let is_multipart = !consumes.is_empty() && !consumes.contains(&FORM);
    if !body.form.is_empty() && (has_file || is_multipart) {
        return Err("its body is multipart/form-data, which is not sent".into());
    }
    for parameter in body.form {
        let name = text(parameter, "name").to_owned();
        let schema = arguments.schemas.plain(&Value::Object(without_text(parameter)));
        let slot = Slot { part: Part::Field, name, style: old_style(parameter) };
        let said = parameter.get("description").and_then(Value::as_str);
        arguments.add(slot, schema, said, parameter.get("required") == Some(&Value::Bool(true)));
    }
    Ok(if body.form.is_empty() { Media::default() } else { Media::Form })
}

/// Adds the arguments of a body with this schema.
fn add(schema: &Value, required: bool, media: &Media, is_deep: &dyn Fn(&str) -> bool, arguments: &mut Arguments<'_>) {
    let mut schema = arguments.schemas.plain(schema);
    let is_object = schema.get("type").is_none_or(|kind| kind == "object")
        && !schema.contains_key("anyOf")
        && !schema.contains_key("additionalProperties")
        && !matches!(media, Media::Text(_));
    let Some(Value::Object(fields)) = schema.get_mut("properties").filter(|_| is_object).map(Value::take) else {
        if matches!(media, Media::Text(_)) {
            schema.retain(|key, _| key == "description");
            schema.insert("type".into(), "string".into());
        }
        let slot = Slot { part: Part::Body, name: "body".into(), style: Style::Deep };
        arguments.add(slot, schema, None, required);
        return;
    };
    let must = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (name, field) in fields {
        let Value::Object(field) = field else { continue };
        let is_required = required && must.iter().any(|name_of_one| *name_of_one == name);
        let style = match (media, field.get("type").and_then(Value::as_str)) {
            (Media::Form, _) if is_deep(&name) => Style::Deep,
            (Media::Form, Some("object")) => Style::Deep,
            _ => Style::Repeat,
        };
        arguments.add(Slot { part: Part::Field, name, style }, field, None, is_required);
    }
}
