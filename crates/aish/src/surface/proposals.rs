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
    parting: Parting,
}

/// Whether lines that a proposal stood between are kept apart: as markdown they would flow into one paragraph.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Parting {
    /// What is left stands as it stood.
    #[default]
    Never,
    /// An empty line takes the place of proposals between two lines.
    Wanted,
    /// The same, and a proposal stood behind the last line.
    Due,
}

impl Proposals {
    /// Puts an empty line where proposals stood between two lines of the answer.
    pub(super) fn parted() -> Self {
        Self { parting: Parting::Wanted, ..Self::default() }
    }

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
                    let line = std::mem::take(&mut self.line);
                    self.keep(&line, &mut rest);
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
        let pieces = self.commands.end();
        self.settle(pieces, &mut rest);
        if self.parting == Parting::Due {
            self.parting = Parting::Wanted;
        }
        rest
    }

    fn end_line(&mut self, rest: &mut String) {
        self.plain = false;
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            let pieces = self.commands.line(&line);
            self.settle(pieces, rest);
        }
    }

    /// Keeps the prose, and leaves the proposals out.
    fn settle(&mut self, pieces: Vec<Piece>, rest: &mut String) {
        for piece in pieces {
            match piece {
                Piece::Prose(line) => self.keep(&line, rest),
                Piece::Command(_) if self.parting == Parting::Wanted => self.parting = Parting::Due,
                Piece::Command(_) => {}
            }
        }
    }

    fn keep(&mut self, line: &str, rest: &mut String) {
        if self.parting == Parting::Due {
            self.parting = Parting::Wanted;
            rest.push('\n');
        }
        rest.push_str(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds what is left of an answer against what is expected, in pieces of each size.
    fn assert_left(begin: impl Fn() -> Proposals, answer: &str, expected: &str) {
        for size in 1..answer.len() {
            let mut proposals = begin();
            let pieces = answer.as_bytes().chunks(size);
            let mut rest: String = pieces.map(|piece| proposals.without(std::str::from_utf8(piece).unwrap())).collect();
            rest.push_str(&proposals.end());
            assert_eq!(rest, expected, "pieces of {size} bytes");
        }
    }

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
            assert_left(Proposals::default, answer, expected);
        }
    }

    #[test]
    fn lines_around_a_proposal_are_two_paragraphs_where_that_is_wanted() {
        for (answer, expected) in [
            ("First:\nCMD: ls\nThen:\nCMD: pwd\nCMD: id\nDone.\n", "First:\n\nThen:\n\nDone.\n"),
            ("One.\nTwo.\nCMD: ls\n", "One.\nTwo.\n"),
            ("CMD: for f in *; do\necho\n\nIt is open.\n", "\necho\n\nIt is open.\n"),
        ] {
            assert_left(Proposals::parted, answer, expected);
        }
    }
}
