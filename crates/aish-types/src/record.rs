//! Numbers and texts one behind the other, for files that one build of ours writes and the same build reads again.

use alloc::vec::Vec;

/// Writes a record.
#[derive(Debug, Default)]
pub struct RecordWriter(Vec<u8>);

impl RecordWriter {
    /// Writes behind these bytes: what is large is not copied to come behind a head.
    pub fn behind(head: Vec<u8>) -> Self {
        Self(head)
    }

    /// Writes a number, small ones in one byte (LEB128).
    pub fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Writes a text behind its length.
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Returns what was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a record. What is cut off or broken gives nothing, and never more memory than the bytes that are there are worth.
#[derive(Debug, Clone, Copy)]
pub struct RecordReader<'b>(&'b [u8]);

impl<'b> RecordReader<'b> {
    /// Reads these bytes from the beginning.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Reads a number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Reads how many of something follow, each of which takes so many bytes at least: room may be made for as many.
    pub fn count(&mut self, least: usize) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&count| count <= self.0.len() / least.max(1))
    }

    /// Reads a text.
    pub fn text(&mut self) -> Option<&'b str> {
        let length = self.count(1)?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        core::str::from_utf8(text).ok()
    }

    /// Says whether all was read.
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [u64; 8] = [0, 1, 127, 128, 300, 65_535, u32::MAX as u64 + 1, u64::MAX];

    fn written() -> Vec<u8> {
        let mut writer = RecordWriter::default();
        for number in NUMBERS {
            writer.number(number);
            writer.text("Grün");
        }
        writer.text("");
        writer.into_bytes()
    }

    fn read(bytes: &[u8]) -> Option<()> {
        let mut reader = RecordReader::new(bytes);
        for number in NUMBERS {
            (reader.number()? == number && reader.text()? == "Grün").then_some(())?;
        }
        (reader.text()?.is_empty() && reader.is_at_end()).then_some(())
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(read(&written()), Some(()));
    }

    #[test]
    fn what_is_cut_off_or_changed_gives_nothing() {
        let bytes = written();
        for end in 0..bytes.len() {
            assert_eq!(read(&bytes[..end]), None, "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0xff;
            assert_eq!(read(&broken), None, "changed at {at}");
        }
        assert_eq!(RecordReader::new(&[0xff; 20]).number(), None);
        assert_eq!(RecordReader::new(&[0xff, 0xff, 0x03, b'a']).count(1), None);
        assert_eq!(RecordReader::new(&[3, 0, 0, 0, 0, 0, 0]).count(2), Some(3));
        assert_eq!(RecordReader::new(&[3, 0, 0, 0, 0, 0]).count(2), None, "three of two bytes each are six");
    }
}
