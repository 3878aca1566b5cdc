//! Characters out of tokens, which may end in the middle of one.

/// Collects bytes and gives out whole characters.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    rest: Vec<u8>,
}

impl Utf8 {
    /// Takes the bytes of a token and returns the characters that are complete; what can be none becomes U+FFFD.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let mut text = String::new();
        let mut open = Vec::new();
        let mut chunks = self.rest.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && may_be_completed(invalid) {
                open.extend_from_slice(invalid);
            } else if !invalid.is_empty() {
                text.push('\u{fffd}');
            }
        }
        self.rest = open;
        text
    }

    /// Ends the stream; a character that was never completed becomes U+FFFD.
    pub(crate) fn finish(&mut self) -> String {
        if std::mem::take(&mut self.rest).is_empty() { String::new() } else { '\u{fffd}'.to_string() }
    }
}

/// Returns whether bytes are the beginning of a character.
fn may_be_completed(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_come_whole() {
        let mut utf8 = Utf8::default();
        let bytes = "aé🦀".as_bytes();
        let pieces: Vec<String> = bytes.iter().map(|byte| utf8.push(&[*byte])).collect();
        assert_eq!(pieces, ["a", "", "é", "", "", "", "🦀"]);
        assert_eq!(utf8.finish(), "");
    }

    #[test]
    fn what_can_be_no_character_is_replaced() {
        let mut utf8 = Utf8::default();
        assert_eq!(utf8.push(b"a\xffb\xf0\x9f"), "a\u{fffd}b");
        assert_eq!(utf8.push(b"x"), "\u{fffd}x");
        assert_eq!(utf8.push(b"\xe2\x82"), "");
        assert_eq!(utf8.finish(), "\u{fffd}");
    }
}
