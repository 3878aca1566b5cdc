//! The scan before the parser: size and nesting, in one pass and without recursion.
//!
//! The parser recurses once per level and would overflow its stack, which nothing catches. Brackets and keywords are
//! counted apart: a closing keyword never makes up for an opening bracket, so no text can hide a level from the scan.

use super::substitutions::nest_deeper;

/// The longest command that is parsed, in bytes.
pub const MAX_BYTES: usize = 64 * 1024;
/// The deepest nesting that is parsed, in levels.
pub const MAX_NESTING: usize = 64;

/// Why a command is not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Longer than [`MAX_BYTES`].
    TooLong,
    /// Deeper than [`MAX_NESTING`].
    TooDeep,
    /// Holds a NUL, which no program can be passed.
    Nul,
}

/// Checks a command's bounds.
pub(crate) fn check(text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::TooLong);
    }
    if text.contains('\0') {
        return Err(Refusal::Nul);
    }
    let deep = nest_deeper(text, MAX_NESTING) || Scan::new().deepest(text) > MAX_NESTING;
    if deep { Err(Refusal::TooDeep) } else { Ok(()) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// Returns the number of a bracket's kind.
const fn kind(byte: u8) -> usize {
    match byte {
        b'(' | b')' => 0,
        b'{' | b'}' => 1,
        _ => 2,
    }
}

struct Scan {
    /// How many of each kind are open: round, curly, square. One never closes another.
    brackets: [usize; 3],
    /// How many substitutions are left open in what looks like comments: inside another expansion it is none.
    in_comments: usize,
    keywords: usize,
    deepest: usize,
    /// How many words in a row that take a command behind them.
    chain: usize,
    quote: Quote,
    /// True where the next word is a command's first.
    start: bool,
}

impl Scan {
    const fn new() -> Self {
        Self { brackets: [0; 3], in_comments: 0, keywords: 0, deepest: 0, chain: 0, quote: Quote::None, start: true }
    }

    fn note(&mut self) {
        let brackets = self.brackets.iter().sum::<usize>() + self.in_comments;
        self.deepest = self.deepest.max(brackets).max(self.keywords);
    }

    fn open(&mut self, byte: u8) {
        if let Some(count) = self.brackets.get_mut(kind(byte)) {
            *count += 1;
        }
        self.note();
        self.start = true;
    }

    fn close(&mut self, byte: u8) {
        if let Some(count) = self.brackets.get_mut(kind(byte)) {
            *count = count.saturating_sub(1);
        }
    }

    fn deepest(mut self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut negations = 0;
        let at_byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        while at < bytes.len() {
            let byte = at_byte(at);
            // Openers count in any state: a scan that is wrong about quotes then errs on the strict side.
            if byte == b'$' && matches!(at_byte(at + 1), b'(' | b'{' | b'[') {
                self.open(at_byte(at + 1));
                at += 2;
                continue;
            }
            match self.quote {
                Quote::Single => {
                    if byte == b'\'' {
                        self.quote = Quote::None;
                    }
                    at += 1;
                    continue;
                }
                Quote::Double => {
                    match byte {
                        b'\\' => at += 1,
                        b'"' => self.quote = Quote::None,
                        b')' | b'}' => self.close(byte),
                        _ => {}
                    }
                    at += 1;
                    continue;
                }
                Quote::None => {}
            }
            match byte {
                b'!' => {
                    negations += 1;
                    self.deepest = self.deepest.max(negations);
                    at += 1;
                    continue;
                }
                b' ' | b'\t' => {
                    at += 1;
                    continue;
                }
                _ => negations = 0,
            }
            match byte {
                b'\\' => {
                    at += 2;
                    self.start = false;
                    continue;
                }
                b'\'' => self.quote = Quote::Single,
                b'"' => self.quote = Quote::Double,
                b'(' | b'{' => self.open(byte),
                b')' | b']' | b'}' => {
                    self.close(byte);
                    self.start = true;
                }
                b'\n' | b';' | b'&' | b'|' => self.start = true,
                b'`' => {}
                b'#' if at == 0 || b" \t\n;&|()".contains(&at_byte(at - 1)) => {
                    // A comment: its quotes are no quotes.
                    let rest = bytes.get(at..).unwrap_or_default();
                    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    self.comment(rest.get(..end).unwrap_or_default());
                    at += end;
                    continue;
                }
                b'a'..=b'z' => {
                    let end = bytes
                        .get(at..)
                        .and_then(|rest| rest.iter().position(|byte| !byte.is_ascii_lowercase()))
                        .map_or(bytes.len(), |length| at + length);
                    self.word(text.get(at..end).unwrap_or_default());
                    at = end.max(at + 1);
                    continue;
                }
                _ => self.start = false,
            }
            at += 1;
        }
        self.deepest
    }

    /// Counts the substitutions that a comment leaves open. Where quotes may hide what closes them, nothing does.
    fn comment(&mut self, comment: &[u8]) {
        let closes = !comment.iter().any(|byte| b"'\"`\\".contains(byte));
        let before = self.in_comments;
        let mut bytes = comment.iter().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                b'$' if bytes.peek().is_some_and(|next| b"({[".contains(next)) => {
                    self.in_comments += 1;
                    self.note();
                }
                b')' | b'}' | b']' if closes && self.in_comments > before => self.in_comments -= 1,
                _ => {}
            }
        }
    }

    fn word(&mut self, word: &str) {
        if !core::mem::replace(&mut self.start, false) {
            return;
        }
        match word {
            "if" | "for" | "while" | "until" | "case" | "select" => {
                self.keywords += 1;
                self.note();
                self.start = !matches!(word, "for" | "case" | "select");
            }
            "then" | "do" | "else" | "elif" | "in" => self.start = true,
            // Each of these may stand before another, and a chain of them nests in the parser.
            "coproc" | "time" => {
                self.chain += 1;
                self.deepest = self.deepest.max(self.chain);
                self.start = true;
                return;
            }
            "fi" | "done" | "esac" => {
                self.keywords = self.keywords.saturating_sub(1);
                self.start = true;
            }
            _ => {}
        }
        self.chain = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_counted_through_quotes_and_keywords() {
        let deep = |open: &str, close: &str, n: usize| alloc::format!("{}x{}", open.repeat(n), close.repeat(n));
        for (open, close) in [
            ("(", ")"),
            ("$(", ")"),
            ("\"$(", ")\""),
            ("${a:-", "}"),
            ("{ ", "; }"),
            ("if x; then ", "; fi"),
            ("for i in x; do ", "; done"),
            ("while ", "; do y; done"),
        ] {
            assert_eq!(check(&deep(open, close, 30)), Ok(()), "{open}");
            assert_eq!(check(&deep(open, close, 65)), Err(Refusal::TooDeep), "{open}");
            assert!(check(&deep(open, close, 5_000)).is_err(), "{open}");
        }
    }

    #[test]
    fn long_flat_text_is_fine() {
        assert_eq!(check(&"echo \"$(date)\"; ".repeat(2_000)), Ok(()));
        assert_eq!(check(&"if true; then echo fi; fi\n".repeat(1_000)), Ok(()));
        assert_eq!(check("a\0b"), Err(Refusal::Nul));
        assert_eq!(check(&"a".repeat(MAX_BYTES + 1)), Err(Refusal::TooLong));
    }

    #[test]
    fn closers_in_quotes_and_arguments_hide_no_level() {
        assert_eq!(check(&"$(case x in a) ".repeat(70)), Err(Refusal::TooDeep));
        assert_eq!(check(&"$(echo ')' ".repeat(70)), Err(Refusal::TooDeep));
        assert_eq!(check(&"if true; then echo fi; ".repeat(70)), Err(Refusal::TooDeep));
        assert_eq!(check(&"$[x[name} ".repeat(70)), Err(Refusal::TooDeep));
        assert_eq!(check(&"${a) ".repeat(70)), Err(Refusal::TooDeep));
    }

    #[test]
    fn what_only_looks_like_a_comment_hides_no_level() {
        for part in ["c$({#s3://x ", "${#a} $(", "`# $(", "${x:-\n# ", "# ${x:-'}'\n", "a;# $(b ${\n"] {
            assert_eq!(check(&part.repeat(70)), Err(Refusal::TooDeep), "{part:?}");
        }
        assert_eq!(check(&"ls # don't (or do) {\n# see $(date) and ${x}\n".repeat(1_000)), Ok(()));
    }
}
