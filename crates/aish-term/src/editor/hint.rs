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
fn shown(hint: &str, line: &str, width: usize) -> String {
    let room = (2 * width).saturating_sub(cells(line) + width / 2);
    if cells(hint) <= room {
        return hint.to_owned();
    }
    cut(hint, room.max(1), "…")
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
        // Without colour a hint could not be told from what was typed. What was meant by the line before was said above it.
        if use_ansi_coloring && !self.hint.is_empty() {
            let width = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
            self.style.paint(shown(&self.hint, line, width)).to_string()
        } else {
            if !line.is_empty() {
                self.hint.clear();
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_takes_two_rows_with_its_line_at_most() {
        for (hint, line, width) in [
            ("x".repeat(3_900), "", 80),
            ("x".repeat(3_900), "for file in *; do", 80),
            ("日本語".repeat(500), "echo 日本", 41),
            ("one two ".repeat(50), "echo", 20),
        ] {
            let cut = shown(&hint, line, width);
            assert!(cells(&cut) < cells(&hint) && cells(line) + cells(&cut) <= 2 * width, "{width}: {cut}");
        }
        assert_eq!(shown(" -la", "ls", 80), " -la");
        assert_eq!(cells(&shown("long", "a line that is longer than two rows", 8)), 1);
    }
}
