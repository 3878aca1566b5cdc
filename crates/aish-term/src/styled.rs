//! Text with styles, and how it is written.

use std::fmt::Write as _;

use anstyle::Style;

use crate::cells::cells;

/// A run of text in one style, without line breaks or terminal control.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// The text.
    pub text: String,
    /// The style.
    pub style: Style,
    /// The target of a link that the text stands for.
    pub link: Option<String>,
}

impl Span {
    /// Makes a span.
    pub fn new(style: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), style, link: None }
    }

    /// Makes an unstyled span.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(Style::new(), text)
    }
}

/// A line of spans.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Styled {
    /// The spans, in order.
    pub spans: Vec<Span>,
}

/// What may be used when a styled line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    /// Styles are written.
    pub color: bool,
    /// OSC 8 links are written.
    pub links: bool,
}

impl Styled {
    /// Makes a line of one unstyled span.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { spans: vec![Span::plain(text)] }
    }

    /// Makes a line of text in one style.
    pub fn of(style: Style, text: &str) -> Self {
        let mut line = Self::default();
        line.push(style, text);
        line
    }

    /// Appends text in a style; joins it to the last span where the style is the same.
    pub fn push(&mut self, style: Style, text: &str) {
        self.push_linked(style, text, None);
    }

    /// Appends text in a style that stands for a link.
    pub fn push_linked(&mut self, style: Style, text: &str, link: Option<&str>) {
        if text.is_empty() {
            return;
        }
        if let Some(last) = self.spans.last_mut()
            && last.style == style
            && last.link.as_deref() == link
        {
            last.text.push_str(text);
            return;
        }
        self.spans.push(Span { text: text.to_owned(), style, link: link.map(str::to_owned) });
    }

    /// Appends another line's spans.
    pub fn append(&mut self, other: &Self) {
        for span in &other.spans {
            self.push_linked(span.style, &span.text, span.link.as_deref());
        }
    }

    /// Returns the width in cells.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| cells(&span.text)).sum()
    }

    /// Says whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.text.is_empty())
    }

    /// Returns the text alone.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// Writes the line. Every style that is opened is closed, so that lines can be written in any order.
    pub fn write(&self, ink: Ink, out: &mut String) {
        for span in &self.spans {
            if span.text.is_empty() {
                continue;
            }
            let link = span.link.as_deref().filter(|link| ink.links && is_link(link));
            if let Some(link) = link {
                let _ = write!(out, "\u{1b}]8;;{link}\u{1b}\\");
            }
            if ink.color && span.style != Style::new() {
                let _ = write!(out, "{}{}{}", span.style.render(), span.text, span.style.render_reset());
            } else {
                out.push_str(&span.text);
            }
            if link.is_some() {
                out.push_str("\u{1b}]8;;\u{1b}\\");
            }
        }
    }

    /// Returns the line as it would be written.
    pub fn to_text(&self, ink: Ink) -> String {
        let mut out = String::new();
        self.write(ink, &mut out);
        out
    }
}

/// Says whether a target may stand in an OSC 8 sequence: a known scheme, printable ASCII, not overlong.
fn is_link(target: &str) -> bool {
    let known = ["https://", "http://", "mailto:", "ftp://"].iter().any(|scheme| target.starts_with(scheme));
    known && target.len() <= 2000 && target.bytes().all(|byte| (0x21..=0x7e).contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_equal_styles_and_closes_what_it_opens() {
        let mut line = Styled::default();
        line.push(Style::new().bold(), "a");
        line.push(Style::new().bold(), "b");
        line.push(Style::new(), "c");
        assert_eq!(line.spans.len(), 2);
        assert_eq!(line.to_text(Ink { color: true, links: false }), "\u{1b}[1mab\u{1b}[0mc");
        assert_eq!(line.to_text(Ink { color: false, links: false }), "abc");
    }

    #[test]
    fn only_known_targets_become_links() {
        for (target, expected) in [
            ("https://example.org/a?b", true),
            ("javascript:alert(1)", false),
            ("https://a b", false),
            ("https://é", false),
        ] {
            let mut line = Styled::default();
            line.push_linked(Style::new(), "x", Some(target));
            let text = line.to_text(Ink { color: true, links: true });
            assert_eq!(text.contains("\u{1b}]8;;h"), expected, "{target}");
        }
    }
}
