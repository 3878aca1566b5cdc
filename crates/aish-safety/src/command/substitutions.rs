//! How deep substitutions nest, in the eyes of the parser's tokenizer: it recurses once for each that is open, and nothing
//! catches it when it overflows its stack.
//!
//! This follows the tokenizer's own rules (brush-parser, `tokenizer.rs`), which are simpler than the shell's: quotes and
//! comments belong to the token that is being read, and each substitution begins a token of its own. Behind a here-document no
//! closing bracket is believed but that of a plain `${NAME}`, `$(word)` or `$((n))`.

use alloc::vec::Vec;

/// What is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    /// `$'…'`
    Ansi,
    Double,
}

/// A substitution that is open, and the token that is read in it.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// What closes it; none for the text itself.
    close: Option<u8>,
    /// How many of that it takes.
    nesting: usize,
    quote: Quote,
    escaped: bool,
    /// Whether the token has begun.
    started: bool,
    /// The token's last byte.
    last: u8,
}

impl Frame {
    const fn new(close: Option<u8>, nesting: usize) -> Self {
        Self { close, nesting, quote: Quote::None, escaped: false, started: false, last: 0 }
    }

    fn append(&mut self, byte: u8) {
        (self.started, self.last) = (true, byte);
    }

    fn end_token(&mut self) {
        (self.started, self.last) = (false, 0);
    }

    fn is_plain(&self) -> bool {
        self.quote == Quote::None && !self.escaped
    }
}

/// Says whether more substitutions than `most` are open at any place of a text.
pub(crate) fn nest_deeper(text: &str, most: usize) -> bool {
    let bytes = text.as_bytes();
    let byte_at = |at: usize| bytes.get(at).copied();
    let mut outer: Vec<Frame> = Vec::new();
    let mut frame = Frame::new(None, 0);
    let mut at = 0;
    while let Some(byte) = byte_at(at) {
        at += 1;
        let next = byte_at(at);
        if frame.is_plain() && frame.close == Some(byte) {
            frame.end_token();
            frame.nesting = frame.nesting.saturating_sub(1);
            if frame.nesting == 0
                && let Some(before) = outer.pop()
            {
                frame = before;
                frame.append(byte);
            }
            continue;
        }
        match (frame.quote, byte) {
            _ if frame.escaped => {
                frame.escaped = false;
                frame.append(byte);
            }
            (Quote::None | Quote::Double | Quote::Ansi, b'\\') if next == Some(b'\n') => at += 1,
            (Quote::None | Quote::Double | Quote::Ansi, b'\\') => {
                frame.escaped = true;
                frame.append(byte);
            }
            (Quote::None, b'\'') => {
                frame.quote = if frame.last == b'$' { Quote::Ansi } else { Quote::Single };
                frame.append(byte);
            }
            (Quote::None, b'"') => {
                frame.quote = Quote::Double;
                frame.append(byte);
            }
            (Quote::Single | Quote::Ansi, b'\'') | (Quote::Double, b'"') => {
                frame.quote = Quote::None;
                frame.append(byte);
            }
            (Quote::None | Quote::Double, b'$') => {
                let opened = match next {
                    Some(b'(') if byte_at(at + 1) == Some(b'(') => Frame::new(Some(b')'), 2),
                    Some(b'(') => Frame::new(Some(b')'), 1),
                    Some(b'[') => Frame::new(Some(b']'), 1),
                    Some(b'{') => Frame::new(Some(b'}'), 1),
                    _ => {
                        frame.append(byte);
                        continue;
                    }
                };
                at += if opened.nesting == 2 { 2 } else { 1 };
                outer.push(core::mem::replace(&mut frame, opened));
                if outer.len() > most {
                    return true;
                }
            }
            (Quote::None | Quote::Double, b'`') => match after_backquote(bytes, at) {
                Some(end) => {
                    at = end;
                    frame.append(byte);
                }
                None => return false,
            },
            (Quote::None, b'(') if frame.started && b"@!?+*".contains(&frame.last) => match after_group(bytes, at) {
                Some(end) => {
                    at = end;
                    frame.append(b')');
                }
                None => return false,
            },
            (Quote::None, b'<') if next == Some(b'<') && byte_at(at + 1) != Some(b'<') => {
                return opened_behind(bytes, at + 1, most.saturating_sub(outer.len()));
            }
            (Quote::None, b'<') if next == Some(b'<') => {
                at += 2;
                frame.end_token();
            }
            (Quote::None, b'&' | b'(' | b')' | b';' | b'\n' | b'|' | b'<' | b'>') => {
                frame.end_token();
                if byte == b'(' && frame.close == Some(b')') {
                    frame.nesting += 1;
                }
            }
            (Quote::None, b' ' | b'\t') if frame.started => frame.end_token(),
            // Blanks are a part of what is read for a command or a sum.
            (Quote::None, b' ' | b'\t') if matches!(frame.close, Some(b')' | b']')) => frame.append(byte),
            (Quote::None, b' ' | b'\t') => {}
            (Quote::None, b'#') if !frame.started && frame.close != Some(b'}') => {
                at = bytes.iter().skip(at).position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
            }
            _ => frame.append(byte),
        }
    }
    false
}

