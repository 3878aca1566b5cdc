//! What left the context of a conversation, and whether the person was told that it is full.

/// The exchanges that were evicted. Once a context is full, some are in each turn: who was told of it knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evictions {
    /// How many exchanges left since the conversation began or was reset.
    pub exchanges: usize,
    /// The token budget of the context that the person was told of.
    told: Option<u64>,
}

impl Evictions {
    /// Counts exchanges that left a context with this token budget; says whether the person is to be told, which is once
    /// for a size of the context.
    pub(super) fn count(&mut self, exchanges: usize, token_budget: u64) -> bool {
        self.exchanges += exchanges;
        self.told.replace(token_budget) != Some(token_budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_context_is_told_once_for_each_size() {
        let mut evictions = Evictions::default();
        let told = [(1, 3000), (2, 3000), (1, 8000), (1, 8000), (1, 3000)]
            .map(|(exchanges, token_budget)| evictions.count(exchanges, token_budget));
        assert_eq!((told, evictions.exchanges), ([true, false, true, false, true], 6));
    }
}
