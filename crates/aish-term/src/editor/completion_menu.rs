//! The Tab menu: the library's own, but one without candidates is as good as closed, and one that does not fit the screen says
//! how many more there are.

use std::ops::Range;
use std::sync::Arc;

use reedline::{
    ColumnarMenu, Completer, Editor, Menu, MenuBuilder, MenuEvent, MenuSettings, Painter, Suggestion, UndoBehavior,
};

use super::chosen::as_written;
use super::names::COMPLETION;
use super::session::Shared;
use super::style::converted;
use crate::capability::Capabilities;
use crate::cells::ellipsis;
use crate::theme::Theme;

/// What a word that is completed may hold beside letters and digits; another character closes the menu.
const WORD: &str = "_-./~:=@+,%\\";

/// The columns of a list without descriptions at most, as the library has them.
const COLUMNS: usize = 4;

pub(super) struct CompletionMenu {
    inner: ColumnarMenu,
    shared: Arc<Shared>,
    /// Columns of the terminal when it was drawn last.
    width: u16,
    /// Draws how many more there are.
    dim: nu_ansi_term::Style,
    /// What stands where something is left out.
    ellipsis: &'static str,
}

impl CompletionMenu {
    pub(super) fn new(theme: &Theme, capabilities: Capabilities, shared: Arc<Shared>) -> Self {
        let dim = converted(theme.dim);
        let inner = ColumnarMenu::default()
            .with_name(COMPLETION)
            .with_marker("")
            .with_word_chars(WORD)
            .with_text_style(nu_ansi_term::Style::default())
            .with_selected_text_style(converted(theme.selected))
            .with_description_text_style(dim);
        Self { inner, shared, width: capabilities.width, dim, ellipsis: ellipsis(capabilities.unicode) }
    }

    /// Returns in how many columns the library shows its values: in one where any is described.
    fn columns(&self) -> usize {
        if self.inner.get_values().iter().any(|value| value.description.is_some()) {
            return 1;
        }
        // A value without a text, which no index has, is as wide as a column.
        let column = self.inner.create_string(&Suggestion::default(), usize::MAX, false).len().max(1);
        (usize::from(self.width) / column).clamp(1, COLUMNS)
    }

    /// Returns the index of the value that is selected, which the library marks where it draws without colour.
    fn selected(&self) -> usize {
        let is_marked = |&index: &usize| {
            self.inner.create_string(&Suggestion::default(), index, false).trim_start().starts_with('>')
        };
        (0..self.inner.get_values().len()).find(is_marked).unwrap_or(0)
    }
}

/// Returns which of so many values stand in so many rows, the selected one among them.
fn visible(values: usize, columns: usize, rows: usize, selected: usize) -> Range<usize> {
    let first = (selected / columns + 1).saturating_sub(rows);
    first * columns..values.min((first + rows) * columns)
}

/// Returns how many bytes at the end of a text are half of what is escaped: a backslash with nothing behind it, and what
/// begins a control character (`$'` of `$'\n'`).
fn half_escape(text: &str) -> usize {
    let plain = text.trim_end_matches('\\');
    let escape = (text.len() - plain.len()) % 2;
    let rest = text.get(..text.len() - escape).unwrap_or_default();
    escape + if escape == 1 && rest.ends_with("$'") { 2 } else { 0 }
}

impl Menu for CompletionMenu {
    fn settings(&self) -> &MenuSettings {
        self.inner.settings()
    }

    fn is_active(&self) -> bool {
        self.inner.is_active() && !self.inner.get_values().is_empty()
    }

    fn set_active(&mut self, active: bool) {
        self.shared.set_menu(active);
        self.inner.set_active(active);
    }

    fn clear_input(&mut self) {
        self.inner.clear_input();
    }

    fn menu_event(&mut self, event: MenuEvent) {
        match event {
            MenuEvent::Activate(_) => self.shared.set_menu(true),
            MenuEvent::Deactivate => self.shared.set_menu(false),
            _ => {}
        }
        self.inner.menu_event(event);
    }

    fn can_quick_complete(&self) -> bool {
        self.inner.can_quick_complete()
    }

