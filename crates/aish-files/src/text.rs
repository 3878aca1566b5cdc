//! Files as text, and back to the same bytes.

/// How a file writes its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Marked,
    /// UTF-16, little end first, with a byte order mark.
    Utf16Little,
    /// UTF-16, big end first, with a byte order mark.
    Utf16Big,
    /// One byte a character: ISO 8859-1.
    Latin1,
}

impl Encoding {
    /// Returns the name, as a person writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Marked => "UTF-8 with a byte order mark",
            Self::Utf16Little | Self::Utf16Big => "UTF-16",
            Self::Latin1 => "Latin-1",
        }
    }
}

/// Why bytes are no text that can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// It holds NUL bytes.
    #[error("is binary")]
    Binary,
    /// Parts are UTF-8 and parts are not.
    #[error("is written partly in UTF-8 and partly not, so that no change of it would be sure")]
    Mixed,
}

/// A text and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The characters, line ends as they are, without the byte order mark.
    pub text: String,
    /// How the file writes them.
    pub encoding: Encoding,
}

const MARK: &[u8] = b"\xef\xbb\xbf";

impl Text {
    /// Decodes a file. What comes out is encoded to the very same bytes again.
    ///
    /// # Errors
    /// When that cannot be so.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotText> {
        let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16, encoding| {
            let units: Vec<u16> = rest.chunks_exact(2).filter_map(|two| two.try_into().ok()).map(unit).collect();
            let text = String::from_utf16(&units).map_err(|_| NotText::Binary)?;
            if rest.len() % 2 == 1 || text.contains('\0') { Err(NotText::Binary) } else { Ok(Self { text, encoding }) }
        };
        if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
            return utf16(rest, u16::from_le_bytes, Encoding::Utf16Little);
        }
        if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
            return utf16(rest, u16::from_be_bytes, Encoding::Utf16Big);
        }
        if bytes.contains(&0) {
            return Err(NotText::Binary);
        }
        let (rest, encoding) = match bytes.strip_prefix(MARK) {
            Some(rest) => (rest, Encoding::Utf8Marked),
            None => (bytes, Encoding::Utf8),
        };
        match std::str::from_utf8(rest) {
            Ok(text) => Ok(Self { text: text.to_owned(), encoding }),
            Err(_) if encoding == Encoding::Utf8Marked || holds_utf8(bytes) => Err(NotText::Mixed),
            Err(_) => {
                Ok(Self { text: bytes.iter().map(|&byte| char::from(byte)).collect(), encoding: Encoding::Latin1 })
            }
        }
    }

    /// Encodes a text as this one was.
    ///
    /// # Errors
    /// The first character that the encoding has no bytes for.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, char> {
        Ok(match self.encoding {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            Encoding::Utf8Marked => [MARK, text.as_bytes()].concat(),
            Encoding::Utf16Little => {
                [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
            }
            Encoding::Utf16Big => [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect(),
            Encoding::Latin1 => text.chars().map(|c| u8::try_from(c).map_err(|_| c)).collect::<Result<_, _>>()?,
        })
    }
}

/// Says whether some part of bytes that are no UTF-8 as a whole is a character of several bytes all the same.
fn holds_utf8(bytes: &[u8]) -> bool {
    bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_is_encoded_to_the_same_bytes() {
        let cases: &[(&[u8], &str, Encoding)] = &[
            (b"a\r\nb", "a\r\nb", Encoding::Utf8),
            (b"", "", Encoding::Utf8),
            ("ü€".as_bytes(), "ü€", Encoding::Utf8),
            (b"\xef\xbb\xbfa\n", "a\n", Encoding::Utf8Marked),
            (b"\xff\xfea\0\n\0", "a\n", Encoding::Utf16Little),
            (b"\xfe\xff\0a\xd8\x3d\xde\x00", "a\u{1f600}", Encoding::Utf16Big),
            (b"caf\xe9\n", "café\n", Encoding::Latin1),
        ];
        for (bytes, text, encoding) in cases {
            let decoded = Text::decode(bytes).unwrap();
            assert_eq!((decoded.text.as_str(), decoded.encoding), (*text, *encoding));
            assert_eq!(decoded.encode(&decoded.text).unwrap(), *bytes);
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(Text::decode(b"a\0b"), Err(NotText::Binary));
        assert_eq!(Text::decode(b"\xff\xfea\0\n"), Err(NotText::Binary));
        assert_eq!(
            Text::decode("é\u{e9}".as_bytes().iter().chain(b"\xe9 ").copied().collect::<Vec<_>>().as_slice()),
            Err(NotText::Mixed)
        );
        assert_eq!(Text::decode(b"caf\xe9").unwrap().encode("€"), Err('€'));
    }
}
