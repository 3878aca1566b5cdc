//! The forms in which a secret may turn up.

use std::fmt::Write as _;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes a secret as it is and encoded: hex, base64 (RFC 4648, both alphabets, behind any other bytes),
/// percent-encoded (RFC 3986), and as part of a JSON string.
pub(super) fn forms(secret: &str) -> Vec<String> {
    let mut hex = String::new();
    let mut percent = String::new();
    for byte in secret.bytes() {
        let _ = write!(hex, "{byte:02x}");
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            percent.push(char::from(byte));
        } else {
            let _ = write!(percent, "%{byte:02X}");
        }
    }
    let json = serde_json::to_string(secret).unwrap_or_default();
    let json = json.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned();
    let mut all = vec![secret.to_owned(), hex.to_uppercase(), hex, percent, json];
    for offset in 0..3 {
        let plain = base64_core(secret.as_bytes(), offset);
        all.push(plain.replace('+', "-").replace('/', "_"));
        all.push(plain);
    }
    all.retain(|form| form.len() >= super::SHORTEST);
    all
}

/// Returns the characters of base64 that depend on these bytes alone when `offset` (0 to 2) others stand before them.
fn base64_core(bytes: &[u8], offset: usize) -> String {
    let bits = (offset + bytes.len()) * 8;
    let (first, end) = ((offset * 8).div_ceil(6), bits / 6);
    (first..end)
        .filter_map(|at| {
            let sextet = (0..6).fold(0usize, |value, bit| {
                let place = at * 6 + bit;
                let byte = (place / 8).checked_sub(offset).and_then(|index| bytes.get(index)).copied().unwrap_or(0);
                value << 1 | usize::from(byte >> (7 - place % 8) & 1)
            });
            ALPHABET.get(sextet).copied().map(char::from)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        assert_eq!(base64_core(b"foobar", 0), "Zm9vYmFy");
        // "xfoobar" is eGZvb2Jhcg==, "xxfoobar" is eHhmb29iYXI=.
        assert!("eGZvb2Jhcg".contains(&base64_core(b"foobar", 1)) && base64_core(b"foobar", 1).len() >= 7);
        assert!("eHhmb29iYXI".contains(&base64_core(b"foobar", 2)) && base64_core(b"foobar", 2).len() >= 7);
    }
}
