//! The marks that the hook prints between the output of commands.

/// A mark of this session's shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The hook runs: the last command has ended, and the next is awaited (OSC 133 D).
    End,
    /// The first prompt: the shell reads the terminal (OSC 133 B).
    Prompt,
    /// A command was read and begins to run (OSC 133 C).
    Started,
    /// The second prompt: the command is not finished (OSC 133 P).
    More,
}

/// A part of what the shell wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Output(Vec<u8>),
    Mark(Mark),
}

/// Finds the marks in a stream, wherever it is split.
#[derive(Debug)]
pub(crate) struct Scanner {
    patterns: [(Mark, Vec<u8>); 4],
    /// The start of what may become a mark.
    held: Vec<u8>,
}

enum Found {
    Whole(Mark, usize),
    Start,
    Nothing,
}

impl Scanner {
    /// The first prompt of a shell whose hook is not there yet.
    pub(crate) fn prompt(nonce: &str) -> String {
        pattern('B', nonce)
    }

    /// Makes a scanner for the marks with this nonce.
    pub(crate) fn new(nonce: &str) -> Self {
        let pattern = |letter| pattern(letter, nonce).into_bytes();
        Self {
            patterns: [
                (Mark::End, pattern('D')),
                (Mark::Prompt, pattern('B')),
                (Mark::Started, pattern('C')),
                (Mark::More, pattern('P')),
            ],
            held: Vec::new(),
        }
    }

    /// Takes the next bytes and returns what is certain.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut pieces = Vec::new();
        let mut rest = text.as_slice();
        let mut looked = 0;
        while let Some(found) = rest.get(looked..).and_then(|part| part.iter().position(|byte| *byte == 0x1b)) {
            let at = looked + found;
            let (before, candidate) = rest.split_at(at);
            match self.look(candidate) {
                Found::Whole(mark, length) => {
                    push_output(&mut pieces, before);
                    pieces.push(Piece::Mark(mark));
                    rest = candidate.get(length..).unwrap_or_default();
                    looked = 0;
                }
                Found::Start => {
                    push_output(&mut pieces, before);
                    self.held = candidate.to_vec();
                    return pieces;
                }
                Found::Nothing => looked = at + 1,
            }
        }
        push_output(&mut pieces, rest);
        pieces
    }

    /// Gives up what was held back.
    pub(crate) fn flush(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    fn look(&self, candidate: &[u8]) -> Found {
        for (mark, pattern) in &self.patterns {
            if candidate.starts_with(pattern) {
                return Found::Whole(*mark, pattern.len());
            }
            if pattern.starts_with(candidate) {
                return Found::Start;
            }
        }
        Found::Nothing
    }
}

/// A mark as it is printed: an operating system command that terminals ignore when they do not know it.
fn pattern(letter: char, nonce: &str) -> String {
    format!("\u{1b}]133;{letter};aish={nonce}\u{7}")
}

fn push_output(pieces: &mut Vec<Piece>, bytes: &[u8]) {
    if !bytes.is_empty() {
        pieces.push(Piece::Output(bytes.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(chunks: impl Iterator<Item = Vec<u8>>) -> Vec<Piece> {
        let mut scanner = Scanner::new("n1");
        let mut pieces: Vec<Piece> = Vec::new();
        for chunk in chunks {
            for piece in scanner.feed(&chunk) {
                match (pieces.last_mut(), piece) {
                    (Some(Piece::Output(last)), Piece::Output(more)) => last.extend(more),
                    (_, piece) => pieces.push(piece),
                }
            }
        }
        push_output(&mut pieces, &scanner.flush());
        pieces
    }

    #[test]
    fn marks_are_found_however_the_stream_is_split() {
        let stream = b"a\x1b[31mb\x1b]133;D;aish=n2\x07c\x1b]133;D;aish=n1\x07\x1b]133;B;aish=n1\x07d\x1b\x1b]133;P;aish=n1\x07\x1b]133;";
        let whole = joined(std::iter::once(stream.to_vec()));
        assert_eq!(
            whole,
            [
                Piece::Output(b"a\x1b[31mb\x1b]133;D;aish=n2\x07c".to_vec()),
                Piece::Mark(Mark::End),
                Piece::Mark(Mark::Prompt),
                Piece::Output(b"d\x1b".to_vec()),
                Piece::Mark(Mark::More),
                Piece::Output(b"\x1b]133;".to_vec()),
            ]
        );
        for size in 1..stream.len() {
            assert_eq!(joined(stream.chunks(size).map(<[u8]>::to_vec)), whole, "in chunks of {size}");
        }
    }
}
