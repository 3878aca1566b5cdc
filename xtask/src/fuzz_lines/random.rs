//! Random numbers that a seed tells: the same seed, the same lines.

/// A generator of 64-bit numbers (`SplitMix64` by Steele, Lea and Flood).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// Makes a generator.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`; 0 where that is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    /// Picks one of several.
    pub(super) fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        from.get(self.below(from.len()))
    }
}
