//! The Ctrl-R menu: fuzzy search through the history, narrowed by folder, session or exit code.
//!
//! The engine lets a menu look for what was typed when it draws it. Keys that come in one go (typed fast, or over a slow
//! line) are drawn once, at their end, so the Enter among them would find the list of an earlier text: the menu shares the
//! search with its completer, and looks anew where the list that is drawn is not the one of the text.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reedline::{
    ColumnarMenu, Completer, CompletionResult, Editor, Menu, MenuBuilder, MenuEvent, MenuSettings, OutputMode, Painter,
    Span, Suggestion, UndoBehavior,
};

use super::chosen::as_written;
use super::names::SEARCH;
use super::session::Shared;
use super::style::converted;
use crate::cells::cells;
use crate::history::{HistoryEntry, HistoryQuery, HistoryStore, StatusFilter, rank};
use crate::theme::Theme;

/// How many distinct lines are searched, newest first.
const DEPTH: usize = 5_000;
/// How many are shown at most.
const SHOWN: usize = 50;

const SCOPES: [(Scope, &str); 5] = [
    (Scope::All, "history: "),
    (Scope::Folder, "history (this folder): "),
    (Scope::Session, "history (this session): "),
    (Scope::Succeeded, "history (succeeded): "),
    (Scope::Failed, "history (failed): "),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    Folder,
    Session,
    Succeeded,
    Failed,
}

/// What is searched and where, shared by the menu and its completer.
#[derive(Clone)]
pub(super) struct Search(Arc<Mutex<Searched>>);

struct Searched {
    store: Arc<dyn HistoryStore>,
    shared: Arc<Shared>,
    session: Option<String>,
    now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
    home: Option<String>,
    /// The scope that is chosen, as an index into [`SCOPES`].
    chosen: usize,
    /// What was fetched for the scope; a menu that stays open does not fetch again for each key.
    fetched: Option<Vec<HistoryEntry>>,
}

impl Search {
    pub(super) fn new(
        store: Arc<dyn HistoryStore>,
        shared: Arc<Shared>,
        session: Option<String>,
        now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
        home: Option<String>,
    ) -> Self {
        Self(Arc::new(Mutex::new(Searched { store, shared, session, now_ms, home, chosen: 0, fetched: None })))
    }

    fn lock(&self) -> MutexGuard<'_, Searched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn label(&self) -> &'static str {
        self.lock().scope().1
    }

    /// Begins anew with all of the history, as it is now.
    fn reset(&self) {
        let mut searched = self.lock();
        searched.chosen = 0;
        searched.fetched = None;
    }

    fn turn(&self) {
        let mut searched = self.lock();
        searched.chosen = (searched.chosen + 1) % SCOPES.len();
        searched.fetched = None;
    }
}

impl Searched {
    fn scope(&self) -> (Scope, &'static str) {
        SCOPES.get(self.chosen).copied().unwrap_or((Scope::All, "history: "))
    }

    fn entries(&mut self) -> &[HistoryEntry] {
        let (scope, _) = self.scope();
        self.fetched.get_or_insert_with(|| {
            let mut query = HistoryQuery { distinct: true, limit: Some(DEPTH), ..HistoryQuery::default() };
            match scope {
                Scope::All => {}
                Scope::Folder => query.folder = self.shared.folder(),
                Scope::Session => query.session = self.session.clone(),
                Scope::Succeeded => query.status = Some(StatusFilter::Succeeded),
                Scope::Failed => query.status = Some(StatusFilter::Failed),
            }
            self.store.search(&query).unwrap_or_else(|error| {
                tracing::debug!(%error, "history search");
                Vec::new()
            })
        })
    }
}

