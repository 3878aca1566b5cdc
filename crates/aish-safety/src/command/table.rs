//! A table whose changes can be taken back: what a subshell assigns is forgotten when it ends.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::ops::Bound;

/// A table that remembers what it held, while somebody may want that back.
///
/// Taking back costs as much as was changed, however much the table holds.
#[derive(Debug, Clone)]
pub(crate) struct Table<K, V> {
    now: BTreeMap<K, V>,
    /// What was there before each change, oldest first.
    before: Vec<(K, Option<V>)>,
    /// How many marks are set.
    marks: usize,
    /// How often something was changed.
    changes: u64,
}

/// A point to go back to.
#[derive(Debug)]
#[must_use]
pub(crate) struct Mark(usize);

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self { now: BTreeMap::new(), before: Vec::new(), marks: 0, changes: 0 }
    }
}

impl<K: Ord + Clone, V: Clone> Table<K, V> {
    /// Looks a value up.
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.now.get(key)
    }

    /// Says whether there is a value.
    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.now.contains_key(key)
    }

    /// Counts the values.
    pub(crate) fn len(&self) -> usize {
        self.now.len()
    }

    /// Counts the changes so far, those that were taken back too.
    pub(crate) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Sets a value.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.changes += 1;
        if self.marks == 0 {
            self.now.insert(key, value);
            return;
        }
        let old = self.now.insert(key.clone(), value);
        self.before.push((key, old));
    }

    /// Takes a value out.
    pub(crate) fn remove<Q: Ord + ?Sized + ToOwned<Owned = K>>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        let old = self.now.remove(key);
        self.changes += u64::from(old.is_some());
        if self.marks > 0 && old.is_some() {
            self.before.push((key.to_owned(), old));
        }
    }

    /// Sets a mark; it is to be given to [`Table::back`], the last one first.
    pub(crate) fn mark(&mut self) -> Mark {
        self.marks += 1;
        Mark(self.before.len())
    }

    /// Takes back what was changed since a mark was set.
    pub(crate) fn back(&mut self, mark: Mark) {
        self.marks = self.marks.saturating_sub(1);
        while self.before.len() > mark.0 {
            let Some((key, value)) = self.before.pop() else { break };
            self.changes += 1;
            match value {
                Some(value) => self.now.insert(key, value),
                None => self.now.remove(&key),
            };
        }
    }
}

impl<V> Table<String, V> {
    /// Goes through the values whose keys begin with a text.
    pub(crate) fn beginning<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (&'t str, &'t V)> {
        let range = self.now.range::<str, _>((Bound::Included(text), Bound::Unbounded));
        range.map(|(key, value)| (key.as_str(), value)).take_while(move |(key, _)| key.starts_with(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_taken_back_to_the_mark() {
        let mut table: Table<String, u8> = Table::default();
        table.insert("a".into(), 1);
        let outer = table.mark();
        table.insert("a".into(), 2);
        table.insert("b".into(), 3);
        let inner = table.mark();
        table.remove("a");
        table.insert("b".into(), 4);
        assert_eq!((table.get("a"), table.get("b"), table.len()), (None, Some(&4), 1));
        table.back(inner);
        assert_eq!((table.get("a"), table.get("b"), table.len()), (Some(&2), Some(&3), 2));
        table.back(outer);
        assert_eq!((table.get("a"), table.contains_key("b")), (Some(&1), false));
        assert!(table.before.is_empty());
    }
}
