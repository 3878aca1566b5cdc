//! The Tab menu: the library's own, but one without candidates is as good as closed.

use std::sync::Arc;

use reedline::{
    ColumnarMenu, Completer, Editor, Menu, MenuBuilder, MenuEvent, MenuSettings, Painter, Suggestion, UndoBehavior,
};

use super::keys::COMPLETION;
use super::session::Shared;
use super::style::converted;
use crate::theme::Theme;

/// What a word that is completed may hold beside letters and digits; another character closes the menu.
const WORD: &str = "_-./~:=@+,%\\";

pub(super) struct CompletionMenu(ColumnarMenu, Arc<Shared>);

impl CompletionMenu {
    pub(super) fn new(theme: &Theme, shared: Arc<Shared>) -> Self {
        let inner = ColumnarMenu::default()
            .with_name(COMPLETION)
            .with_marker("")
            .with_word_chars(WORD)
            .with_text_style(nu_ansi_term::Style::default())
            .with_selected_text_style(converted(theme.selected))
            .with_description_text_style(converted(theme.dim));
        Self(inner, shared)
    }
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
        self.0.settings()
    }

    fn is_active(&self) -> bool {
        self.0.is_active() && !self.0.get_values().is_empty()
    }

    fn set_active(&mut self, active: bool) {
        self.1.set_menu(active);
        self.0.set_active(active);
    }

    fn clear_input(&mut self) {
        self.0.clear_input();
    }

    fn menu_event(&mut self, event: MenuEvent) {
        match event {
            MenuEvent::Activate(_) => self.1.set_menu(true),
            MenuEvent::Deactivate => self.1.set_menu(false),
            _ => {}
        }
        self.0.menu_event(event);
    }

    fn can_quick_complete(&self) -> bool {
        self.0.can_quick_complete()
    }

    fn can_partially_complete(&mut self, updated: bool, editor: &mut Editor, completer: &mut dyn Completer) -> bool {
        let before = editor.get_buffer().to_owned();
        if !self.0.can_partially_complete(updated, editor, completer) {
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
            self.0.update_values(editor, completer);
        }
        editor.get_buffer() != before
    }

    fn update_values(&mut self, editor: &mut Editor, completer: &mut dyn Completer) {
        self.0.update_values(editor, completer);
    }

    fn reset_position(&mut self) {
        self.0.reset_position();
    }

    fn update_working_details(&mut self, editor: &mut Editor, completer: &mut dyn Completer, painter: &Painter) {
        self.0.update_working_details(editor, completer, painter);
    }

    fn replace_in_buffer(&self, editor: &mut Editor) {
        self.0.replace_in_buffer(editor);
    }

    fn menu_required_lines(&self, terminal_columns: u16) -> u16 {
        // Typing may have left none.
        if self.0.get_values().is_empty() { 0 } else { self.0.menu_required_lines(terminal_columns) }
    }

    fn menu_string(&self, available_lines: u16, use_ansi_coloring: bool) -> String {
        if self.0.get_values().is_empty() {
            return String::new();
        }
        self.0.menu_string(available_lines, use_ansi_coloring)
    }

    fn min_rows(&self) -> u16 {
        if self.0.get_values().is_empty() { 0 } else { self.0.min_rows() }
    }

    fn get_values(&self) -> &[Suggestion] {
        self.0.get_values()
    }

    fn results_are_provisional(&self) -> bool {
        self.0.results_are_provisional()
    }

    fn is_awaiting_first_answer(&self) -> bool {
        self.0.is_awaiting_first_answer()
    }

    fn set_cursor_pos(&mut self, pos: (u16, u16)) {
        self.0.set_cursor_pos(pos);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_an_escape_is_seen() {
        for (text, length) in
            [("cat a", 0), (r"cat a\", 1), (r"cat a\\", 0), (r"cat a\\\", 1), (r"cat a$'\", 3), ("a$'", 0)]
        {
            assert_eq!(half_escape(text), length, "{text}");
        }
    }
}