impl Completer for Search {
    fn complete(&mut self, line: &str, _pos: usize) -> CompletionResult {
        let length = line.len();
        let mut searched = self.lock();
        let (now, home) = ((searched.now_ms)(), searched.home.clone());
        let found = rank(line, searched.entries(), SHOWN);
        let told: Vec<Told> = found.iter().map(|found| Told::of(found.entry, now, home.as_deref())).collect();
        let width = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let room = room_of_lines(width, told.iter().map(Told::cells).max().unwrap_or(0));
        let shown = |line: &str| cut(&aish_types::visible(line).replace('\n', " ⏎ ").replace('\t', " "), room);
        let lines: Vec<String> = found.iter().map(|found| shown(&found.entry.line)).collect();
        let beside = width.saturating_sub(lines.iter().map(|line| cells(line)).max().unwrap_or(0) + BETWEEN);
        let found: Vec<Suggestion> = found
            .into_iter()
            .zip(lines)
            .zip(told)
            .map(|((found, line), told)| Suggestion {
                value: found.entry.line.clone(),
                display_override: Some(line),
                description: Some(told.within(beside)),
                span: Span::new(0, length),
                ..Suggestion::default()
            })
            .collect();
        CompletionResult::fresh(found)
    }
}

/// Columns between a line and what is said of it.
const BETWEEN: usize = 4;

/// Returns how many columns of a terminal the lines may take, so that what is said of them stands beside each: at least half.
fn room_of_lines(width: usize, longest_told: usize) -> usize {
    width.saturating_sub(longest_told + BETWEEN).max(width / 2)
}

/// Cuts a text to so many columns.
fn cut(text: &str, room: usize) -> String {
    if cells(text) <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut left = room.saturating_sub(1);
    for letter in text.chars() {
        let width = cells(letter.encode_utf8(&mut [0; 4]));
        if width > left {
            break;
        }
        left -= width;
        out.push(letter);
    }
    out + "…"
}

/// How old a line is, how it went and where: `3d · [1] · 2.5s · ~/src`.
struct Told {
    how: String,
    folder: String,
}

impl Told {
    fn of(entry: &HistoryEntry, now_ms: i64, home: Option<&str>) -> Self {
        let mut parts = Vec::new();
        let seconds = now_ms.saturating_sub(entry.started_ms) / 1000;
        if entry.started_ms > 0 && seconds >= 0 {
            parts.push(match seconds {
                0..60 => "now".to_owned(),
                60..3_600 => format!("{}min", seconds / 60),
                3_600..86_400 => format!("{}h", seconds / 3_600),
                86_400..31_536_000 => format!("{}d", seconds / 86_400),
                _ => format!("{}y", seconds / 31_536_000),
            });
        }
        if let Some(code) = entry.status.filter(|code| *code != 0) {
            parts.push(format!("[{code}]"));
        }
        if let Some(duration) = entry.duration.filter(|duration| duration.as_millis() >= 1_000) {
            parts.push(format!("{:.1}s", duration.as_secs_f64()));
        }
        let folder = entry.folder.as_deref().unwrap_or_default();
        let below =
            home.and_then(|home| folder.strip_prefix(home)).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let folder = below.map_or_else(|| folder.to_owned(), |rest| format!("~{rest}"));
        Self { how: parts.join(DOT), folder: aish_types::visible(&folder).replace('\n', " ") }
    }

    fn cells(&self) -> usize {
        cells(&self.how) + self.between() + cells(&self.folder)
    }

    fn between(&self) -> usize {
        if self.how.is_empty() || self.folder.is_empty() { 0 } else { cells(DOT) }
    }

    /// Puts it into so many columns: a long folder is told by its end.
    fn within(&self, room: usize) -> String {
        let for_folder = room.saturating_sub(cells(&self.how) + self.between());
        let folder = end_of(&self.folder, for_folder);
        match (self.how.is_empty(), folder.is_empty()) {
            (_, true) => self.how.clone(),
            (true, false) => folder,
            (false, false) => format!("{}{DOT}{folder}", self.how),
        }
    }
}

/// What stands between two things that are said of a line.
const DOT: &str = " · ";

