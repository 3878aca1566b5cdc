//! Draws blocks as lines: paragraphs, headings, lists, quotes, code, tables, rules.

use std::iter::Peekable;

use anstyle::Style;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, OffsetIter, Parser, Tag, TagEnd};

use super::highlight::CodeCache;
use super::inline::{Inline, merged};
use super::split::{EXTENSIONS, blank_before};
use super::table::Table;
use crate::styled::Styled;
use crate::theme::Theme;
use crate::wrap;

/// Nesting deeper than this is shown as it was written: each level takes its piece of the width, and of the stack.
const DEEPEST: usize = 12;

/// How a list numbers its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    /// Bullets.
    Bullet,
    /// Numbers, this one next.
    Number(u64),
}

impl Marker {
    pub(super) fn of(start: Option<u64>) -> Self {
        start.map_or(Self::Bullet, Self::Number)
    }

    pub(super) fn next(self) -> Self {
        match self {
            Self::Bullet => Self::Bullet,
            Self::Number(number) => Self::Number(number.saturating_add(1)),
        }
    }

    fn text(self, depth: usize, unicode: bool) -> String {
        match self {
            Self::Bullet if !unicode => "- ".to_owned(),
            Self::Bullet => if depth.is_multiple_of(2) { "• " } else { "◦ " }.to_owned(),
            Self::Number(number) => format!("{number}. "),
        }
    }
}

/// Draws with a theme.
#[derive(Debug)]
pub(super) struct Renderer {
    pub(super) theme: Theme,
    pub(super) unicode: bool,
    /// What a line begins with that proposes a command.
    pub(super) mark: Option<&'static str>,
    cache: CodeCache,
}

type Events<'s> = Peekable<OffsetIter<'s>>;

impl Renderer {
    pub(super) fn new(theme: Theme, unicode: bool) -> Self {
        Self { theme, unicode, mark: None, cache: CodeCache::default() }
    }

    /// Draws a source that is one block, or several.
    pub(super) fn block(&mut self, source: &str, width: usize) -> Vec<Styled> {
        let mut events = Parser::new_ext(source, EXTENSIONS).into_offset_iter().peekable();
        let place = Place::of(source, width);
        self.container(&mut events, place, None)
    }

    /// Draws a source that is one item of a list, and says which marker is next.
    ///
    /// `marker` is that of the run it goes on with; none for the first item, whose own number counts.
    pub(super) fn item(&mut self, source: &str, width: usize, marker: Option<Marker>) -> (Vec<Styled>, Marker) {
        let mut events = Parser::new_ext(source, EXTENSIONS).into_offset_iter().peekable();
        let Some((Event::Start(Tag::List(start)), _)) = events.peek() else {
            return (self.block(source, width), marker.unwrap_or(Marker::Bullet));
        };
        let own = Marker::of(*start);
        // A list that changes its kind is another list; its own number counts again.
        let marker = match (marker, own) {
            (Some(Marker::Number(number)), Marker::Number(_)) => Marker::Number(number),
            _ => own,
        };
        events.next();
        let place = Place::of(source, width);
        let lines = self.list(&mut events, place, marker);
        (lines, marker.next())
    }

    /// Draws literal text: what makes no block.
    pub(super) fn literal(&self, source: &str, width: usize) -> Vec<Styled> {
        source.trim().lines().flat_map(|line| wrap::words(&Styled::plain(wrap::expand_tabs(line)), width)).collect()
    }

    /// Draws a line that proposes a command: every character as it stands.
    pub(super) fn command(&self, line: &str) -> Styled {
        let line = wrap::expand_tabs(line.trim_end());
        let mark = self.mark.unwrap_or_default();
        let mut out = Styled::of(self.theme.dim, mark);
        out.push(self.theme.code, line.strip_prefix(mark).unwrap_or(&line));
        out
    }

    fn container(&mut self, events: &mut Events<'_>, place: Place<'_>, end: Option<TagEnd>) -> Vec<Styled> {
        let mut out: Vec<Styled> = Vec::new();
        let theme = self.theme.clone();
        let mut inline = Inline::new(&theme, self.unicode, place.base);
        while let Some((event, range)) = events.next() {
            if let Event::End(tag) = &event
                && Some(*tag) == end
            {
                break;
            }
            if inline.take(&event) {
                continue;
            }
            // Text that stands in the container itself: a tight item.
            if !inline.is_empty() {
                out.extend(wrapped(inline.reset(), place.width));
            }
            let gap = !out.is_empty() && self.wants_gap(&event, place.source, range.start);
            let lines = match &event {
                Event::Start(_) if place.level >= DEEPEST => {
                    pass_over(events);
                    self.literal(place.source.get(range).unwrap_or_default(), place.width)
                }
                _ => self.nested(event, events, Place { level: place.level + 1, ..place }),
            };
            if gap && !lines.is_empty() {
                out.push(Styled::default());
            }
            out.extend(lines);
        }
        if !inline.is_empty() {
            out.extend(wrapped(inline.reset(), place.width));
        }
        out
    }

