//! The Ctrl-R menu: fuzzy search through the history, narrowed by folder, session or exit code.
//!
//! The menu and its completer share the scope: the menu turns it when Ctrl-R is pressed again, the completer obeys.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reedline::{
    ColumnarMenu, Completer, CompletionResult, Editor, Menu, MenuBuilder, MenuEvent, MenuSettings, OutputMode, Painter,
    Span, Suggestion,
};

use super::keys::SEARCH;
use super::session::Shared;
use super::style::converted;
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

/// The scope that is chosen, as an index into [`SCOPES`].
#[derive(Debug, Clone, Default)]
pub(super) struct Chosen(Arc<AtomicUsize>);

impl Chosen {
    fn entry(&self) -> (Scope, &'static str) {
        SCOPES.get(self.0.load(Ordering::Relaxed) % SCOPES.len()).copied().unwrap_or((Scope::All, "history: "))
    }

    fn turn(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

pub(super) struct SearchCompleter {
    store: Arc<dyn HistoryStore>,
    shared: Arc<Shared>,
    session: Option<String>,
    chosen: Chosen,
    /// What was fetched for a scope; a menu that stays open does not fetch again for each key.
    fetched: Option<(Scope, Vec<HistoryEntry>)>,
}

impl SearchCompleter {
    pub(super) fn new(
        store: Arc<dyn HistoryStore>,
        shared: Arc<Shared>,
        session: Option<String>,
        chosen: Chosen,
    ) -> Self {
        Self { store, shared, session, chosen, fetched: None }
    }

    fn entries(&mut self, scope: Scope, fresh: bool) -> &[HistoryEntry] {
        if fresh || self.fetched.as_ref().is_none_or(|(of, _)| *of != scope) {
            let mut query = HistoryQuery { distinct: true, limit: Some(DEPTH), ..HistoryQuery::default() };
            match scope {
                Scope::All => {}
                Scope::Folder => query.folder = self.shared.folder(),
                Scope::Session => query.session = self.session.clone(),
                Scope::Succeeded => query.status = Some(StatusFilter::Succeeded),
                Scope::Failed => query.status = Some(StatusFilter::Failed),
            }
            let found = self.store.search(&query).unwrap_or_else(|error| {
                tracing::debug!(%error, "history search");
                Vec::new()
            });
            self.fetched = Some((scope, found));
        }
        self.fetched.as_ref().map_or(&[], |(_, entries)| entries)
    }
}

impl Completer for SearchCompleter {
    fn complete(&mut self, line: &str, _pos: usize) -> CompletionResult {
        let (scope, _) = self.chosen.entry();
        let length = line.len();
        let typed = line.to_owned();
        let entries = self.entries(scope, typed.is_empty());
        let found: Vec<Suggestion> = rank(&typed, entries, SHOWN)
            .into_iter()
            .map(|found| Suggestion {
                value: found.entry.line.clone(),
                display_override: Some(aish_types::visible(&found.entry.line).replace('\n', " ⏎ ").replace('\t', " ")),
                description: Some(described(found.entry)),
                span: Span::new(0, length),
                ..Suggestion::default()
            })
            .collect();
        CompletionResult::fresh(found)
    }
}

/// Says how a line went and where: `1 · 2.5s · /tmp`.
fn described(entry: &HistoryEntry) -> String {
    let mut parts = Vec::new();
    if let Some(code) = entry.status.filter(|code| *code != 0) {
        parts.push(code.to_string());
    }
    if let Some(duration) = entry.duration.filter(|duration| duration.as_millis() >= 1_000) {
        parts.push(format!("{:.1}s", duration.as_secs_f64()));
    }
    if let Some(folder) = &entry.folder {
        parts.push(aish_types::visible(folder).replace('\n', " "));
    }
    parts.join(" · ")
}

/// A one-column menu that takes the scope into its marker.
pub(super) struct SearchMenu {
    inner: ColumnarMenu,
    chosen: Chosen,
}

impl SearchMenu {
    pub(super) fn new(theme: &Theme, chosen: Chosen) -> Self {
        let inner = ColumnarMenu::default()
            .with_name(SEARCH)
            .with_columns(1)
            .with_only_buffer_difference(false)
            .with_output_mode(OutputMode::FullBuffer)
            .with_text_style(nu_ansi_term::Style::default())
            .with_selected_text_style(converted(theme.selected))
            .with_description_text_style(converted(theme.dim));
        Self { inner, chosen }
    }
}

impl Menu for SearchMenu {
    fn settings(&self) -> &MenuSettings {
        self.inner.settings()
    }

    fn indicator(&self) -> &str {
        self.chosen.entry().1
    }

    fn is_active(&self) -> bool {
        self.inner.is_active()
    }

    fn set_active(&mut self, active: bool) {
        self.inner.set_active(active);
    }

    fn clear_input(&mut self) {
        self.inner.clear_input();
    }

    /// The engine says that values were already fetched where it completes at once; this menu always fetches.
    fn menu_event(&mut self, event: MenuEvent) {
        let event = match event {
            MenuEvent::Activate(_) => {
                self.chosen.reset();
                MenuEvent::Activate(false)
            }
            MenuEvent::Edit(_) => MenuEvent::Edit(false),
            MenuEvent::MoveRight | MenuEvent::MoveLeft => {
                self.chosen.turn();
                MenuEvent::Edit(false)
            }
            MenuEvent::Deactivate
            | MenuEvent::NextElement
            | MenuEvent::PreviousElement
            | MenuEvent::MoveUp
            | MenuEvent::MoveDown
            | MenuEvent::NextPage
            | MenuEvent::PreviousPage => event,
        };
        self.inner.menu_event(event);
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
    }

    fn replace_in_buffer(&self, editor: &mut Editor) {
        self.inner.replace_in_buffer(editor);
    }

    fn menu_required_lines(&self, terminal_columns: u16) -> u16 {
        self.inner.menu_required_lines(terminal_columns)
    }

    fn menu_string(&self, available_lines: u16, use_ansi_coloring: bool) -> String {
        if self.inner.get_values().is_empty() {
            return "nothing found".to_owned();
        }
        self.inner.menu_string(available_lines, use_ansi_coloring)
    }

    fn min_rows(&self) -> u16 {
        self.inner.min_rows()
    }

    fn get_values(&self) -> &[Suggestion] {
        self.inner.get_values()
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
