//! One operation as a tool.

use std::collections::HashSet;

use reqwest::Url;
use serde_json::{Map, Value};

use super::body::{self, Body};
use super::document::Document;
use super::schema::Schemas;
use super::{ArgDraft, ToolDraft, first_paragraph, servers, snake};
use crate::http::request::places;
use crate::http::{Media, Method, Operation, Part, Scheme, Slot, Style, is_free_header};

/// Parameters of one operation.
const MAX_PARAMETERS: usize = 100;
/// Letters of a tool's name, so that a server's prefix and a number still fit what every client takes.
const MAX_NAME: usize = 56;
/// Letters of an argument's name.
const MAX_ARGUMENT: usize = 60;
/// Characters of descriptions.
const MAX_TEXT: usize = 400;
const MAX_ARGUMENT_TEXT: usize = 200;

/// Reads operations.
pub(super) struct Reader<'d> {
    document: &'d Document,
    base: &'d Url,
    /// How the tools' names begin.
    prefix: &'d str,
    /// How the API wants its token.
    token: Option<&'d Scheme>,
    pub(super) remarks: Vec<String>,
}

/// The arguments of one operation in the making.
pub(super) struct Arguments<'d> {
    pub(super) schemas: Schemas<'d>,
    pub(super) args: Vec<ArgDraft>,
    names: HashSet<String>,
    /// What is not taken over and need not be given, in words.
    pub(super) left_out: Vec<String>,
}

impl<'d> Reader<'d> {
    pub(super) fn new(document: &'d Document, base: &'d Url, prefix: &'d str, token: Option<&'d Scheme>) -> Self {
        Self { document, base, prefix, token, remarks: Vec::new() }
    }

    /// Reads one operation; one that cannot be called is told and left out.
    pub(super) fn operation(
        &mut self,
        path: &str,
        method: Method,
        item: &Map<String, Value>,
        operation: &Map<String, Value>,
    ) -> Option<ToolDraft> {
        match self.read(path, method, item, operation) {
            Ok(tool) => Some(tool),
            Err(why) => {
                self.remarks.push(format!("{} is left out: {why}", shown(method, path)));
                None
            }
        }
    }

    fn read(
        &mut self,
        path: &str,
        method: Method,
        item: &Map<String, Value>,
        operation: &Map<String, Value>,
    ) -> Result<ToolDraft, String> {
        let is_plain = path.starts_with('/') && path.len() <= 1_000 && !path.contains(['?', '#', '\\']);
        if !is_plain || path.split('/').any(|part| matches!(part, "." | "..")) || path.contains(char::is_control) {
            return Err("its path is none that can be filled in".into());
        }
        let below = servers::below(self.base, &[operation, item])?;
        let mut arguments = Arguments::new(self.document);
        let (mut form, places) = (Vec::new(), places(path));
        for parameter in self.parameters(item, operation, &mut arguments.left_out) {
            match text(parameter, "in") {
                "body" | "formData" => form.push(parameter),
                "path" if !places.contains(&text(parameter, "name")) => {
                    let name = aish_types::visible(text(parameter, "name"));
                    arguments.left_out.push(format!("'{name}': its path has no place of that name"));
                }
                place if self.is_token(place, text(parameter, "name")) => {}
                _ => arguments.parameter(parameter)?,
            }
        }
        for place in places {
            arguments.place(place);
        }
        let body = Body { document: self.document, operation, form: &form };
        let media = if method == Method::Head { Media::default() } else { body::read(&body, &mut arguments)? };
        let told = |what: &String| format!("{} has no {what}", shown(method, path));
        self.remarks.extend(arguments.left_out.iter().map(told));
        let operation_id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
        let name = tool_name(self.prefix, operation_id, method, path);
        let description = description(operation, item, method, path);
        let operation = Operation { method, path: format!("{below}{path}"), media };
        Ok(ToolDraft { name, description, operation, args: arguments.args })
    }

