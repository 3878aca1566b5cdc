//! Frames round what runs: a tool call, a command, and the status lines of aish itself. Indented, dim, a line each.

use std::time::Duration;

use aish_types::sanitize;
use anstyle::Style;

use crate::capability::Capabilities;
use crate::cells::{cells, cut, ellipsis};
use crate::message::{self, MARK};
use crate::styled::{Ink, Styled};
use crate::theme::Theme;

/// How a call or a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It did what it should.
    Done,
    /// It failed.
    Failed,
}

/// Draws frames as text that ends with a newline; the caller writes it.
#[derive(Debug, Clone)]
pub struct Frames {
    theme: Theme,
    capabilities: Capabilities,
}

impl Frames {
    /// Makes a drawer of frames.
    pub fn new(theme: Theme, capabilities: Capabilities) -> Self {
        Self { theme, capabilities }
    }

    /// Changes the width after a resize, in columns.
    pub fn resize(&mut self, width: u16) {
        self.capabilities.width = width.max(1);
    }

    /// The first line of a tool call: its full name and its arguments, cut to one line.
    pub fn tool_begin(&self, name: &str, arguments: &str) -> String {
        let mark = if self.capabilities.unicode { "▸ " } else { "> " };
        self.row(&[
            (self.theme.dim, mark),
            (self.theme.strong, &one_line(name)),
            (self.theme.dim, &format!(" {}", one_line(arguments))),
        ])
    }

    /// The last line of a tool call: how it ended, how long it took, and the first line of its result.
    pub fn tool_end(&self, ending: Ending, summary: &str, took: Duration) -> String {
        let (style, mark) = self.mark(ending);
        let took = format!(" {}", shown_duration(took));
        let first = one_line(summary);
        let gap = if first.is_empty() { "" } else { "  " };
        self.row(&[(style, mark), (self.theme.dim, &took), (self.theme.dim, gap), (self.theme.dim, &first)])
    }

    /// The line before a command's own output.
    pub fn exec_begin(&self, command: &str) -> String {
        self.row(&[(self.theme.dim, "$ "), (self.theme.shell, &one_line(command))])
    }

    /// The line after a command's own output; none where it went well within a second, as in any shell.
    pub fn exec_end(&self, status: i32, took: Duration) -> Option<String> {
        if status == 0 && took < Duration::from_secs(1) {
            return None;
        }
        let (style, mark) = self.mark(if status == 0 { Ending::Done } else { Ending::Failed });
        let text = if status == 0 { String::new() } else { format!(" exit {status}") };
        Some(self.row(&[(style, mark), (style, &text), (self.theme.dim, &format!(" {}", shown_duration(took)))]))
    }

    /// The line below what a failed command showed, where the person saw it run: all of it dim, as the output is what counts.
    pub fn exec_failed(&self, status: i32, took: Duration) -> String {
        let (_, mark) = self.mark(Ending::Failed);
        self.row(&[(self.theme.dim, &format!("{mark} exit {status} {}", shown_duration(took)))])
    }

    /// A status line of aish: `[aish] …`. Long ones are not cut, they are broken at words.
    pub fn status(&self, text: &str) -> String {
        self.said(&[(self.theme.dim, MARK), (self.theme.dim, sanitize(text).trim_end())])
    }

    /// A status line that ends with a command, which no newline comes into.
    pub fn command(&self, label: &str, command: &str) -> String {
        let (mut head, mut tail) = (Styled::default(), Styled::default());
        head.push(self.theme.dim, &format!("{MARK}{label}"));
        tail.push(self.theme.dim, &sanitize(command));
        let columns = if self.capabilities.rows_end { usize::from(self.capabilities.width) } else { usize::MAX };
        message::joined(&message::rows_of_command(&head, &tail, columns), self.ink()) + "\n"
    }

    /// A status line that should be looked at.
    pub fn warning(&self, text: &str) -> String {
        self.said(&[(self.theme.warn, MARK), (Style::new(), sanitize(text).trim_end())])
    }

