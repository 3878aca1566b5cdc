//! Where lines break.

use anstyle::Style;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::cells::{cells, grapheme_cells};
use crate::styled::Styled;

/// Breaks a styled line into lines of at most `width` cells, at spaces where there are any, else within words.
///
/// Between wide characters (CJK) a line may break anywhere but before closing punctuation. A width of 0 is taken for 1.
pub fn words(line: &Styled, width: usize) -> Vec<Styled> {
    let mut wrapper = Wrapper::new(width.max(1));
    for piece in pieces(line) {
        wrapper.place(piece);
    }
    wrapper.finish()
}

/// Breaks a styled line into lines of at most `width` cells, wherever the last cell is; spaces are kept, as in code.
pub fn hard(line: &Styled, width: usize) -> Vec<Styled> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut current = Styled::default();
    let mut used = 0;
    for span in &line.spans {
        for grapheme in span.text.graphemes(true) {
            let (text, wide) = fit(grapheme, width);
            if used + wide > width {
                lines.push(std::mem::take(&mut current));
                used = 0;
            }
            current.push_linked(span.style, text, span.link.as_deref());
            used += wide;
        }
    }
    lines.push(current);
    lines
}

/// A grapheme that is wider than the whole terminal is shown as a question mark.
fn fit(grapheme: &str, width: usize) -> (&str, usize) {
    let wide = grapheme_cells(grapheme);
    if wide > width { ("?", 1) } else { (grapheme, wide) }
}

/// What cannot be broken (or only when it is longer than a line), or a run of spaces.
pub(crate) struct Piece {
    pub(crate) parts: Styled,
    pub(crate) width: usize,
    pub(crate) space: bool,
}

pub(crate) fn pieces(line: &Styled) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut may_break = true;
    for span in &line.spans {
        for grapheme in span.text.graphemes(true) {
            let space = grapheme == " " || grapheme == "\t";
            let wide = grapheme_cells(grapheme);
            let breaks =
                may_break || out.last().is_some_and(|last| last.space != space) || (wide > 1 && !is_closing(grapheme));
            if breaks || out.is_empty() {
                out.push(Piece { parts: Styled::default(), width: 0, space });
            }
            if let Some(last) = out.last_mut() {
                last.parts.push_linked(span.style, grapheme, span.link.as_deref());
                last.width += wide;
            }
            may_break = wide > 1 && !is_opening(grapheme);
        }
    }
    // A break after a wide character must not part it from closing punctuation.
    let mut joined: Vec<Piece> = Vec::new();
    for piece in out {
        let first = piece.parts.spans.first().and_then(|span| span.text.graphemes(true).next()).unwrap_or("");
        if is_closing(first)
            && let Some(last) = joined.last_mut()
            && !last.space
        {
            last.parts.append(&piece.parts);
            last.width += piece.width;
            continue;
        }
        joined.push(piece);
    }
    joined
}

fn is_closing(grapheme: &str) -> bool {
    matches!(
        grapheme,
        "、" | "。"
            | "，"
            | "．"
            | "："
            | "；"
            | "？"
            | "！"
            | "」"
            | "』"
            | "）"
            | "】"
            | "》"
            | "〉"
            | "〕"
            | "”"
            | "’"
            | "ー"
    )
}

fn is_opening(grapheme: &str) -> bool {
    matches!(grapheme, "「" | "『" | "（" | "【" | "《" | "〈" | "〔" | "“" | "‘")
}

struct Wrapper {
    width: usize,
    lines: Vec<Styled>,
    current: Styled,
    used: usize,
    /// Spaces that are written only if a word follows on the same line.
    pending: Option<(Styled, usize)>,
}

impl Wrapper {
    fn new(width: usize) -> Self {
        Self { width, lines: Vec::new(), current: Styled::default(), used: 0, pending: None }
    }

    fn place(&mut self, piece: Piece) {
        if piece.space {
            if self.used > 0 {
                self.pending = Some((piece.parts, piece.width));
            }
            return;
        }
        let gap = self.pending.as_ref().map_or(0, |(_, width)| *width);
        if self.used + gap + piece.width <= self.width {
            if let Some((space, width)) = self.pending.take() {
                self.current.append(&space);
                self.used += width;
            }
            self.current.append(&piece.parts);
            self.used += piece.width;
            return;
        }
        if self.used > 0 {
            self.pending = None;
            self.lines.push(std::mem::take(&mut self.current));
            self.used = 0;
        }
        let mut broken = hard(&piece.parts, self.width);
        let last = broken.pop().unwrap_or_default();
        self.lines.append(&mut broken);
        self.used = last.width();
        self.current = last;
    }

    fn finish(mut self) -> Vec<Styled> {
        self.lines.push(self.current);
        self.lines
    }
}

/// Puts a prefix before the first line and another before all that follow.
pub fn prefixed(lines: Vec<Styled>, first: &Styled, rest: &Styled) -> Vec<Styled> {
    lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| {
            let mut out = if at == 0 { first.clone() } else { rest.clone() };
            out.append(&line);
            out
        })
        .collect()
}

/// Expands tabs to stops of four cells, counted from the start of the text.
pub fn expand_tabs(text: &str) -> String {
    if !text.contains('\t') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut column = 0;
    for part in text.split_inclusive('\t') {
        let (words, tab) = part.strip_suffix('\t').map_or((part, false), |words| (words, true));
        out.push_str(words);
        column += cells(words);
        if tab {
            let fill = 4 - column % 4;
            out.extend(std::iter::repeat_n(' ', fill));
            column += fill;
        }
    }
    out
}

/// Makes an unstyled line of `count` equal characters.
pub fn repeated(style: Style, character: &str, count: usize) -> Styled {
    let mut line = Styled::default();
    line.push(style, &character.repeat(count));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, width: usize, expected: &[&str]) {
        let lines: Vec<String> = words(&Styled::plain(text), width).iter().map(Styled::text).collect();
        assert_eq!(lines, expected, "{text:?} at {width}");
    }

    #[test]
    fn breaks_at_spaces() {
        check("the quick brown fox", 9, &["the quick", "brown fox"]);
        check("the quick brown fox", 80, &["the quick brown fox"]);
        check("a  b", 4, &["a  b"]);
        check("abcdef", 4, &["abcd", "ef"]);
        check("x abcdef", 4, &["x", "abcd", "ef"]);
        check("", 4, &[""]);
        check("abc", 1, &["a", "b", "c"]);
        check("a b", 0, &["a", "b"]);
    }

    #[test]
    fn breaks_between_wide_characters_but_not_before_closing_punctuation() {
        check("日本語です", 6, &["日本語", "です"]);
        check("日本語。次", 6, &["日本", "語。次"]);
        check("日本", 1, &["?", "?"]);
    }

    #[test]
    fn styles_survive_a_break() {
        let mut line = Styled::default();
        line.push(Style::new().bold(), "aaa bbb");
        let lines = words(&line, 3);
        assert!(lines.iter().all(|line| line.spans.iter().all(|span| span.style == Style::new().bold())));
    }

    #[test]
    fn code_keeps_its_spaces() {
        let lines: Vec<String> = hard(&Styled::plain("  ab  cd"), 4).iter().map(Styled::text).collect();
        assert_eq!(lines, ["  ab", "  cd"]);
    }

    #[test]
    fn tabs_go_to_stops() {
        assert_eq!(expand_tabs("a\tb"), "a   b");
        assert_eq!(expand_tabs("\tx\t"), "    x   ");
    }
}
