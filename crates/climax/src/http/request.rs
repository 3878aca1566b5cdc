//! From validated arguments to a request, without its token.

use reqwest::Url;
use reqwest::header::HeaderValue;
use serde_json::{Map, Value};

use super::{Api, Media, Method, Operation, Part, Slot, Style};
use crate::argv::{Refused, plain};
use crate::config::{Arg, Place, Tool};

/// Levels of an object that are written into a query.
const MAX_LEVELS: usize = 8;

/// A request that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(String, HeaderValue)>,
    /// Media type and bytes.
    pub(crate) body: Option<(String, Vec<u8>)>,
}

/// What arguments make, by where they go.
#[derive(Default)]
struct Parts {
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
    headers: Vec<(String, HeaderValue)>,
    fields: Map<String, Value>,
    form: Vec<(String, String)>,
    body: Option<Value>,
    faults: Vec<String>,
    /// True where fields are those of a form.
    is_form: bool,
}

/// Builds the request of a call. Defaults are applied here as well, null is absent.
///
/// # Errors
/// A value that would lead to another path, a header with a line break in it.
pub(crate) fn build(
    api: &Api,
    operation: &Operation,
    tool: &Tool,
    arguments: &Map<String, Value>,
) -> Result<Outgoing, Refused> {
    let mut parts = Parts { is_form: operation.media == Media::Form, ..Parts::default() };
    for arg in &tool.args {
        let (Some(value), Place::Http(slot)) = (arg.used(arguments), &arg.place) else { continue };
        let pairs = (parts.query.len(), parts.form.len());
        parts.put(&arg.name, slot, value);
        parts.refuse_others(tool, arg, pairs);
    }
    let url = parts.url(api, &operation.path);
    if !parts.faults.is_empty() {
        return Err(Refused(parts.faults));
    }
    let body = parts.body(&operation.media, &api.url);
    Ok(Outgoing { method: operation.method, url, headers: parts.headers, body })
}

impl Parts {
    fn put(&mut self, argument: &str, slot: &Slot, value: &Value) {
        match slot.part {
            Part::Path => self.path.push((slot.name.clone(), joined(value, ","))),
            Part::Query => pairs(&slot.name, value, slot.style, &mut self.query),
            Part::Header => match HeaderValue::from_str(&joined(value, ",")) {
                Ok(value) => self.headers.push((slot.name.clone(), value)),
                Err(_) => self.faults.push(format!("Argument '{argument}' holds what no header can hold")),
            },
            Part::Field => {
                if self.is_form {
                    pairs(&slot.name, value, slot.style, &mut self.form);
                }
                self.fields.insert(slot.name.clone(), value.clone());
            }
            Part::Body => self.body = Some(value.clone()),
        }
    }

    /// Refuses what stands under the name of another argument: an object is written field by field, and what was found good of
    /// that argument would count for nothing.
    fn refuse_others(&mut self, tool: &Tool, arg: &Arg, (query, form): (usize, usize)) {
        let is_own = if let Place::Http(slot) = &arg.place { Some(slot.name.as_str()) } else { None };
        let new = |pairs: &[(String, String)], at: usize, part: Part| -> Vec<String> {
            let others = tool.args.iter().filter(|other| other.name != arg.name);
            let slots: Vec<&Slot> = others
                .filter_map(|other| if let Place::Http(slot) = &other.place { Some(&**slot) } else { None })
                .collect();
            let is_other = |name: &&String| slots.iter().any(|slot| slot.part == part && slot.name == **name);
            pairs
                .iter()
                .skip(at)
                .map(|(name, _)| name)
                .filter(|name| is_own != Some(name.as_str()))
                .filter(is_other)
                .cloned()
                .collect()
        };
        let names = [new(&self.query, query, Part::Query), new(&self.form, form, Part::Field)].concat();
        let told =
            names.iter().map(|name| format!("Argument '{}' holds '{name}', which is an argument of its own", arg.name));
        self.faults.extend(told);
    }

    /// The URL: the base's path, then each part of the operation's path as one segment, whatever its values hold.
    fn url(&mut self, api: &Api, path: &str) -> Url {
        let mut url = api.url.clone();
        let mut whole = url.path().strip_suffix('/').unwrap_or(url.path()).to_owned();
        for part in path.trim_start_matches('/').split('/') {
            let filled = self.filled(part);
            let leads_away = filled != part && matches!(filled.as_str(), "" | "." | "..");
            if leads_away || filled.contains('\0') {
                self.faults.push(format!("'{filled}' cannot stand for {part} in the path {path}"));
            }
            if !matches!(part, "." | "..") {
                whole.push('/');
                whole.extend(filled.bytes().map(encoded));
            }
        }
        url.set_path(&whole);
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }

