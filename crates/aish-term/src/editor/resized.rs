//! What stands on the screen of a line that is being edited, after the terminal was resized.
//!
//! The library asks where the cursor is and counts back from there as if all of it had been drawn in the new width. A
//! terminal that breaks its rows anew counts the filled row of a right prompt too, and a row that was just full ends
//! elsewhere; one that cuts its rows has the old ones. So a row of the old prompt stayed, or one of the output above it
//! went. Here the start is found first: all that follows is erased, and the cursor is put where the library counts from.

use std::io::{self, Write as _};
use std::time::Duration;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::cells::{cells, grapheme_cells};

/// How often a terminal is asked that was resized on, and is not yet as it says it is.
const ATTEMPTS: usize = 12;

/// How long such a terminal is left alone.
const SETTLED: Duration = Duration::from_millis(50);

/// A terminal's columns and rows.
pub(super) type Size = (usize, usize);

/// What was drawn last, up to the cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Drawing {
    /// The prompt before the line, its rows apart.
    pub(super) left: String,
    /// The cells of the right prompt, which fills its row.
    pub(super) right: usize,
    /// What stands before each further line.
    pub(super) continuation: String,
    /// The line before the cursor.
    pub(super) before: String,
    /// The size it was drawn in.
    pub(super) size: Size,
    /// The terminal is known to break its rows anew.
    pub(super) reflows: bool,
    /// It was erased since, and the cursor stands so many rows below its start.
    pub(super) erased: Option<usize>,
}

fn terminal_size() -> io::Result<Size> {
    let (columns, rows) = crossterm::terminal::size()?;
    Ok((usize::from(columns).max(1), usize::from(rows).max(1)))
}

/// Asks the screen itself for its columns, and puts the cursor back into its own. A multiplexer breaks its rows at once, and
/// tells the size later: where both differ, it is still being resized.
fn width_at(column: u16) -> io::Result<usize> {
    let mut stderr = io::stderr();
    stderr.write_all(b"\x1b[9999G")?;
    stderr.flush()?;
    let (last, _) = crossterm::cursor::position()?;
    stderr.write_all(format!("\x1b[{}G", column + 1).as_bytes())?;
    stderr.flush()?;
    Ok(usize::from(last) + 1)
}

/// Where a text ends: rows below its first one, and the column, which is the width where a row is just full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    row: usize,
    column: usize,
}

fn end_of(text: &str, width: usize) -> Place {
    let mut place = Place { row: 0, column: 0 };
    for grapheme in text.graphemes(true) {
        let wide = grapheme_cells(grapheme);
        if place.column + wide > width {
            place = Place { row: place.row + 1, column: 0 };
        }
        place.column += wide;
    }
    place
}

