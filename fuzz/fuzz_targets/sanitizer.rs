//! The sanitiser: what it lets through is safe for a terminal, and stays as it is when sanitised again.
#![no_main]

use aish_types::sanitize;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let once = sanitize::sanitize(&text);
    assert!(!once.chars().any(|letter| letter == '\u{1b}' || (letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'))));
    assert_eq!(sanitize::sanitize(&once), once);
});