    /// Lists and code follow their text as closely as they were written; all else stands apart.
    fn wants_gap(&self, event: &Event<'_>, source: &str, at: usize) -> bool {
        match event {
            Event::Start(Tag::List(_) | Tag::CodeBlock(_)) => blank_before(source, at).unwrap_or(false),
            _ => true,
        }
    }

    fn nested(&mut self, event: Event<'_>, events: &mut Events<'_>, place: Place<'_>) -> Vec<Styled> {
        match event {
            Event::Start(Tag::Paragraph) => self.text(events, place, TagEnd::Paragraph, place.base),
            Event::Start(Tag::Heading { level, .. }) => {
                let mut style = merged(place.base, self.theme.heading);
                if level == HeadingLevel::H1 {
                    style = style.underline();
                }
                self.text(events, place, TagEnd::Heading(level), style)
            }
            Event::Start(Tag::List(start)) => self.list(events, place, Marker::of(start)),
            Event::Start(Tag::BlockQuote(kind)) => self.quote(events, place, TagEnd::BlockQuote(kind)),
            Event::Start(Tag::CodeBlock(kind)) => self.code(events, place, &kind),
            Event::Start(Tag::Table(alignments)) => {
                let table = self.table(events, alignments);
                table.lines(place.width, &self.theme, self.unicode)
            }
            Event::Start(Tag::HtmlBlock) => self.html(events, place),
            Event::Rule => {
                let dash = if self.unicode { "─" } else { "-" };
                vec![wrap::repeated(self.theme.dim, dash, place.width)]
            }
            Event::Html(text) => self.literal(&text, place.width),
            Event::Start(tag) => self.container(events, place, Some(tag.to_end())),
            _ => Vec::new(),
        }
    }

    fn text(&mut self, events: &mut Events<'_>, place: Place<'_>, end: TagEnd, base: Style) -> Vec<Styled> {
        let mut inline = Inline::new(&self.theme, self.unicode, base);
        for (event, _) in events.by_ref() {
            if event == Event::End(end) {
                break;
            }
            inline.take(&event);
        }
        wrapped(inline.finish(), place.width)
    }

    fn list(&mut self, events: &mut Events<'_>, place: Place<'_>, first: Marker) -> Vec<Styled> {
        let mut marker = first;
        let mut out: Vec<Styled> = Vec::new();
        while let Some((event, range)) = events.next() {
            match event {
                Event::Start(Tag::Item) => {
                    if !out.is_empty() && blank_before(place.source, range.start).unwrap_or(false) {
                        out.push(Styled::default());
                    }
                    let shown = marker.text(place.depth, self.unicode);
                    let indent = place.indent(shown.chars().count());
                    let lines = self.container(events, place.inner(indent), Some(TagEnd::Item));
                    let (head, rest) = if indent == 0 {
                        (Styled::default(), Styled::default())
                    } else {
                        (Styled::of(self.theme.dim, &shown), Styled::of(Style::new(), &" ".repeat(indent)))
                    };
                    let lines = if lines.is_empty() { vec![Styled::default()] } else { lines };
                    out.extend(indented(lines, &head, &rest));
                    marker = marker.next();
                }
                Event::End(TagEnd::List(_)) => break,
                _ => {}
            }
        }
        out
    }

    fn quote(&mut self, events: &mut Events<'_>, place: Place<'_>, end: TagEnd) -> Vec<Styled> {
        let indent = place.indent(2);
        let mut inner = place.inner(indent);
        inner.depth = place.depth;
        inner.base = merged(place.base, self.theme.emphasis);
        let lines = self.container(events, inner, Some(end));
        let bar = if self.unicode { "│ " } else { "> " };
        let mark = if indent == 0 { Styled::default() } else { Styled::of(self.theme.dim, bar) };
        wrap::prefixed(lines, &mark, &mark)
    }