    fn can_partially_complete(&mut self, updated: bool, editor: &mut Editor, completer: &mut dyn Completer) -> bool {
        let before = editor.get_buffer().to_owned();
        if !self.inner.can_partially_complete(updated, editor, completer) {
            return false;
        }
        // What all candidates begin with may end in the middle of what is escaped.
        let mut is_cut = false;
        let cut = |buffer: &mut reedline::LineBuffer| {
            let at = buffer.insertion_point();
            let typed = buffer.get_buffer().get(..at).unwrap_or_default();
            let length = half_escape(typed);
            if length > 0 {
                buffer.replace_range(at - length..at, "");
                buffer.set_insertion_point(at - length);
                is_cut = true;
            }
        };
        editor.edit_buffer(cut, UndoBehavior::CreateUndoPoint);
        if is_cut {
            self.inner.update_values(editor, completer);
        }
        editor.get_buffer() != before
    }

    fn update_values(&mut self, editor: &mut Editor, completer: &mut dyn Completer) {
        self.inner.update_values(editor, completer);
    }

    fn reset_position(&mut self) {
        self.inner.reset_position();
    }

    fn update_working_details(&mut self, editor: &mut Editor, completer: &mut dyn Completer, painter: &Painter) {
        self.width = painter.screen_width();
        self.inner.update_working_details(editor, completer, painter);
    }

    fn replace_in_buffer(&self, editor: &mut Editor) {
        self.inner.replace_in_buffer(editor);
    }

    fn menu_required_lines(&self, terminal_columns: u16) -> u16 {
        // Typing may have left none.
        if self.inner.get_values().is_empty() {
            return 0;
        }
        let says_more = u16::from(self.shared.left_out() > 0);
        self.inner.menu_required_lines(terminal_columns).saturating_add(says_more)
    }

    fn menu_string(&self, available_lines: u16, use_ansi_coloring: bool) -> String {
        if self.inner.get_values().is_empty() {
            return String::new();
        }
        let (values, columns) = (self.inner.get_values(), self.columns());
        let (lines, left_out) = (usize::from(available_lines), self.shared.left_out());
        let is_whole = values.len().div_ceil(columns) <= lines && left_out == 0;
        if is_whole || lines < 2 {
            let drawn = self.inner.menu_string(available_lines, use_ansi_coloring);
            return if use_ansi_coloring { drawn } else { as_written(&self.inner, drawn) };
        }
        // The last line says how many more there are.
        let shown = visible(values.len(), columns, lines - 1, self.selected());
        let mut out = String::new();
        for (index, value) in values.iter().enumerate().take(shown.end).skip(shown.start) {
            out.push_str(&self.inner.create_string(value, index, use_ansi_coloring));
            if (index + 1).is_multiple_of(columns) || index + 1 == shown.end {
                out.push_str("\r\n");
            }
        }
        let told = format!("{} {} more", self.ellipsis, values.len() - shown.len() + left_out);
        if !use_ansi_coloring {
            return as_written(&self.inner, out) + &told;
        }
        out.push_str(&self.dim.paint(told).to_string());
        out
    }

    fn min_rows(&self) -> u16 {
        if self.inner.get_values().is_empty() { 0 } else { self.inner.min_rows() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_value_is_visible() {
        for ((values, columns, rows, selected), shown) in [
            ((100, 4, 10, 0), 0..40),
            ((100, 4, 10, 39), 0..40),
            ((100, 4, 10, 40), 4..44),
            ((98, 4, 10, 97), 60..98),
            ((5, 1, 2, 4), 3..5),
            ((3, 1, 5, 0), 0..3),
        ] {
            assert_eq!(visible(values, columns, rows, selected), shown, "{values} {selected}");
        }
    }

    #[test]
    fn half_an_escape_is_seen() {
        for (text, length) in
            [("cat a", 0), (r"cat a\", 1), (r"cat a\\", 0), (r"cat a\\\", 1), (r"cat a$'\", 3), ("a$'", 0)]
        {
            assert_eq!(half_escape(text), length, "{text}");
        }
    }
}
