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
    /// The line that was looked for last, and the newest one that goes on from it.
    last: Option<(String, Option<String>)>,
}

impl HistoryHinter {
    pub(super) fn new(store: Arc<dyn HistoryStore>, shared: Arc<Shared>, style: Style) -> Self {
        Self { store, shared, style, hint: String::new(), last: None }
    }

    /// Returns the newest line that goes on from this one. What goes on from a line's beginning is asked for once: it stays the
    /// newest as long as the line grows to it, and where there was nothing there is nothing longer.
    fn goes_on(&mut self, line: &str) -> Option<String> {
        if let Some((last, found)) = &self.last
            && line.starts_with(last.as_str())
            && found.as_ref().is_none_or(|found| found.starts_with(line) && found != line)
        {
            return found.clone();
        }
        let found = self.newest(line);
        self.last = Some((line.to_owned(), found.clone()));
        found
    }

    /// Lines of the same folder come first, where they are not long ago.
    fn newest(&self, line: &str) -> Option<String> {
        let mut query = HistoryQuery {
            text: Some(TextFilter::Prefix(line.to_owned())),
            folder: self.shared.folder(),
            except: Some(line.to_owned()),
            limit: Some(1),
            lately: true,
            ..HistoryQuery::default()
        };
        if query.folder.is_some()
            && let Ok(found) = self.store.search(&query)
            && let Some(entry) = found.into_iter().next()
        {
            return Some(entry.line);
        }
        (query.folder, query.lately) = (None, false);
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
            // Another line begins, or the history has grown.
            self.last = None;
            // What was probably meant by the line before.
            self.hint = self.shared.suggestion().unwrap_or_default();
        } else if let Some(found) = self.goes_on(line)
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
    use crate::Capabilities;
    use crate::editor::EditorOptions;
    use crate::history::{HistoryEntry, HistoryError, MemoryHistory};

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

    /// A history that counts how often it is asked.
    struct Counting(MemoryHistory, std::sync::atomic::AtomicUsize);

    impl HistoryStore for Counting {
        fn search(&self, query: &HistoryQuery) -> Result<Vec<HistoryEntry>, HistoryError> {
            self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            self.0.search(query)
        }

        fn load(&self, id: i64) -> Result<Option<HistoryEntry>, HistoryError> {
            self.0.load(id)
        }
    }

    #[test]
    fn a_line_that_grows_to_its_hint_or_has_none_asks_once() {
        let history = MemoryHistory::default();
        for line in ["git status", "git stash", "ls", "git status"] {
            history.append(HistoryEntry {
                id: 0,
                line: line.into(),
                folder: None,
                status: None,
                duration: None,
                session: None,
                started_ms: 0,
            });
        }
        let store = Arc::new(Counting(history, 0.into()));
        let mut options = EditorOptions::new(Capabilities::plain(), true, Some("xterm"), Arc::clone(&store) as _);
        let shared = Arc::new(Shared::new(&mut options));
        let mut hinter = HistoryHinter::new(Arc::clone(&store) as _, shared, Style::new());
        let mut typed = |line: &str| {
            let before = store.1.load(std::sync::atomic::Ordering::Relaxed);
            let found = hinter.goes_on(line);
            (found, store.1.load(std::sync::atomic::Ordering::Relaxed) - before)
        };
        let found = |text: &str, asked| (Some(text.to_owned()), asked);
        assert_eq!(typed("g"), found("git status", 1));
        assert_eq!(typed("git st"), found("git status", 0));
        assert_eq!(typed("git stas"), found("git stash", 1));
        assert_eq!(typed("git stash"), (None, 1));
        assert_eq!(typed("git stash x"), (None, 0));
        assert_eq!(typed("git s"), found("git status", 1));
        assert_eq!(typed("x"), (None, 1));
        assert_eq!(typed("xy"), (None, 0));
    }
}
