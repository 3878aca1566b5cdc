//! Text within a block: styles, links, breaks.

use anstyle::Style;
use pulldown_cmark::{Event, Tag, TagEnd};

use crate::styled::Styled;
use crate::theme::Theme;

/// Collects the inline events of one block into lines that are still to be wrapped.
pub(super) struct Inline<'t> {
    theme: &'t Theme,
    unicode: bool,
    base: Style,
    styles: Vec<Style>,
    links: Vec<(String, String)>,
    lines: Vec<Styled>,
}

impl<'t> Inline<'t> {
    pub(super) fn new(theme: &'t Theme, unicode: bool, base: Style) -> Self {
        Self { theme, unicode, base, styles: Vec::new(), links: Vec::new(), lines: vec![Styled::default()] }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(Styled::is_empty)
    }

    /// Returns the lines; at least one.
    pub(super) fn finish(self) -> Vec<Styled> {
        self.lines
    }

    /// Returns the lines and starts anew.
    pub(super) fn reset(&mut self) -> Vec<Styled> {
        self.styles.clear();
        self.links.clear();
        std::mem::replace(&mut self.lines, vec![Styled::default()])
    }

    /// Takes an event; false where it does not belong within a line.
    pub(super) fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Text(text) => {
                if let Some((_, shown)) = self.links.last_mut() {
                    shown.push_str(text);
                }
                self.text(text);
            }
            Event::Code(code) => {
                if let Some((_, shown)) = self.links.last_mut() {
                    shown.push_str(code);
                }
                let style = merged(self.style(), self.theme.code);
                self.push(style, code);
            }
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.lines.push(Styled::default()),
            Event::InlineHtml(html) => {
                if matches!(html.trim().to_ascii_lowercase().as_str(), "<br>" | "<br/>" | "<br />") {
                    self.lines.push(Styled::default());
                } else {
                    self.text(html);
                }
            }
            Event::TaskListMarker(done) => {
                let mark = match (self.unicode, done) {
                    (true, true) => "☑ ",
                    (true, false) => "☐ ",
                    (false, true) => "[x] ",
                    (false, false) => "[ ] ",
                };
                self.text(mark);
            }
            Event::Start(tag) => return self.begin(tag),
            Event::End(tag) => return self.end(*tag),
            _ => return false,
        }
        true
    }

    fn begin(&mut self, tag: &Tag<'_>) -> bool {
        match tag {
            Tag::Emphasis => self.enter(self.theme.emphasis),
            Tag::Strong => self.enter(self.theme.strong),
            Tag::Strikethrough => self.enter(self.theme.strike),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.to_string(), String::new()));
                self.enter(self.theme.link);
            }
            Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.to_string(), String::new()));
                self.text("[image: ");
                self.enter(self.theme.link);
            }
            _ => return false,
        }
        true
    }

    fn end(&mut self, tag: TagEnd) -> bool {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                self.target();
            }
            TagEnd::Image => {
                self.styles.pop();
                self.text("]");
                self.target();
            }
            _ => return false,
        }
        true
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or(self.base)
    }

    fn enter(&mut self, style: Style) {
        self.styles.push(merged(self.style(), style));
    }

    fn text(&mut self, text: &str) {
        self.push(self.style(), text);
    }

    fn push(&mut self, style: Style, text: &str) {
        let link = self.links.last().map(|(target, _)| target.clone());
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                self.lines.push(Styled::default());
            }
            if let Some(line) = self.lines.last_mut() {
                line.push_linked(style, &part.replace('\t', " "), link.as_deref());
            }
        }
    }

    /// The target is shown after the text, unless the text is the target.
    fn target(&mut self) {
        let Some((target, shown)) = self.links.pop() else { return };
        let bare = target.strip_prefix("mailto:").unwrap_or(&target);
        if !target.is_empty() && shown.trim() != bare {
            let style = merged(self.base, self.theme.dim);
            if let Some(line) = self.lines.last_mut() {
                line.push_linked(style, &format!(" ({target})"), Some(&target));
            }
        }
    }
}

/// Lays a style over another: its colour wins, effects add up.
pub(super) fn merged(under: Style, over: Style) -> Style {
    let mut style = under.effects(under.get_effects() | over.get_effects());
    if over.get_fg_color().is_some() {
        style = style.fg_color(over.get_fg_color());
    }
    if over.get_bg_color().is_some() {
        style = style.bg_color(over.get_bg_color());
    }
    style
}
