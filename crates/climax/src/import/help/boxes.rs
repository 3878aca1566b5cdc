//! Boxes that rich draws around lists (typer, rich-click, cyclopts), as plain lists under headings.

/// What a row of a box is made to begin with, and what its description stands behind.
const ENTRY: usize = 2;
const DESCRIPTION: usize = 40;

/// Takes boxes apart; a text without them stays as it is.
pub(super) fn plain(text: &str) -> String {
    if !text.contains(['╭', '┌', '╔', '┏']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut row_at: Option<usize> = None;
    for line in text.lines() {
        let body = line.trim();
        if body.starts_with(['╭', '┌', '╔', '┏']) {
            let title = body.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')'));
            out.push_str(&format!("\n{title}:\n"));
            row_at = None;
        } else if body.starts_with(['╰', '└', '╚', '┗']) {
            out.push('\n');
        } else if let Some(inner) = body.strip_prefix(['│', '┃', '║']) {
            let inner = inner.trim_end().trim_end_matches(['│', '┃', '║']).trim_end();
            out.push_str(&row(inner, &mut row_at));
            out.push('\n');
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// Writes one row: flags and value in one column, the description in another; or what goes on with the row above.
fn row(inner: &str, row_at: &mut Option<usize>) -> String {
    let mut is_required = false;
    let mut cells = cells(inner);
    if let Some((_, "*")) = cells.first() {
        is_required = true;
        cells.remove(0);
    }
    let Some(&(at, first)) = cells.first() else { return String::new() };
    let begins = *row_at.get_or_insert(at);
    // A flag without a short form may stand under its column, and prose is far from there.
    if at > begins + 8 && !first.starts_with('-') {
        let text: Vec<&str> = cells.iter().map(|(_, cell)| *cell).collect();
        return format!("{:DESCRIPTION$}  {}", "", text.join(" "));
    }
    let count = 1 + cells.iter().skip(1).take_while(|(_, cell)| is_left(cell)).count();
    let (left, right) = cells.split_at_checked(count).unwrap_or_default();
    let left: Vec<&str> = left.iter().map(|(_, cell)| *cell).collect();
    let right: Vec<&str> = right.iter().map(|(_, cell)| *cell).collect();
    let left = if first.starts_with('-') {
        left.join(" ")
    } else if left.iter().any(|cell| cell.starts_with('-') || cell.contains(" -")) {
        named(&left)
    } else {
        // What stands behind the name of an argument is its type.
        first.to_owned()
    };
    let mark = if is_required && !inner.contains("[required]") { " [required]" } else { "" };
    let left_width = DESCRIPTION - ENTRY;
    format!("{:ENTRY$}{left:left_width$}  {}{mark}", "", right.join(" "))
}

/// Writes an entry whose argument may stand by itself or behind a flag (`NAME --name`): cyclopts shows both.
fn named(cells: &[&str]) -> String {
    let words: Vec<&str> = cells.iter().flat_map(|cell| cell.split_whitespace()).collect();
    let (flags, values): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| word.starts_with('-'));
    [flags, values.into_iter().take(1).collect()].concat().join(" ")
}

/// Says whether a cell belongs to the flags and the value, and not to the description.
fn is_left(cell: &str) -> bool {
    let is_metavar = |word: &str| {
        word.starts_with(['<', '[', '{']) || (word.len() > 1 && !word.contains(|c: char| c.is_ascii_lowercase()))
    };
    cell.starts_with('-') || (cell.split(' ').all(is_metavar) && !cell.starts_with("[default") && cell != "[required]")
}

/// Splits a row at gaps of two blanks or more, each cell with its column.
fn cells(row: &str) -> Vec<(usize, &str)> {
    let mut cells = Vec::new();
    let mut at = 0;
    for part in row.split("  ") {
        let cell = part.trim();
        if !cell.is_empty() {
            let blanks = part.len() - part.trim_start().len();
            cells.push((at + blanks, cell));
        }
        at += part.len() + 2;
    }
    cells
}
