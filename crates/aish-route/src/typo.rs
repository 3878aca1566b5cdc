//! Slips of the finger in a command's name.

use crate::words::english::is_english;
use crate::words::language::{FOREIGN, NARRATIVE, STRONG, WEAK, has};
use crate::words::programs;

/// Returns the well-known command that a word is one slip away from: a letter too many, too few, wrong or swapped.
///
/// Words of fewer than three letters are never slips, but for the swapped `ls` and `cd`.
pub(crate) fn meant(word: &str) -> Option<&'static str> {
    if word == "sl" {
        return Some("ls");
    }
    let is_name = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if word.len() < 3 || word.len() > 20 || !is_name || is_english(word) {
        return None;
    }
    if has(STRONG, word) || has(WEAK, word) || has(FOREIGN, word) {
        return None;
    }
    // Of several commands within reach the most like it wins: swapped letters, then the same first letter.
    programs::well_known()
        .map(|program| program.name())
        .filter(|known| known.len() >= 2 && one_slip(word.as_bytes(), known.as_bytes()))
        .filter(|known| {
            let same_start = known.as_bytes().first() == word.as_bytes().first();
            let long = known.len() >= 3 && (word.len() > 3 || same_start);
            long || is_swap(word.as_bytes(), known.as_bytes()) || doubled(word.as_bytes(), known.as_bytes())
        })
        .min_by_key(|known| {
            (!is_swap(word.as_bytes(), known.as_bytes()), known.as_bytes().first() != word.as_bytes().first(), *known)
        })
}

/// Returns the sub-command of a command that a word is one slip away from.
pub(crate) fn meant_subcommand(command: &str, word: &str) -> Option<&'static str> {
    let is_name = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_language = is_english(word) || has(STRONG, word) || has(WEAK, word) || has(NARRATIVE, word);
    if word.len() < 3 || word.len() > 20 || !is_name || is_language {
        return None;
    }
    programs::subcommands(command).find(|known| known.len() >= 3 && one_slip(word.as_bytes(), known.as_bytes()))
}

/// Returns the command with a sub-command like the second word that the first is one slip away from: `got status`.
pub(crate) fn meant_by_subcommand(word: &str, second: &str) -> Option<&'static str> {
    programs::well_known().map(|program| program.name()).find(|known| {
        known.len() >= 3 && one_slip(word.as_bytes(), known.as_bytes()) && programs::has_subcommand(known, second)
    })
}

/// Says whether a word is one slip away from another.
pub(crate) fn is_slip_for(word: &str, known: &str) -> bool {
    known.len() >= 4 && one_slip(word.as_bytes(), known.as_bytes())
}

pub(crate) fn is_swap(word: &[u8], known: &[u8]) -> bool {
    let mut a = word.to_vec();
    let mut b = known.to_vec();
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

/// `lss` for `ls`: a letter struck twice.
fn doubled(word: &[u8], known: &[u8]) -> bool {
    let mut squeezed = word.to_vec();
    squeezed.dedup();
    squeezed == known
}

fn one_slip(word: &[u8], known: &[u8]) -> bool {
    let same_start = word.iter().zip(known).take_while(|(a, b)| a == b).count();
    let (a, b) = (word.get(same_start..).unwrap_or_default(), known.get(same_start..).unwrap_or_default());
    match (a, b) {
        ([], [_]) | ([_], []) => true,
        ([x1, x2, x @ ..], [y1, y2, y @ ..]) if x1 == y2 && x2 == y1 && x == y => true,
        ([_, x @ ..], [_, y @ ..]) if x == y => true,
        ([_, x @ ..], y) if x == y => true,
        (x, [_, y @ ..]) if x == y => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_forgiven() {
        for (slip, command) in [
            ("gti", "git"),
            ("pyhton", "python"),
            ("dokcer", "docker"),
            ("suod", "sudo"),
            ("sl", "ls"),
            ("grpe", "grep"),
            ("systemctll", "systemctl"),
            ("crgo", "cargo"),
            ("kubeclt", "kubectl"),
        ] {
            assert_eq!(meant(slip), Some(command), "{slip}");
        }
        for word in ["hello", "what", "explain", "ja"] {
            assert_eq!(meant(word), None, "{word}");
        }
    }
}
