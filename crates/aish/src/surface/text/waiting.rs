//! The sign that a model is at work where nothing of its answer comes: before the first piece, while it reasons, and behind a
//! piece that no other follows. It is never part of the answer, and goes before anything else is written.

use std::time::Duration;

use aish_term::Styled;
use aish_term::cells::cells;
use aish_term::spinner::Spinner;
use aish_types::sanitize;

use super::{TextSurface, Verbosity, to_err};
use crate::config::section::Thoughts;

/// Characters of the running line of reasoning; the spinner cuts it to the terminal.
const THOUGHT: usize = 160;
/// How often the running line is drawn at most.
const THOUGHT_DRAWN: Duration = Duration::from_millis(80);

/// How long an answer that has begun may be silent without a sign.
const SILENT: Duration = Duration::from_secs(2);

impl TextSurface {
    /// Shows that the model is waited for, since a time; nothing where the cursor may not be moved.
    pub(super) fn wait(&mut self, text: &str, since: Duration, now: Duration) {
        if self.verbosity == Verbosity::Quiet || !self.err.live {
            return;
        }
        self.spinner = Some(Spinner::new(self.theme.clone(), self.err, text, since));
        self.spin(now);
    }

    /// Draws the spinner: below an answer that is on the screen, else where the cursor stands.
    pub(super) fn spin(&mut self, now: Duration) {
        let is_beneath = self.is_beneath();
        let Some(spinner) = &mut self.spinner else { return };
        if self.markdown.is_some() && self.out.live {
            let line = spinner.line(now);
            self.sign(line);
            return;
        }
        let drawn = spinner.draw(now);
        self.release();
        // The first two controls make the row, where the terminal ends with the text's.
        to_err(&if is_beneath && !drawn.is_empty() { format!("\u{b}\u{1b}[A\u{1b}7\n{drawn}\u{1b}8") } else { drawn });
    }

    pub(super) fn clear_spinner(&mut self) {
        let is_beneath = self.is_beneath();
        if let Some(mut spinner) = self.spinner.take() {
            let clear = spinner.clear();
            to_err(&if is_beneath && !clear.is_empty() {
                format!("\u{1b}7\n{clear}\u{1b}8")
            } else {
                clear.to_owned()
            });
            self.sign(None);
        }
    }

    /// Says whether the sign stands in the row below text that went through as it came and did not end its line.
    fn is_beneath(&self) -> bool {
        self.open_line && self.out.rows_end && self.markdown.is_none()
    }

    /// Shows a line below the answer, or takes it away. It does not count as text of the answer.
    fn sign(&mut self, line: Option<Styled>) {
        let Some(markdown) = &mut self.markdown else { return };
        let mut text = String::new();
        markdown.sign(line, &mut text);
        let open_line = self.open_line;
        self.write_out(&text);
        self.open_line = open_line;
    }

    /// Returns when an answer that streams has been silent for too long; `None` where no sign can be shown: from a row that
    /// is full to its end, the cursor would not come back to where it was.
    pub(super) fn falls_silent(&self) -> Option<Duration> {
        let is_below = self.markdown.is_some() && self.out.live;
        let is_full = self.column.is_multiple_of(usize::from(self.out.width).max(1));
        let is_elsewhere = !self.out.rows_end || !self.open_line || self.is_beneath() && !is_full;
        let thinks_aloud = self.thoughts == Thoughts::Full && !self.thought.is_empty();
        let can_be_shown = self.err.live && self.verbosity == Verbosity::Normal && self.spinner.is_none();
        let heard = self.heard.filter(|_| can_be_shown && (is_below || is_elsewhere) && !thinks_aloud)?;
        Some(heard + SILENT)
    }

    /// Shows a piece of reasoning.
    pub(super) fn think(&mut self, piece: &str, now: Duration) {
        if self.verbosity == Verbosity::Quiet || self.thoughts == Thoughts::Off {
            return;
        }
        let piece = sanitize(piece);
        if self.thoughts == Thoughts::Full {
            self.clear_spinner();
            let piece_ends_line = piece.ends_with('\n');
            let text = if self.err.live { format!("\u{1b}[2m{piece}\u{1b}[0m") } else { piece.into_owned() };
            to_err(&text);
            self.thought = if piece_ends_line { String::new() } else { "open".to_owned() };
            return;
        }
        if !self.err.live {
            return;
        }
        self.thought.push_str(&piece);
        let line = self.thought.rsplit('\n').find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned();
        let from = line.chars().count().saturating_sub(THOUGHT);
        self.thought = line.chars().skip(from).collect();
        if self.thought_drawn.is_some_and(|at| now.saturating_sub(at) < THOUGHT_DRAWN) {
            return;
        }
        self.thought_drawn = Some(now);
        self.clear_spinner();
        let shown: String = self.thought.chars().take(usize::from(self.err.width).saturating_sub(4)).collect();
        self.wait(&shown, now, now);
    }

    /// Ends the reasoning that was shown, where the answer comes.
    pub(super) fn fold(&mut self) {
        if self.thoughts == Thoughts::Full && !self.thought.is_empty() {
            to_err("\n");
        }
        self.thought.clear();
        self.thought_drawn = None;
    }
}

/// Returns the column behind a text that begins in one, counted on over the ends of rows.
pub(super) fn column_behind(column: usize, text: &str) -> usize {
    let (column, line) = text.rsplit_once('\n').map_or((column, text), |(_, last)| (0, last));
    let mut parts = line.split('\t');
    let first = column + parts.next().map_or(0, cells);
    parts.fold(first, |column, part| (column / 8 + 1) * 8 + cells(part))
}

#[cfg(test)]
mod tests {
    use super::column_behind;

    #[test]
    fn columns_are_counted_on() {
        for (column, text, expected) in
            [(0, "abc", 3), (5, "abc", 8), (5, "x\nab", 2), (5, "x\n", 0), (3, "\tab", 10), (0, "日本", 4), (7, "", 7)]
        {
            assert_eq!(column_behind(column, text), expected, "{column} {text:?}");
        }
    }
}
