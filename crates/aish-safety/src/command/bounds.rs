//! The scan before the parser: size and nesting, in one pass and without recursion.
//!
//! The parser recurses once per level and would overflow its stack, which nothing catches. The shell's scanner says how deep
//! the text is for bash; what the parser's own tokenizer takes for a substitution is counted by [`nest_deeper`], and what
//! stands in its tokens once more before it parses them.

use aish_syntax::Kind;

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
    let deep = nest_deeper(text, MAX_NESTING) || deepest(text) > MAX_NESTING;
    if deep { Err(Refusal::TooDeep) } else { Ok(()) }
}

/// How deep a text nests, with what stands in its comments: inside another expansion the parser sees none there.
fn deepest(text: &str) -> usize {
    let scan = aish_syntax::scan(text);
    let comments = scan.tokens.iter().filter(|token| token.kind == Kind::Comment);
    let open = comments.map(|token| left_open(text.get(token.range()).unwrap_or_default().as_bytes()));
    scan.end.deepest + open.sum::<usize>()
}

/// Counts the substitutions that a comment leaves open. Where quotes may hide what closes them, nothing does.
fn left_open(comment: &[u8]) -> usize {
    let closes = !comment.iter().any(|byte| b"'\"`\\".contains(byte));
    let mut open = 0_usize;
    let mut bytes = comment.iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'$' if bytes.peek().is_some_and(|next| b"({[".contains(next)) => open += 1,
            b')' | b'}' | b']' if closes => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
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
