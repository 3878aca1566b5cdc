//! Text to pieces of words, as BERT's uncased models do (Wu and others, 2016: the longest piece first).

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Characters of a text that are read.
const MAX_TEXT: usize = 4_000;
/// Characters of a word beyond which it is one unknown piece.
const MAX_WORD: usize = 100;

/// The pieces that a model knows.
pub(crate) struct Vocabulary {
    pieces: HashMap<Box<str>, u32>,
    unknown: u32,
    first: u32,
    last: u32,
}

impl Vocabulary {
    /// Numbers the lines of a text; nothing where one of the three marks is missing.
    pub(crate) fn new(lines: &str) -> Option<Self> {
        let pieces: HashMap<Box<str>, u32> = lines.split('\n').zip(0..).map(|(piece, id)| (piece.into(), id)).collect();
        let mark = |name: &str| pieces.get(name).copied();
        let (unknown, first, last) = (mark("[UNK]")?, mark("[CLS]")?, mark("[SEP]")?);
        Some(Self { pieces, unknown, first, last })
    }

    /// Counts the pieces.
    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Reads a text as at most `most` pieces, the marks at both ends among them.
    pub(crate) fn read(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = vec![self.first];
        let room = most.saturating_sub(1);
        for word in words(text) {
            if ids.len() >= room {
                break;
            }
            self.split(&word, &mut ids);
        }
        ids.truncate(room.max(1));
        ids.push(self.last);
        ids
    }

    /// Splits a word into pieces; a word with a part that is no piece is unknown as a whole.
    fn split(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        if word.chars().count() > MAX_WORD {
            ids.push(self.unknown);
            return;
        }
        let (mut rest, mut inner) = (word, false);
        let mut candidate = String::new();
        while !rest.is_empty() {
            let mut end = rest.len();
            let found = loop {
                let Some(part) = rest.get(..end).filter(|part| !part.is_empty()) else { break None };
                candidate.clear();
                candidate.push_str(if inner { "##" } else { "" });
                candidate.push_str(part);
                if let Some(&id) = self.pieces.get(candidate.as_str()) {
                    break Some(id);
                }
                end -= part.chars().next_back().map_or(1, char::len_utf8);
            };
            let Some(id) = found else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = rest.get(end..).unwrap_or_default();
            inner = true;
        }
    }
}

/// Splits a text into lower-case words without accents; each mark and each Chinese character is a word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    let plain = text.chars().take(MAX_TEXT).flat_map(char::to_lowercase).nfd();
    for c in plain.filter(|&c| !is_combining_mark(c)) {
        if c.is_whitespace() {
            open = false;
        } else if c.is_control() || c == '\u{fffd}' || c == '\u{200b}' {
            // Left out, and what stands around it is one word.
        } else if is_mark(c) || is_ideograph(c) {
            words.push(c.to_string());
            open = false;
        } else {
            match words.last_mut().filter(|_| open) {
                Some(word) => word.push(c),
                None => words.push(c.to_string()),
            }
            open = true;
        }
    }
    words
}

/// Says whether a character is punctuation.
fn is_mark(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}')
        || matches!(c, '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}')
        || matches!(c, '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
}

/// Says whether a character is Chinese, where words are not parted by blanks.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_without_accents() {
        for (text, expected) in [
            ("Übergröße", vec!["ubergroße"]),
            ("Show the logs, please!", vec!["show", "the", "logs", ",", "please", "!"]),
            ("git_log --all", vec!["git", "_", "log", "-", "-", "all"]),
            ("列出文件 now", vec!["列", "出", "文", "件", "now"]),
            ("a\u{0}b\tc", vec!["ab", "c"]),
            ("“so”", vec!["“", "so", "”"]),
            ("", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn the_longest_pieces_come_first_and_the_rest_is_cut() {
        let vocabulary = Vocabulary::new("[PAD]\n[UNK]\n[CLS]\n[SEP]\nlist\n##ing\n##s\nli\n文").unwrap();
        assert_eq!(vocabulary.len(), 9);
        assert_eq!(vocabulary.read("Listing lists", 16), [2, 4, 5, 4, 6, 3]);
        assert_eq!(vocabulary.read("listx 文", 16), [2, 1, 8, 3]);
        assert_eq!(vocabulary.read("list list list", 4), [2, 4, 4, 3]);
        assert_eq!(vocabulary.read(&"x".repeat(200), 16), [2, 1, 3]);
        assert!(Vocabulary::new("[UNK]\n[CLS]").is_none());
    }
}
