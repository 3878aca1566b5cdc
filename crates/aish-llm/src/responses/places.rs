//! Which item of a response an event is about.
//!
//! The rule: the item's id where it is known, else the index. Servers that turn other wires into this one give every item
//! index 0 or none, and some give an item another id with each event.

use std::collections::{BTreeMap, BTreeSet};

/// The places of the items, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Places {
    by_id: BTreeMap<String, u64>,
    /// The item that began last at an index.
    by_index: BTreeMap<u64, u64>,
    done: BTreeSet<u64>,
    next: u64,
}

impl Places {
    /// Returns the place of an item that begins.
    pub(super) fn begun(&mut self, index: Option<u64>, id: &str) -> u64 {
        if let Some(at) = self.known(id) {
            return at;
        }
        let at = self.next;
        self.next += 1;
        if !id.is_empty() {
            self.by_id.insert(id.to_owned(), at);
        }
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        at
    }

    /// Returns the place of an item that grows; what is done grows no more.
    pub(super) fn grown(&mut self, index: Option<u64>, id: &str) -> u64 {
        if let Some(at) = self.known(id) {
            return at;
        }
        let open = match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.next.checked_sub(1),
        };
        open.filter(|at| !self.done.contains(at)).unwrap_or_else(|| self.begun(index, id))
    }

    /// Returns the place of an item that is whole.
    pub(super) fn ended(&mut self, index: Option<u64>, id: &str) -> u64 {
        let at = self.grown(index, id);
        self.done.insert(at);
        at
    }

    fn known(&self, id: &str) -> Option<u64> {
        self.by_id.get(id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_where_the_index_is_wrong_or_missing() {
        for index in [Some(0), None] {
            let mut places = Places::default();
            assert_eq!((places.begun(index, "a"), places.begun(index, "b")), (0, 1));
            assert_eq!((places.grown(index, "a"), places.grown(index, "b")), (0, 1));
            assert_eq!((places.ended(index, "a"), places.ended(index, "b")), (0, 1));
        }
    }

    #[test]
    fn an_index_tells_where_ids_change_or_are_missing() {
        let mut places = Places::default();
        assert_eq!((places.begun(Some(0), "x1"), places.begun(Some(1), "")), (0, 1));
        assert_eq!((places.grown(Some(0), "x2"), places.grown(Some(1), "y2")), (0, 1));
        assert_eq!((places.ended(Some(0), "x3"), places.ended(Some(1), "")), (0, 1));
    }

    #[test]
    fn whole_items_alone_have_places_of_their_own() {
        let mut places = Places::default();
        assert_eq!((places.ended(None, ""), places.ended(None, ""), places.ended(Some(0), "c")), (0, 1, 2));
        assert_eq!((places.ended(Some(0), "d"), places.grown(Some(0), "d")), (3, 3));
    }
}
