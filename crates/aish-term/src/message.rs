//! What aish itself says, broken at words where the rows of a terminal end.
//!
//! What stands in backquotes is a command, a file or a key: no newline comes into it, so that it can be copied. What is
//! longer than a row is left to the terminal, which breaks it without a newline.

use crate::styled::{Ink, Styled};
use crate::wrap::{Piece, pieces};

/// What status lines begin with.
pub const MARK: &str = "[aish] ";

/// Columns from which on continued rows stand below the text behind the mark.
const WIDE: usize = 40;

/// Breaks a line for a terminal of so many columns. Continued rows stand below the second column of a table, else a bit
/// to the right of the line's own indent.
pub fn rows(line: &Styled, columns: usize) -> Vec<Styled> {
    let hang = hang(&line.text(), columns);
    rows_below(line, columns, hang)
}

/// Breaks a line, with continued rows so many cells from the left.
pub fn rows_below(line: &Styled, columns: usize, hang: usize) -> Vec<Styled> {
    if line.width() <= columns {
        return vec![line.clone()];
    }
    filled(whole_literals(pieces(line)), columns, hang)
}

fn filled(pieces: Vec<Piece>, columns: usize, hang: usize) -> Vec<Styled> {
    let columns = columns.max(1);
    let (rows, row) = (Vec::new(), Styled::default());
    let mut filler = Filler { columns, hang, rows, row, used: 0, gap: None, begun: false };
    pieces.into_iter().for_each(|piece| filler.place(piece));
    filler.finish()
}

/// Breaks a label with a command behind it, which no newline comes into.
pub fn rows_of_command(label: &Styled, command: &Styled, columns: usize) -> Vec<Styled> {
    let whole = Piece { width: command.width(), parts: command.clone(), space: false };
    let mut all = pieces(label);
    all.push(whole);
    filled(all, columns, hang(&label.text(), columns))
}

/// Breaks the lines of a text; where there is no terminal they stay as they are.
pub fn text(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push_str(&joined(&rows(&Styled::plain(line), columns), Ink { color: false, links: false }));
    }
    out
}

/// Writes rows with newlines between them.
pub fn joined(rows: &[Styled], ink: Ink) -> String {
    rows.iter().map(|row| row.to_text(ink)).collect::<Vec<_>>().join("\n")
}

/// Returns the columns of a stream that is a terminal.
pub fn columns_of(stream: impl std::os::fd::AsFd) -> Option<usize> {
    let columns = rustix::termios::tcgetwinsize(stream).ok()?.ws_col;
    Some(if columns == 0 { 80 } else { usize::from(columns) })
}

fn hang(text: &str, columns: usize) -> usize {
    if text.starts_with(MARK) {
        return if columns < WIDE { 2 } else { MARK.len() };
    }
    let behind = text.trim_start_matches(' ');
    let indent = text.len() - behind.len();
    let column = behind.find("  ").map(|at| {
        let gap = behind.get(at..).unwrap_or_default();
        let before = text.get(..indent + at).unwrap_or_default();
        crate::cells::cells(before) + gap.len() - gap.trim_start_matches(' ').len()
    });
    column.filter(|&column| column <= columns / 2).unwrap_or(indent + 2).min(columns / 2)
}

/// Joins what stands between backquotes.
fn whole_literals(pieces: Vec<Piece>) -> Vec<Piece> {
    let ticks = |piece: &Piece| piece.parts.text().matches('`').count();
    let mut left: usize = pieces.iter().map(ticks).sum();
    let mut joined: Vec<Piece> = Vec::new();
    let mut is_open = false;
    for piece in pieces {
        let own = ticks(&piece);
        left -= own;
        let was_open = is_open;
        // A backquote that none follows opens nothing.
        is_open = if own % 2 == 1 { !is_open && left > 0 } else { is_open };
        match joined.last_mut() {
            Some(last) if was_open => {
                last.parts.append(&piece.parts);
                last.width += piece.width;
            }
            Some(_) | None => joined.push(piece),
        }
    }
    joined
}

