//! Waiting between retries: how long, with which jitter, on which clock.

use std::time::Duration;

use aish_types::BoxFuture;

/// The clock and the random source of retries.
pub trait Pacer: Send + Sync {
    /// Returns a number from 0 to 1, 1 excluded.
    fn unit(&self) -> f64;

    /// Waits on a monotonic clock.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;
}

/// The real clock and random source.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemPacer;

impl Pacer for SystemPacer {
    fn unit(&self) -> f64 {
        rand::random()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

/// How often and how long a model is retried before the first token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts at one model, the first included (1 to any). Default 3.
    pub attempts: u32,
    /// The first wait; it doubles each time. Default 500 ms.
    pub base: Duration,
    /// The longest wait of our own. Default 8 s.
    pub longest: Duration,
    /// The longest `Retry-After` that is waited; a longer one fails at once, with its number. Default 60 s.
    pub longest_asked: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 3,
            base: Duration::from_millis(500),
            longest: Duration::from_secs(8),
            longest_asked: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Returns the wait after the `failed`-th failed attempt (from 1): what the server asked for plus up to a tenth; else exponential
    /// backoff with equal jitter (half fixed, half random).
    pub(crate) fn wait(&self, failed: u32, asked: Option<u64>, unit: f64) -> Duration {
        let unit = unit.clamp(0.0, 1.0);
        if let Some(asked) = asked {
            let asked = Duration::from_millis(asked);
            return asked + asked.mul_f64(unit / 10.0);
        }
        let doubled = self.base.saturating_mul(1_u32.checked_shl(failed.saturating_sub(1)).unwrap_or(u32::MAX));
        let full = doubled.min(self.longest);
        full.mul_f64(0.5 + unit / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_jitter() {
        let policy = RetryPolicy::default();
        let millis = |failed, asked, unit| policy.wait(failed, asked, unit).as_millis();
        assert_eq!([millis(1, None, 0.0), millis(2, None, 0.0), millis(9, None, 0.0)], [250, 500, 4000]);
        assert_eq!(millis(1, None, 1.0), 500);
        assert_eq!(millis(200, None, 1.0), 8000);
        assert_eq!(millis(1, Some(2000), 0.0), 2000);
        assert_eq!(millis(1, Some(2000), 1.0), 2200);
        assert_eq!(millis(1, Some(45_000), 0.0), 45_000);
    }
}
