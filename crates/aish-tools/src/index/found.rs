//! The answer of the tool that finds, as it is serialized: bounded, whatever it holds.

use std::sync::Arc;

use aish_types::ToolDefinition;
use serde::Serialize;
use serde_json::Value;

use super::page::Summary;

/// Bytes that the tools of one answer may have, about 8,000 tokens; what does not fit is on the next page. The first tool is
/// always there.
const MAX_BYTES: usize = 32_000;
/// Bytes of a result beside its texts and its schema.
const FRAME: usize = 96;
/// Characters of a description on one line.
const LINE: usize = 120;

/// How much an answer says of each tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Its name.
    Names,
    /// Its name and what it does, on one line.
    Line,
    /// All of it, with the schema of its arguments.
    #[default]
    Schema,
}

/// The answer of the tool that finds, as it is serialized.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
pub enum Found {
    /// The groups, when nothing was asked for.
    Summary {
        /// One line a group, in load order.
        summary: Vec<FoundGroup>,
        /// What else is to be known, such as what could not be looked into.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
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
        /// How much of it this is, where it is not all, and what could not be looked into.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// What could not be looked into, by itself.
        #[serde(skip)]
        left_out: Option<String>,
    },
}

impl Found {
    /// Makes a page of a summary.
    pub(super) fn summary(lines: Vec<Summary>, offset: usize, limit: usize) -> Self {
        let total = lines.len();
        let summary = lines.into_iter().skip(offset).take(limit).map(|line| FoundGroup {
            name: line.group.name,
            description: line.group.description,
            tool_count: line.tool_count,
            category: line.group.category,
            tags: line.group.tags,
        });
        let summary: Vec<FoundGroup> = summary.collect();
        let has_more = offset.saturating_add(summary.len()) < total;
        let note = has_more.then(|| format!("{} of {total}", summary.len()));
        Self::Summary { summary, note }
    }

    /// Makes a page of tools, each with the numbers of the phrasings that found it, as far as the answer's bytes reach.
    pub(super) fn search(
        hits: impl Iterator<Item = (Arc<ToolDefinition>, Vec<usize>)>,
        total_matches: usize,
        offset: usize,
        detail: Detail,
    ) -> Self {
        let (mut results, mut bytes) = (Vec::new(), 0_usize);
        for (definition, matched) in hits {
            let tool = FoundTool::of(&definition, matched, detail);
            bytes = bytes.saturating_add(tool.bytes());
            if bytes > MAX_BYTES && !results.is_empty() {
                break;
            }
            results.push(tool);
        }
        let returned = results.len();
        let has_more = offset.saturating_add(returned) < total_matches;
        let note = has_more.then(|| format!("{returned} of {total_matches}"));
        Self::Search { results, total_matches, offset, returned, has_more, note, left_out: None }
    }

    /// Says of each tool whose server it is and how that stands, where `of` knows it.
    pub fn mark(&mut self, of: impl Fn(&FoundTool) -> Option<(String, String)>) {
        let Self::Search { results, .. } = self else { return };
        for tool in results {
            if let Some((server, state)) = of(tool) {
                (tool.server, tool.state) = (Some(server), Some(state));
            }
        }
    }

    /// Says what could not be looked into, or is not there; what was said before stays.
    pub fn leave_out(&mut self, what: Option<String>) {
        let Some(what) = what.filter(|what| !what.is_empty()) else { return };
        let add = |to: &mut Option<String>| {
            *to = Some(match to.take() {
                Some(said) => format!("{said}; {what}"),
                None => what.clone(),
            });
        };
        if let Self::Search { left_out, .. } = self {
            add(left_out);
        }
        let (Self::Summary { note, .. } | Self::Search { note, .. }) = self;
        add(note);
    }
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
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(flatten)]
    facts: Option<Facts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matched: Vec<usize>,
    #[serde(skip)]
    group: String,
    #[serde(skip)]
    late: bool,
}

/// What is said of a tool in full.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Facts {
    cli_name: String,
    category: Option<String>,
    tags: Arc<[String]>,
    input_schema: Value,
}

impl FoundTool {
    fn of(definition: &ToolDefinition, matched: Vec<usize>, detail: Detail) -> Self {
        let description = match detail {
            Detail::Names => None,
            Detail::Line => Some(line(&definition.description)),
            Detail::Schema => Some(definition.description.to_string()),
        };
        let facts = (detail == Detail::Schema).then(|| Facts {
            cli_name: definition.group.to_string(),
            category: Some(definition.category.to_string()).filter(|category| !category.is_empty()),
            tags: Arc::clone(&definition.tags),
            input_schema: definition.input_schema.value(),
        });
        Self {
            tool_name: definition.name.to_string(),
            description,
            facts,
            server: None,
            state: None,
            matched,
            group: definition.group.to_string(),
            late: definition.late,
        }
    }

    fn bytes(&self) -> usize {
        let facts = self.facts.as_ref().map_or(0, |facts| {
            let tags: usize = facts.tags.iter().map(|tag| tag.len() + 3).sum();
            facts.input_schema.to_string().len() + facts.cli_name.len() + tags
        });
        FRAME + self.tool_name.len() + self.description.as_ref().map_or(0, String::len) + facts
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        &self.tool_name
    }

    /// Returns the tool's description, as far as it is told.
    pub fn description(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    /// Returns the tool's group.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// Says whether its server added or changed it, and nobody has said yes to that.
    pub fn is_late(&self) -> bool {
        self.late
    }
}

/// Cuts the first sentence of a description to one line.
fn line(description: &str) -> String {
    let first = description.trim().lines().next().unwrap_or_default();
    let end = first.find(". ").map_or(first.len(), |at| at + 1);
    let sentence = first.get(..end).unwrap_or(first);
    if sentence.chars().count() <= LINE {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(LINE - 1).collect();
    format!("{cut}…")
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
