//! The hint after the cursor: how the newest line from history that starts like this one goes on.

use std::sync::Arc;

use nu_ansi_term::Style;
use reedline::{Hinter, History};

use super::session::Shared;
use crate::cells::{cells, cut};
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

/// Cuts what is shown of a hint: with the line it takes two rows at most, so that it moves nothing off the screen.
fn shown(hint: &str, line: &str) -> String {
    let width = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
    let room = (2 * width).saturating_sub(cells(line) + width / 2);
    if cells(hint) <= room {
        return hint.to_owned();
    }
    cut(hint, room.max(1), true)
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
        if line.contains('\n') {
            return String::new();
        }
        if line.is_empty() {
            // What was probably meant by the line before.
            self.hint = self.shared.suggestion().unwrap_or_default();
        } else if let Some(found) = self.newest(line)
            && let Some(rest) = found.strip_prefix(line)
            // A hint of several lines would push the screen about.
            && let Some(first) = rest.lines().next()
        {
            self.hint = aish_types::sanitize(first).into_owned();
        }
        // Without colour a hint could not be told from what was typed.
        if use_ansi_coloring && !self.hint.is_empty() {
            self.style.paint(shown(&self.hint, line)).to_string()
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
