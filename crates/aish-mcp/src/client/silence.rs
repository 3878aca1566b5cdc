//! A server that says nothing: still at work, or stuck.
//!
//! One that has taken what was asked and whose processes do nothing is stuck. One that has not taken it yet is
//! starting, as long as it does something, or has done something: a package that is being fetched waits for the network.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use tokio::time::Instant;

use super::activity::Activity;

/// Processor time after which a program that does nothing may be waiting for something, in clock ticks of 10 ms.
const LOADED: u64 = 10;
/// What a server is given between the end of its input and TERM.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Watches one server's silence.
pub(super) struct Silence {
    pid: u32,
    /// Our end of its input, to see whether it was read.
    input: Option<OwnedFd>,
    stuck_after: Option<Duration>,
    since: Instant,
    ticks: u64,
    given_up: bool,
}

impl Silence {
    /// How often it is looked at.
    pub(super) const LOOK: Duration = Duration::from_millis(100);

    /// Watches the server with this process id.
    pub(super) fn new(pid: u32, input: &impl AsFd, stuck_after: Option<Duration>) -> Self {
        let input = input.as_fd().try_clone_to_owned().ok();
        Self { pid, input, stuck_after, since: Instant::now(), ticks: 0, given_up: false }
    }

    /// Returns whether a time is set after which it is stuck.
    pub(super) fn is_watched(&self) -> bool {
        self.stuck_after.is_some() && !self.given_up
    }

    /// Notes that something was asked.
    pub(super) fn asked(&mut self) {
        self.since = Instant::now();
    }

    /// Notes that it sent a message.
    pub(super) fn heard(&mut self) {
        self.since = Instant::now();
    }

    /// Returns whether it has not yet taken what it was asked, and may still do so.
    pub(super) fn is_starting(&mut self) -> bool {
        !self.has_read() && (self.stuck_after.is_none() || self.is_active() || self.ticks > LOADED)
    }

    /// Returns whether it has been silent and idle for too long.
    pub(super) fn is_stuck(&mut self) -> bool {
        let Some(limit) = self.stuck_after else { return false };
        if self.is_active() {
            self.since = Instant::now();
        }
        self.since.elapsed() >= limit && (self.has_read() || self.ticks <= LOADED)
    }

    /// Returns whether it has taken what it was asked, and does nothing at this moment.
    pub(super) fn is_idle(&mut self) -> bool {
        self.has_read() && !self.is_active()
    }

    /// Notes that nothing more is expected of it.
    pub(super) fn give_up(&mut self) {
        self.given_up = true;
    }

    /// Lets go of its input.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// How long it may take to end by itself.
    pub(super) fn patience(&self) -> Duration {
        if self.given_up { Duration::ZERO } else { PATIENCE }
    }

    /// Returns whether it has taken what it was asked.
    pub(super) fn has_read(&self) -> bool {
        self.input.as_ref().and_then(|input| rustix::io::ioctl_fionread(input).ok()).is_none_or(|unread| unread == 0)
    }

    fn is_active(&mut self) -> bool {
        let now = Activity::of(self.pid);
        let worked = now.ticks > self.ticks;
        self.ticks = self.ticks.max(now.ticks);
        worked || now.busy
    }
}
