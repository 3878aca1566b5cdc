//! Requests whose worker died: found by a beat that stands still, taken over, answered.
//!
//! No clock of another machine is believed: a worker is dead when its beat has not changed for a while by our own clock.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::service::accepted::{self, Claim, Phase, Record};
use crate::service::keyed::change;
use crate::service::reply::Failure;
use crate::service::usage::{Batches, is_answered};
use crate::service::{Answered, Service};
use crate::state::Bucket;

/// How long a beat may stand still.
const LEASE: Duration = Duration::from_secs(4);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Beat {
    count: u64,
}

/// What one worker has seen of the others' beats. One task owns it.
#[derive(Debug, Default)]
pub struct Watch {
    seen: HashMap<String, LastBeat>,
    looked: bool,
    /// The last look met a fault before it had seen everything.
    unfinished: bool,
}

#[derive(Debug)]
struct LastBeat {
    revision: u64,
    since: Duration,
    handled: bool,
}

/// A request that was taken over and not yet gone on with.
pub struct Orphan(Claim);

impl Service {
    /// Says that this worker lives; called about once a second.
    pub async fn beat(&self) {
        let beaten = change(&*self.state, Bucket::Workers, &self.worker, |beat: &mut Beat| {
            beat.count += 1;
            Ok(())
        });
        if let Err(failure) = beaten.await {
            tracing::warn!(error = %failure, "the beat of this worker cannot be written");
        }
    }

    /// Takes the requests of workers that died over; each is to be gone on with. Called about once a second after
    /// [`Service::beat`].
    pub async fn recover(&self, watch: &mut Watch) -> Vec<Orphan> {
        // What was taken before a fault is gone on with; the rest is looked at again.
        let mut taken = Vec::new();
        if let Err(failure) = self.try_recover(watch, &mut taken).await {
            tracing::warn!(error = %failure, "the requests of other workers cannot be looked at now");
            watch.unfinished = true;
        }
        taken
    }

    /// Has a request looked at again whose reply was not sent.
    pub fn put_off(&self, answered: Answered) {
        drop(answered);
        self.open.put_off();
    }

    /// Goes on with a request from its last finished step; the reply goes to `Answered::reply_to`. None when it cannot be
    /// gone on with now, or another worker has taken it over meanwhile.
    pub async fn go_on(&self, recovered: Orphan, cancel: &CancellationToken) -> Option<Answered> {
        self.work(recovered.0, cancel).await.ok()
    }

    async fn try_recover(&self, watch: &mut Watch, taken: &mut Vec<Orphan>) -> Result<(), Failure> {
        let now = self.clock.monotonic();
        for worker in self.state.keys(Bucket::Workers).await? {
            let Some(stored) = self.state.get(Bucket::Workers, &worker).await? else { continue };
            let fresh = LastBeat { revision: stored.revision, since: now, handled: false };
            let seen = watch.seen.entry(worker).or_insert(fresh);
            if seen.revision != stored.revision {
                *seen = LastBeat { revision: stored.revision, since: now, handled: false };
            }
        }
        let is_dead = |seen: &LastBeat| now.saturating_sub(seen.since) > LEASE;
        let newly_dead = watch.seen.values().any(|seen| is_dead(seen) && !seen.handled);
        // Once after the start everything is looked at: all workers may have died before this one came.
        let first = !watch.looked && now.saturating_sub(self.started) > LEASE;
        let again = std::mem::take(&mut watch.unfinished) | self.open.take_put_off();
        if !newly_dead && !first && !again {
            return Ok(());
        }
        watch.looked |= first;
        for seen in watch.seen.values_mut().filter(|seen| is_dead(seen)) {
            seen.handled = true;
        }
        let lives = |worker: &str| watch.seen.get(worker).is_some_and(|seen| !is_dead(seen));
        let mut batches = Batches::default();
        for key in self.state.keys(Bucket::Requests).await? {
            let Some((record, revision)) = accepted::load(&*self.state, &key).await? else { continue };
            let is_at_work =
                if record.worker == self.worker { self.open.contains(&key) } else { lives(&record.worker) };
            if is_at_work || record.phase == Phase::Sent && record.worker == self.worker {
                continue;
            }
            if record.phase == Phase::Sent {
                self.recount(&mut batches, key, record, revision).await?;
                continue;
            }
            let held = accepted::take_over(&*self.state, self.open.begin(&key), record, revision, &self.worker).await?;
            if let Some(held) = held {
                tracing::info!(key, "a request of a worker that died is taken over");
                taken.push(Orphan(held));
            }
        }
        self.meter.apply(&*self.state, batches).await
    }

    /// Has a request counted that a worker answered which died: with the batch that it was noted for, which is added once,
    /// or else with one of ours.
    async fn recount(&self, batches: &mut Batches, key: String, record: Record, revision: u64) -> Result<(), Failure> {
        match &record.counted {
            Some(batch) => batches.add(batch, &record),
            None if !is_answered(&record) => {}
            None => {
                let open = self.open.begin(&key);
                let held = accepted::take_over(&*self.state, open, record, revision, &self.worker).await?;
                held.into_iter().for_each(|held| self.meter.add(held));
            }
        }
        Ok(())
    }
}
