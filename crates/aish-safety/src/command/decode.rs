//! Decoders: base64, base32, hex, `tr`, simple `sed`.

use alloc::string::String;
use alloc::vec::Vec;

use super::budget::{Budget, Work};
use super::word::Word;

/// Decodes base64, with or without padding and line ends.
pub(crate) fn base64(text: &str) -> Option<String> {
    bits(text, 6, |letter| match letter {
        'A'..='Z' => Some(letter as u32 - 'A' as u32),
        'a'..='z' => Some(letter as u32 - 'a' as u32 + 26),
        '0'..='9' => Some(letter as u32 - '0' as u32 + 52),
        '+' | '-' => Some(62),
        '/' | '_' => Some(63),
        _ => None,
    })
}

/// Decodes base32.
pub(crate) fn base32(text: &str) -> Option<String> {
    bits(text, 5, |letter| match letter {
        'A'..='Z' => Some(letter as u32 - 'A' as u32),
        '2'..='7' => Some(letter as u32 - '2' as u32 + 26),
        _ => None,
    })
}

/// Decodes plain hex digits, as `xxd -r -p` does.
pub(crate) fn hex(text: &str) -> Option<String> {
    bits(text, 4, |letter| letter.to_digit(16))
}

fn bits(text: &str, width: u32, value: impl Fn(char) -> Option<u32>) -> Option<String> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let (mut buffer, mut held) = (0_u32, 0_u32);
    for letter in text.chars() {
        if letter.is_whitespace() || letter == '=' {
            continue;
        }
        buffer = (buffer << width) | value(letter)?;
        held += width;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((buffer >> held) & 0xff).ok()?);
            buffer &= (1 << held) - 1;
        }
    }
    String::from_utf8(out).ok().filter(|text| !text.contains('\0'))
}

/// Does what `tr` does with plain sets and ranges.
pub(crate) fn translate(text: &str, arguments: &[Word], budget: &Budget) -> Option<String> {
    let mut delete = false;
    let mut sets: Vec<Vec<char>> = Vec::new();
    for word in arguments {
        match word.text.as_str() {
            "-d" | "--delete" => delete = true,
            flag if flag.starts_with('-') && flag.len() > 1 => return None,
            set => sets.push(expand_set(set)?),
        }
    }
    let letters: usize = sets.iter().map(Vec::len).sum();
    budget.pay(Work::Scan, text.len().saturating_mul(letters.max(1)) / 4).then_some(())?;
    match (delete, sets.as_slice()) {
        (true, [set]) => Some(text.chars().filter(|letter| !set.contains(letter)).collect()),
        (false, [from, to]) => {
            let last = to.last().copied()?;
            Some(
                text.chars()
                    .map(|letter| match from.iter().rposition(|known| *known == letter) {
                        Some(at) => to.get(at).copied().unwrap_or(last),
                        None => letter,
                    })
                    .collect(),
            )
        }
        _ => None,
    }
}

fn expand_set(set: &str) -> Option<Vec<char>> {
    match set {
        "[:upper:]" => return Some(('A'..='Z').collect()),
        "[:lower:]" => return Some(('a'..='z').collect()),
        "[:space:]" => return Some(alloc::vec![' ', '\t', '\n']),
        _ if set.contains("[:") => return None,
        _ => {}
    }
    let letters: Vec<char> = super::escape::unescape(set).chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        match (letters.get(at + 1), letters.get(at + 2)) {
            (Some('-'), Some(&high)) if letter <= high && (high as u32 - letter as u32) < 256 => {
                out.extend(letter..=high);
                at += 3;
            }
            _ => {
                out.push(letter);
                at += 1;
            }
        }
    }
    Some(out)
}

/// Does `s/a/b/` and `s/a/b/g` with plain text for a pattern.
pub(crate) fn sed(text: &str, script: &str, budget: &Budget) -> Option<String> {
    let rest = script.strip_prefix('s')?;
    let mark = rest.chars().next()?;
    let mut parts = rest.get(mark.len_utf8()..)?.split(mark);
    let (pattern, replacement, flags) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some()
        || pattern.is_empty()
        || pattern.contains(['\\', '.', '*', '[', '^', '$'])
        || replacement.contains(['\\', '&'])
    {
        return None;
    }
    match flags {
        "g" => budget.replaced(text, pattern, replacement),
        "" if !budget.pay(Work::Scan, text.len() + text.lines().count().saturating_mul(replacement.len())) => None,
        "" => Some(text.lines().map(|line| line.replacen(pattern, replacement, 1)).collect::<Vec<_>>().join("\n")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded() {
        assert_eq!(base64("cm0gLXJmIC8=\n").as_deref(), Some("rm -rf /"));
        assert_eq!(base64("not base64!"), None);
        assert_eq!(hex("726d202d7266").as_deref(), Some("rm -rf"));
        assert_eq!(base32("OJWSALLSMYQC6===").as_deref(), Some("rm -rf /"));
        let words = |list: &[&str]| list.iter().map(|word| Word::literal(*word)).collect::<Vec<_>>();
        assert_eq!(translate("ez -es", &words(&["a-z", "n-za-m"]), &Budget::default()).as_deref(), Some("rm -rf"));
        assert_eq!(translate("rXm", &words(&["-d", "X"]), &Budget::default()).as_deref(), Some("rm"));
        assert_eq!(sed("rXXm", "s/XX//", &Budget::default()).as_deref(), Some("rm"));
    }
}
