//! The fault matrix: every fault by 20 seeds by three shapes of servers, against the broker over the real providers.
//!
//! Passed is: the right outcome, nothing run that must not run, no hang, no panic.

mod breaking;
mod refusing;
mod shape;
mod splitting;
mod stopping;

use std::future::Future;

use futures_util::future::join_all;

use shape::Shape;

/// Seeds a fault is played with.
const SEEDS: u64 = 20;

/// A small random source (SplitMix64), the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    pub(crate) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

/// Plays a case for each shape and seed, the seeds of a shape side by side.
async fn matrix<F: Future<Output = ()>>(case: impl Fn(Shape, Random) -> F) {
    for shape in Shape::ALL {
        join_all((0..SEEDS).map(|seed| case(shape, Random(seed)))).await;
    }
}

/// Plays a case for each shape and seed, one after the other: for what is measured.
async fn one_by_one<F: Future<Output = ()>>(case: impl Fn(Shape, Random) -> F) {
    for shape in Shape::ALL {
        for seed in 0..SEEDS {
            case(shape, Random(seed)).await;
        }
    }
}