/// Finds the place behind the backquote that closes one.
fn after_backquote(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'`' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Finds the place behind the bracket that closes the group of a pattern, `@(…)`; quotes mean nothing there.
fn after_group(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 1_usize);
    while depth > 0 {
        match bytes.get(at)? {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    Some(at)
}

/// Says whether more than `most` substitutions are opened behind a place that are not plainly closed at once.
fn opened_behind(bytes: &[u8], from: usize, most: usize) -> bool {
    let mut rest = bytes.get(from..).unwrap_or_default();
    let mut opened = 0;
    while let Some(at) = rest.iter().position(|byte| *byte == b'$') {
        rest = rest.get(at + 1..).unwrap_or_default();
        let close: &[u8] = match rest {
            [b'(', b'(', ..] => b"))",
            [b'(', ..] => b")",
            [b'[', ..] => b"]",
            [b'{', ..] => b"}",
            _ => continue,
        };
        let inside = rest.get(close.len()..).unwrap_or_default();
        let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_ ./=:+,%-".contains(byte);
        let length = inside.iter().take_while(is_plain).count();
        if inside.get(length..).is_some_and(|behind| behind.starts_with(close)) {
            rest = inside.get(length + close.len()..).unwrap_or_default();
            continue;
        }
        opened += 1;
        if opened > most {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tokenizer_nests_in_is_counted() {
        for part in [
            "$(",
            "${",
            "$[",
            "$((",
            "\"$(",
            "\")$(",
            "c$({#s3://x ",
            "${#a} ${",
            "${x:-\n# ",
            "x$[ # ",
            "$( $'\\')' ",
            "$(echo ')' ",
            "\"$( ')' ",
            "$( @( ) ",
            "$[ # }",
            "$( <<E\n ) \nE\n",
            "${ ; # ",
            "$(#\n ",
            "\"${x:-')}'",
            "$(\\) ",
            "$( a=(b ",
        ] {
            assert!(nest_deeper(&part.repeat(70), 64), "{part:?}");
        }
    }

    #[test]
    fn what_is_flat_is_not() {
        for part in [
            "echo \"$(date)\"; ",
            "${a} ",
            "$((1 + 2)) ",
            "ls # don't $(\n",
            "echo 'a $(b'; ",
            "echo \\$( ",
            "`date` ",
            "$(echo \")\") ",
            "$(ls | (wc)) ",
            "$[1] ",
            "cat <<E\n${NAME} $(date +%F) \"${X}\"\nE\n",
            "a=($(ls)) ",
        ] {
            assert!(!nest_deeper(&part.repeat(500), 64), "{part:?}");
        }
    }
}
