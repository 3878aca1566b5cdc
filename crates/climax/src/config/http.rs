//! What a config says of an HTTP API.

use serde_json::Value;

use super::arg::Target;
use super::{Arg, Place, Tool};
use crate::fault::{Faults, Position};
use crate::http::request::places;
use crate::http::{Api, Auth, JSON, Media, Method, Operation, Part, Scheme, Slot, Style, is_free_header};
use crate::yaml::{self, Fields};

/// The words of `in`.
const PARTS: &[(&str, Part)] = &[
    ("path", Part::Path),
    ("query", Part::Query),
    ("header", Part::Header),
    ("field", Part::Field),
    ("body", Part::Body),
];
/// The words of `style`.
const STYLES: &[(&str, Style)] = &[
    ("repeat", Style::Repeat),
    ("comma", Style::Comma),
    ("space", Style::Space),
    ("pipe", Style::Pipe),
    ("deep", Style::Deep),
];
/// What belongs to a program.
const OF_PROGRAMS: &[&str] = &["command", "env", "working_dir", "global_args", "options_first"];

/// A place that does not know its argument's name yet.
pub(super) struct Unnamed {
    part: Part,
    style: Style,
    name: Option<String>,
}

impl Unnamed {
    pub(super) fn named(self, argument: &str) -> Slot {
        Slot { part: self.part, style: self.style, name: self.name.unwrap_or_else(|| argument.to_owned()) }
    }
}

/// Says what an API's config must not have.
pub(super) fn alone(fields: &Fields<'_, '_>, target: Target, faults: &mut Faults) {
    if target == Target::Program {
        return;
    }
    for key in OF_PROGRAMS {
        if let Some(at) = fields.position_of(key) {
            faults.error(at, format!("'{key}' is for programs, and this config is of an API ('http')"));
        }
    }
}

/// Reads `http`.
pub(super) fn read_api(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Option<Api> {
    let (at, node) = match (fields.take("http"), fields.position_of("http")) {
        (Some(found), _) => found,
        (None, Some(at)) => {
            faults.error(at, "'http' is empty; it needs 'url'");
            return None;
        }
        (None, None) => return None,
    };
    let mut fields = Fields::open(node, "'http'", faults)?;
    let url_at = fields.position_of("url").unwrap_or(at);
    let url = fields.required_text("url", faults);
    let env = fields.text("auth_env", faults).filter(|env| !env.is_empty());
    let auth_at = fields.position_of("auth");
    let auth = fields.text("auth", faults);
    fields.end(faults);
    if let Some(env) = env.as_deref().filter(|env| !Auth::is_variable(env)) {
        faults
            .error(at, format!("'auth_env' takes the name of a variable, and '{}' is none", aish_types::visible(env)));
        return None;
    }
    let url = Api::base(&url?).map_err(|why| faults.error(url_at, why)).ok()?;
    let scheme = match auth.as_deref().map(Scheme::read) {
        None => Scheme::default(),
        Some(Some(scheme)) => scheme,
        Some(None) => {
            let at = auth_at.unwrap_or(at);
            faults.error(at, "'auth' must be bearer, basic, `header NAME` or `query NAME`");
            return None;
        }
    };
    if let (Some(at), None) = (auth_at, &env) {
        faults.contradiction(at, "'auth' means nothing without 'auth_env', the variable that holds the token");
    }
    Some(Api { url, auth: env.map(|env| Auth { env, scheme }) })
}

/// Reads `request` and `media`.
pub(super) fn read_operation(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Option<Operation> {
    let at = fields.position_of("request").unwrap_or(fields.at);
    let text = fields.required_text("request", faults);
    let media = match fields.text("media", faults).as_deref() {
        None | Some("" | "json") => Media::default(),
        Some(media) if media == JSON || media.ends_with("+json") => Media::Json(media.to_owned()),
        Some("form") => Media::Form,
        Some(media) => Media::Text(media.to_owned()),
    };
    let text = text?;
    let (word, path) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let method = Method::ALL.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(word));
    let path = path.trim();
    match method {
        Some(method) if path.starts_with('/') && !path.contains(['?', '#', '\\']) && !has_dots(path) => {
            Some(Operation { method, path: path.to_owned(), media })
        }
        Some(_) => {
            faults.error(at, "the path of 'request' must begin with '/', without ?, #, \\ and parts of dots alone");
            None
        }
        None => {
            let words: Vec<&str> = Method::ALL.iter().map(|method| method.as_str()).collect();
            faults.error(at, format!("'request' must be a method and a path; methods are {}", words.join(", ")));
            None
        }
    }
}

fn has_dots(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "." | ".."))
}

/// Reads `in`, `as` and `style` of an argument.
pub(super) fn read_slot(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Option<Unnamed> {
    let at = fields.at;
    let name = fields.text("as", faults).filter(|name| !name.is_empty());
    let style = fields.word("style", STYLES, faults).unwrap_or_default();
    if fields.position_of("in").is_none() {
        faults.error(at, "an argument of an API needs 'in': path, query, header, field or body");
    }
    let part = fields.word("in", PARTS, faults)?;
    Some(Unnamed { part, style, name })
}

/// Reads `schema` of an argument.
pub(super) fn read_schema(fields: &mut Fields<'_, '_>, faults: &mut Faults) -> Option<Value> {
    let (_, node) = fields.take("schema")?;
    let value = yaml::json(node);
    if !value.is_object() {
        faults.error(node.at, format!("'schema' must be a mapping, and this is {}", node.describe()));
        return None;
    }
    Some(value)
}

/// What can only be seen when the whole tool is read.
pub(super) fn check(tool: &Tool, at: Position, faults: &mut Faults) {
    let Some(operation) = &tool.operation else { return };
    let slots = || tool.args.iter().filter_map(slot);
    for place in places(&operation.path) {
        let filled = slots().find(|(_, slot)| slot.part == Part::Path && slot.name == place);
        match filled {
            None => faults.error(at, format!("no argument of '{}' fills {{{place}}} of its path", tool.name)),
            Some((arg, _)) if !arg.required && arg.default.is_none() => {
                faults.contradiction(at, format!("'{}' must be required: it is a part of the path", arg.name));
            }
            Some(_) => {}
        }
    }
    let names = places(&operation.path);
    let whole = slots().any(|(_, slot)| slot.part == Part::Body);
    for (arg, slot) in slots() {
        let name = &slot.name;
        match slot.part {
            Part::Path if !names.contains(&name.as_str()) => {
                faults.error(at, format!("'{}' is in the path, and {} has no {{{name}}}", arg.name, operation.path));
            }
            Part::Header if !is_free_header(name) => {
                faults.error(at, format!("'{}' sets the header {name}, which no argument may set", arg.name));
            }
            Part::Field if whole => {
                faults.error(at, format!("'{}' is a field, and another argument is the whole body", arg.name));
            }
            Part::Field | Part::Body if operation.method == Method::Head => {
                faults.error(at, format!("'{}' is in the body, and {} has none", arg.name, operation.method.as_str()));
            }
            Part::Field if matches!(operation.media, Media::Text(_)) => {
                faults.error(at, format!("'{}' is a field, and the body is a text: it is `in: body`", arg.name));
            }
            Part::Path | Part::Header | Part::Field | Part::Query | Part::Body => {}
        }
    }
}

fn slot(arg: &Arg) -> Option<(&Arg, &Slot)> {
    match &arg.place {
        Place::Http(slot) => Some((arg, slot.as_ref())),
        Place::Flag(_) | Place::Positional { .. } | Place::Stdin | Place::WorkingDir => None,
    }
}
