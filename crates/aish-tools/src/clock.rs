//! The clock, passed in, so that rates, durations and the time tool can be tested.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where time comes from.
pub trait Clock: Send + Sync {
    /// Returns the time since some fixed moment; never goes back, also when the wall clock is set.
    fn monotonic(&self) -> Duration;

    /// Returns the wall clock as time since 1970-01-01T00:00:00Z; zero for a clock that is set before that.
    fn since_epoch(&self) -> Duration;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn since_epoch(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}
