//! The two tools that stand for all: one finds, one calls.
//!
//! A model that would be shown hundreds of definitions is shown these two. What the second one names is prepared, judged
//! and run as itself: the caller takes [`DiscoveryTools::target`] and goes through the door with that.

use aish_types::near::nearest;
use aish_types::{Hints, Risk, SourceId, ToolDefinition, ToolName};
use serde_json::{Value, json};

use super::found::{Detail, Found};
use super::fuse::fused;
use super::page::{RiskFilter, ToolKind};
use super::{Index, Query};
use crate::schema::unknown_argument;

/// Hits on a page when the request does not say.
const DEFAULT_LIMIT: usize = 10;
/// The most phrasings of one request.
const MAX_QUERIES: usize = 8;
/// Names that are told where one is not known, and characters of one.
const NEAREST: usize = 5;
const MAX_NAME: usize = 64;
/// The words of `detail`, `risk` and `kind`.
const DETAILS: [(&str, Detail); 3] = [("names", Detail::Names), ("line", Detail::Line), ("schema", Detail::Schema)];
const RISKS: [(&str, RiskFilter); 4] = [
    ("read", RiskFilter::Is(Risk::Read)),
    ("write", RiskFilter::Is(Risk::Write)),
    ("destructive", RiskFilter::Is(Risk::Destructive)),
    ("unknown", RiskFilter::Unknown),
];
const KINDS: [(&str, ToolKind); 2] = [("cli", ToolKind::Cli), ("server", ToolKind::Server)];

/// What the tool that finds takes.
const KEYS: [&str; 10] = ["query", "queries", "category", "cli", "server", "risk", "kind", "detail", "limit", "offset"];

/// The two tools, under the names that a server or shell gives them.
#[derive(Debug, Clone)]
pub struct DiscoveryTools {
    search: ToolName,
    call: ToolName,
    source: SourceId,
}

impl DiscoveryTools {
    /// Names the two tools.
    pub fn new(search: impl Into<ToolName>, call: impl Into<ToolName>, source: SourceId) -> Self {
        Self { search: search.into(), call: call.into(), source }
    }

    /// Returns the name of the tool that finds.
    pub fn search_name(&self) -> &ToolName {
        &self.search
    }

    /// Returns the name of the tool that calls.
    pub fn call_name(&self) -> &ToolName {
        &self.call
    }

    /// Returns the two definitions: first the one that finds, then the one that calls. Together under 1,600 bytes as JSON.
    pub fn definitions(&self) -> [ToolDefinition; 2] {
        let search = json!({"type": "object", "properties": {
            "query": {"type": "string", "description": "What to do, in words, or part of a name"},
            "category": {"type": "string", "description": "Exact category"},
            "cli": {"type": "string", "description": "Exact CLI name"},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 0},
            "offset": {"type": "integer", "default": 0, "minimum": 0},
            "queries": {"type": "array", "items": {"type": "string"}, "description": "Other phrasings, up to 8"},
            "server": {"type": "string", "description": "Exact server name"},
            "risk": {"enum": RISKS.map(|(word, _)| word)},
            "kind": {"enum": KINDS.map(|(word, _)| word)},
            "detail": {"enum": DETAILS.map(|(word, _)| word), "default": "schema"},
        }});
        let call = json!({"type": "object", "properties": {
            "tool_name": {"type": "string"},
            "args": {"type": "object", "description": "As in the tool's input_schema"},
        }, "required": ["tool_name"]});
        let find = "Find tools by what you want done; best match first, with argument schemas. No filters: a summary of all CLIs.";
        let run = format!("Run a tool found with {}.", self.search);
        let mut search = ToolDefinition::new(self.search.clone(), find, search, self.source.clone());
        search.hints = Hints { read_only: Some(true), ..Hints::default() };
        search.trusted = true;
        let mut call = ToolDefinition::new(self.call.clone(), run, call, self.source.clone());
        call.trusted = true;
        call.risk = Risk::Destructive;
        [search, call]
    }

    /// Answers a call of the tool that finds.
    ///
    /// # Errors
    /// Every fault of the arguments at once.
    pub fn find(&self, index: &Index, arguments: &Value) -> Result<Found, SearchRequestError> {
        Ok(SearchRequest::read(arguments)?.answer(index))
    }

    /// Reads which tool a call of the tool that calls means, and with which arguments.
    ///
    /// # Errors
    /// When no tool is named, or the arguments are no object; null and absent are no arguments, a string is JSON text, and
    /// `arguments` is the same as `args`. Any other key is a fault: what somebody meant for the tool must not be lost.
    pub fn target(&self, mut arguments: Value) -> Result<(ToolName, Value), SearchRequestError> {
        let is_given = |key: &str| arguments.get(key).is_some_and(|value| !value.is_null());
        let key = if is_given("args") { "args" } else { "arguments" };
        let mut unknown = unknown(&arguments, &["tool_name", "args"]);
        unknown.retain(|(given, _)| given != key);
        unknown.sort();
        let inside = |fault: &str| format!("{fault} The tool's own arguments go into 'args'.");
        let fault = |text: &str| {
            let unknown = unknown.iter().map(|(_, fault)| inside(fault));
            SearchRequestError(std::iter::once(text.to_owned()).chain(unknown).collect())
        };
        let name = match arguments.get("tool_name") {
            Some(Value::String(name)) if !name.is_empty() => ToolName::new(name.as_str()),
            None | Some(Value::Null) => return Err(fault("Missing required argument 'tool_name'")),
            Some(_) => return Err(fault("Argument 'tool_name' must be the name of a tool")),
        };
        let none = || Value::Object(serde_json::Map::new());
        if !unknown.is_empty() {
            return Err(SearchRequestError(unknown.iter().map(|(_, fault)| inside(fault)).collect()));
        }
        let arguments = match arguments.get_mut(key).map(Value::take) {
            None | Some(Value::Null) => none(),
            Some(arguments @ Value::Object(_)) => arguments,
            Some(Value::String(text)) if text.trim().is_empty() => none(),
            Some(Value::String(text)) => match serde_json::from_str(&text) {
                Ok(arguments @ Value::Object(_)) => arguments,
                Ok(_) | Err(_) => return Err(fault("Argument 'args' must be an object")),
            },
            Some(_) => return Err(fault("Argument 'args' must be an object")),
        };
        Ok((name, arguments))
    }
}

