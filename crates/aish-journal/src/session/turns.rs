//! Turns while a log is read: a later line may change one of them or take it out.

use std::collections::HashMap;

use aish_types::Message;

use super::record::StoredTurn;

/// The turns so far, in the order of the log.
#[derive(Default)]
pub(super) struct Turns {
    turns: Vec<Option<StoredTurn>>,
    /// Where the turns of a number are: a long session is amended at each of its turns.
    places: HashMap<u64, Vec<usize>>,
}

impl Turns {
    pub(super) fn push(&mut self, turn: StoredTurn) {
        self.places.entry(turn.id).or_default().push(self.turns.len());
        self.turns.push(Some(turn));
    }

    /// Puts another message in the place of a turn's; none takes out all turns of the number.
    pub(super) fn amend(&mut self, id: u64, message: Option<Message>) {
        let Some(message) = message else {
            for at in self.places.remove(&id).unwrap_or_default() {
                if let Some(turn) = self.turns.get_mut(at) {
                    *turn = None;
                }
            }
            return;
        };
        let first = self.places.get(&id).and_then(|places| places.first());
        if let Some(Some(turn)) = first.and_then(|at| self.turns.get_mut(*at)) {
            turn.message = message;
        }
    }

    pub(super) fn left(self) -> Vec<StoredTurn> {
        self.turns.into_iter().flatten().collect()
    }
}
