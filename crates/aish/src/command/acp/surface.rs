//! A turn as an editor shows it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aish_acp::{Client, Content, Diff, Kind, Status, Update};
use aish_types::{CallId, ToolCall, ToolName, ToolOutcome};

use super::approver::{EditorApprover, diffs};
use super::diff::Differences;
use crate::driver::outside_of;
use crate::shell_tool::{NETWORK, OUTSIDE, SHELL_SOURCE};
use crate::surface::{Shown, Surface};

/// Characters of a call's result that an editor is shown.
const MOST: usize = 16 * 1024;

/// Shows a turn at an editor.
pub(super) struct EditorSurface<'a> {
    pub(super) client: Client,
    pub(super) approver: Arc<EditorApprover>,
    pub(super) differences: Differences<'a>,
    /// Tokens of the model's context, where they are known.
    pub(super) context: Option<u64>,
    /// Begins the ids of this turn's messages.
    pub(super) turn: String,
    message: u64,
    /// Calls without an outcome yet, in the model's order.
    open: Vec<(CallId, ToolName)>,
    /// The call that the next event is of.
    about: Option<CallId>,
    /// What became of the last layer, for the call whose outcome is shown next.
    layer: Option<(String, Vec<Diff>)>,
    /// The last failure, in words.
    pub(super) error: Option<String>,
}

impl<'a> EditorSurface<'a> {
    pub(super) fn new(
        client: Client,
        approver: Arc<EditorApprover>,
        differences: Differences<'a>,
        context: Option<u64>,
        turn: String,
    ) -> Self {
        let (open, about, layer, error) = (Vec::new(), None, None, None);
        Self { client, approver, differences, context, turn, message: 0, open, about, layer, error }
    }

    fn message(&self) -> String {
        format!("{}-{}", self.turn, self.message)
    }

    /// Says something that is not the model's, as a message of its own.
    fn say(&mut self, text: &str) {
        self.message += 1;
        self.client.show(Update::Text { text: format!("_{text}_\n"), message: self.message() });
        self.message += 1;
    }

    /// Shows a call that is about to be judged.
    fn calling(&mut self, call: &ToolCall) {
        self.approver.judging(&call.id);
        self.differences.begin();
        self.open.push((call.id.clone(), call.name.clone()));
        let arguments = serde_json::from_str(&call.arguments).unwrap_or(serde_json::Value::Null);
        self.client.show(Update::Call {
            id: call.id.to_string(),
            title: title(call.name.as_str(), &arguments),
            name: call.name.to_string(),
            kind: kind(call.name.as_str()),
            status: Status::Pending,
            content: Vec::new(),
            places: places(&arguments),
            input: arguments,
        });
    }

    fn ended(&mut self, tool: &ToolName, outcome: &ToolOutcome) {
        let at = self.about.take().and_then(|id| self.open.iter().position(|(open, _)| *open == id));
        let at = at.or_else(|| self.open.iter().position(|(_, open)| open == tool));
        let Some(at) = at else { return };
        let (id, _) = self.open.remove(at);
        let (became, mut diffs) = self.layer.take().unzip();
        let diffs = diffs.get_or_insert_default();
        diffs.extend(self.differences.since());
        let mut content: Vec<Content> = diffs.drain(..).map(Content::Diff).collect();
        content.extend(became.map(Content::Text));
        let text = aish_types::sanitize(&outcome.text);
        if !text.trim().is_empty() {
            content.push(Content::Text(fenced(&aish_types::head_and_tail(&text, MOST).text)));
        }
        let status = if outcome.is_success() { Status::Done } else { Status::Failed };
        self.client.show(Update::CallChanged { id: id.to_string(), status, content: Some(content) });
        // What it was offered outside as has no outcome of its own.
        let again = outside_of(&id);
        if let Some(at) = self.open.iter().position(|(open, _)| *open == again) {
            self.open.remove(at);
            self.client.show(Update::CallChanged { id: again.to_string(), status, content: None });
        }
    }
}

