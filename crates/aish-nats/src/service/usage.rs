//! What was used today, by a user and by all together. Counted here, and added to the state now and then: a write for
//! every request of everybody would have all workers wait for one another.
//!
//! Each chat is counted once, whichever worker dies when. Order: its record is marked as sent; with the next batch the record is
//! noted as part of it; then the batch is added, and the counts say which of a worker's batches was the last. Whoever finds the
//! records of a dead worker adds the batch if that is not there, and counts what is part of none.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aish_types::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::service::accepted::{Batch, Claim, Record};
use crate::service::keyed::{change, key, read};
use crate::service::reply::Failure;
use crate::state::{Bucket, StateStore};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// Of how many workers the last batch is known.
const WORKERS: usize = 64;

/// Counts of one day (UTC) and of all days.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    day: u64,
    requests_today: u64,
    tokens_today: u64,
    requests_total: u64,
    tokens_total: u64,
    /// The last batch of each worker that is in the counts, the worker that added last behind all others.
    #[serde(default)]
    batches: Vec<(String, u64)>,
}

impl Counts {
    fn add(&mut self, day: u64, requests: u64, tokens: u64) {
        if day > self.day {
            (self.day, self.requests_today, self.tokens_today) = (day, 0, 0);
        }
        if day == self.day {
            self.requests_today = self.requests_today.saturating_add(requests);
            self.tokens_today = self.tokens_today.saturating_add(tokens);
        }
        self.requests_total = self.requests_total.saturating_add(requests);
        self.tokens_total = self.tokens_total.saturating_add(tokens);
    }

    fn has(&self, batch: &Batch) -> bool {
        self.batches.iter().any(|(worker, last)| *worker == batch.worker && *last >= batch.number)
    }

    /// Adds a batch that is not there yet.
    fn add_batch(&mut self, batch: &Batch, requests: u64, tokens: u64) {
        if self.has(batch) {
            return;
        }
        self.batches.retain(|(worker, _)| *worker != batch.worker);
        self.batches.push((batch.worker.clone(), batch.number));
        let most = self.batches.len().saturating_sub(WORKERS);
        self.batches.drain(..most);
        self.add(batch.day, requests, tokens);
    }

    pub(crate) fn fields(&self) -> Value {
        json!({"requests_today": self.requests_today, "tokens_today": self.tokens_today,
               "requests_total": self.requests_total, "tokens_total": self.tokens_total})
    }
}

/// Requests and tokens, by key.
type Sums = HashMap<String, (u64, u64)>;

fn sum(sums: &mut Sums, user: Option<&str>, requests: u64, usage: Usage) {
    for key in std::iter::once(key_of(None)).chain(user.map(|user| key_of(Some(user)))) {
        let (all_requests, tokens) = sums.entry(key).or_default();
        *all_requests = all_requests.saturating_add(requests);
        *tokens = tokens.saturating_add(usage.total());
    }
}

fn key_of(user: Option<&str>) -> String {
    match user {
        Some(user) => key(&["user", user]),
        None => key(&["all"]),
    }
}

fn user_of(record: &Record) -> Option<&str> {
    record.payload.get("user").and_then(Value::as_str)
}

pub(crate) fn is_answered(record: &Record) -> bool {
    record.reply.as_ref().is_some_and(|reply| reply.success)
}

/// Batches of workers that died.
#[derive(Debug, Default)]
pub(crate) struct Batches(HashMap<Batch, Sums>);

impl Batches {
    /// Adds a request to the batch that it was noted for.
    pub(crate) fn add(&mut self, batch: &Batch, record: &Record) {
        sum(self.0.entry(batch.clone()).or_default(), user_of(record), 1, record.usage);
    }
}

/// What is not in the state yet.
#[derive(Default)]
struct Pending {
    /// Requests without a record, and what could not be added, by day.
    sums: HashMap<u64, Sums>,
    /// Chats whose replies were sent, each still ours.
    chats: Vec<Claim>,
    /// The number of the last batch.
    number: u64,
}

/// Requests and tokens that are not in the state yet.
#[derive(Default)]
pub(crate) struct Meter(Mutex<Pending>);

impl Meter {
    fn waiting(&self) -> std::sync::MutexGuard<'_, Pending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one answered request that has no record.
    pub(crate) fn count(&self, user: Option<&str>, usage: Usage, now_ms: u64) {
        sum(self.waiting().sums.entry(now_ms / DAY_MS).or_default(), user, 1, usage);
    }

    /// Counts a chat whose reply was sent, where that was an answer.
    pub(crate) fn add(&self, chat: Claim) {
        if is_answered(&chat.record) {
            self.add_unmarked(chat);
        }
    }

