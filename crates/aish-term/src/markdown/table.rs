//! Tables: columns as wide as their widest cell where there is room, else narrowed with wrapped cells, else a row becomes
//! a list of `head: cell` lines.

use anstyle::Style;
use pulldown_cmark::Alignment;

use crate::styled::Styled;
use crate::theme::Theme;
use crate::wrap;

/// A column narrower than this is not worth wrapping in.
const NARROWEST: usize = 4;

/// A table's cells, one styled line each.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) alignments: Vec<Alignment>,
    pub(super) head: Vec<Styled>,
    pub(super) rows: Vec<Vec<Styled>>,
}

impl Table {
    /// Lays the table out in at most `width` cells.
    pub(super) fn lines(&self, width: usize, theme: &Theme, unicode: bool) -> Vec<Styled> {
        let count = self.rows.iter().map(Vec::len).chain([self.head.len()]).max().unwrap_or(0);
        if count == 0 {
            return Vec::new();
        }
        let natural: Vec<usize> = (0..count)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column)).chain(self.head.get(column));
                cells.map(Styled::width).max().unwrap_or(0).max(1)
            })
            .collect();
        match fitted(&natural, width) {
            Some(widths) => self.grid(&widths, theme, unicode),
            None => self.records(width, theme),
        }
    }

    fn grid(&self, widths: &[usize], theme: &Theme, unicode: bool) -> Vec<Styled> {
        let (bar, dash, cross) = if unicode { (" │ ", "─", "─┼─") } else { (" | ", "-", "-+-") };
        let mut out = Vec::new();
        if !self.head.is_empty() {
            self.row(&self.head, widths, bar, theme, theme.strong, &mut out);
            let rule: Vec<String> = widths.iter().map(|&width| dash.repeat(width)).collect();
            out.push(Styled::of(theme.dim, &rule.join(cross)));
        }
        for row in &self.rows {
            self.row(row, widths, bar, theme, Style::new(), &mut out);
        }
        out
    }

    fn row(&self, cells: &[Styled], widths: &[usize], bar: &str, theme: &Theme, base: Style, out: &mut Vec<Styled>) {
        let empty = Styled::default();
        let wrapped: Vec<Vec<Styled>> = widths
            .iter()
            .enumerate()
            .map(|(column, &width)| {
                let mut cell = cells.get(column).unwrap_or(&empty).clone();
                for span in &mut cell.spans {
                    span.style = super::inline::merged(base, span.style);
                }
                wrap::words(&cell, width)
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
        for at in 0..height {
            let mut line = Styled::default();
            for (column, (lines, &width)) in wrapped.iter().zip(widths).enumerate() {
                if column > 0 {
                    line.push(theme.dim, bar);
                }
                let cell = lines.get(at).unwrap_or(&empty);
                let space = width.saturating_sub(cell.width());
                let last = column + 1 == widths.len();
                let before = match self.alignments.get(column) {
                    Some(Alignment::Right) => space,
                    Some(Alignment::Center) => space / 2,
                    Some(Alignment::Left | Alignment::None) | None => 0,
                };
                line.push(Style::new(), &" ".repeat(before));
                line.append(cell);
                if !last {
                    line.push(Style::new(), &" ".repeat(space - before));
                }
            }
            out.push(line);
        }
    }

    /// A terminal too narrow for columns: each row as lines of its own, with its heads.
    fn records(&self, width: usize, theme: &Theme) -> Vec<Styled> {
        let mut out = Vec::new();
        let rows: &[Vec<Styled>] = &self.rows;
        if rows.is_empty() {
            return self.head.iter().flat_map(|cell| wrap::words(cell, width)).collect();
        }
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                out.push(Styled::default());
            }
            for (column, cell) in row.iter().enumerate() {
                let mut line = Styled::default();
                if let Some(head) = self.head.get(column).filter(|head| !head.is_empty()) {
                    line.push(theme.strong, &format!("{}: ", head.text()));
                }
                line.append(cell);
                out.extend(wrap::words(&line, width));
            }
        }
        out
    }
}

/// Narrows columns, the widest first, until the table fits; none where that would make them too narrow.
fn fitted(natural: &[usize], width: usize) -> Option<Vec<usize>> {
    let room = width.checked_sub(3 * natural.len().saturating_sub(1))?;
    let mut widths = natural.to_vec();
    let mut total: usize = widths.iter().sum();
    while total > room {
        let widest = widths.iter_mut().max()?;
        if *widest <= NARROWEST {
            return None;
        }
        // As far down as it takes, but not below the next.
        let over = total - room;
        let before = *widest;
        *widest = before.saturating_sub(over.min((before / 4).max(1))).max(NARROWEST);
        total -= before - *widest;
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrows_the_widest_first() {
        assert_eq!(fitted(&[5, 5], 20), Some(vec![5, 5]));
        let narrowed = fitted(&[5, 100], 40).unwrap();
        assert_eq!(narrowed.first(), Some(&5));
        assert_eq!(narrowed.iter().sum::<usize>(), 37);
        assert_eq!(fitted(&[10, 10, 10], 12), None);
        assert_eq!(fitted(&[1], 1), Some(vec![1]));
    }
}
