//! How a server does: where it stands, what went wrong last, how many calls it had and how long they took.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Failures within [`WINDOW`] after which a server is left alone.
const FAILURES: usize = 3;
/// How long a failure counts.
const WINDOW: Duration = Duration::from_secs(60);
/// The durations of calls that are kept.
const SAMPLES: usize = 256;

/// Where a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerHealth {
    /// It is not used.
    Disabled,
    /// Nothing is known of its tools.
    Unknown,
    /// Its tools are known from the last time; it does not run.
    Cached,
    /// It is being started.
    Connecting,
    /// It can be called.
    Ready,
    /// It could not be started, or ended.
    Failed,
    /// It wants a token that it was not given.
    SignedOut,
}

impl ServerHealth {
    /// Returns the word that is shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Unknown => "unknown",
            Self::Cached => "cached",
            Self::Connecting => "connecting",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::SignedOut => "signed_out",
        }
    }
}

/// One row of `climax status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerRow {
    /// Its alias.
    pub server: String,
    /// Where it stands.
    pub state: ServerHealth,
    /// The whole command line, or the URL.
    pub reached: String,
    /// `modern` without `initialize` (2026-07-28), `legacy` with it; none before its first start.
    pub era: Option<String>,
    /// The protocol version.
    pub protocol: Option<String>,
    /// How many tools it has.
    pub tools: usize,
    /// When its tools were listed, in milliseconds since 1970.
    pub listed_ms: Option<i64>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// How often it was started.
    pub starts: u64,
    /// How many calls it had.
    pub calls: u64,
    /// Milliseconds that half of the calls took at most.
    pub p50_ms: Option<u64>,
    /// Milliseconds that 95 of 100 calls took at most.
    pub p95_ms: Option<u64>,
}

#[derive(Debug, Default)]
struct Facts {
    state: Option<ServerHealth>,
    last_error: Option<String>,
    starts: u64,
    calls: u64,
    failures: VecDeque<Instant>,
    took_ms: VecDeque<u64>,
}

/// What is counted of one server.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Facts>);

/// What [`Health`] says at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Counts {
    pub(crate) state: Option<ServerHealth>,
    pub(crate) last_error: Option<String>,
    pub(crate) starts: u64,
    pub(crate) calls: u64,
    pub(crate) p50_ms: Option<u64>,
    pub(crate) p95_ms: Option<u64>,
}

impl Health {
    fn with<T>(&self, work: impl FnOnce(&mut Facts) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that it is being started.
    pub(crate) fn starting(&self) {
        self.with(|facts| {
            facts.starts += 1;
            facts.state = Some(ServerHealth::Connecting);
        });
    }

    /// Notes that it can be called.
    pub(crate) fn ready(&self) {
        self.with(|facts| facts.state = Some(ServerHealth::Ready));
    }

    /// Notes that it was stopped because nobody needs it.
    pub(crate) fn stopped(&self) {
        self.with(|facts| facts.state = None);
    }

    /// Notes that it could not be started, or ended by itself.
    pub(crate) fn failed(&self, state: ServerHealth, why: &str) {
        self.with(|facts| {
            facts.state = Some(state);
            facts.last_error = Some(why.to_owned());
            facts.failures.push_back(Instant::now());
            while facts.failures.len() > FAILURES {
                facts.failures.pop_front();
            }
        });
    }

    /// Notes a call that ended.
    pub(crate) fn called(&self, took: Duration) {
        self.with(|facts| {
            facts.calls += 1;
            facts.took_ms.push_back(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
            while facts.took_ms.len() > SAMPLES {
                facts.took_ms.pop_front();
            }
        });
    }

    /// Says whether it failed too often to be started at this moment, and then in how many seconds it may be.
    pub(crate) fn rests(&self) -> Option<(u64, String)> {
        self.with(|facts| {
            let first = facts.failures.front().filter(|_| facts.failures.len() >= FAILURES)?;
            let left = WINDOW.checked_sub(first.elapsed()).filter(|left| !left.is_zero())?;
            Some((left.as_secs() + 1, facts.last_error.clone().unwrap_or_default()))
        })
    }

    /// Forgets its failures: somebody asks for it by name.
    pub(crate) fn forgive(&self) {
        self.with(|facts| facts.failures.clear());
    }

    /// Returns what is known.
    pub(crate) fn counts(&self) -> Counts {
        self.with(|facts| {
            let mut took: Vec<u64> = facts.took_ms.iter().copied().collect();
            took.sort_unstable();
            let part = |share: usize| took.get((took.len() * share / 100).min(took.len().saturating_sub(1))).copied();
            Counts {
                state: facts.state,
                last_error: facts.last_error.clone(),
                starts: facts.starts,
                calls: facts.calls,
                p50_ms: part(50),
                p95_ms: part(95),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_three_failures_in_a_minute_it_rests() {
        let health = Health::default();
        for _ in 0..2 {
            health.failed(ServerHealth::Failed, "exited with code 1");
            assert_eq!(health.rests(), None);
        }
        health.failed(ServerHealth::Failed, "exited with code 1");
        assert!(matches!(health.rests(), Some((1..=61, why)) if why == "exited with code 1"));
        health.forgive();
        assert_eq!(health.rests(), None);
    }

    #[test]
    fn durations_are_counted() {
        let health = Health::default();
        assert_eq!(health.counts(), Counts::default());
        (1..=100).for_each(|ms| health.called(Duration::from_millis(ms)));
        let counts = health.counts();
        assert_eq!((counts.calls, counts.p50_ms, counts.p95_ms), (100, Some(51), Some(96)));
    }
}