/// Cuts a text at its beginning to so many columns; nothing where that leaves no more than a few letters.
fn end_of(text: &str, room: usize) -> String {
    const FEW: usize = 6;
    if cells(text) <= room {
        return text.to_owned();
    }
    if room < FEW {
        return String::new();
    }
    let mut left = room - 1;
    let mut from = text.len();
    for (at, letter) in text.char_indices().rev() {
        let width = cells(letter.encode_utf8(&mut [0; 4]));
        if width > left {
            break;
        }
        left -= width;
        from = at;
    }
    format!("…{}", text.get(from..).unwrap_or_default())
}

/// A one-column menu that takes the scope into its marker.
pub(super) struct SearchMenu {
    inner: ColumnarMenu,
    search: Search,
    /// The text or the scope changed since the list was made.
    stale: bool,
    /// How far the selection is to go down the list when it is made; negative: up, from its end.
    moves: isize,
    /// What the engine is told to be there while the list is stale or empty, so that it leaves Enter to the menu.
    unseen: [Suggestion; 1],
}

impl SearchMenu {
    pub(super) fn new(theme: &Theme, search: Search) -> Self {
        let inner = ColumnarMenu::default()
            .with_name(SEARCH)
            .with_columns(1)
            .with_only_buffer_difference(false)
            .with_output_mode(OutputMode::FullBuffer)
            .with_text_style(nu_ansi_term::Style::default())
            .with_selected_text_style(converted(theme.selected))
            .with_description_text_style(converted(theme.dim));
        Self { inner, search, stale: false, moves: 0, unseen: [Suggestion::default()] }
    }

    fn changed(&mut self) {
        self.stale = true;
        self.moves = 0;
        self.inner.menu_event(MenuEvent::Edit(false));
    }

    fn step(&mut self, event: MenuEvent, by: isize) {
        if self.stale {
            self.moves = self.moves.saturating_add(by);
        } else {
            self.inner.menu_event(event);
        }
    }
}

impl Menu for SearchMenu {
    fn settings(&self) -> &MenuSettings {
        self.inner.settings()
    }

    fn indicator(&self) -> &str {
        self.search.label()
    }

    fn is_active(&self) -> bool {
        self.inner.is_active()
    }

    fn set_active(&mut self, active: bool) {
        self.search.lock().shared.set_menu(active);
        self.inner.set_active(active);
    }

    fn clear_input(&mut self) {
        self.inner.clear_input();
    }

    /// The engine says that values were already fetched where it completes at once; this menu always fetches.
    fn menu_event(&mut self, event: MenuEvent) {
        match event {
            MenuEvent::Activate(_) => self.search.lock().shared.set_menu(true),
            MenuEvent::Deactivate => self.search.lock().shared.set_menu(false),
            _ => {}
        }
        match event {
            MenuEvent::Activate(_) => {
                self.search.reset();
                self.inner.menu_event(MenuEvent::Activate(false));
                self.stale = true;
                self.moves = 0;
            }
            MenuEvent::Edit(_) => self.changed(),
            MenuEvent::MoveRight | MenuEvent::MoveLeft => {
                self.search.turn();
                self.changed();
            }
            MenuEvent::NextElement | MenuEvent::MoveDown => self.step(event, 1),
            MenuEvent::PreviousElement | MenuEvent::MoveUp => self.step(event, -1),
            MenuEvent::Deactivate | MenuEvent::NextPage | MenuEvent::PreviousPage => self.inner.menu_event(event),
        }
    }

    fn can_quick_complete(&self) -> bool {
        false
    }

    fn can_partially_complete(&mut self, _updated: bool, _editor: &mut Editor, _completer: &mut dyn Completer) -> bool {
        false
    }

    fn update_values(&mut self, editor: &mut Editor, completer: &mut dyn Completer) {
        self.inner.update_values(editor, completer);
    }

    fn reset_position(&mut self) {
        self.inner.reset_position();
    }