    /// The same for one whose record does not say yet that it was sent: that is written with the next batch.
    pub(crate) fn add_unmarked(&self, chat: Claim) {
        self.waiting().chats.push(chat);
    }

    /// Adds what waits to the state, and returns whether that was anything; what cannot be added waits on.
    pub(crate) async fn flush(&self, state: &dyn StateStore, worker: &str, now_ms: u64) -> Result<bool, Failure> {
        let (mut waiting, chats, number) = {
            let mut waiting = self.waiting();
            let taken = (std::mem::take(&mut waiting.sums), std::mem::take(&mut waiting.chats));
            if taken.0.is_empty() && taken.1.is_empty() {
                return Ok(false);
            }
            // A day's rest from before midnight is a batch of its own.
            waiting.number += 1 + taken.0.len() as u64;
            (taken.0, taken.1, waiting.number)
        };
        let day = now_ms / DAY_MS;
        let batch = Batch { worker: worker.to_owned(), number, day };
        let today = waiting.remove(&day).unwrap_or_default();
        let mut result = Ok(true);
        for (at, (day, sums)) in (1_u64..).zip(waiting) {
            let earlier = Batch { number: number.saturating_sub(at), day, ..batch.clone() };
            result = self.write(state, &earlier, sums).await.and(result);
        }
        let mut sums = today;
        for mut chat in chats {
            let counts = is_answered(&chat.record);
            chat.record.counted = counts.then(|| batch.clone());
            match chat.save(state).await {
                Ok(()) if !counts => {}
                Ok(()) => sum(&mut sums, user_of(&chat.record), 1, chat.record.usage),
                // The worker that took it over counts it.
                Err(Failure::Lost(_)) => {}
                Err(failure) => {
                    chat.record.counted = None;
                    self.waiting().chats.push(chat);
                    result = Err(failure);
                }
            }
        }
        self.write(state, &batch, sums).await.and(result)
    }

    /// Adds a batch to each of its counts; what cannot be added waits on.
    async fn write(&self, state: &dyn StateStore, batch: &Batch, sums: Sums) -> Result<bool, Failure> {
        let mut result = Ok(true);
        for (key, (requests, tokens)) in sums {
            let added = change(state, Bucket::Usage, &key, |counts: &mut Counts| {
                counts.add_batch(batch, requests, tokens);
                Ok(())
            });
            if let Err(failure) = added.await {
                let mut waiting = self.waiting();
                let (all_requests, all_tokens) = waiting.sums.entry(batch.day).or_default().entry(key).or_default();
                *all_requests = all_requests.saturating_add(requests);
                *all_tokens = all_tokens.saturating_add(tokens);
                result = Err(failure);
            }
        }
        result
    }

    /// Adds batches of workers that died, in the order in which those would have; nothing is written where all are there.
    pub(crate) async fn apply(&self, state: &dyn StateStore, batches: Batches) -> Result<(), Failure> {
        let mut by_key: HashMap<String, Vec<(&Batch, u64, u64)>> = HashMap::new();
        for (batch, sums) in &batches.0 {
            for (key, (requests, tokens)) in sums {
                by_key.entry(key.clone()).or_default().push((batch, *requests, *tokens));
            }
        }
        for (key, mut batches) in by_key {
            let (counts, _) = read::<Counts>(state, Bucket::Usage, &key).await?;
            batches.retain(|(batch, ..)| !counts.has(batch));
            batches.sort_by_key(|(batch, ..)| batch.number);
            if batches.is_empty() {
                continue;
            }
            let added = change(state, Bucket::Usage, &key, |counts: &mut Counts| {
                for (batch, requests, tokens) in &batches {
                    counts.add_batch(batch, *requests, *tokens);
                }
                Ok(())
            });
            added.await?;
        }
        Ok(())
    }

    /// Returns the counts of a user, or of all together, with what waits here.
    pub(crate) async fn counts(
        &self,
        state: &dyn StateStore,
        user: Option<&str>,
        now_ms: u64,
    ) -> Result<Counts, Failure> {
        let (key, day) = (key_of(user), now_ms / DAY_MS);
        let (mut counts, _) = read::<Counts>(state, Bucket::Usage, &key).await?;
        counts.add(day, 0, 0);
        let waiting = self.waiting();
        for (day, sums) in &waiting.sums {
            let (requests, tokens) = sums.get(&key).copied().unwrap_or_default();
            counts.add(*day, requests, tokens);
        }
        let mut chats = Sums::default();
        let answered = waiting.chats.iter().filter(|chat| is_answered(&chat.record));
        answered.for_each(|chat| sum(&mut chats, user_of(&chat.record), 1, chat.record.usage));
        let (requests, tokens) = chats.get(&key).copied().unwrap_or_default();
        counts.add(day, requests, tokens);
        Ok(counts)
    }
}
