//! How many cells of a terminal a text takes.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Returns the cells that a text takes, at most: terminals differ on joined emoji, and a line that is taken for too wide
/// is merely broken early, while one that is taken for too narrow spoils the drawing.
pub fn cells(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(grapheme_cells).sum()
}

/// Returns the cells of one grapheme: what the whole cluster takes, or the sum of its characters, whichever is more.
pub fn grapheme_cells(grapheme: &str) -> usize {
    let sum: usize = grapheme.chars().map(|c| c.width().unwrap_or(0)).sum();
    sum.max(grapheme.width())
}

/// Returns how a terminal shows that something is left out.
pub const fn ellipsis(unicode: bool) -> &'static str {
    if unicode { "…" } else { "..." }
}

/// Cuts a text to at most `width` cells, with an ellipsis where something was cut.
pub fn cut(text: &str, width: usize, ellipsis: &str) -> String {
    if cells(text) <= width {
        return text.to_owned();
    }
    let mark = if cells(ellipsis) < width { ellipsis } else { "" };
    let room = width.saturating_sub(cells(mark));
    let mut out = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let wide = grapheme_cells(grapheme);
        if used + wide > room {
            break;
        }
        used += wide;
        out.push_str(grapheme);
    }
    out.push_str(mark);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_cells() {
        for (text, expected) in
            [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("❤\u{fe0f}", 2), ("👩\u{200d}💻", 4), ("", 0), ("한국어", 6)]
        {
            assert_eq!(cells(text), expected, "{text}");
        }
    }

    #[test]
    fn cuts_at_cells() {
        for (text, width, expected) in [
            ("hello", 5, "hello"),
            ("hello world", 6, "hello…"),
            ("日本語", 4, "日…"),
            ("abc", 1, "a"),
            ("日本", 1, ""),
            ("abc", 0, ""),
        ] {
            assert_eq!(cut(text, width, "…"), expected);
        }
        assert_eq!(cut("hello world", 6, "..."), "hel...");
    }
}
