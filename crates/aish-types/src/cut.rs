//! The head-and-tail cut of a text that is too long.

use alloc::borrow::Cow;
use alloc::format;

/// A text after the cut, and whether anything was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<'a> {
    /// What is left.
    pub text: Cow<'a, str>,
    /// Characters that were taken out; 0 when the text is whole.
    pub omitted: usize,
}

/// Keeps the head and the tail of a text of more than `max_chars` characters and says between them how much is missing.
///
/// Two thirds of the room go to the head. The note comes on top of `max_chars`.
pub fn head_and_tail(text: &str, max_chars: usize) -> Cut<'_> {
    if text.len() <= max_chars {
        return Cut { text: Cow::Borrowed(text), omitted: 0 };
    }
    let total = text.chars().count();
    if total <= max_chars {
        return Cut { text: Cow::Borrowed(text), omitted: 0 };
    }
    let head_chars = max_chars - max_chars / 3;
    let tail_chars = max_chars - head_chars;
    let head_end = text.char_indices().nth(head_chars).map_or(text.len(), |(at, _)| at);
    let tail_start = match tail_chars {
        0 => text.len(),
        n => text.char_indices().rev().nth(n - 1).map_or(0, |(at, _)| at),
    };
    let omitted = total - max_chars;
    let head = text.get(..head_end).unwrap_or_default();
    let tail = text.get(tail_start..).unwrap_or_default();
    Cut { text: Cow::Owned(format!("{head}\n[... {omitted} characters left out ...]\n{tail}")), omitted }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn a_short_text_is_whole() {
        assert_eq!(head_and_tail("abc", 3), Cut { text: "abc".into(), omitted: 0 });
        assert_eq!(head_and_tail("äöü", 3).omitted, 0);
    }

    #[test]
    fn a_long_text_keeps_head_and_tail() {
        let text: String = ('a'..='z').collect();
        let cut = head_and_tail(&text, 6);
        assert_eq!(cut.text, "abcd\n[... 20 characters left out ...]\nyz");
        assert_eq!(cut.omitted, 20);
        assert_eq!(head_and_tail("ééééé", 0).omitted, 5);
    }
}