/// What a call of the tool that finds asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    query: Query,
    /// Other phrasings of the same wish.
    queries: Vec<String>,
    detail: Detail,
    summary: bool,
}

/// Faults of the arguments, each a sentence for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct SearchRequestError(pub Vec<String>);

impl SearchRequest {
    /// Reads the arguments. Null is absent, a whole number may be a string.
    ///
    /// # Errors
    /// Every fault at once.
    pub fn read(arguments: &Value) -> Result<Self, SearchRequestError> {
        let mut faults: Vec<String> = unknown(arguments, &KEYS).into_iter().map(|(_, fault)| fault).collect();
        let mut text = |key: &str| match arguments.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other @ (Value::Bool(_) | Value::Number(_))) => Some(other.to_string()),
            Some(other @ (Value::Array(_) | Value::Object(_))) => {
                faults.push(format!("Argument '{key}': cannot convert '{other}' to string"));
                None
            }
        };
        let (query, category, cli, server) = (text("query"), text("category"), text("cli"), text("server"));
        let words = [text("risk"), text("kind"), text("detail")];
        let mut number = |key: &str, default: usize| match whole(arguments.get(key)) {
            Ok(None) => default,
            Ok(Some(number)) => usize::try_from(number).unwrap_or_else(|_| {
                faults.push(format!("Argument '{key}' must not be below 0"));
                default
            }),
            Err(given) => {
                faults.push(format!("Argument '{key}': cannot convert '{given}' to integer"));
                default
            }
        };
        let (limit, offset) = (number("limit", DEFAULT_LIMIT), number("offset", 0));
        let [risk, kind, detail] = words;
        let risk = one_of("risk", risk, &RISKS, &mut faults);
        let kind = one_of("kind", kind, &KINDS, &mut faults);
        let detail = one_of("detail", detail, &DETAILS, &mut faults).unwrap_or_default();
        let queries = phrasings(arguments.get("queries"), &mut faults);
        if let (Some(cli), Some(server)) = (&cli, &server) {
            faults.push(format!("'cli' ({cli}) and 'server' ({server}) leave nothing together; give one of them"));
        }
        if !faults.is_empty() {
            return Err(SearchRequestError(faults));
        }
        let kind = if server.is_some() { Some(ToolKind::Server) } else { kind };
        let query = Query { text: query, category, group: cli.or(server), risk, kind, limit, offset };
        Ok(Self::with(query, queries, detail))
    }

    /// Makes a request of its parts; without text and filters it is for the summary.
    pub fn new(query: Query) -> Self {
        Self::with(query, Vec::new(), Detail::default())
    }

    fn with(mut query: Query, mut queries: Vec<String>, detail: Detail) -> Self {
        if query.text.is_none() && !queries.is_empty() {
            query.text = Some(queries.remove(0));
        }
        let Query { text, category, group, risk, kind, .. } = &query;
        let summary = text.is_none() && category.is_none() && group.is_none() && risk.is_none() && kind.is_none();
        Self { query, queries, detail, summary }
    }

    /// Says whether tools of a group could be found of which only its name and kind are known.
    pub fn may_find(&self, group: &str, kind: ToolKind) -> bool {
        let Query { category, group: wanted, kind: wanted_kind, .. } = &self.query;
        category.is_none()
            && wanted_kind.is_none_or(|wanted| wanted == kind)
            && wanted.as_ref().is_none_or(|wanted| wanted.to_lowercase() == group.to_lowercase())
    }

    /// Answers from the index; a filter that nothing is called by is told.
    pub fn answer(&self, index: &Index) -> Found {
        let mut found = self.found(index);
        let strangers = [
            self.query.group.as_deref().map(|name| ("CLI or server", name, index.group_names())),
            self.query.category.as_deref().map(|name| ("category", name, index.category_names())),
        ];
        let told: Vec<String> =
            strangers.into_iter().flatten().filter_map(|(what, name, known)| no_such(what, name, &known)).collect();
        found.leave_out(Some(told.join("; ")));
        found
    }

    fn found(&self, index: &Index) -> Found {
        let (offset, limit) = (self.query.offset, self.query.limit);
        if self.summary {
            return Found::summary(index.summary(), offset, limit);
        }
        if self.queries.is_empty() {
            let page = index.search(&self.query);
            let hits = page.hits.into_iter().map(|hit| (hit.definition, Vec::new()));
            return Found::search(hits, page.total, offset, self.detail);
        }
        let texts: Vec<&str> = self.query.text.iter().chain(&self.queries).map(String::as_str).collect();
        let all = fused(index, &self.query, &texts);
        let total = all.len();
        Found::search(all.into_iter().skip(offset).take(limit), total, offset, self.detail)
    }
}

