//! The ids of calls on wires that want each of them once in a conversation.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Makes ids legal and unique; local servers count theirs anew in each answer, and a conversation may change its model.
///
/// An id depends on the conversation before it alone, so that an old request stays a prefix of the next.
#[derive(Default)]
pub(crate) struct CallIds<'a> {
    latest: HashMap<&'a str, String>,
    used: HashSet<String>,
}

impl<'a> CallIds<'a> {
    /// Returns the id of a call, in the characters that the wire takes.
    pub(crate) fn call(&mut self, id: &'a str) -> String {
        let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        let plain: String = id.chars().map(legal).collect();
        let mut wire = plain.clone();
        let mut number = 2_usize;
        while wire.is_empty() || !self.used.insert(wire.clone()) {
            wire = format!("{plain}_{number}");
            number += 1;
        }
        self.latest.insert(id, wire.clone());
        wire
    }

    /// Returns the id of the last call that had this one, for its result.
    pub(crate) fn result(&self, id: &str) -> String {
        self.latest.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }
}

/// Returns an id of nine letters and digits: itself where it is one, else one that its hash makes (FNV-1a, 64 bits).
pub(crate) fn short(id: &str) -> Cow<'_, str> {
    const LENGTH: usize = 9;
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    if id.len() == LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(id);
    }
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
    let letters = (0..LENGTH).map(|_| {
        let letter = LETTERS.get((hash % 36) as usize).copied().unwrap_or(b'a');
        hash /= 36;
        char::from(letter)
    });
    Cow::Owned(letters.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_has_an_id_of_its_own_and_its_result_the_same() {
        let mut ids = CallIds::default();
        let mut both = |id| (ids.call(id), ids.result(id));
        assert_eq!(both("call_0"), ("call_0".into(), "call_0".into()));
        assert_eq!(both("call_0"), ("call_0_2".into(), "call_0_2".into()));
        assert_eq!(both("a.b:1"), ("a_b_1".into(), "a_b_1".into()));
        assert_eq!(both("a_b_1"), ("a_b_1_2".into(), "a_b_1_2".into()));
        assert_eq!(both(""), ("_2".into(), "_2".into()));
    }

    #[test]
    fn a_short_id_has_nine_letters_and_digits_and_stays_what_it_is() {
        assert_eq!(short("D681PevKs"), "D681PevKs");
        let ids = ["call_1", "call_2", "", "call_1-5-1", "D681PevK_", "äöüäöüäöü"].map(short);
        for (at, id) in ids.iter().enumerate() {
            assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
            assert!(!ids[..at].contains(id) && short(id) == *id, "{id}");
        }
    }
}
