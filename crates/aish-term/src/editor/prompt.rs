//! Our prompt in the line editor library's terms.

use std::borrow::Cow;
use std::sync::Arc;

use reedline::{Color, Prompt, PromptEditMode, PromptHistorySearch, PromptViMode};
use tokio::sync::Notify;

use super::resized::Drawing;
use super::view::PromptView;
use crate::cells::grapheme_cells;
use crate::styled::{Ink, Span, Styled};
use unicode_segmentation::UnicodeSegmentation as _;

/// What stands before the line in vi's normal mode.
const NORMAL: &str = "(cmd) ";

/// What stands before the line in vi's visual mode.
const VISUAL: &str = "(sel) ";

/// A prompt, drawn once.
pub(super) struct DrawnPrompt {
    left: String,
    right: String,
    continuation: String,
    left_text: String,
    continuation_text: String,
    right_cells: usize,
    /// Told when the text is taken to be written.
    drawn: Option<Arc<Notify>>,
}

impl DrawnPrompt {
    pub(super) fn new(view: &PromptView, ink: Ink) -> Self {
        let left = clean(&view.left);
        let continuation = clean(&view.continuation);
        // What is typed does not touch it.
        let mut right = Styled::plain(if view.right.is_empty() { "" } else { "  " });
        right.append(&clean(&view.right));
        Self {
            left: left.to_text(ink),
            right: right.to_text(ink),
            right_cells: right.width(),
            continuation: continuation.to_text(ink),
            left_text: left.text(),
            continuation_text: continuation.text(),
            drawn: None,
        }
    }

    /// Tells when it is drawn.
    #[must_use]
    pub(super) fn telling(self, drawn: &Arc<Notify>) -> Self {
        Self { drawn: Some(Arc::clone(drawn)), ..self }
    }

    /// Returns the prompt's text without styles, for a terminal that is only written to.
    pub(super) fn plain(&self) -> &str {
        &self.left_text
    }

    /// Returns the text before further lines, without styles.
    pub(super) fn plain_continuation(&self) -> &str {
        &self.continuation_text
    }

    /// Returns what is drawn of it on a terminal of some columns and rows, before anything is typed.
    pub(super) fn drawing(&self, size: (u16, u16), reflows: bool) -> Drawing {
        Drawing {
            left: self.left_text.clone(),
            right: self.right_cells,
            continuation: self.continuation_text.clone(),
            size: (usize::from(size.0), usize::from(size.1)),
            reflows,
            ..Drawing::default()
        }
    }

    /// Returns how many rows the cursor is below the prompt's first row, on a terminal of `width` columns.
    pub(super) fn rows_to_cursor(&self, before_cursor: &str, width: usize) -> usize {
        let width = width.max(1);
        let mut rows = 0;
        let mut column = 0;
        let mut walk = |text: &str, newline_prefix: &str| {
            for (at, part) in text.split('\n').enumerate() {
                if at > 0 {
                    rows += 1;
                    column = 0;
                }
                let prefix = if at > 0 { newline_prefix } else { "" };
                for grapheme in prefix.graphemes(true).chain(part.graphemes(true)) {
                    let wide = grapheme_cells(grapheme);
                    if column + wide > width {
                        rows += 1;
                        column = 0;
                    }
                    column += wide;
                }
            }
        };
        walk(&self.left_text, "");
        walk(before_cursor, &self.continuation_text);
        if column >= width {
            rows += 1;
        }
        rows
    }
}

/// Returns what stands before the line in a mode of the keys.
pub(super) fn indicator(mode: &PromptEditMode) -> &'static str {
    match mode {
        PromptEditMode::Vi(PromptViMode::Normal) => NORMAL,
        PromptEditMode::Vi(PromptViMode::Visual) => VISUAL,
        _ => "",
    }
}

/// Folder names and the like come from outside.
fn clean(line: &Styled) -> Styled {
    Styled {
        spans: line
            .spans
            .iter()
            .map(|span| Span { text: aish_types::sanitize(&span.text).into_owned(), ..span.clone() })
            .collect(),
    }
}

impl Prompt for DrawnPrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.left)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.right)
    }

    /// vi's modes but for the one that a line begins in.
    fn render_prompt_indicator(&self, mode: PromptEditMode) -> Cow<'_, str> {
        if let Some(drawn) = &self.drawn {
            drawn.notify_one();
        }
        Cow::Borrowed(indicator(&mode))
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.continuation)
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }

    fn get_prompt_color(&self) -> Color {
        Color::Default
    }

    fn get_prompt_multiline_color(&self) -> nu_ansi_term::Color {
        nu_ansi_term::Color::Default
    }

    fn get_indicator_color(&self) -> Color {
        Color::Default
    }

    fn get_prompt_right_color(&self) -> Color {
        Color::Default
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_rows() {
        for (left, before, width, expected) in [
            ("> ", "abc", 80, 0),
            ("> ", "abcdefgh", 10, 1),
            ("> ", "abcdefg", 10, 0),
            ("top\n> ", "x", 80, 1),
            ("> ", "a\nb", 80, 1),
            ("> ", "日本語", 5, 1),
        ] {
            let view = PromptView::plain(left);
            let drawn = DrawnPrompt::new(&view, Ink { color: false, links: false });
            assert_eq!(drawn.rows_to_cursor(before, width), expected, "{left:?} {before:?} {width}");
        }
    }

    #[test]
    fn text_from_outside_is_cleaned() {
        let view = PromptView { left: Styled::plain("evil\u{1b}]0;x\u{7} $ "), ..PromptView::default() };
        assert_eq!(DrawnPrompt::new(&view, Ink { color: false, links: false }).left, "evil $ ");
    }
}
