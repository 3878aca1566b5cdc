//! A session as a document: Markdown, JSON, or one HTML page that needs nothing else.
//!
//! Everything in a session comes from outside: terminal control is taken out of what people read, and in the page
//! nothing is markup that we did not write. JSON alone has the texts to the letter.

pub mod html;
pub mod json;
pub mod markdown;

use aish_journal::session::{Session, StoredTurn};
use aish_types::{CallId, Message, SessionId, ToolCall};

/// The form of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Markdown.
    Md,
    /// One HTML page.
    Html,
    /// JSON.
    Json,
}

impl Format {
    /// Finds a format by its name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "md" | "markdown" => Some(Self::Md),
            "html" | "htm" => Some(Self::Html),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// Returns the name, which is also the file's extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md => "md",
            Self::Html => "html",
            Self::Json => "json",
        }
    }
}

/// A session to be written.
#[derive(Debug, Clone, Copy)]
pub struct Exported<'a> {
    /// Its id.
    pub id: &'a SessionId,
    /// What its log holds.
    pub session: &'a Session,
}

impl Exported<'_> {
    /// Writes the document.
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Md => markdown::write(self),
            Format::Html => html::write(self),
            Format::Json => json::write(self),
        }
    }

    /// Returns the session's name, else its id.
    fn title(&self) -> &str {
        self.session.title.as_deref().unwrap_or(self.id.as_str())
    }

    /// Returns what is known of the session as a whole: names and values.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let head = self.session.head.clone().unwrap_or_default();
        let turns = &self.session.turns;
        let first = turns.first().map(|turn| turn.time.clone());
        let last = turns.last().map(|turn| turn.time.clone());
        let mut models: Vec<&str> = turns.iter().filter_map(|turn| turn.model.as_deref()).collect();
        models.sort_unstable();
        models.dedup();
        [
            ("session", Some(self.id.to_string())),
            ("forked from", head.forked_from),
            ("folder", head.folder),
            ("project", head.project),
            ("model", Some(models.join(", ")).filter(|models| !models.is_empty())),
            ("begun", first),
            ("last turn", last),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }

    /// Returns the result of a call: the first one of its id behind the turn that made it.
    fn result(&self, turn: &StoredTurn, call: &CallId) -> Option<&str> {
        let behind = self.session.turns.iter().skip_while(|other| !std::ptr::eq(*other, turn));
        behind.skip(1).find_map(|turn| match &turn.message {
            Message::Tool { tool_call_id, content, .. } if tool_call_id == call => Some(content.as_str()),
            Message::System { .. } | Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
        })
    }

    /// Returns the calls of a turn with their results.
    fn calls<'a>(&'a self, turn: &'a StoredTurn) -> impl Iterator<Item = (&'a ToolCall, Option<&'a str>)> {
        turn.message.tool_calls().iter().map(|call| (call, self.result(turn, &call.id)))
    }
}

/// Writes JSON text with line breaks; what is no JSON stays as it is.
fn pretty(arguments: &str) -> String {
    serde_json::from_str::<serde_json::Value>(arguments)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| arguments.to_owned())
}

#[cfg(test)]
mod tests;
