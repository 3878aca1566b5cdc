//! The tree of processes that came of one command, and its end.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal, test_kill_process_group,
};

use crate::registry;
use crate::table::{self, Stat, number, settled_environment_has};

/// The variable that marks every descendant of a command, also one that left its session and lost its parents.
pub(crate) const TAG: &str = "AISH_PROCESS_TAG";

/// How long KILL may take to be obeyed before the rest is given up (a process in an uninterruptible wait).
const KILL_LIMIT: Duration = Duration::from_secs(1);

/// The descendants of one child of ours.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// The child; leader of its session and of its first process group.
    pub(crate) root: Pid,
    /// The value of [`TAG`] in its environment; `None` when descendants that left its session are left alone.
    pub(crate) tag: Option<String>,
    /// Whether the child itself was waited for, so that its number may be another's by now.
    pub(crate) reaped: bool,
}

impl Tree {
    /// Lists the living members: the session and group of the root, their descendants, and adopted orphans with the tag; where
    /// descendants may leave, without those that ignore HUP.
    pub(crate) fn members(&self) -> Vec<Stat> {
        let table = table::all();
        let root = number(self.root);
        let own = number(getpid());
        let direct = registry::lock().clone();
        let taken_by_another = self.reaped && direct.contains_key(&root);
        let mut found = BTreeSet::new();
        for stat in &table {
            let related = !taken_by_another && (stat.session == root || stat.group == root || stat.pid == self.root);
            let orphan = || {
                stat.parent == own
                    && !stat.is_dead()
                    && !direct.contains_key(&number(stat.pid))
                    && self.tag.as_ref().is_some_and(|tag| settled_environment_has(stat.pid, TAG, tag))
            };
            if related || orphan() {
                found.insert(number(stat.pid));
            }
        }
        loop {
            let before = found.len();
            let children = table.iter().filter(|stat| found.contains(&stat.parent));
            let children: Vec<_> = children.map(|stat| number(stat.pid)).collect();
            found.extend(children);
            if found.len() == before {
                break;
            }
        }
        // Whoever is left alone when it leaves the session is so too when it was told not to mind the session's end.
        let stays = |stat: &Stat| self.tag.is_none() && stat.ignores_hangup && stat.pid != self.root;
        table.into_iter().filter(|s| found.contains(&number(s.pid)) && !s.is_dead() && !stays(s)).collect()
    }

    /// Says, for a reaped root, whether anything of the tree may still live; costs two system calls when nothing does.
    pub(crate) fn may_have_leftovers(&self) -> bool {
        match &self.tag {
            Some(tag) => {
                test_kill_process_group(self.root).is_ok()
                    || registry::leftovers(Some(tag)).is_none_or(|found| !found.is_empty())
            }
            // The session's other groups are only found by looking.
            None => true,
        }
    }

    /// Sends a signal to every member and returns how many there were.
    pub(crate) fn signal(&self, signal: Signal) -> usize {
        // The group first: it is one call, and no member can fork its way out of it.
        let told = !self.reaped && kill_process_group(self.root, signal).is_ok();
        let members = self.members();
        for member in &members {
            // Told twice, a program would clean up twice.
            if signal != Signal::TERM || !told || member.group != number(self.root) {
                signal_exactly(member, signal);
            }
            if signal == Signal::TERM {
                // A stopped process takes no other signal until it goes on.
                signal_exactly(member, Signal::CONT);
            }
        }
        members.len()
    }

    /// Sends KILL until no member is left, as members may have forked between the look and the signal.
    pub(crate) fn kill_until_gone(&self) {
        let since = Instant::now();
        let mut pause = Duration::from_micros(200);
        while self.signal(Signal::KILL) > 0 {
            if since.elapsed() > KILL_LIMIT {
                tracing::warn!(root = %self.root.as_raw_nonzero(), "processes of a command do not die");
                return;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Sends TERM, waits up to `grace` for the members to go, then sends KILL. Blocks.
    pub(crate) fn end(&self, grace: Duration) {
        let since = Instant::now();
        let mut pause = Duration::from_millis(1);
        let mut left = self.signal(Signal::TERM);
        while left > 0 && since.elapsed() < grace {
            thread::sleep(pause.min(grace));
            pause = (pause * 2).min(Duration::from_millis(25));
            left = self.members().len();
        }
        if left > 0 {
            self.kill_until_gone();
        }
        registry::reap_orphans();
    }
}

/// Signals a process unless its number has gone to another since it was seen.
fn signal_exactly(seen: &Stat, signal: Signal) {
    let Ok(pidfd) = pidfd_open(seen.pid, PidfdFlags::empty()) else { return };
    if Stat::read(seen.pid).is_some_and(|now| now.started == seen.started) {
        let _ = pidfd_send_signal(&pidfd, signal);
    }
}