    fn code(&mut self, events: &mut Events<'_>, place: Place<'_>, kind: &CodeBlockKind<'_>) -> Vec<Styled> {
        let mut text = String::new();
        for (event, _) in events.by_ref() {
            match event {
                Event::End(TagEnd::CodeBlock) => break,
                Event::Text(part) => text.push_str(&part),
                _ => {}
            }
        }
        let text = expanded(&text);
        match kind {
            CodeBlockKind::Indented => {
                let lines = text.trim_end().lines();
                let indent = Styled::of(Style::new(), if place.width >= 12 { "    " } else { "" });
                let room = place.width.saturating_sub(indent.width());
                let styled = lines.flat_map(|line| wrap::hard(&Styled::plain(line), room)).collect();
                wrap::prefixed(styled, &indent, &indent)
            }
            CodeBlockKind::Fenced(info) => {
                let language = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
                let mut out = wrap::hard(&Styled::of(self.theme.dim, &format!("```{language}")), place.width);
                if !text.is_empty() {
                    let lines = self.cache.block(language, &text, &self.theme);
                    out.extend(lines.iter().flat_map(|line| wrap::hard(line, place.width)));
                }
                out.extend(wrap::hard(&Styled::of(self.theme.dim, "```"), place.width));
                out
            }
        }
    }

    fn table(&mut self, events: &mut Events<'_>, alignments: Vec<pulldown_cmark::Alignment>) -> Table {
        let mut table = Table { alignments, ..Table::default() };
        let mut row: Vec<Styled> = Vec::new();
        let mut cell = Inline::new(&self.theme, self.unicode, Style::new());
        for (event, _) in events.by_ref() {
            match event {
                Event::End(TagEnd::Table) => break,
                Event::Start(Tag::TableCell) => cell = Inline::new(&self.theme, self.unicode, Style::new()),
                Event::End(TagEnd::TableCell) => {
                    let lines =
                        std::mem::replace(&mut cell, Inline::new(&self.theme, self.unicode, Style::new())).finish();
                    row.push(joined(lines));
                }
                Event::End(TagEnd::TableHead) => table.head = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => table.rows.push(std::mem::take(&mut row)),
                event => {
                    cell.take(&event);
                }
            }
        }
        table
    }

    fn html(&mut self, events: &mut Events<'_>, place: Place<'_>) -> Vec<Styled> {
        let mut text = String::new();
        for (event, _) in events.by_ref() {
            match event {
                Event::End(TagEnd::HtmlBlock) => break,
                Event::Html(part) | Event::Text(part) => text.push_str(&part),
                _ => {}
            }
        }
        self.literal(&text, place.width)
    }
}

/// Where in a document something is drawn.
#[derive(Debug, Clone, Copy)]
struct Place<'s> {
    source: &'s str,
    width: usize,
    depth: usize,
    /// How many blocks are around it.
    level: usize,
    base: Style,
}

impl<'s> Place<'s> {
    fn of(source: &'s str, width: usize) -> Self {
        Self { source, width: width.max(1), depth: 0, level: 0, base: Style::new() }
    }

    /// Returns the indentation that there is room for: the wanted one, or none.
    fn indent(&self, wanted: usize) -> usize {
        if self.width >= wanted + 2 { wanted } else { 0 }
    }

    fn inner(self, indent: usize) -> Self {
        Self { width: self.width.saturating_sub(indent).max(1), depth: self.depth + 1, ..self }
    }
}

/// Passes over what is in the block that has just begun, and over its end.
fn pass_over(events: &mut Events<'_>) {
    let mut open = 1_usize;
    for (event, _) in events.by_ref() {
        match event {
            Event::Start(_) => open += 1,
            Event::End(_) => open -= 1,
            _ => {}
        }
        if open == 0 {
            return;
        }
    }
}

fn wrapped(lines: Vec<Styled>, width: usize) -> Vec<Styled> {
    lines.iter().flat_map(|line| wrap::words(line, width)).collect()
}

/// Like [`wrap::prefixed`], but blank lines stay blank.
fn indented(lines: Vec<Styled>, first: &Styled, rest: &Styled) -> Vec<Styled> {
    let mut lines = lines.into_iter();
    let mut out = Vec::new();
    if let Some(line) = lines.next() {
        let mut head = first.clone();
        head.append(&line);
        out.push(head);
    }
    for line in lines {
        if line.is_empty() {
            out.push(line);
        } else {
            let mut next = rest.clone();
            next.append(&line);
            out.push(next);
        }
    }
    out
}

fn joined(lines: Vec<Styled>) -> Styled {
    let mut out = Styled::default();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            out.push(Style::new(), " ");
        }
        out.append(line);
    }
    out
}

fn expanded(text: &str) -> String {
    if !text.contains('\t') {
        return text.to_owned();
    }
    text.split('\n').map(wrap::expand_tabs).collect::<Vec<_>>().join("\n")
}