    /// Says whether a parameter is the token, which is sent by itself: no caller has to know it.
    fn is_token(&self, place: &str, name: &str) -> bool {
        match self.token {
            Some(Scheme::Header(header)) => place == "header" && header.eq_ignore_ascii_case(name),
            Some(Scheme::Query(query)) => place == "query" && query == name,
            Some(Scheme::Bearer | Scheme::Basic) | None => false,
        }
    }

    /// The parameters of an operation and its path; the operation's own count. References that lead nowhere are told.
    fn parameters(
        &self,
        item: &'d Map<String, Value>,
        operation: &'d Map<String, Value>,
        left_out: &mut Vec<String>,
    ) -> Vec<&'d Map<String, Value>> {
        let list =
            |owner: &'d Map<String, Value>| owner.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let mut seen = HashSet::new();
        let both = list(operation).chain(list(item)).take(MAX_PARAMETERS);
        let mut found: Vec<&Map<String, Value>> = Vec::new();
        for written in both {
            let Some(parameter) = self.document.resolve(written).and_then(Value::as_object) else {
                let reference: String = written["$ref"].as_str().unwrap_or_default().chars().take(200).collect();
                left_out
                    .push(format!("parameter '{}': it leads nowhere in this file", aish_types::visible(&reference)));
                continue;
            };
            if seen.insert((text(parameter, "in"), text(parameter, "name"))) {
                found.push(parameter);
            }
        }
        found
    }
}

impl<'d> Arguments<'d> {
    fn new(document: &'d Document) -> Self {
        Self { schemas: Schemas::new(document), args: Vec::new(), names: HashSet::new(), left_out: Vec::new() }
    }

    fn parameter(&mut self, parameter: &Map<String, Value>) -> Result<(), String> {
        let name = text(parameter, "name");
        let required = parameter.get("required") == Some(&Value::Bool(true));
        let part = match text(parameter, "in") {
            "path" => Part::Path,
            "query" => Part::Query,
            // The others are said by the request itself.
            "header" if is_free_header(name) => Part::Header,
            "header" => return Ok(()),
            place if required => return Err(format!("it needs '{name}' in {place:?}")),
            place => {
                if !name.is_empty() {
                    let (name, place) = (aish_types::visible(name), aish_types::visible(place));
                    self.left_out.push(format!("'{name}': what is in a {place} is not sent"));
                }
                return Ok(());
            }
        };
        if name.is_empty() {
            return Err("a parameter has no name".into());
        }
        if let (Part::Path, style @ ("label" | "matrix")) = (part, text(parameter, "style")) {
            return Err(format!(
                "'{}' stands in its path in the style '{style}', which is not written",
                aish_types::visible(name)
            ));
        }
        let content = parameter.get("content").and_then(Value::as_object);
        let (schema, style) = match (parameter.get("schema"), content) {
            (Some(schema), _) => (self.schemas.plain(schema), style(parameter)),
            // A value that is written as JSON, say.
            (None, Some(_)) => (Map::from_iter([("type".to_owned(), "string".into())]), Style::Comma),
            // Version 2.0 has it all in one.
            (None, None) => (self.schemas.plain(&Value::Object(without_text(parameter))), old_style(parameter)),
        };
        let slot = Slot { part, name: name.to_owned(), style };
        let said = parameter.get("description").and_then(Value::as_str);
        self.add(slot, schema, said, required || part == Part::Path);
        Ok(())
    }

    /// A place of the path that no parameter tells.
    fn place(&mut self, name: &str) {
        if !self.args.iter().any(|arg| arg.slot.part == Part::Path && arg.slot.name == name) {
            let slot = Slot { part: Part::Path, name: name.to_owned(), style: Style::Comma };
            self.add(slot, Map::from_iter([("type".to_owned(), "string".into())]), None, true);
        }
    }

