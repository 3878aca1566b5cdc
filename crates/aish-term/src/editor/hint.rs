//! The hint after the cursor: how the newest line from history that starts like this one goes on.

use std::sync::Arc;

use nu_ansi_term::Style;
use reedline::{Hinter, History};

use super::session::Shared;
use crate::history::{HistoryQuery, HistoryStore, TextFilter};

pub(super) struct HistoryHinter {
    store: Arc<dyn HistoryStore>,
    shared: Arc<Shared>,
    style: Style,
    hint: String,
}

impl HistoryHinter {
    pub(super) fn new(store: Arc<dyn HistoryStore>, shared: Arc<Shared>, style: Style) -> Self {
        Self { store, shared, style, hint: String::new() }
    }

    /// Lines of the same folder come first.
    fn newest(&self, line: &str) -> Option<String> {
        let mut query = HistoryQuery {
            text: Some(TextFilter::Prefix(line.to_owned())),
            folder: self.shared.folder(),
            except: Some(line.to_owned()),
            limit: Some(1),
            ..HistoryQuery::default()
        };
        if query.folder.is_some()
            && let Ok(found) = self.store.search(&query)
            && let Some(entry) = found.into_iter().next()
        {
            return Some(entry.line);
        }
        query.folder = None;
        self.store.search(&query).ok()?.into_iter().next().map(|entry| entry.line)
    }
}

impl Hinter for HistoryHinter {
    fn handle(
        &mut self,
        line: &str,
        _pos: usize,
        _history: &dyn History,
        use_ansi_coloring: bool,
        _cwd: &str,
    ) -> String {
        self.hint.clear();
        if line.is_empty() || line.contains('\n') {
            return String::new();
        }
        if let Some(found) = self.newest(line)
            && let Some(rest) = found.strip_prefix(line)
            // A hint of several lines would push the screen about.
            && let Some(first) = rest.lines().next()
        {
            self.hint = aish_types::sanitize(first).into_owned();
        }
        // Without colour a hint could not be told from what was typed.
        if use_ansi_coloring && !self.hint.is_empty() {
            self.style.paint(&self.hint).to_string()
        } else {
            self.hint.clear();
            String::new()
        }
    }

    fn complete_hint(&self) -> String {
        self.hint.clone()
    }

    fn next_hint_token(&self) -> String {
        let word = self.hint.find(|c: char| !c.is_whitespace()).unwrap_or(0);
        let end = self
            .hint
            .get(word..)
            .and_then(|rest| rest.find(char::is_whitespace))
            .map_or(self.hint.len(), |at| word + at);
        self.hint.get(..end).unwrap_or_default().to_owned()
    }
}
