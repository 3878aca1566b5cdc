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

/// Goes through the rules whose patterns name a program; `*` and `?` are names too.
pub(crate) fn candidates(program: &str) -> impl Iterator<Item = &'static Rule> + Clone {
    let bucket = hash(program.as_bytes(), 0, program.len());
    let from = INDEX.starts.get(bucket).copied().unwrap_or(0) as usize;
    let to = INDEX.starts.get(bucket + 1).copied().unwrap_or(0) as usize;
    INDEX.entries.get(from..to).unwrap_or_default().iter().filter_map(|entry| {
        let rule = FAMILIES.get(usize::from(entry.family))?.get(usize::from(entry.rule))?;
        (rule.on.get(usize::from(entry.from)..usize::from(entry.to)) == Some(program)).then_some(rule)
    })
}

/// Goes through all rules.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.iter())
}
