//! Lists of patterns for names, laid out when this crate is compiled so that most are told apart by two letters.

use super::glob_match;

/// A list of at most 128 patterns.
pub(crate) struct Globs {
    patterns: &'static [&'static str],
    /// For each letter the patterns that a text may match which begins with it, one bit each.
    first: [u128; 256],
    /// The same for the letter at the end.
    last: [u128; 256],
}

impl Globs {
    /// Lays a list of patterns out.
    #[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
    pub(crate) const fn new(patterns: &'static [&'static str]) -> Self {
        assert!(patterns.len() <= 128, "a list of patterns has a bit for each");
        let (mut first, mut last) = ([0; 256], [0; 256]);
        let mut at = 0;
        while at < patterns.len() {
            let bytes = patterns[at].as_bytes();
            set(&mut first, bytes[0], at);
            set(&mut last, bytes[bytes.len() - 1], at);
            at += 1;
        }
        Self { patterns, first, last }
    }

    /// Says whether one of the patterns matches.
    pub(crate) fn any(&self, text: &str) -> bool {
        let bits = |table: &[u128; 256], byte: Option<&u8>| {
            byte.and_then(|byte| table.get(usize::from(*byte))).copied().unwrap_or(u128::MAX)
        };
        let mut left = bits(&self.first, text.as_bytes().first()) & bits(&self.last, text.as_bytes().last());
        while left != 0 {
            let at = left.trailing_zeros();
            left &= left - 1;
            if self.patterns.get(at as usize).is_some_and(|pattern| glob_match(pattern, text)) {
                return true;
            }
        }
        false
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const fn set(table: &mut [u128; 256], byte: u8, at: usize) {
    if !matches!(byte, b'*' | b'?' | b'[' | b']') {
        table[byte as usize] |= 1 << at;
        return;
    }
    let mut letter = 0;
    while letter < 256 {
        table[letter] |= 1 << at;
        letter += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_finds_what_the_long_way_finds() {
        const PATTERNS: &[&str] = &["a", "*.pem", "id_*", "x[0-9]", "?", "ab", "*key*"];
        static GLOBS: Globs = Globs::new(PATTERNS);
        for text in ["", "a", "b", "ab", "x1", "xy", "c.pem", ".pem", "id_rsa", "id", "my-key-2", "key", "ü"] {
            let found = PATTERNS.iter().any(|pattern| glob_match(pattern, text));
            assert_eq!(GLOBS.any(text), found, "{text}");
        }
    }
}
