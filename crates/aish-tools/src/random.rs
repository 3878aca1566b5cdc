//! The source of randomness, passed in, so that dice can be tested.

use rand::RngExt;

/// Where random numbers come from.
pub trait Random: Send + Sync {
    /// Returns a number from 0 up to but without `bound`, each equally likely; 0 when `bound` is 0.
    fn below(&self, bound: u32) -> u32;
}

/// A generator of cryptographic quality, seeded by the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn below(&self, bound: u32) -> u32 {
        if bound == 0 { 0 } else { rand::rng().random_range(0..bound) }
    }
}
