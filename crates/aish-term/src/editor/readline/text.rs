//! What our own functions of readline do to a line.

/// Returns what a kill took out of a line that stands as `after` now, with the cursor where it was; none where it is not that
/// place alone that changed.
pub(super) fn removed(before: &str, after: &str, cursor: usize) -> Option<String> {
    let rest = before.strip_prefix(after.get(..cursor)?)?;
    let taken = rest.strip_suffix(after.get(cursor..)?)?;
    (!taken.is_empty()).then(|| taken.to_owned())
}

/// Returns how many blanks stand right before and right behind the cursor.
pub(super) fn blanks_around(line: &str, cursor: usize) -> (usize, usize) {
    let is_blank = |c: &char| *c == ' ' || *c == '\t';
    let before = line.get(..cursor).unwrap_or_default().chars().rev().take_while(is_blank).count();
    let behind = line.get(cursor..).unwrap_or_default().chars().take_while(is_blank).count();
    (before, behind)
}

/// Returns how many characters the last part of a file's name before the cursor has, with slashes and blanks behind it.
pub(super) fn name_before(before: &str) -> usize {
    let is_end = |c: char| c.is_whitespace() || c == '/';
    let rest = before.trim_end_matches(is_end).trim_end_matches(|c| !is_end(c));
    before.chars().count() - rest.chars().count()
}

/// Returns the line with the `~` of the word at the cursor written out, and the cursor.
pub(super) fn tilde_expanded(line: &str, cursor: usize, home: &str) -> Option<(String, usize)> {
    let before = line.get(..cursor)?;
    let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let rest = line.get(start..)?.strip_prefix('~')?;
    if !(rest.is_empty() || rest.starts_with(['/', ' ', '\t'])) {
        return None;
    }
    let position = (cursor + home.len()).saturating_sub(1).max(start + home.len());
    Some((format!("{}{home}{rest}", line.get(..start)?), position))
}

/// Returns the line with the word at or behind the cursor and the one before it exchanged, and the cursor behind both.
pub(super) fn transposed(line: &str, cursor: usize) -> Option<(String, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in line.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some((_, last)) if *last == at => *last = end,
            _ => words.push((at, end)),
        }
    }
    let second = words.iter().position(|(_, end)| *end > cursor).unwrap_or(words.len().checked_sub(1)?);
    let (first_start, first_end) = *words.get(second.checked_sub(1)?)?;
    let (second_start, second_end) = *words.get(second)?;
    let parts = [
        line.get(..first_start)?,
        line.get(second_start..second_end)?,
        line.get(first_end..second_start)?,
        line.get(first_start..first_end)?,
        line.get(second_end..)?,
    ];
    Some((parts.concat(), second_end))
}

/// Returns a word of a line: the last one, or the nth, counted from 0, from the end where it is negative.
pub(super) fn word(line: &str, nth: Option<i64>) -> Option<String> {
    let words = words(line);
    match nth {
        None => words.last().cloned(),
        Some(nth) if nth < 0 => {
            words.len().checked_sub(usize::try_from(-nth).ok()?).and_then(|at| words.get(at)).cloned()
        }
        Some(nth) => words.get(usize::try_from(nth).ok()?).cloned(),
    }
}

/// Cuts a line into words as they were written, quotes and all; an operator is a word.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (_, '\\') if quote != Some('\'') => {
                word.push(c);
                word.extend(chars.next());
                continue;
            }
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, c) if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            (None, ';' | '&' | '|' | '<' | '>' | '(' | ')') => {
                let operator = |c: char| matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')');
                if !word.is_empty() && !word.chars().all(operator) {
                    words.push(std::mem::take(&mut word));
                }
                word.push(c);
                if !chars.peek().is_some_and(|c| operator(*c)) {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            (None, _) => {}
        }
        word.push(c);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_out_is_found() {
        for (before, after, cursor, expected) in [
            ("echo one two", "echo one ", 9, Some("two")),
            ("echo one two", "", 0, Some("echo one two")),
            ("a a a", "a a", 3, Some(" a")),
            // What follows begins as what was taken out does.
            (" two three", " three", 0, Some(" two")),
            ("one two three", "one three", 4, Some("two ")),
            ("abc", "ac", 1, Some("b")),
            ("abc", "ac", 2, None),
            ("abc", "abc", 1, None),
            ("abc", "xyz", 0, None),
            ("日本語", "日語", 3, Some("本")),
            ("日本語", "日語", 1, None),
        ] {
            assert_eq!(removed(before, after, cursor).as_deref(), expected, "{before:?} {after:?} {cursor}");
        }
    }

    #[test]
    fn words_are_those_that_were_written() {
        for (line, nth, expected) in [
            ("cp 'a b' c\\ d", None, Some("c\\ d")),
            ("cp 'a b' c", Some(1), Some("'a b'")),
            ("ls && pwd", Some(1), Some("&&")),
            ("cat x|less", None, Some("less")),
            ("a b c", Some(-2), Some("b")),
            ("a", Some(4), None),
            ("", None, None),
        ] {
            assert_eq!(word(line, nth).as_deref(), expected, "{line:?} {nth:?}");
        }
    }

    #[test]
    fn words_change_places_as_in_readline() {
        for (line, cursor, expected) in [
            ("a b", 3, Some("b a")),
            ("one two three", 4, Some("two one three")),
            ("one two three", 13, Some("one three two")),
            ("cp a.txt b", 10, Some("cp a.b txt")),
            ("one", 3, None),
            ("one two", 0, None),
            ("", 0, None),
        ] {
            assert_eq!(transposed(line, cursor).map(|(line, _)| line).as_deref(), expected, "{line:?} {cursor}");
        }
    }

    #[test]
    fn blanks_names_and_tildes() {
        for (before, count) in
            [("ls /usr/share/doc", 3), ("ls /usr/share/", 6), ("ls  ", 4), ("/", 1), ("", 0), ("日/本", 1)]
        {
            assert_eq!(name_before(before), count, "{before}");
        }
        assert_eq!(blanks_around("a  \t b", 3), (2, 2));
        assert_eq!(tilde_expanded("ls ~/x y", 6, "/home/a"), Some(("ls /home/a/x y".into(), 12)));
        assert_eq!(tilde_expanded("ls ~root/x", 6, "/home/a"), None);
    }
}