    /// Fills the places of one segment in. What a value holds is no place.
    fn filled(&mut self, part: &str) -> String {
        let (mut out, mut rest) = (String::new(), part);
        while let Some((before, name, after)) = place(rest) {
            out.push_str(before);
            match self.path.iter().find(|(known, _)| known == name) {
                Some((_, value)) => out.push_str(value),
                None => self.faults.push(format!("Missing required argument '{name}'")),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn body(&mut self, media: &Media, base: &Url) -> Option<(String, Vec<u8>)> {
        let whole = self.body.take();
        match media {
            Media::Json(media) => {
                let body = match whole {
                    Some(body) => body,
                    None if self.fields.is_empty() => return None,
                    None => Value::Object(std::mem::take(&mut self.fields)),
                };
                Some((media.clone(), body.to_string().into_bytes()))
            }
            Media::Form => {
                if let Some(whole) = &whole {
                    pairs("", whole, Style::Deep, &mut self.form);
                }
                if self.form.is_empty() {
                    return None;
                }
                // The query of any URL is written as a form is.
                let mut form = base.clone();
                form.query_pairs_mut().extend_pairs(&self.form);
                let text = form.query().unwrap_or_default().to_owned();
                Some(("application/x-www-form-urlencoded".into(), text.into_bytes()))
            }
            Media::Text(media) => whole.map(|text| (media.clone(), plain(&text).into_bytes())),
        }
    }
}

/// Writes a byte of a segment. The URL's own parser would take tabs and line breaks out, and read what is left of `.\t.` as `..`.
fn encoded(byte: u8) -> String {
    let is_plain = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte);
    if is_plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
}

/// Finds the first `{name}`: what is before it, the name, what is behind it.
pub(crate) fn place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// Returns the names of a path's places.
pub(crate) fn places(path: &str) -> Vec<&str> {
    let (mut names, mut rest) = (Vec::new(), path);
    while let Some((_, name, after)) = place(rest) {
        names.push(name);
        rest = after;
    }
    names
}

/// Writes a value as one text: a list with its items joined, an object as OpenAPI's `simple` has it, `name,value,name,value`.
fn joined(value: &Value, separator: &str) -> String {
    match value {
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(separator),
        Value::Object(fields) => {
            let given = fields.iter().filter(|(_, value)| !value.is_null());
            given.flat_map(|(name, value)| [name.clone(), plain(value)]).collect::<Vec<_>>().join(separator)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => plain(value),
    }
}

/// Writes a value as pairs of a query or form.
fn pairs(name: &str, value: &Value, style: Style, out: &mut Vec<(String, String)>) {
    match (style, value) {
        (Style::Deep, Value::Array(_) | Value::Object(_)) => deep(name, value, 0, out),
        (Style::Repeat, Value::Array(items)) => out.extend(items.iter().map(|item| (name.to_owned(), plain(item)))),
        (Style::Repeat, Value::Object(fields)) => {
            let given = fields.iter().filter(|(_, value)| !value.is_null());
            out.extend(given.map(|(field, value)| (field.clone(), plain(value))));
        }
        (Style::Space, _) => out.push((name.to_owned(), joined(value, " "))),
        (Style::Pipe, _) => out.push((name.to_owned(), joined(value, "|"))),
        (Style::Comma | Style::Repeat | Style::Deep, _) => out.push((name.to_owned(), joined(value, ","))),
    }
}

/// Writes `a[b][0]=…`; what nests too deep is written as JSON.
fn deep(name: &str, value: &Value, level: usize, out: &mut Vec<(String, String)>) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}[{key}]") };
    match value {
        Value::Object(fields) if level < MAX_LEVELS => {
            fields.iter().for_each(|(key, value)| deep(&below(key), value, level + 1, out));
        }
        Value::Array(items) if level < MAX_LEVELS => {
            items.iter().enumerate().for_each(|(at, value)| deep(&below(&at.to_string()), value, level + 1, out));
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            out.push((name.to_owned(), plain(value)));
        }
    }
}
