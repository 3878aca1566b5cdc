//! How full a layer is, while its command runs.

use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::deep::size;
use crate::open_files;
use crate::plan::Plan;

/// Bytes that the file system may lose before the layer itself is counted.
const UNSEEN_BYTES: u64 = 64 << 20;

/// Entries that it may lose.
const UNSEEN_ENTRIES: u64 = 65_536;

/// Entries of a layer; past them it is as full as past its bytes.
const MOST_ENTRIES: u64 = 2_000_000;

/// A count takes at most this part of the time.
const PART: u32 = 20;

/// Looks at a layer again and again. The file system's own count is one call, but others write and delete there too; so the
/// layer is counted when that has moved, and every now and then: what has a name in it, and what is open without one.
pub(crate) struct Meter {
    free: Option<(u64, u64)>,
    next: Instant,
}

impl Meter {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self { free: free(plan), next: Instant::now() + Duration::from_secs(1) }
    }

    /// Says whether the layer has grown over its limit. `first` is the first process of the run.
    pub(crate) fn is_full(&mut self, plan: &Plan, first: Pid) -> bool {
        let now = free(plan);
        let lost = self.free.zip(now).is_some_and(|(before, now)| {
            before.0.saturating_sub(now.0) > UNSEEN_BYTES || before.1.saturating_sub(now.1) > UNSEEN_ENTRIES
        });
        let start = Instant::now();
        if !lost && start < self.next {
            return false;
        }
        self.free = now;
        let (mut bytes, mut entries) = (open_files::deleted(first), 0_u64);
        for root in &plan.roots {
            let (of_root, in_root) = size(&root.upper);
            bytes = bytes.saturating_add(of_root);
            entries = entries.saturating_add(in_root);
        }
        self.next = Instant::now() + (start.elapsed() * PART).max(Duration::from_secs(1));
        bytes > plan.limits.layer_bytes || entries > MOST_ENTRIES
    }
}

/// Returns the bytes and entries that the file system of the layer has left.
fn free(plan: &Plan) -> Option<(u64, u64)> {
    let stat = rustix::fs::statvfs(&plan.roots.first()?.upper).ok()?;
    Some((stat.f_bavail.saturating_mul(stat.f_frsize), stat.f_favail))
}
