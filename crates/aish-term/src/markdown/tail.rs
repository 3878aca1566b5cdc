//! The part of the screen that may still change: the last rows, up to where the cursor stands.

use std::fmt::Write as _;

use crate::styled::{Ink, Styled};
use crate::wrap;

/// The rows that are on the screen and not final. The cursor stands at the end of the last one, or at the start of an
/// empty line where there is none.
#[derive(Debug, Default)]
pub(super) struct Tail {
    rows: Vec<String>,
    /// The columns of each row.
    widths: Vec<usize>,
    /// True where the terminal breaks rows anew when it gets narrower.
    reflows: bool,
}

impl Tail {
    /// Makes the tail of a terminal that breaks its rows anew when it gets narrower, or does not.
    pub(super) fn new(reflows: bool) -> Self {
        Self { reflows, ..Self::default() }
    }

    /// Writes lines that are final and, after them, lines that are not.
    ///
    /// Only the tail's own rows are ever erased: those that were drawn, or what a terminal that is known to break them anew
    /// made of them.
    pub(super) fn draw(&mut self, done: &[Styled], open: &[Styled], size: (usize, usize), ink: Ink, out: &mut String) {
        let (width, height) = (size.0.max(1), size.1.max(1));
        let lines: Vec<Styled> = open.iter().flat_map(|line| wrap::hard(line, width)).collect();
        let mut rows: Vec<String> = lines.iter().map(|line| line.to_text(ink)).collect();
        let mut widths: Vec<usize> = lines.iter().map(Styled::width).collect();
        // What scrolled off the top could not be erased again.
        let most = height.saturating_sub(1).max(1);
        if rows.len() > most {
            widths.drain(..rows.len() - most);
            rows.drain(..rows.len() - most);
        }
        let kept =
            if done.is_empty() { self.rows.iter().zip(&rows).take_while(|(old, new)| old == new).count() } else { 0 };
        if done.is_empty() && kept == self.rows.len() && kept == rows.len() {
            return;
        }
        if done.is_empty() && self.extends_last(kept, &rows, out) {
            (self.rows, self.widths) = (rows, widths);
            return;
        }
        // Rows went away: the last that stays is drawn again, so that the cursor ends behind it.
        let kept = if kept == rows.len() && kept < self.rows.len() { kept.saturating_sub(1) } else { kept };
        self.go_to(kept, width, out);
        for line in done {
            line.write(ink, out);
            out.push_str("\r\n");
        }
        for (at, row) in rows.iter().enumerate().skip(kept) {
            if at > kept || (kept > 0 && kept == self.rows.len()) {
                out.push_str("\r\n");
            }
            out.push_str(row);
        }
        (self.rows, self.widths) = (rows, widths);
    }

    /// The common case while text comes: the last row grows, and nothing is erased.
    fn extends_last(&self, kept: usize, rows: &[String], out: &mut String) -> bool {
        let (Some(old), Some(new)) = (self.rows.last(), rows.get(kept)) else { return false };
        if kept + 1 != self.rows.len() || rows.len() < self.rows.len() {
            return false;
        }
        let Some(rest) = new.strip_prefix(old.as_str()) else { return false };
        out.push_str(rest);
        for row in rows.iter().skip(kept + 1) {
            out.push_str("\r\n");
            out.push_str(row);
        }
        true
    }

    /// Moves the cursor to the start of the row after the first `kept` and erases from there on.
    fn go_to(&self, kept: usize, width: usize, out: &mut String) {
        if self.rows.is_empty() || kept == self.rows.len() {
            return;
        }
        let height = |columns: &usize| if self.reflows { columns.div_ceil(width).max(1) } else { 1 };
        let up = self.widths.iter().skip(kept).map(height).sum::<usize>().saturating_sub(1);
        if up > 0 {
            let _ = write!(out, "\u{1b}[{up}A");
        }
        out.push_str("\r\u{1b}[J");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_follows_the_rows() {
        let ink = Ink { color: false, links: false };
        let mut screen = vt100::Parser::new(6, 10, 0);
        let mut tail = Tail::default();
        for (done, open, expected) in [
            (vec![], vec!["a"], "a"),
            (vec![], vec!["ab", "c"], "ab\nc"),
            (vec![], vec!["ab", "cd", "e"], "ab\ncd\ne"),
            (vec![], vec!["ab"], "ab"),
            (vec!["AB"], vec!["x"], "AB\nx"),
            (vec![], vec![], "AB"),
            (vec!["C"], vec![], "AB\nC"),
            (vec![], vec!["0123456789"], "AB\nC\n0123456789"),
            (vec![], vec!["0123456789abc"], "AB\nC\n0123456789\nabc"),
            (vec!["D"], vec!["", "e"], "AB\nC\nD\n\ne"),
        ] {
            let lines = |texts: &[&str]| texts.iter().map(|text| Styled::plain(*text)).collect::<Vec<_>>();
            let mut out = String::new();
            tail.draw(&lines(&done), &lines(&open), (10, 6), ink, &mut out);
            screen.process(out.as_bytes());
            assert_eq!(screen.screen().contents().trim_end(), expected, "{done:?} {open:?}");
        }
    }

    #[test]
    fn rows_that_the_terminal_broke_anew_are_erased() {
        let ink = Ink { color: false, links: false };
        for (reflows, up) in [(true, "\u{1b}[2A"), (false, "\u{1b}[1A")] {
            let mut tail = Tail::new(reflows);
            let open = [Styled::plain("123456789"), Styled::plain("ab")];
            tail.draw(&[], &open, (10, 6), ink, &mut String::new());
            let mut out = String::new();
            tail.draw(&[], &open, (5, 6), ink, &mut out);
            assert!(out.starts_with(up), "{out:?}");
            assert!(out.ends_with("12345\r\n6789\r\nab"), "{out:?}");
        }
    }

    #[test]
    fn a_tail_taller_than_the_screen_leaves_nothing_behind() {
        let ink = Ink { color: false, links: false };
        let mut screen = vt100::Parser::new(4, 10, 100);
        let mut tail = Tail::default();
        let mut all = Vec::new();
        for at in 0..20 {
            all.push(Styled::plain(format!("row {at}")));
            let mut out = String::new();
            tail.draw(&[], &all, (10, 4), ink, &mut out);
            screen.process(out.as_bytes());
        }
        let mut out = String::new();
        tail.draw(&all, &[], (10, 4), ink, &mut out);
        screen.process(out.as_bytes());
        assert_eq!(screen.screen().contents().trim_end(), "row 17\nrow 18\nrow 19");
        screen.screen_mut().set_scrollback(100);
        assert!(screen.screen().contents().starts_with("row 0\nrow 1\n"), "{}", screen.screen().contents());
    }
}
