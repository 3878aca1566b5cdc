//! The `CMD:` lines of an answer while it streams: what is left of the answer without them.

use aish_turn::command_line::{MARK, proposed_commands};

/// Follows an answer line by line.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    /// The line that may become or is a proposal.
    line: String,
    /// True once the line that is being read is none.
    plain: bool,
}

impl Proposals {
    /// Takes a piece, and returns what is no part of a proposal; the beginning of a line waits until it is told apart.
    pub(super) fn without(&mut self, piece: &str) -> String {
        let mut rest = String::with_capacity(piece.len());
        for part in piece.split_inclusive('\n') {
            if self.plain {
                rest.push_str(part);
            } else {
                self.line.push_str(part);
                if !self.line.starts_with(MARK) && !MARK.starts_with(self.line.as_str()) {
                    rest.push_str(&std::mem::take(&mut self.line));
                    self.plain = true;
                }
            }
            if part.ends_with('\n') {
                rest.push_str(&self.end());
            }
        }
        rest
    }

    /// Ends a line, or the answer, and returns what of it waited and is no proposal.
    pub(super) fn end(&mut self) -> String {
        self.plain = false;
        let line = std::mem::take(&mut self.line);
        if proposed_commands(&line).is_empty() { line } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_propose_are_taken_out_however_the_answer_comes() {
        let answer = "I will look.\nCMD: ls -la\nthen CMD: rm x\nCM\nCMD:\n\n CMD: indented\nCMD:echo hi\r\nCMD: last";
        let expected = "I will look.\nthen CMD: rm x\nCM\nCMD:\n\n CMD: indented\n";
        for size in 1..answer.len() {
            let mut proposals = Proposals::default();
            let pieces = answer.as_bytes().chunks(size);
            let mut rest: String = pieces.map(|piece| proposals.without(std::str::from_utf8(piece).unwrap())).collect();
            rest.push_str(&proposals.end());
            assert_eq!(rest, expected, "pieces of {size} bytes");
        }
    }
}