    fn update_working_details(&mut self, editor: &mut Editor, completer: &mut dyn Completer, painter: &Painter) {
        self.inner.update_working_details(editor, completer, painter);
        self.stale = false;
        let event = if self.moves < 0 { MenuEvent::MoveUp } else { MenuEvent::MoveDown };
        for _ in 0..position(self.moves.abs(), self.inner.get_values().len()) {
            self.inner.menu_event(event.clone());
            self.inner.update_working_details(editor, completer, painter);
        }
        self.moves = 0;
    }

    fn replace_in_buffer(&self, editor: &mut Editor) {
        if !self.stale {
            return self.inner.replace_in_buffer(editor);
        }
        let mut searched = self.search.lock();
        let found = rank(editor.get_buffer(), searched.entries(), SHOWN);
        if let Some(chosen) = found.get(position(self.moves, found.len())) {
            let line = chosen.entry.line.clone();
            editor.edit_buffer(|buffer| buffer.set_buffer(line), UndoBehavior::CreateUndoPoint);
        }
    }

    fn menu_required_lines(&self, terminal_columns: u16) -> u16 {
        self.inner.menu_required_lines(terminal_columns)
    }

    fn menu_string(&self, available_lines: u16, use_ansi_coloring: bool) -> String {
        if self.inner.get_values().is_empty() {
            return "nothing found".to_owned();
        }
        let drawn = self.inner.menu_string(available_lines, use_ansi_coloring);
        if use_ansi_coloring { drawn } else { as_written(&self.inner, drawn) }
    }

    fn min_rows(&self) -> u16 {
        self.inner.min_rows()
    }

    /// Never empty: what was typed to search is no line to run, found or not.
    fn get_values(&self) -> &[Suggestion] {
        let values = self.inner.get_values();
        if self.stale || values.is_empty() { &self.unseen } else { values }
    }

    fn results_are_provisional(&self) -> bool {
        self.inner.results_are_provisional()
    }

    fn is_awaiting_first_answer(&self) -> bool {
        self.inner.is_awaiting_first_answer()
    }

    fn set_cursor_pos(&mut self, pos: (u16, u16)) {
        self.inner.set_cursor_pos(pos);
    }
}

/// Where a selection stands that went so many steps through a list of that length, around its ends.
fn position(moves: isize, length: usize) -> usize {
    isize::try_from(length)
        .ok()
        .filter(|length| *length > 0)
        .map_or(0, |length| moves.rem_euclid(length).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_leaves_room_for_what_is_said_of_it() {
        let told = "2h · [1] · 2.5s · /home/ada/src";
        let room = room_of_lines(80, cells(told));
        let line = cut(&"日本語 and words ".repeat(20), room);
        assert!(cells(&line) + BETWEEN + cells(told) <= 80, "{line}");
        assert!(line.ends_with('…') && cells(&line) + 2 > room);
        assert_eq!((cut("short", room), room_of_lines(80, 200)), ("short".to_owned(), 40));
    }

    #[test]
    fn a_folder_is_told_from_the_home_folder_and_by_its_end_where_there_is_little_room() {
        let told = |folder: &str| {
            let folder = Some(folder.to_owned());
            let (line, status) = ("x".to_owned(), Some(2));
            let entry = HistoryEntry { id: 1, line, folder, status, duration: None, session: None, started_ms: 1 };
            Told::of(&entry, 7_200_001, Some("/home/ada"))
        };
        for (folder, room, shown) in [
            ("/home/ada", 80, "2h · [2] · ~"),
            ("/home/ada/src/日本", 80, "2h · [2] · ~/src/日本"),
            ("/home/adam/src", 80, "2h · [2] · /home/adam/src"),
            ("/home/ada/src/deep/down", 20, "2h · [2] · …eep/down"),
            ("/home/ada/src/日本", 17, "2h · [2] · …/日本"),
            ("/home/ada/src/deep/down", 14, "2h · [2]"),
            ("", 80, "2h · [2]"),
        ] {
            let told = told(folder).within(room);
            assert_eq!(told, shown);
            assert!(cells(&told) <= room, "{told}");
        }
    }
}
