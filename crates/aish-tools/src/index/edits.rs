//! One slip of the finger.

/// Says whether one insertion, deletion or transposition, or one substitution in a word of five or more letters, makes one word of the other.
///
/// Both have four characters at least, and the first one is the same: a slip there is rare, and it would double the false finds.
pub(super) fn one_slip(typed: &str, word: &str) -> bool {
    let (a, b) = (typed.as_bytes(), word.as_bytes());
    if a.len() < 4 || b.len() < 4 || a.len().abs_diff(b.len()) > 1 || a.first() != b.first() || a == b {
        return false;
    }
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let same = |skip_a: usize, skip_b: usize| {
        a.get(head + skip_a..).unwrap_or_default() == b.get(head + skip_b..).unwrap_or_default()
    };
    if a.len() > b.len() {
        return same(1, 0);
    }
    if a.len() < b.len() {
        return same(0, 1);
    }
    if same(1, 1) {
        return a.len() >= 5;
    }
    a.get(head) == b.get(head + 1) && a.get(head + 1) == b.get(head) && same(2, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_forgiven_and_two_are_not() {
        for (typed, word, forgiven) in [
            ("comit", "commit", true),
            ("commmit", "commit", true),
            ("conmit", "commit", true),
            ("psuh", "push", true),
            ("brnach", "branch", true),
            ("nope", "note", false),
            ("log", "logs", false),
            ("kommit", "commit", false),
            ("cmmt", "commit", false),
            ("push", "push", false),
        ] {
            assert_eq!(one_slip(typed, word), forgiven, "{typed} {word}");
        }
    }
}
