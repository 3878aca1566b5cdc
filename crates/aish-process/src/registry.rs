//! The children of this process that are ours to wait for.
//!
//! Children belong to a process, not to a value: adoption of orphans and `waitpid` are process-wide. So there is one
//! list a process, under one lock that is held for a few microseconds.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, RawPid, Signal, WaitOptions, getpid, waitpid};

use crate::table::{Stat, adopted, environment_has, number};
use crate::tree::{TAG, Tree};

static LIVE: Mutex<BTreeMap<RawPid, Option<String>>> = Mutex::new(BTreeMap::new());

/// Locks the list; a panic of another holder leaves it usable.
pub(crate) fn lock() -> MutexGuard<'static, BTreeMap<RawPid, Option<String>>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a child off the list once it is reaped.
pub(crate) fn forget(pid: Pid) {
    lock().remove(&number(pid));
}

/// Kills the trees of all children at once, without grace; for the very end of the program.
///
/// A second or less; what is still being ended after a drop is killed too.
pub fn kill_all() {
    let trees: Vec<Tree> = lock()
        .iter()
        .filter_map(|(root, tag)| Some(Tree { root: Pid::from_raw(*root)?, tag: tag.clone(), reaped: false }))
        .collect();
    for tree in &trees {
        tree.signal(Signal::KILL);
    }
    for tree in &trees {
        tree.kill_until_gone();
    }
}

/// Reaps orphans that were handed to this process (it is their subreaper) and have ended.
///
/// An orphan is told from a child of ours that somebody else waits for by its session, which is never ours.
pub fn reap_orphans() {
    let _ = leftovers(None);
}

/// Reaps ended orphans, and returns the living ones that carry the tag, or may, as they are in the middle of their
/// `execve`; `None` where the kernel does not list them.
pub(crate) fn leftovers(tag: Option<&str>) -> Option<Vec<Stat>> {
    let children = adopted()?;
    if children.is_empty() {
        return Some(Vec::new());
    }
    let live = lock();
    // Not getsid(2): the session's leader may be outside this PID namespace, and its number 0.
    let own_session = Stat::read(getpid()).map(|stat| stat.session);
    let mut found = Vec::new();
    for pid in children {
        if live.contains_key(&number(pid)) {
            continue;
        }
        let Some(stat) = Stat::read(pid) else { continue };
        if stat.is_dead() {
            if Some(stat.session) != own_session {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        } else if tag.is_some_and(|tag| environment_has(pid, TAG, tag) != Some(false)) {
            found.push(stat);
        }
    }
    Some(found)
}

/// Makes this process the reaper of its descendants' orphans.
pub(crate) fn become_subreaper() {
    if let Err(error) = rustix::process::set_child_subreaper(Some(getpid())) {
        tracing::warn!(%error, "orphans of commands cannot be adopted");
    }
}
