//! A terminal to look at: what was written, as a person would see it.

use std::time::Duration;

use aish_term::{Capabilities, Markdown, Theme};

/// Returns the text of a screen with its scrollback, trailing spaces and blank lines removed.
pub(crate) fn text(parser: &mut vt100::Parser) -> String {
    let (rows, columns) = parser.screen().size();
    parser.screen_mut().set_scrollback(usize::MAX);
    let above = parser.screen().scrollback();
    let mut lines: Vec<String> = Vec::new();
    let mut offset = above;
    loop {
        parser.screen_mut().set_scrollback(offset);
        let take = if offset == 0 { usize::from(rows) } else { offset.min(usize::from(rows)) };
        lines.extend(parser.screen().rows(0, columns).take(take).map(|row| row.trim_end().to_owned()));
        if offset == 0 {
            break;
        }
        offset = offset.saturating_sub(usize::from(rows));
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.join("\n")
}

/// Renders pieces on a screen, each `step` after the other.
pub(crate) fn rendered(pieces: &[&str], width: u16, height: u16, step: Duration) -> String {
    let mut parser = vt100::Parser::new(height, width, 10_000);
    let mut markdown = Markdown::new(Theme::dark(), Capabilities::terminal(width, height)).with_commands("CMD:");
    let mut now = Duration::ZERO;
    for piece in pieces {
        let mut out = String::new();
        markdown.push(piece, now, &mut out);
        parser.process(out.as_bytes());
        now += step;
    }
    let mut out = String::new();
    markdown.finish(&mut out);
    parser.process(out.as_bytes());
    text(&mut parser)
}
