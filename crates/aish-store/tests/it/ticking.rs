//! A clock that moves by one second whenever it is read, from 2025-01-15T23:59:50Z.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aish_journal::WallClock;

/// Lines of a history that is never full.
pub(crate) const SIZE: u64 = 100_000;

pub(crate) const START_MS: i64 = 1_736_985_590_000;

pub(crate) fn clock() -> WallClock {
    let seconds = AtomicU64::new(1_736_985_590);
    WallClock::new(move || SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.fetch_add(1, Ordering::SeqCst)))
}