struct Filler {
    columns: usize,
    hang: usize,
    rows: Vec<Styled>,
    row: Styled,
    /// Cells of the row that are taken.
    used: usize,
    /// Spaces that are written only if something follows on the same row.
    gap: Option<Piece>,
    /// Something but spaces stands in the row.
    begun: bool,
}

impl Filler {
    fn place(&mut self, piece: Piece) {
        if piece.space {
            self.gap = Some(piece);
            return;
        }
        let gap = self.gap.as_ref().map_or(0, |gap| gap.width);
        if self.begun && self.used + gap + piece.width > self.columns {
            self.rows.push(std::mem::take(&mut self.row));
            // What fits into a row of its own stands in one.
            self.used = self.hang.min(self.columns.saturating_sub(piece.width));
            self.row = Styled::plain(" ".repeat(self.used));
            self.gap = None;
        }
        if let Some(gap) = self.gap.take() {
            self.row.append(&gap.parts);
            self.used += gap.width;
        }
        self.row.append(&piece.parts);
        self.used += piece.width;
        self.begun = true;
        if self.used > self.columns {
            // The terminal goes on in rows of its own.
            self.used = (self.used - 1) % self.columns + 1;
        }
    }

    fn finish(mut self) -> Vec<Styled> {
        if let Some(gap) = self.gap.take().filter(|gap| self.used + gap.width <= self.columns) {
            self.row.append(&gap.parts);
        }
        self.rows.push(self.row);
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &str, columns: usize, expected: &[&str]) {
        let broken = text(said, Some(columns));
        assert_eq!(broken.split('\n').collect::<Vec<_>>(), expected, "{said:?} at {columns}");
        assert_eq!(text(said, None), said);
    }

    #[test]
    fn rows_end_at_words_and_go_on_below_the_text() {
        check("[aish] short", 20, &["[aish] short"]);
        check(
            "[aish] the model does not answer, so nothing was asked",
            40,
            &["[aish] the model does not answer, so", "       nothing was asked"],
        );
        check("[aish] one two three", 12, &["[aish] one", "  two three"]);
        check("  usage    what it does, in some words", 24, &["  usage    what it does,", "           in some words"]);
        check("    a line with an indent", 16, &["    a line with", "      an indent"]);
        check("two lines\nof a text", 7, &["two", "  lines", "of a", "  text"]);
    }

    #[test]
    fn wide_characters_count_twice_and_closing_ones_stay() {
        check("[aish] 日本語です。次", 14, &["[aish] 日本語", "  です。次"]);
    }

    #[test]
    fn what_is_in_backquotes_or_longer_than_a_row_has_no_newline() {
        check("run `aish mcp add files` then", 20, &["run", "`aish mcp add files`", "  then"]);
        check("in /a/very/long/path/of/a/file now", 12, &["in", "/a/very/long/path/of/a/file now"]);
        check("a ` alone and more words", 12, &["a ` alone", "  and more", "  words"]);
        let command = "`git log --oneline --decorate --graph`";
        assert!(text(&format!("[aish] did you mean: {command}"), Some(20)).contains(command));
    }

    #[test]
    fn colours_go_on_in_each_row() {
        let mut line = Styled::default();
        line.push(anstyle::Style::new().bold(), "[aish] one two three");
        let shown = joined(&rows(&line, 12), Ink { color: true, links: false });
        assert_eq!(shown, "\u{1b}[1m[aish] one\u{1b}[0m\n  \u{1b}[1mtwo three\u{1b}[0m");
    }

    #[test]
    fn a_question_keeps_the_space_before_the_answer() {
        let rows = rows_below(&Styled::plain("[y]es  [n]o  [e]dit (no) "), 12, 0);
        assert_eq!(rows.iter().map(Styled::text).collect::<Vec<_>>(), ["[y]es  [n]o", "[e]dit (no) "]);
    }
}
