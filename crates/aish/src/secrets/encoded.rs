//! The forms in which a secret may turn up.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Writes a secret as it is and encoded: hex, base64 (RFC 4648, both alphabets, behind any other bytes),
/// percent-encoded (RFC 3986), and as part of a JSON string.
pub(super) fn forms(secret: &str) -> Vec<String> {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent = utf8_percent_encode(secret, UNRESERVED).to_string();
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
    let all = STANDARD_NO_PAD.encode([&vec![0; offset][..], bytes].concat());
    all.get((offset * 8).div_ceil(6)..(offset + bytes.len()) * 8 / 6).unwrap_or_default().to_owned()
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