impl Drawing {
    /// Returns the lines up to the cursor, as the terminal has them: broken where a newline was written.
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.left.split('\n').map(str::to_owned).collect();
        for (at, part) in self.before.split('\n').enumerate() {
            match lines.last_mut() {
                Some(last) if at == 0 => last.push_str(part),
                _ => lines.push(format!("{}{part}", self.continuation)),
            }
        }
        lines
    }

    /// Returns how many rows the cursor is below the first row where it is drawn in a width.
    fn rows(&self, width: usize) -> usize {
        let lines = self.lines();
        let (last, others) = lines.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
        let end = end_of(last, width);
        let above: usize = others.iter().map(|line| end_of(line, width).row + 1).sum();
        above + end.row + usize::from(end.column >= width)
    }

    /// Returns where the cursor may be in a new width, the likeliest first.
    fn places(&self, new: usize) -> Vec<Place> {
        let (old, lines) = (self.size.0.max(1), self.lines());
        let (last, others) = lines.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
        let fills = |at: usize, line: &str| at == 0 && self.right > 0 && cells(line) + self.right <= old;
        let heights = others.iter().enumerate().map(|(at, line)| match fills(at, line) {
            true => old.div_ceil(new),
            false => end_of(line, new).row + 1,
        });
        let broken: usize = heights.sum();
        let end = end_of(last, new);
        let mut places = Vec::new();
        let mut add = |row: usize, column: usize| places.push(Place { row, column });
        if end_of(last, old).column >= old {
            // The cursor was put at the start of a row of its own.
            add(broken + end.row + 1, 0);
        }
        if end.column < new {
            add(broken + end.row, end.column);
        } else {
            add(broken + end.row, new.saturating_sub(1));
            add(broken + end.row + 1, 0);
        }
        let drawn = end_of(last, old);
        let column = if drawn.column >= old { 0 } else { drawn.column.min(new.saturating_sub(1)) };
        add(self.rows(old), column);
        places
    }

    /// Returns how many rows above the cursor it begins; none where no terminal would have put the cursor there.
    fn rows_above(&self, new: usize, column: usize) -> Option<usize> {
        if self.erased.is_some() {
            return self.erased;
        }
        let places = self.places(new);
        // Behind a full row some terminals say that the cursor is behind the last column.
        let column = column.min(new.saturating_sub(1));
        let mut seen = places.iter().filter(|place| place.column == column).map(|place| place.row);
        // Where that is not sure, the fewest: a row that stays is better than one of the output that goes.
        if self.reflows { seen.next() } else { seen.min() }
    }

    /// Returns the fewest rows that it may begin above the cursor.
    fn fewest_above(&self, new: usize) -> usize {
        self.places(new).iter().map(|place| place.row).min().unwrap_or_default()
    }

    /// Takes it off a terminal that was resized, and puts the cursor where the library counts from. Where the terminal does
    /// not say where the cursor is, nothing is changed. Returns the size that the terminal has by now.
    pub(super) fn follow(&mut self) -> io::Result<Size> {
        let mut before = None;
        for attempt in 1.. {
            let size = terminal_size()?;
            let (column, row) = crossterm::cursor::position()?;
            let is_last = attempt >= ATTEMPTS;
            let width = width_at(column)?;
            let is_true = width == size.0 && terminal_size()? == size;
            // Whoever draws a window narrower does not stop at once, and each size that is drawn for is one too many.
            let is_still = before.replace(size) == Some(size);
            if !(is_true && is_still || is_last) {
                std::thread::sleep(SETTLED);
                continue;
            }
            if size == self.size {
                return Ok(size);
            }
            // Where they differ to the end, the rows are where the screen has them, whatever is told.
            let above = match self.rows_above(width, usize::from(column)) {
                Some(above) => above,
                None if is_last => self.fewest_above(width),
                None => {
                    std::thread::sleep(SETTLED);
                    continue;
                }
            };
            let mut stderr = io::stderr();
            stderr.write_all(self.moved(size, usize::from(row).saturating_sub(above)).as_bytes())?;
            stderr.flush()?;
            return Ok(size);
        }
        terminal_size()
    }

    /// Returns what to write for that, where it begins in a row.
    fn moved(&mut self, size: Size, start: usize) -> String {
        let (width, height) = size;
        let below = self.rows(width);
        // Without room below, what stands above goes up.
        let up = (start + below + 1).saturating_sub(height).min(start);
        let to = |row: usize| format!("\u{1b}[{};1H", row + 1);
        let scrolled = if up > 0 { to(height - 1) + &"\r\n".repeat(up) } else { String::new() };
        let placed = (start - up + below).min(height.saturating_sub(1));
        // From the first cell on, tmux would put what it erases behind the screen, and bring it back when there is room.
        let erased = format!("{}\u{1b}[K\u{1b}[{};2H\u{1b}[J", to(start), start + 1);
        let written = erased + &scrolled + &to(placed);
        (self.size, self.erased) = (size, Some(placed - (start - up)));
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(left: &str, right: usize, before: &str, width: usize) -> Drawing {
        let before = before.to_owned();
        let (continuation, size) = ("  ".into(), (width, 24));
        Drawing { left: left.into(), right, continuation, before, size, reflows: true, erased: None }
    }

    fn cuts(drawing: Drawing) -> Drawing {
        Drawing { reflows: false, ..drawing }
    }

    #[test]
    fn the_start_is_found_by_where_the_cursor_went() {
        let wide = "日".repeat(30);
        let long = "x".repeat(100);
        for (what, drawn, new, column, expected) in [
            ("an empty line", drawing("> ", 6, "", 80), 40, 2, 0),
            ("broken anew", drawing("> ", 6, &long, 80), 40, 22, 2),
            ("cut", cuts(drawing("> ", 6, &long, 80)), 40, 22, 1),
            ("cut, by a terminal that is not known", drawing("> ", 6, &long, 80), 30, 22, 1),
            ("broken anew, by one that is not known", cuts(drawing("> ", 6, &long, 80)), 30, 12, 3),
            ("broken anew, just full", drawing("> ", 6, &"x".repeat(118), 80), 40, 39, 2),
            ("broken anew, just full, behind the last column", drawing("> ", 6, &"x".repeat(118), 80), 40, 40, 2),
            ("cut, in the middle", drawing("> ", 6, &"x".repeat(118), 80), 60, 40, 1),
            ("a full row", drawing("> ", 6, &"x".repeat(78), 80), 40, 0, 2),
            ("a full row, wider", drawing("> ", 6, &"x".repeat(118), 40), 80, 0, 2),
            ("a right prompt above", drawing("> ", 6, "for x\ndo", 80), 40, 4, 2),
            ("a right prompt above, cut", cuts(drawing("top\n> ", 6, "y", 80)), 79, 3, 1),
            ("no room for a right prompt", drawing("> ", 6, &format!("{}\ny", "x".repeat(76)), 80), 79, 3, 1),
            ("wide characters", drawing("> ", 0, &wide, 80), 21, 2, 3),
        ] {
            assert_eq!(drawn.rows_above(new, column), Some(expected), "{what}");
        }
        let drawn = drawing("> ", 6, &long, 80);
        assert_eq!((drawn.rows_above(40, 5), drawn.fewest_above(40)), (None, 1));
    }

    #[test]
    fn what_stands_above_is_kept() {
        // Narrower at the end of the screen: the rows above go up, and nothing above the prompt is written over.
        let mut drawn = drawing("> ", 0, &"x".repeat(70), 80);
        let mut screen = vt100::Parser::new(4, 40, 10);
        screen.process(b"one\r\ntwo\r\n");
        screen.process(format!("> {}", "x".repeat(70)).as_bytes());
        let (row, column) = screen.screen().cursor_position();
        let above = drawn.rows_above(40, usize::from(column)).unwrap();
        let text = drawn.moved((40, 4), usize::from(row) - above);
        screen.process(text.as_bytes());
        assert_eq!(screen.screen().contents().trim_end(), "one\ntwo");
        assert_eq!((screen.screen().cursor_position(), drawn.erased), ((3, 0), Some(1)));
        // The same prompt once more, wider: it is erased already, and fewer rows are needed.
        drawn.moved((100, 4), 3 - drawn.rows_above(100, 0).unwrap());
        assert_eq!(drawn.erased, Some(0));
    }

    #[test]
    fn the_screen_is_never_erased_from_its_first_cell_on() {
        let mut screen = vt100::Parser::new(4, 40, 10);
        screen.process(format!("> {}", "x".repeat(70)).as_bytes());
        let text = drawing("> ", 0, &"x".repeat(70), 80).moved((40, 4), 0);
        assert!(!text.contains("\u{1b}[1;1H\u{1b}[J"), "{text:?}");
        screen.process(text.as_bytes());
        assert_eq!(screen.screen().contents().trim_end(), "");
    }

    #[test]
    fn rows_go_up_where_there_is_no_room() {
        let mut drawn = drawing("> ", 0, &"x".repeat(70), 80);
        let mut screen = vt100::Parser::new(3, 20, 10);
        screen.process(b"one\r\ntwo\r\n> xxxxxxxxxxxxxxxxx");
        let text = drawn.moved((20, 3), 2);
        screen.process(text.as_bytes());
        assert_eq!(screen.screen().contents().trim_end(), "");
        screen.screen_mut().set_scrollback(10);
        assert!(screen.screen().contents().starts_with("one\ntwo"), "{}", screen.screen().contents());
    }
}