/// Returns the keys that are given and not known, each with what to say of it; null is absent.
fn unknown(arguments: &Value, known: &[&str]) -> Vec<(String, String)> {
    let given = arguments.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let others = given.filter(|(key, _)| !known.contains(&key.as_str()));
    others.map(|(key, _)| (key.clone(), unknown_argument(key, known.iter().copied()))).collect()
}

/// Says that nothing is called by a name, and what is; none where something is.
fn no_such(what: &str, name: &str, known: &[&str]) -> Option<String> {
    if known.iter().any(|known| known.to_lowercase() == name.to_lowercase()) {
        return None;
    }
    let name = name.chars().take(MAX_NAME).collect::<String>();
    let nearest = nearest(&name, known.iter().copied(), NEAREST);
    let (there, nearest) = match nearest.len() {
        0 => return Some(format!("there is no {what} '{name}', and no other")),
        all if all == known.len() => ("there is", nearest.join(", ")),
        _ => ("the nearest are", nearest.join(", ")),
    };
    Some(format!("there is no {what} '{name}'; {there} {nearest}"))
}

/// Reads a word out of a few.
fn one_of<T: Copy>(key: &str, given: Option<String>, words: &[(&str, T)], faults: &mut Vec<String>) -> Option<T> {
    let given = given?;
    let found = words.iter().find(|(word, _)| given.trim().eq_ignore_ascii_case(word)).map(|(_, value)| *value);
    if found.is_none() {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        faults.push(format!("Argument '{key}' must be one of: {}", all.join(", ")));
    }
    found
}

/// Reads other phrasings; blank ones and those that come twice are left out.
fn phrasings(given: Option<&Value>, faults: &mut Vec<String>) -> Vec<String> {
    let texts: Vec<String> = match given {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) if items.len() > MAX_QUERIES => {
            faults.push(format!("Argument 'queries' takes at most {MAX_QUERIES} texts"));
            Vec::new()
        }
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        Some(_) => {
            faults.push("Argument 'queries' must be a list of texts".to_owned());
            Vec::new()
        }
    };
    let mut out: Vec<String> = Vec::with_capacity(texts.len());
    for text in texts {
        let is_known = |known: &String| known.trim().eq_ignore_ascii_case(text.trim());
        if !text.trim().is_empty() && !out.iter().any(is_known) {
            out.push(text);
        }
    }
    out
}

/// Reads a whole number; the error is what was given instead.
fn whole(value: Option<&Value>) -> Result<Option<i64>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(number)) => {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0);
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            let whole = number.as_i64().or_else(|| float.map(|float| float as i64));
            whole.map(Some).ok_or_else(|| number.to_string())
        }
        Some(Value::String(text)) => text.trim().parse().map(Some).map_err(|_| text.clone()),
        Some(other @ (Value::Bool(_) | Value::Array(_) | Value::Object(_))) => Err(other.to_string()),
    }
}
