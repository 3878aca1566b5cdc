//! What is asked of the index, and what it answers.

use std::sync::Arc;

use aish_types::{Risk, ToolDefinition};

/// A request. Filters are exact but for case, and all must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What is wanted, in words, or a part of a name; none or blank means everything.
    pub text: Option<String>,
    /// The category.
    pub category: Option<String>,
    /// The group: a command line, a server, a plugin.
    pub group: Option<String>,
    /// What the tool may do.
    pub risk: Option<RiskFilter>,
    /// What kind of source it is from.
    pub kind: Option<ToolKind>,
    /// The greatest number of hits on this page.
    pub limit: usize,
    /// How many hits come before this page.
    pub offset: usize,
}

impl Default for Query {
    fn default() -> Self {
        Self { text: None, category: None, group: None, risk: None, kind: None, limit: 10, offset: 0 }
    }
}

/// A risk that tools are looked for by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RiskFilter {
    /// This one, by our own word or the user's.
    Is(Risk),
    /// A stranger's tool, whatever it says of itself.
    Unknown,
}

impl RiskFilter {
    /// Says whether a tool has this risk.
    pub(super) fn passes(self, definition: &ToolDefinition) -> bool {
        match self {
            Self::Is(risk) => definition.trusted && definition.risk == risk,
            Self::Unknown => !definition.trusted,
        }
    }
}

/// What kind of source a tool is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// A command line.
    Cli,
    /// An MCP server.
    Server,
}

impl ToolKind {
    /// Says whether a tool is of this kind.
    pub(super) fn passes(self, definition: &ToolDefinition) -> bool {
        definition.source.as_str().starts_with(match self {
            Self::Cli => "cli:",
            Self::Server => "mcp:",
        })
    }
}

impl Query {
    /// Makes a request of words alone, with ten hits.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }
}

/// One tool that was found.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The tool.
    pub definition: Arc<ToolDefinition>,
    /// How well it fits, higher is better; comparable inside one answer only.
    pub score: f32,
}

/// One page of an answer.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How many there are on all pages.
    pub total: usize,
}

/// A command line, a server or a plugin, as the summary shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// What it is, in a sentence.
    pub description: String,
    /// Its category.
    pub category: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// True when it is listed even without tools.
    pub keep_empty: bool,
}

impl Group {
    /// Makes a group of what one of its tools says.
    pub(super) fn of(definition: &ToolDefinition) -> Self {
        let category = Some(definition.category.to_string()).filter(|category| !category.is_empty());
        Self { name: definition.group.to_string(), category, ..Self::default() }
    }
}

/// One line of the summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The group.
    pub group: Group,
    /// How many tools it has.
    pub tool_count: usize,
}
