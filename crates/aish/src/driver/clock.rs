//! The wall time of a run, by a monotonic clock that stands still while a person is asked.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The clock of a run.
#[derive(Debug)]
pub struct RunClock {
    started: Instant,
    asking: Mutex<Asking>,
}

#[derive(Debug, Default)]
struct Asking {
    since: Option<Instant>,
    before: Duration,
}

impl Default for RunClock {
    fn default() -> Self {
        Self { started: Instant::now(), asking: Mutex::default() }
    }
}

impl RunClock {
    /// Returns the milliseconds since the run began, without those in which a person was asked.
    pub fn millis(&self) -> u64 {
        let asking = self.asking();
        let now = asking.since.unwrap_or_else(Instant::now);
        let passed = now.duration_since(self.started).saturating_sub(asking.before);
        u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
    }

    /// Stops the clock while a person is asked, until what it returns is dropped.
    pub fn asking_now(&self) -> Pause<'_> {
        self.asking().since.get_or_insert_with(Instant::now);
        Pause(self)
    }

    fn asking(&self) -> std::sync::MutexGuard<'_, Asking> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that is open.
#[derive(Debug)]
pub struct Pause<'a>(&'a RunClock);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        let mut asking = self.0.asking();
        if let Some(since) = asking.since.take() {
            asking.before += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stands_still_while_a_person_is_asked() {
        let clock = RunClock::default();
        let pause = clock.asking_now();
        let before = clock.millis();
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(clock.millis(), before);
        drop(pause);
        let after = clock.millis();
        std::thread::sleep(Duration::from_millis(30));
        assert!(clock.millis() >= after + 30);
    }
}
