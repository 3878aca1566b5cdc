//! Lists of program names, laid out for look-up when this crate is compiled.

/// How many buckets a table has.
pub(super) const BUCKETS: usize = 512;

/// Which of some lists of names hold a name.
pub(crate) struct NameIndex<const COUNT: usize> {
    starts: [u16; BUCKETS + 1],
    entries: [Entry; COUNT],
    lists: &'static [&'static str],
}

#[derive(Clone, Copy)]
struct Entry {
    list: u16,
    /// Where in the list the name stands.
    from: u16,
    to: u16,
}

/// Returns the bucket of a name (FNV-1a).
pub(super) const fn hash(bytes: &[u8], from: usize, to: usize) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut at = from;
    while at < to {
        #[expect(clippy::indexing_slicing, reason = "evaluated when compiled; `get` is not const")]
        let byte = bytes[at];
        hash = (hash ^ byte as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash % BUCKETS as u32) as usize
}

/// Goes through the names of all lists: they are separated by a blank or a bar, and end at a stroke.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const fn each(lists: &[&str], buckets: &mut [u16; BUCKETS], entries: &mut [Entry]) -> usize {
    let mut total = 0;
    let mut list = 0;
    while list < lists.len() {
        let bytes = lists[list].as_bytes();
        let (mut from, mut at, mut named) = (0, 0, false);
        while at <= bytes.len() {
            let byte = if at < bytes.len() { bytes[at] } else { b' ' };
            let ends = byte == b' ' || byte == b'|';
            if (ends || byte == b'/') && !named {
                let bucket = hash(bytes, from, at);
                if !entries.is_empty() {
                    entries[buckets[bucket] as usize] = Entry { list: list as u16, from: from as u16, to: at as u16 };
                }
                buckets[bucket] += 1;
                total += 1;
                named = true;
            }
            if ends {
                from = at + 1;
                named = false;
            }
            at += 1;
        }
        list += 1;
    }
    total
}

/// Counts the names of all lists.
pub(crate) const fn count(lists: &[&str]) -> usize {
    each(lists, &mut [0; BUCKETS], &mut [])
}

/// Lays the names of all lists out.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
pub(crate) const fn build<const COUNT: usize>(lists: &'static [&'static str]) -> NameIndex<COUNT> {
    let mut buckets = [0_u16; BUCKETS];
    each(lists, &mut buckets, &mut []);
    let mut starts = [0_u16; BUCKETS + 1];
    let mut at = 0;
    while at < BUCKETS {
        starts[at + 1] = starts[at] + buckets[at];
        buckets[at] = starts[at];
        at += 1;
    }
    let mut entries = [Entry { list: 0, from: 0, to: 0 }; COUNT];
    each(lists, &mut buckets, &mut entries);
    NameIndex { starts, entries, lists }
}

impl<const COUNT: usize> NameIndex<COUNT> {
    /// Goes through the numbers of the lists that hold a name, in order, each once.
    pub(crate) fn candidates(&self, name: &str) -> impl Iterator<Item = usize> {
        let bucket = hash(name.as_bytes(), 0, name.len());
        let from = self.starts.get(bucket).copied().unwrap_or(0) as usize;
        let to = self.starts.get(bucket + 1).copied().unwrap_or(0) as usize;
        let mut last = None;
        self.entries
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .filter(move |entry| {
                let list = self.lists.get(usize::from(entry.list));
                list.and_then(|list| list.get(usize::from(entry.from)..usize::from(entry.to))) == Some(name)
            })
            .map(|entry| usize::from(entry.list))
            .filter(move |entry| last.replace(*entry) != Some(*entry))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn names_are_found_in_their_lists() {
        const LISTS: &[&str] = &["git git/bisect/run", "docker/exec podman/exec", "rm|rmdir", "docker"];
        static INDEX: NameIndex<{ count(LISTS) }> = build(LISTS);
        let found = |name: &str| INDEX.candidates(name).collect::<Vec<_>>();
        assert_eq!(found("git"), [0]);
        assert_eq!(found("docker"), [1, 3]);
        assert_eq!(found("rmdir"), [2]);
        assert!(!found("exec").contains(&1));
        assert_eq!(count(LISTS), 7);
    }
}
