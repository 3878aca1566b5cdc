//! The two tools that stand for all: one finds, one calls.
//!
//! A model that would be shown hundreds of definitions is shown these two. What the second one names is prepared, judged
//! and run as itself: the caller takes [`DiscoveryTools::target`] and goes through the door with that.

use aish_types::{Hints, Risk, SourceId, ToolDefinition, ToolName};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Index, Query};

/// Hits on a page when the request does not say.
const DEFAULT_LIMIT: usize = 10;

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

    /// Returns the two definitions: first the one that finds, then the one that calls. Together under 1,250 bytes as JSON.
    pub fn definitions(&self) -> [ToolDefinition; 2] {
        let search = json!({"type": "object", "properties": {
            "query": {"type": "string", "description": "What to do, in words, or part of a name"},
            "category": {"type": "string", "description": "Exact category"},
            "cli": {"type": "string", "description": "Exact CLI name"},
            "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 0},
            "offset": {"type": "integer", "default": 0, "minimum": 0},
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
    /// When no tool is named, or the arguments are no object; null and absent are no arguments, a string is JSON text.
    pub fn target(&self, mut arguments: Value) -> Result<(ToolName, Value), SearchRequestError> {
        let fault = |text: &str| SearchRequestError(vec![text.to_owned()]);
        let name = match arguments.get("tool_name") {
            Some(Value::String(name)) if !name.is_empty() => ToolName::new(name.as_str()),
            None | Some(Value::Null) => return Err(fault("Missing required argument 'tool_name'")),
            Some(_) => return Err(fault("Argument 'tool_name' must be the name of a tool")),
        };
        let none = || Value::Object(serde_json::Map::new());
        let arguments = match arguments.get_mut("args").map(Value::take) {
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
    summary: bool,
}

/// Faults of the arguments, each a sentence for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct SearchRequestError(pub Vec<String>);

impl SearchRequest {
    /// Reads the arguments. Null is absent, a whole number may be a string, keys that are not known are ignored.
    ///
    /// # Errors
    /// Every fault at once.
    pub fn read(arguments: &Value) -> Result<Self, SearchRequestError> {
        let mut faults = Vec::new();
        let mut text = |key: &str| match arguments.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other @ (Value::Bool(_) | Value::Number(_))) => Some(other.to_string()),
            Some(other @ (Value::Array(_) | Value::Object(_))) => {
                faults.push(format!("Argument '{key}': cannot convert '{other}' to string"));
                None
            }
        };
        let (query, category, group) = (text("query"), text("category"), text("cli"));
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
        if !faults.is_empty() {
            return Err(SearchRequestError(faults));
        }
        let summary = query.is_none() && category.is_none() && group.is_none();
        Ok(Self { query: Query { text: query, category, group, limit, offset }, summary })
    }

    /// Makes a request of its parts; without text, category and group it is for the summary.
    pub fn new(query: Query) -> Self {
        let summary = query.text.is_none() && query.category.is_none() && query.group.is_none();
        Self { query, summary }
    }

    /// Answers from the index.
    pub fn answer(&self, index: &Index) -> Found {
        let (offset, limit) = (self.query.offset, self.query.limit);
        if self.summary {
            let groups = index.summary().into_iter().skip(offset).take(limit);
            let summary = groups.map(|line| FoundGroup {
                name: line.group.name,
                description: line.group.description,
                tool_count: line.tool_count,
                category: line.group.category,
                tags: line.group.tags,
            });
            return Found::Summary { summary: summary.collect() };
        }
        let page = index.search(&self.query);
        let results: Vec<FoundTool> = page.hits.into_iter().map(|hit| FoundTool::of(&hit.definition)).collect();
        let returned = results.len();
        Found::Search {
            results,
            total_matches: page.total,
            offset,
            returned,
            has_more: offset.saturating_add(returned) < page.total,
        }
    }
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

/// The answer of the tool that finds, as it is serialized.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
pub enum Found {
    /// The groups, when nothing was asked for.
    Summary {
        /// One line a group, in load order.
        summary: Vec<FoundGroup>,
    },
    /// The tools, best first.
    Search {
        /// This page.
        results: Vec<FoundTool>,
        /// How many there are on all pages.
        total_matches: usize,
        /// How many come before this page.
        offset: usize,
        /// How many are on this page.
        returned: usize,
        /// True when there are more behind this page.
        has_more: bool,
    },
}

/// One group of the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundGroup {
    name: String,
    description: String,
    tool_count: usize,
    category: Option<String>,
    tags: Vec<String>,
}

/// One tool that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundTool {
    tool_name: String,
    description: String,
    cli_name: String,
    category: Option<String>,
    tags: Vec<String>,
    input_schema: Value,
}

impl FoundTool {
    fn of(definition: &ToolDefinition) -> Self {
        Self {
            tool_name: definition.name.to_string(),
            description: definition.description.clone(),
            cli_name: definition.group.clone(),
            category: Some(definition.category.clone()).filter(|category| !category.is_empty()),
            tags: definition.tags.clone(),
            input_schema: definition.input_schema.clone(),
        }
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        &self.tool_name
    }

    /// Returns the tool's description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the tool's group.
    pub fn group(&self) -> &str {
        &self.cli_name
    }
}

impl FoundGroup {
    /// Returns the group's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the group's description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Counts the group's tools.
    pub fn tool_count(&self) -> usize {
        self.tool_count
    }
}