    fn said(&self, parts: &[(Style, &str)]) -> String {
        let mut lines = vec![Styled::default()];
        for (style, text) in parts {
            for (at, piece) in text.split('\n').enumerate() {
                if at > 0 {
                    lines.push(Styled::default());
                }
                if let Some(line) = lines.last_mut() {
                    line.push(*style, piece);
                }
            }
        }
        let columns = usize::from(self.capabilities.width);
        let rows = |line| if self.capabilities.rows_end { message::rows(&line, columns) } else { vec![line] };
        let rows: Vec<Styled> = lines.into_iter().flat_map(rows).collect();
        message::joined(&rows, self.ink()) + "\n"
    }

    fn ink(&self) -> Ink {
        Ink { color: self.capabilities.color, links: false }
    }

    fn mark(&self, ending: Ending) -> (Style, &'static str) {
        let unicode = self.capabilities.unicode;
        match ending {
            Ending::Done => (self.theme.good, if unicode { "✓ ok" } else { "ok" }),
            Ending::Failed => (self.theme.bad, if unicode { "✗ failed" } else { "failed" }),
        }
    }

    /// One line, indented by two cells where there is room, cut at the right edge.
    fn row(&self, parts: &[(Style, &str)]) -> String {
        let width = usize::from(self.capabilities.width).max(1);
        let indent = if width >= 12 { 2 } else { 0 };
        let mut line = Styled::default();
        line.push(Style::new(), &" ".repeat(indent));
        let mut left = width.saturating_sub(indent);
        for (style, text) in parts {
            let fitted = cut(text, left, ellipsis(self.capabilities.unicode));
            left = left.saturating_sub(cells(&fitted));
            line.push(*style, &fitted);
        }
        let mut out = line.to_text(self.ink()).trim_end().to_owned();
        out.push('\n');
        out
    }
}

/// Puts a text on one line: clean, white space run together.
fn one_line(text: &str) -> String {
    let mut out = String::new();
    for word in sanitize(text).split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Writes a duration as people do: `3ms`, `1.2s`, `2m05s`.
pub fn shown_duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    let seconds = duration.as_secs();
    if millis < 1_000 {
        format!("{millis}ms")
    } else if seconds < 60 {
        format!("{:.1}s", duration.as_secs_f64())
    } else {
        format!("{}m{:02}s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(width: u16) -> Frames {
        Frames::new(Theme::dark(), Capabilities { width, ..Capabilities::plain() })
    }

    #[test]
    fn a_call_is_a_line_at_either_end() {
        let frames = frames(40);
        let begin = frames.tool_begin("github.create_issue", "{\"title\":\"a long title that does not fit\"}");
        assert_eq!(begin, "  ▸ github.create_issue {\"title\":\"a lon…\n");
        let end = frames.tool_end(Ending::Done, "made #12\nmore", Duration::from_millis(130));
        assert_eq!(end, "  ✓ ok 130ms  made #12 more\n");
        let end = frames.tool_end(Ending::Failed, "", Duration::from_secs(65));
        assert_eq!(end, "  ✗ failed 1m05s\n");
    }

    #[test]
    fn one_column_is_enough() {
        assert_eq!(frames(1).tool_begin("a.b", "{}"), "▸\n");
        assert_eq!(frames(1).exec_begin("ls"), "$\n");
    }

    #[test]
    fn control_is_stripped() {
        assert_eq!(frames(80).status("bad \u{1b}[2Jserver\n"), "[aish] bad server\n");
        assert_eq!(frames(80).tool_begin("x\u{1b}]0;t\u{7}", "{}"), "  ▸ x {}\n");
    }

    #[test]
    fn a_quick_success_is_silent() {
        assert_eq!(frames(80).exec_end(0, Duration::from_millis(20)), None);
        assert_eq!(frames(80).exec_end(2, Duration::from_millis(20)).unwrap(), "  ✗ failed exit 2 20ms\n");
        assert_eq!(frames(80).exec_end(0, Duration::from_secs(2)).unwrap(), "  ✓ ok 2.0s\n");
    }

    #[test]
    fn a_failure_is_told_in_words_wherever_it_is_told() {
        let took = Duration::from_millis(20);
        assert_eq!(frames(80).exec_failed(2, took), frames(80).exec_end(2, took).unwrap());
        let ascii = Capabilities { width: 80, unicode: false, ..Capabilities::plain() };
        assert_eq!(Frames::new(Theme::dark(), ascii).exec_failed(139, took), "  failed exit 139 20ms\n");
    }
}
