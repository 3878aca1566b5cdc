//! Words that a program makes of its input for another, as xargs does: quotes and backslashes count, and some at a time.

use alloc::string::String;
use alloc::vec::Vec;

use super::word::Word;

/// Options without a value that change nothing of that.
const FLAGS: &str = "rtpxo";
/// The same, written out.
const LONG_FLAGS: &[&str] =
    &["--no-run-if-empty", "--verbose", "--interactive", "--exit", "--show-limits", "--open-tty"];

/// How an input is cut.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Cut {
    /// Between which letters, where no quotes count.
    delimiter: Option<char>,
    /// The most words that are given at a time.
    words: Option<usize>,
    /// The most lines.
    lines: Option<usize>,
    /// What stands for a line among the words.
    pub(super) mark: Option<String>,
}

impl Cut {
    /// Reads the options before the program; none where one is not known.
    pub(super) fn of(options: &[Word]) -> Option<Self> {
        let mut cut = Self::default();
        let mut rest = options.iter();
        while let Some(word) = rest.next() {
            if !word.is_known() {
                return None;
            }
            let text = word.text.as_str();
            if let Some(long) = text.strip_prefix("--") {
                let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let mut given = || value.or_else(|| rest.next().map(|word| word.text.as_str()));
                match name {
                    _ if LONG_FLAGS.contains(&text) => {}
                    "null" => cut.delimiter = Some('\0'),
                    "max-args" => cut.words = Some(given()?.parse().ok()?),
                    "max-procs" | "arg-file" => drop(given()?),
                    "delimiter" => cut.delimiter = Some(delimiter(given()?)?),
                    "replace" => cut.mark = Some(value.unwrap_or("{}").into()),
                    "max-lines" => cut.lines = Some(value.map_or(Some(1), |value| value.parse().ok())?),
                    _ => return None,
                }
                continue;
            }
            let mut letters = text.strip_prefix('-')?.chars();
            while let Some(letter) = letters.next() {
                let attached = letters.as_str();
                if FLAGS.contains(letter) {
                    continue;
                }
                if letter == '0' {
                    cut.delimiter = Some('\0');
                    continue;
                }
                let given = |rest: &mut core::slice::Iter<'_, Word>| match attached {
                    "" => rest.next().map(|word| word.text.clone()),
                    value => Some(String::from(value)),
                };
                match letter {
                    'n' => cut.words = Some(given(&mut rest)?.parse().ok()?),
                    'L' => cut.lines = Some(given(&mut rest)?.parse().ok()?),
                    'P' | 'a' => drop(given(&mut rest)?),
                    'd' => cut.delimiter = Some(delimiter(&given(&mut rest)?)?),
                    'I' => cut.mark = Some(given(&mut rest)?),
                    'i' => cut.mark = Some(if attached.is_empty() { "{}".into() } else { attached.into() }),
                    'l' => cut.lines = Some(if attached.is_empty() { 1 } else { attached.parse().ok()? }),
                    _ => return None,
                }
                break;
            }
        }
        // Of two limits the last holds for some, both for others.
        let limits = [cut.words, cut.lines].into_iter().flatten().count() + usize::from(cut.mark.is_some());
        (limits <= 1 && cut.words != Some(0) && cut.lines != Some(0)).then_some(cut)
    }

    /// Cuts an input into the words that the program is given each time; none where that is in doubt.
    pub(super) fn groups(&self, text: &str) -> Option<Vec<Vec<String>>> {
        if let Some(delimiter) = self.delimiter {
            let pieces: Vec<String> =
                text.strip_suffix(delimiter).unwrap_or(text).split(delimiter).map(String::from).collect();
            let pieces = if text.is_empty() { Vec::new() } else { pieces };
            let most = if self.mark.is_some() { Some(1) } else { self.words.or(self.lines) };
            return Some(chunks(pieces, most));
        }
        if self.mark.is_some() {
            let lines = text.lines().map(|line| line.trim_start_matches([' ', '\t'])).filter(|line| !line.is_empty());
            return lines.map(|line| Some(alloc::vec![unquoted(line, Blanks::Stay)?.into_iter().next()?])).collect();
        }
        let lines: Option<Vec<Vec<String>>> = text
            .lines()
            .map(|line| unquoted(line, Blanks::Cut).filter(|_| self.lines.is_none() || !line.ends_with([' ', '\t'])))
            .collect();
        let mut lines = lines?;
        lines.retain(|line| !line.is_empty());
        match self.lines {
            Some(most) => Some(lines.chunks(most).map(<[Vec<String>]>::concat).collect()),
            None => Some(chunks(lines.concat(), self.words)),
        }
    }
}

fn chunks(words: Vec<String>, most: Option<usize>) -> Vec<Vec<String>> {
    match most {
        Some(most) => words.chunks(most).map(<[String]>::to_vec).collect(),
        None => alloc::vec![words],
    }
}

/// One letter, or an escape that is one.
fn delimiter(text: &str) -> Option<char> {
    match text {
        "\\n" => Some('\n'),
        "\\t" => Some('\t'),
        "\\0" => Some('\0'),
        _ => {
            let mut letters = text.chars();
            letters.next().filter(|letter| letter.is_ascii() && letters.next().is_none())
        }
    }
}

/// What blanks do outside of quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blanks {
    Cut,
    Stay,
}

/// Takes the quotes and backslashes out of a line; none where a quote does not close, or the line goes on.
fn unquoted(line: &str, blanks: Blanks) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().push(letters.next()?),
            (None, ' ' | '\t') if blanks == Blanks::Cut => out.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    out.extend(word);
    quote.is_none().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_cut_as_the_options_say() {
        let check = |options: &str, text: &str, expected: &[&[&str]]| {
            let options: Vec<Word> = options.split_whitespace().map(Word::literal).collect();
            let found = Cut::of(&options).and_then(|cut| cut.groups(text));
            let expected: Vec<Vec<String>> =
                expected.iter().map(|group| group.iter().map(|word| String::from(*word)).collect()).collect();
            assert_eq!(found, Some(expected), "{options:?}");
        };
        check("", "a 'b c'\n\\-d \"-\"e", &[&["a", "b c", "-d", "-e"]]);
        check("-n1 -r", "a b\n", &[&["a"], &["b"]]);
        check("-L 1", "a b\n\nc\n", &[&["a", "b"], &["c"]]);
        check("-l", "a b\nc", &[&["a", "b"], &["c"]]);
        check("-I %", "  a 'b'\n-c\n", &[&["a b"], &["-c"]]);
        check("-d,", "a,b\n", &[&["a", "b\n"]]);
        check("-0rn 1", "a\0b c\0", &[&["a"], &["b c"]]);
        check("--delimiter=\\n --max-procs=4", "a'\nb", &[&["a'", "b"]]);
        for (options, text) in
            [("", "a'"), ("", "a\\"), ("-L1", "a \nb"), ("-E x", "a"), ("-n1 -L1", "a"), ("-s 9", "a")]
        {
            let options: Vec<Word> = options.split_whitespace().map(Word::literal).collect();
            assert_eq!(Cut::of(&options).and_then(|cut| cut.groups(text)), None, "{text}");
        }
    }
}
