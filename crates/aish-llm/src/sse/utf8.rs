//! Makes UTF-8 of a stream of bytes: what is none is replaced, as the standard says (WHATWG HTML, 9.2.6).

use bytes::Bytes;

/// Replaces bytes that are no UTF-8, however the stream is split.
#[derive(Default)]
pub(super) struct Mended {
    /// The beginning of a character whose rest has not come.
    pending: Vec<u8>,
}

impl Mended {
    /// Takes a part and returns the characters that are whole; borrowed from it where all is well.
    pub(super) fn mend(&mut self, part: Bytes) -> Bytes {
        if self.pending.is_empty() && std::str::from_utf8(&part).is_ok() {
            return part;
        }
        let mut bytes = std::mem::take(&mut self.pending);
        bytes.extend_from_slice(&part);
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    break;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    let Some(length) = error.error_len() else {
                        self.pending = after.to_vec();
                        break;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    rest = after.get(length..).unwrap_or_default();
                }
            }
        }
        Bytes::from(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_byte_costs_itself_alone_however_the_stream_is_split() {
        let input = b"data: a\xffb \xe2\x82\xac \xf0\x9f\x98\x80 \xc3(\n\n";
        let expected = String::from_utf8_lossy(input);
        for size in 1..=input.len() {
            let mut mended = Mended::default();
            let parts = input.chunks(size).map(|part| mended.mend(Bytes::copy_from_slice(part)));
            let whole: Vec<u8> = parts.flat_map(|part| part.to_vec()).collect();
            assert_eq!(String::from_utf8(whole).unwrap(), expected, "in parts of {size}");
        }
    }
}
