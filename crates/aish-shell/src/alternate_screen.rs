//! What full-screen programs draw, told from what commands print.

use crate::pieces::Pieces;

/// Leaves out of a stream what is drawn on the alternate screen, wherever the stream is split.
///
/// A person who leaves an editor sees nothing of it any more, and a model that is shown the output should not either.
#[derive(Debug, Default)]
pub(crate) struct AlternateScreen {
    inside: bool,
    /// Whether the alternate screen was used at all.
    pub(crate) used: bool,
    pieces: Pieces,
}

impl AlternateScreen {
    /// Takes the next bytes and returns those that belong to the normal screen.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut kept = Vec::with_capacity(bytes.len());
        let Self { inside, used, pieces } = self;
        pieces.feed(bytes, |piece| match piece.alternate_screen() {
            Some(on) if on != *inside => (*inside, *used) = (on, true),
            Some(_) | None if !*inside => kept.extend_from_slice(piece.bytes()),
            Some(_) | None => {}
        });
        kept
    }

    /// Gives up what was held back.
    pub(crate) fn flush(&mut self) -> Vec<u8> {
        let held = self.pieces.flush();
        if self.inside { Vec::new() } else { held }
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
            assert!(screen.used);
        }
    }

    #[test]
    fn plain_output_is_whole() {
        let mut screen = AlternateScreen::default();
        assert_eq!(screen.feed(b"a\x1b[0mb\x1b[?25h"), b"a\x1b[0mb\x1b[?25h");
        assert!(!screen.used);
    }
}
