//! How deep substitutions nest, in the eyes of the parser's tokenizer: it recurses once for each that is open, and nothing
//! catches it when it overflows its stack.
//!
//! This follows the tokenizer's own rules (brush-parser, `tokenizer.rs`), which are simpler than the shell's: quotes and
//! comments belong to the token that is being read, and each substitution begins a token of its own. Behind a here-document no
//! closing bracket is believed but that of a plain `${NAME}`, `$(word)` or `$((n))`.

use alloc::vec::Vec;
use core::ops::ControlFlow;

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
    let mut tokenizer =
        Tokenizer { bytes: text.as_bytes(), at: 0, most, outer: Vec::new(), frame: Frame::new(None, 0) };
    while let Some(byte) = tokenizer.next() {
        tokenizer.at += 1;
        if let ControlFlow::Break(deeper) = tokenizer.read(byte) {
            return deeper;
        }
    }
    false
}

/// The tokenizer at a place of a text.
struct Tokenizer<'t> {
    bytes: &'t [u8],
    /// The place of the next byte.
    at: usize,
    /// How many substitutions may be open.
    most: usize,
    /// What was being read where each of those that are open began, the outermost first.
    outer: Vec<Frame>,
    /// The innermost.
    frame: Frame,
}

impl Tokenizer<'_> {
    fn next(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns the byte behind the next one.
    fn after_next(&self) -> Option<u8> {
        self.bytes.get(self.at + 1).copied()
    }

    /// Reads a byte; breaks where it is known then whether too many are open.
    fn read(&mut self, byte: u8) -> ControlFlow<bool> {
        if self.frame.is_plain() && self.frame.close == Some(byte) {
            self.close(byte);
            return ControlFlow::Continue(());
        }
        match (self.frame.quote, byte) {
            _ if self.frame.escaped => {
                self.frame.escaped = false;
                self.frame.append(byte);
            }
            (Quote::None | Quote::Double | Quote::Ansi, b'\\') if self.next() == Some(b'\n') => self.at += 1,
            (Quote::None | Quote::Double | Quote::Ansi, b'\\') => {
                self.frame.escaped = true;
                self.frame.append(byte);
            }
            (Quote::None, b'\'') => {
                self.frame.quote = if self.frame.last == b'$' { Quote::Ansi } else { Quote::Single };
                self.frame.append(byte);
            }
            (Quote::None, b'"') => {
                self.frame.quote = Quote::Double;
                self.frame.append(byte);
            }
            (Quote::Single | Quote::Ansi, b'\'') | (Quote::Double, b'"') => {
                self.frame.quote = Quote::None;
                self.frame.append(byte);
            }
            (Quote::None | Quote::Double, b'$') => return self.open(),
            (Quote::None | Quote::Double, b'`') => return self.go_behind(after_backquote(self.bytes, self.at), byte),
            (Quote::None, _) => return self.read_unquoted(byte),
            _ => self.frame.append(byte),
        }
        ControlFlow::Continue(())
    }

    /// Takes a byte that closes the innermost substitution, or a bracket in it.
    fn close(&mut self, byte: u8) {
        self.frame.end_token();
        self.frame.nesting = self.frame.nesting.saturating_sub(1);
        if self.frame.nesting == 0
            && let Some(before) = self.outer.pop()
        {
            self.frame = before;
            self.frame.append(byte);
        }
    }

    /// Opens what begins with a `$`.
    fn open(&mut self) -> ControlFlow<bool> {
        let opened = match self.next() {
            Some(b'(') if self.after_next() == Some(b'(') => Frame::new(Some(b')'), 2),
            Some(b'(') => Frame::new(Some(b')'), 1),
            Some(b'[') => Frame::new(Some(b']'), 1),
            Some(b'{') => Frame::new(Some(b'}'), 1),
            _ => {
                self.frame.append(b'$');
                return ControlFlow::Continue(());
            }
        };
        self.at += opened.nesting;
        self.outer.push(core::mem::replace(&mut self.frame, opened));
        if self.outer.len() > self.most { ControlFlow::Break(true) } else { ControlFlow::Continue(()) }
    }

    /// Goes behind a part that ends with a byte; where it has no end, nothing behind it is read.
    fn go_behind(&mut self, end: Option<usize>, last: u8) -> ControlFlow<bool> {
        let Some(end) = end else { return ControlFlow::Break(false) };
        self.at = end;
        self.frame.append(last);
        ControlFlow::Continue(())
    }

    fn read_unquoted(&mut self, byte: u8) -> ControlFlow<bool> {
        match byte {
            b'(' if self.frame.started && b"@!?+*".contains(&self.frame.last) => {
                return self.go_behind(after_group(self.bytes, self.at), b')');
            }
            b'<' if self.next() == Some(b'<') && self.after_next() != Some(b'<') => {
                let left = self.most.saturating_sub(self.outer.len());
                return ControlFlow::Break(opened_behind(self.bytes, self.at + 1, left));
            }
            b'<' if self.next() == Some(b'<') => {
                self.at += 2;
                self.frame.end_token();
            }
            b'&' | b'(' | b')' | b';' | b'\n' | b'|' | b'<' | b'>' => {
                self.frame.end_token();
                if byte == b'(' && self.frame.close == Some(b')') {
                    self.frame.nesting += 1;
                }
            }
            b' ' | b'\t' if self.frame.started => self.frame.end_token(),
            // Blanks are a part of what is read for a command or a sum.
            b' ' | b'\t' if matches!(self.frame.close, Some(b')' | b']')) => self.frame.append(byte),
            b' ' | b'\t' => {}
            b'#' if !self.frame.started && self.frame.close != Some(b'}') => self.skip_line(),
            _ => self.frame.append(byte),
        }
        ControlFlow::Continue(())
    }

    /// Goes to the end of the line.
    fn skip_line(&mut self) {
        let mut rest = self.bytes.iter().skip(self.at);
        self.at = rest.position(|byte| *byte == b'\n').map_or(self.bytes.len(), |length| self.at + length);
    }
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