    /// Adds an argument; what its schema says of it is the description, where nothing else does.
    pub(super) fn add(&mut self, slot: Slot, mut schema: Map<String, Value>, said: Option<&str>, required: bool) {
        let own = schema.remove("description");
        let said = said.or(own.as_ref().and_then(Value::as_str)).unwrap_or_default();
        let description = first_paragraph(said, MAX_ARGUMENT_TEXT);
        let name = self.unused(&slot);
        self.args.push(ArgDraft { name, description, required, schema, slot });
    }

    /// Names an argument in letters that every client takes; the path's `id` and the body's are two.
    fn unused(&mut self, slot: &Slot) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' };
        let name: String = slot.name.chars().map(letter).take(MAX_ARGUMENT).collect();
        let name = name.trim_matches('_');
        let name = if name.is_empty() { "value" } else { name };
        let mut unused = name.to_owned();
        let mut number = 2;
        while !self.names.insert(unused.clone()) {
            unused = format!("{name}_{number}");
            number += 1;
        }
        unused
    }
}

/// Writes an operation for a remark.
fn shown(method: Method, path: &str) -> String {
    let path: String = path.chars().take(200).collect();
    format!("{} {}", method.as_str(), aish_types::visible(&path))
}

/// A parameter of version 2.0 as a schema: what it says of itself is no part of it.
pub(super) fn without_text(parameter: &Map<String, Value>) -> Map<String, Value> {
    let keeps = |key: &str| matches!(key, "type" | "items" | "enum" | "minimum" | "maximum");
    parameter.iter().filter(|(key, _)| keeps(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn style(parameter: &Map<String, Value>) -> Style {
    let explodes = parameter.get("explode").and_then(Value::as_bool);
    match text(parameter, "style") {
        "spaceDelimited" => Style::Space,
        "pipeDelimited" => Style::Pipe,
        "deepObject" => Style::Deep,
        _ if explodes == Some(false) => Style::Comma,
        _ => Style::Repeat,
    }
}

pub(super) fn old_style(parameter: &Map<String, Value>) -> Style {
    match text(parameter, "collectionFormat") {
        "multi" => Style::Repeat,
        "ssv" => Style::Space,
        "pipes" => Style::Pipe,
        _ => Style::Comma,
    }
}

pub(super) fn text<'m>(map: &'m Map<String, Value>, key: &str) -> &'m str {
    map.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Names a tool after its operation, and without one after method and path.
fn tool_name(prefix: &str, operation_id: &str, method: Method, path: &str) -> String {
    let mut own = snake(operation_id);
    if own.is_empty() {
        let words: Vec<String> = path.split('/').map(snake).filter(|word| !word.is_empty()).collect();
        own = format!("{}_{}", method.as_str().to_ascii_lowercase(), words.join("_"));
    }
    let whole = if own.starts_with(prefix) { own } else { format!("{prefix}_{own}") };
    let name: String = whole.chars().take(MAX_NAME).collect();
    name.trim_matches('_').to_owned()
}

fn description(operation: &Map<String, Value>, item: &Map<String, Value>, method: Method, path: &str) -> String {
    let say = |text: &str| first_paragraph(text, MAX_TEXT);
    let summary = say([text(operation, "summary"), text(item, "summary")]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default());
    let whole = say(text(operation, "description"));
    let mut said = match (summary.as_str(), whole.as_str()) {
        ("", "") => {
            let request = format!("{} {}", method.as_str(), aish_types::visible(path));
            match snake(text(operation, "operationId")).replace('_', " ") {
                words if words.is_empty() => request,
                words => format!("{words}: {request}"),
            }
        }
        (summary, "") => summary.to_owned(),
        ("", whole) => whole.to_owned(),
        (summary, whole) if whole.starts_with(summary.trim_end_matches('.')) => whole.to_owned(),
        (summary, whole) => format!("{}. {whole}", summary.trim_end_matches('.')),
    };
    if operation.get("deprecated") == Some(&Value::Bool(true)) {
        said.push_str(" (deprecated)");
    }
    said
}
