//! The wall clock, passed in.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

/// Where the time of a record comes from.
#[derive(Clone)]
pub struct WallClock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl WallClock {
    /// Takes a clock.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Returns the time as RFC 3339 text in UTC with milliseconds (`2025-01-15T14:30:00.500Z`).
    pub fn text(&self) -> String {
        let now = jiff::Timestamp::try_from((self.0)()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        now.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
    }

    /// Returns milliseconds since 1970-01-01T00:00:00Z; zero for a clock that is set before that.
    pub fn millis(&self) -> i64 {
        let since = (self.0)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

impl Default for WallClock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

impl fmt::Debug for WallClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WallClock")
    }
}
