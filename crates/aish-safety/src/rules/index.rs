//! The table of rules by program, laid out when this crate is compiled.

use super::FAMILIES;
use super::names::{BUCKETS, hash};
use super::rule::Rule;

#[derive(Clone, Copy)]
struct Entry {
    family: u16,
    rule: u16,
    /// Where in the pattern the program's name stands.
    from: u16,
    to: u16,
}

/// Calls nothing at run time: walks all rules and counts their programs.
const fn count() -> usize {
    let mut total = 0;
    each(&mut [0; BUCKETS], &mut total, &mut []);
    total
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const fn each(buckets: &mut [u16; BUCKETS], total: &mut usize, entries: &mut [Entry]) {
    let mut family = 0;
    while family < FAMILIES.len() {
        let mut rule = 0;
        while rule < FAMILIES[family].len() {
            let bytes = FAMILIES[family][rule].on.as_bytes();
            let (mut from, mut at) = (0, 0);
            loop {
                let byte = if at < bytes.len() { bytes[at] } else { b' ' };
                if byte == b' ' || byte == b'|' {
                    let bucket = hash(bytes, from, at);
                    if entries.is_empty() {
                        buckets[bucket] += 1;
                    } else {
                        entries[buckets[bucket] as usize] =
                            Entry { family: family as u16, rule: rule as u16, from: from as u16, to: at as u16 };
                        buckets[bucket] += 1;
                    }
                    *total += 1;
                    from = at + 1;
                    if byte == b' ' {
                        break;
                    }
                }
                at += 1;
            }
            rule += 1;
        }
        family += 1;
    }
}

const COUNT: usize = count();

struct Index {
    starts: [u16; BUCKETS + 1],
    entries: [Entry; COUNT],
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const fn build() -> Index {
    let mut counts = [0_u16; BUCKETS];
    let mut total = 0;
    each(&mut counts, &mut total, &mut []);
    let mut starts = [0_u16; BUCKETS + 1];
    let mut at = 0;
    while at < BUCKETS {
        starts[at + 1] = starts[at] + counts[at];
        counts[at] = starts[at];
        at += 1;
    }
    let mut entries = [Entry { family: 0, rule: 0, from: 0, to: 0 }; COUNT];
    total = 0;
    each(&mut counts, &mut total, &mut entries);
    Index { starts, entries }
}

static INDEX: Index = build();

/// The most rules of one family.
const LONGEST: usize = {
    let (mut family, mut longest) = (0, 0);
    while family < FAMILIES.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated when compiled")]
        let rules = FAMILIES[family].len();
        if rules > longest {
            longest = rules;
        }
        family += 1;
    }
    longest
};

/// What a rule asks for that is told at a glance.
#[derive(Clone, Copy)]
struct Need {
    /// The letters that one of the operands begins with, one bit each; 0 where none is asked for.
    letters: u128,
    /// True where an option is asked for.
    option: bool,
}

static NEEDS: [[Need; LONGEST]; FAMILIES.len()] = needs();

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const fn needs() -> [[Need; LONGEST]; FAMILIES.len()] {
    let mut out = [[Need { letters: 0, option: false }; LONGEST]; FAMILIES.len()];
    let mut family = 0;
    while family < FAMILIES.len() {
        let mut rule = 0;
        while rule < FAMILIES[family].len() {
            out[family][rule] = need(FAMILIES[family][rule].on.as_bytes());
            rule += 1;
        }
        family += 1;
    }
    out
}

/// Reads a pattern: the letters are those of the part that narrows most.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const fn need(on: &[u8]) -> Need {
    let mut best = 0_u128;
    let mut option = false;
    let mut at = 0;
    while at < on.len() && on[at] != b' ' {
        at += 1;
    }
    while at < on.len() {
        at += 1;
        let from = at;
        while at < on.len() && on[at] != b' ' {
            at += 1;
        }
        let skips = at == from + 2 && on[from] == b'*' && on[from + 1] == b'*';
        if at == from || skips || matches!(on[from], b'!' | b'%' | b'<') {
            continue;
        }
        let part = first_letters(on, from, at);
        if on[from] == b'-' {
            // An operand may be as good as the option.
            option = option || part == 1 << b'-';
        } else if best == 0 || part.count_ones() < best.count_ones() {
            best = part;
        }
    }
    Need { letters: best, option }
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const fn first_letters(on: &[u8], from: usize, to: usize) -> u128 {
    let mut out = 0;
    let mut at = from;
    while at < to {
        if at == from || on[at - 1] == b'|' {
            match on[at] {
                b'*' | b'?' | b'[' | b'|' | 128.. => return u128::MAX,
                letter => out |= 1 << letter,
            }
        }
        at += 1;
    }
    out
}

/// Returns the bit of a text's first letter; what is no letter of ASCII has one of its own.
pub(crate) fn letter_bit(text: &str) -> u128 {
    match text.as_bytes().first() {
        Some(letter) if letter.is_ascii() => 1 << letter,
        Some(_) | None => 1,
    }
}

/// Goes through the rules about a program that may hold for operands with these first letters, with or without options.
pub(crate) fn candidates_for(
    program: &str,
    operands: u128,
    options: bool,
) -> impl Iterator<Item = &'static Rule> + Clone {
    entries(program).filter_map(move |entry| {
        let (family, rule) = (usize::from(entry.family), usize::from(entry.rule));
        let need = NEEDS.get(family)?.get(rule)?;
        let may = (need.letters == 0 || need.letters & operands != 0) && (options || !need.option);
        may.then(|| FAMILIES.get(family)?.get(rule)).flatten()
    })
}

/// Goes through the rules whose patterns name a program; `*` and `?` are names too.
pub(crate) fn candidates(program: &str) -> impl Iterator<Item = &'static Rule> + Clone {
    entries(program).filter_map(|entry| FAMILIES.get(usize::from(entry.family))?.get(usize::from(entry.rule)))
}

fn entries(program: &str) -> impl Iterator<Item = &'static Entry> + Clone {
    let bucket = hash(program.as_bytes(), 0, program.len());
    let from = INDEX.starts.get(bucket).copied().unwrap_or(0) as usize;
    let to = INDEX.starts.get(bucket + 1).copied().unwrap_or(0) as usize;
    INDEX.entries.get(from..to).unwrap_or_default().iter().filter(move |entry| {
        let rule = FAMILIES.get(usize::from(entry.family)).and_then(|family| family.get(usize::from(entry.rule)));
        rule.and_then(|rule| rule.on.get(usize::from(entry.from)..usize::from(entry.to))) == Some(program)
    })
}

/// Goes through all rules.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rule_needs_is_read_from_its_pattern() {
        let bits = |letters: &str| letters.bytes().fold(0_u128, |bits, letter| bits | 1 << letter);
        let check = |on: &str, letters: u128, option: bool| {
            let need = need(on.as_bytes());
            assert_eq!((need.letters, need.option), (letters, option), "{on}");
        };
        check("rm -r|--recursive %system", 0, true);
        check("rm !-r %system|-f", 0, false);
        check("git push|pull", bits("p"), false);
        check("? * delete|drop|wipe %few", bits("dw"), false);
        check("lxc|incus ** delete|rm|*-x", u128::MAX, false);
        check("hg update --all|-C|%some", bits("u"), false);
        check("x -f|force", 0, false);
        check("git **", 0, false);
        assert_eq!(letter_bit("push") & bits("p"), bits("p"));
        assert_ne!(letter_bit("\u{fffc}"), 0);
    }
}
