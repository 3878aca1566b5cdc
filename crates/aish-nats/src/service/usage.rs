//! What was used today, by a user and by all together. Counted here, and added to the state now and then: a write for
//! every request of everybody would have all workers wait for one another.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aish_types::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::service::keyed::{change, key, read};
use crate::service::reply::Failure;
use crate::state::{Bucket, StateStore};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Counts of one day (UTC) and of all days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    day: u64,
    requests_today: u64,
    tokens_today: u64,
    requests_total: u64,
    tokens_total: u64,
}

impl Counts {
    fn on(self, day: u64) -> Self {
        if self.day == day { self } else { Self { day, requests_today: 0, tokens_today: 0, ..self } }
    }

    fn add(self, day: u64, requests: u64, tokens: u64) -> Self {
        let counts = self.on(day);
        Self {
            day,
            requests_today: counts.requests_today.saturating_add(requests),
            tokens_today: counts.tokens_today.saturating_add(tokens),
            requests_total: counts.requests_total.saturating_add(requests),
            tokens_total: counts.tokens_total.saturating_add(tokens),
        }
    }

    pub(crate) fn fields(self) -> Value {
        json!({"requests_today": self.requests_today, "tokens_today": self.tokens_today,
               "requests_total": self.requests_total, "tokens_total": self.tokens_total})
    }
}

/// Requests and tokens that are not in the state yet, by key and day.
#[derive(Default)]
pub(crate) struct Meter(Mutex<HashMap<(String, u64), (u64, u64)>>);

fn key_of(user: Option<&str>) -> String {
    match user {
        Some(user) => key(&["user", user]),
        None => key(&["all"]),
    }
}

impl Meter {
    /// Counts one answered request.
    pub(crate) fn count(&self, user: Option<&str>, usage: Usage, now_ms: u64) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut keys = vec![key_of(None)];
        keys.extend(user.map(|user| key_of(Some(user))));
        for key in keys {
            let (requests, tokens) = waiting.entry((key, now_ms / DAY_MS)).or_default();
            *requests += 1;
            *tokens = tokens.saturating_add(usage.total());
        }
    }

    /// Adds what waits to the state, and says whether that was anything; what cannot be added waits on.
    pub(crate) async fn flush(&self, state: &dyn StateStore) -> Result<bool, Failure> {
        let taken = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut result = Ok(!taken.is_empty());
        for ((key, day), (requests, tokens)) in taken {
            let added = change(state, Bucket::Usage, &key, |counts: &mut Counts| {
                *counts = counts.add(day, requests, tokens);
                Ok(())
            });
            if let Err(failure) = added.await {
                let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let (back_requests, back_tokens) = waiting.entry((key, day)).or_default();
                *back_requests += requests;
                *back_tokens = back_tokens.saturating_add(tokens);
                result = Err(failure);
            }
        }
        result
    }

    /// Returns the counts of a user, or of all together, with what waits here.
    pub(crate) async fn counts(
        &self,
        state: &dyn StateStore,
        user: Option<&str>,
        now_ms: u64,
    ) -> Result<Counts, Failure> {
        let (key, day) = (key_of(user), now_ms / DAY_MS);
        let (counts, _) = read::<Counts>(state, Bucket::Usage, &key).await?;
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (requests, tokens) = waiting.get(&(key, day)).copied().unwrap_or_default();
        Ok(counts.add(day, requests, tokens))
    }
}
