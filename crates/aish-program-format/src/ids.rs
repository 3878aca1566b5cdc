//! Numbers of texts and lists in the tables.

/// The number of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Id(pub u16);

/// A list of texts, or of numbers in another table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct List {
    /// Where it begins.
    pub from: u32,
    /// How many there are.
    pub count: u16,
}

impl List {
    pub(crate) fn of<T>(self, table: &[T]) -> &[T] {
        let from = self.from as usize;
        table.get(from..from + usize::from(self.count)).unwrap_or_default()
    }

    /// Says whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }
}
