//! What full-screen programs draw, told from what commands print.

/// The sequences that enter and leave the alternate screen (xterm's private modes 1049, 1047 and 47).
const ENTER: [&[u8]; 3] = [b"\x1b[?1049h", b"\x1b[?1047h", b"\x1b[?47h"];
const LEAVE: [&[u8]; 3] = [b"\x1b[?1049l", b"\x1b[?1047l", b"\x1b[?47l"];

/// Leaves out of a stream what is drawn on the alternate screen, wherever the stream is split.
///
/// A person who leaves an editor sees nothing of it any more, and a model that is shown the output should not either.
#[derive(Debug, Default)]
pub(crate) struct AlternateScreen {
    inside: bool,
    used: bool,
    held: Vec<u8>,
}

impl AlternateScreen {
    /// Says whether the alternate screen was used at all.
    pub(crate) fn was_used(&self) -> bool {
        self.used
    }

    /// Takes the next bytes and returns those that belong to the normal screen.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut kept = Vec::with_capacity(text.len());
        let mut rest = text.as_slice();
        while let Some(at) = rest.iter().position(|byte| *byte == 0x1b) {
            let (before, candidate) = rest.split_at(at);
            self.keep(&mut kept, before);
            let wanted = if self.inside { LEAVE } else { ENTER };
            if let Some(found) = wanted.iter().find(|sequence| candidate.starts_with(sequence)) {
                self.inside = !self.inside;
                self.used = true;
                rest = candidate.get(found.len()..).unwrap_or_default();
            } else if wanted.iter().any(|sequence| sequence.starts_with(candidate)) {
                self.held = candidate.to_vec();
                return kept;
            } else {
                let (escape, after) = candidate.split_at(1);
                self.keep(&mut kept, escape);
                rest = after;
            }
        }
        self.keep(&mut kept, rest);
        kept
    }

    /// Gives up what was held back.
    pub(crate) fn flush(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        if self.inside { Vec::new() } else { held }
    }

    fn keep(&self, kept: &mut Vec<u8>, bytes: &[u8]) {
        if !self.inside {
            kept.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_are_left_out_however_the_stream_is_split() {
        let stream = b"before\x1b[31m\x1b[?1049h\x1b[2Jdrawing\x1b[?25l\x1b[?1049l after\x1b[?47hmore\x1b[?47l\x1b[?1";
        for size in 1..=stream.len() {
            let mut screen = AlternateScreen::default();
            let mut kept: Vec<u8> = stream.chunks(size).flat_map(|chunk| screen.feed(chunk)).collect();
            kept.extend(screen.flush());
            assert_eq!(String::from_utf8_lossy(&kept), "before\u{1b}[31m after\u{1b}[?1", "in chunks of {size}");
            assert!(screen.was_used());
        }
    }

    #[test]
    fn plain_output_is_whole() {
        let mut screen = AlternateScreen::default();
        assert_eq!(screen.feed(b"a\x1b[0mb\x1b[?25h"), b"a\x1b[0mb\x1b[?25h");
        assert!(!screen.was_used());
    }
}