/// Puts a result into a fence, so that nothing of it is a heading or a link.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Says what kind of thing a tool does, by its name.
pub(super) fn kind(tool: &str) -> Kind {
    let last = tool.rsplit('.').next().unwrap_or(tool);
    let begins = |words: &[&str]| words.iter().any(|word| last.starts_with(word));
    match tool {
        SHELL_SOURCE | OUTSIDE | NETWORK => Kind::Execute,
        _ if begins(&["read", "list", "get", "view"]) => Kind::Read,
        _ if begins(&["write", "edit", "create", "apply", "replace"]) => Kind::Edit,
        _ if begins(&["search", "find", "grep", "glob"]) => Kind::Search,
        _ if last.contains("fetch") => Kind::Fetch,
        _ => Kind::Other,
    }
}

/// Says what a call does: a command line, whole, or the tool.
pub(super) fn title(name: &str, arguments: &serde_json::Value) -> String {
    match arguments.get("command").and_then(serde_json::Value::as_str) {
        Some(command) if [SHELL_SOURCE, OUTSIDE, NETWORK].contains(&name) => aish_types::visible(command).into_owned(),
        _ => name.to_owned(),
    }
}

/// Returns the files that a call names.
pub(super) fn places(arguments: &serde_json::Value) -> Vec<PathBuf> {
    let path = ["path", "file_path", "file"].iter().find_map(|name| arguments.get(*name)?.as_str());
    path.map(PathBuf::from).filter(|path| path.is_absolute()).into_iter().collect()
}

impl Surface for EditorSurface<'_> {
    fn show(&mut self, shown: Shown<'_>, _now: Duration) {
        match shown {
            Shown::Text(text) => {
                let message = self.message();
                self.client.show(Update::Text { text: aish_types::sanitize(text).into_owned(), message });
            }
            Shown::Reasoning(text) => {
                let message = format!("{}-thought", self.message());
                self.client.show(Update::Thought { text: aish_types::sanitize(text).into_owned(), message });
            }
            Shown::AnswerEnd => self.message += 1,
            Shown::Fitting(answer) => {
                let message = self.message();
                self.client.show(Update::Text { text: answer.text.clone(), message });
            }
            Shown::Calling(call) => self.calling(call),
            Shown::Verdict { tool, judgement, approved } => {
                let Some((id, _)) = self.open.iter().rfind(|(_, open)| open == tool).cloned() else { return };
                let (status, content) = if approved {
                    (Status::Running, None)
                } else {
                    let why = format!("{}: {} ({})", judgement.verdict, judgement.reason, judgement.rule);
                    self.open.retain(|(open, _)| *open != id);
                    (Status::Failed, Some(vec![Content::Text(aish_types::visible(&why).into_owned())]))
                };
                self.client.show(Update::CallChanged { id: id.to_string(), status, content });
            }
            Shown::Outcome { tool, outcome } => self.ended(tool, outcome),
            Shown::Usage { usage, .. } => {
                if let Some(size) = self.context {
                    self.client.show(Update::Usage { used: usage.prompt.saturating_add(usage.completion), size });
                }
            }
            Shown::Changes { lines, end, event, kept, .. } => {
                let mut text = lines.to_vec();
                text.push(match (kept, event.get("id").and_then(serde_json::Value::as_str)) {
                    (Some(_), Some(id)) => format!("kept; `aish undo {id}` takes it back exactly"),
                    _ => end.to_owned(),
                });
                let text = fenced(&aish_types::sanitize(&text.join("\n")));
                self.layer = Some((text, kept.map(diffs).unwrap_or_default()));
            }
            Shown::Notice(text) => self.say(&aish_types::sanitize(text)),
            Shown::Error(text) => self.error = Some(aish_types::sanitize(text).into_owned()),
            // What was stopped at its question, or while it ran, has no outcome.
            Shown::TurnEnd(_) => {
                for (id, _) in std::mem::take(&mut self.open) {
                    let (id, status) = (id.to_string(), Status::Failed);
                    self.client.show(Update::CallChanged { id, status, content: None });
                }
            }
            Shown::TurnStart | Shown::Waiting | Shown::RunEnd { .. } => {}
        }
    }

    fn about(&mut self, call: &CallId) {
        self.about = Some(call.clone());
    }
}
