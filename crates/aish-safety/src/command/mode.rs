//! Modes of files, as `chmod` takes them: what they give, and what they take away.

fn octal(mode: &str) -> Option<u32> {
    (mode.len() >= 3 && mode.len() <= 5).then(|| u32::from_str_radix(mode, 8).ok()).flatten()
}

/// Says whether everybody may write.
pub(super) fn is_open(mode: &str) -> bool {
    match octal(mode) {
        Some(bits) => bits & 0o002 != 0,
        None => mode.split(',').any(|clause| {
            let Some((who, what)) = clause.split_once(['+', '=']) else { return false };
            what.contains('w') && (who.contains('o') || who.contains('a'))
        }),
    }
}

/// Says whether a program runs as its owner or group.
pub(super) fn is_suid(mode: &str) -> bool {
    match octal(mode) {
        Some(bits) => bits & 0o6000 != 0,
        None => mode.split(',').any(|clause| {
            clause
                .split_once(['+', '='])
                .is_some_and(|(who, what)| what.contains('s') && who.chars().all(|letter| "ugoa".contains(letter)))
        }),
    }
}

/// Says whether it takes the owner's or everybody's rights away.
pub(super) fn is_shut(mode: &str) -> bool {
    match octal(mode) {
        Some(bits) => bits & 0o700 == 0,
        None => mode.split(',').any(|clause| {
            clause.split_once('-').is_some_and(|(who, what)| {
                who.chars().all(|letter| "ugoa".contains(letter))
                    && what.contains(['r', 'x', 'w'])
                    && !matches!(who, "o" | "g" | "go" | "og")
            }) || matches!(clause, "=" | "a=" | "u=")
        }),
    }
}

/// Says whether the owner keeps what they have, nothing is lent and nobody else may write who could not.
pub(super) fn is_mild(mode: &str) -> bool {
    if is_open(mode) || is_suid(mode) || is_shut(mode) {
        return false;
    }
    match octal(mode) {
        Some(bits) => bits & 0o700 == 0o700,
        None => {
            let letters = |text: &str, known: &str| text.chars().all(|letter| known.contains(letter));
            mode.split(',').all(|clause| {
                let Some(at) = clause.find(['+', '-', '=']) else { return false };
                let (who, rights) = clause.split_at(at);
                let rest = rights.get(1..).unwrap_or_default();
                let plain = letters(who, "ugoa") && letters(rest, "rwxX") && !rest.is_empty();
                plain
                    && match rights.as_bytes().first() {
                        Some(b'+') => true,
                        Some(b'-') => !who.is_empty() && letters(who, "go"),
                        // Set to less than to read, to write and to enter, the owner loses something.
                        _ => {
                            !who.contains(['u', 'a']) && !who.is_empty()
                                || who == "u" && rest.contains('r') && rest.contains('w') && rest.contains(['x', 'X'])
                        }
                    }
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_in_digits_and_letters() {
        let check = |mode: &str, open: bool, suid: bool, shut: bool| {
            assert_eq!((is_open(mode), is_suid(mode), is_shut(mode)), (open, suid, shut), "{mode}");
        };
        check("644", false, false, false);
        check("777", true, false, false);
        check("4755", false, true, false);
        check("000", false, false, true);
        check("o+w", true, false, false);
        check("u+s", false, true, false);
        check("a-r", false, false, true);
        check("go-w", false, false, false);
        check("+x", false, false, false);
    }

    #[test]
    fn mild_modes_are_told_from_those_that_take_or_open() {
        for mode in ["u+rwX", "u+w", "+x", "go-w", "a+rX", "u=rwX,go=rX", "755", "0700", "g+w", "go-rwx"] {
            assert!(is_mild(mode), "{mode}");
        }
        for mode in
            ["644", "777", "000", "a+w", "u-w", "a-r", "-x", "u=r", "a=rX", "u+s", "4755", "=", "x", "u+", "o=rw"]
        {
            assert!(!is_mild(mode), "{mode}");
        }
    }
}
