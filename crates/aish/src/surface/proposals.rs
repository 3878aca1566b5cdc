//! The `CMD:` lines of an answer while it streams: what is left of the answer without them.

use aish_turn::command_line::{CommandReader, MARK, Piece};

/// Follows an answer line by line.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    /// The line that may become or is part of a proposal.
    line: String,
    /// True once the line that is being read is none.
    plain: bool,
    /// Tells proposals from prose, line by line.
    commands: CommandReader,
}

impl Proposals {
    /// Takes a piece, and returns what is no part of a proposal; the beginning of a line waits until it is told apart, and
    /// lines behind a command that is not finished wait until it is.
    pub(super) fn without(&mut self, piece: &str) -> String {
        let mut rest = String::with_capacity(piece.len());
        for part in piece.split_inclusive('\n') {
            if self.plain {
                rest.push_str(part);
            } else {
                self.line.push_str(part);
                let begins = self.line.starts_with(MARK) || MARK.starts_with(self.line.as_str());
                if !begins && !self.commands.is_open() {
                    rest.push_str(&std::mem::take(&mut self.line));
                    self.plain = true;
                }
            }
            if part.ends_with('\n') {
                self.end_line(&mut rest);
            }
        }
        rest
    }

    /// Ends the answer, and returns what of it waited and is no proposal.
    pub(super) fn end(&mut self) -> String {
        let mut rest = String::new();
        self.end_line(&mut rest);
        rest.extend(prose(self.commands.end()));
        rest
    }

    fn end_line(&mut self, rest: &mut String) {
        self.plain = false;
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            rest.extend(prose(self.commands.line(&line)));
        }
    }
}

/// Leaves the proposals out.
fn prose(pieces: Vec<Piece>) -> impl Iterator<Item = String> {
    pieces.into_iter().filter_map(|piece| match piece {
        Piece::Prose(line) => Some(line),
        Piece::Command(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_propose_are_taken_out_however_the_answer_comes() {
        for (answer, expected) in [
            (
                "I will look.\nCMD: ls -la\nthen CMD: rm x\nCM\nCMD:\n\n CMD: indented\nCMD:echo hi\r\nCMD: last",
                "I will look.\nthen CMD: rm x\nCM\nCMD:\n\n CMD: indented\n",
            ),
            (
                "All of them:\nCMD: for f in a b; do\n  echo $f\ndone\nThen I stop.\nCMD: ls \\\n  -la",
                "All of them:\nThen I stop.\n",
            ),
            ("CMD: for f in *; do\necho\n\nIt is open.\nCMD: ls\n", "echo\n\nIt is open.\n"),
            ("CMD: echo 'a\nIt is open", "It is open"),
        ] {
            for size in 1..answer.len() {
                let mut proposals = Proposals::default();
                let pieces = answer.as_bytes().chunks(size);
                let mut rest: String =
                    pieces.map(|piece| proposals.without(std::str::from_utf8(piece).unwrap())).collect();
                rest.push_str(&proposals.end());
                assert_eq!(rest, expected, "pieces of {size} bytes");
            }
        }
    }
}
