//! Being stopped from outside, as `kill -TSTP` does: terminals have their own modes while this process is stopped.

use std::{fs, io};

use rustix::process::{Pid, Signal, getpid, getppid, kill_process};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::changed_modes::{reapply_all, restore_all};

/// Stops this process at SIGTSTP, and goes on with it at SIGCONT. `pause` and `resume` give a terminal back and take it
/// again that is not ours. Needs a tokio runtime with I/O; the task goes on until it is aborted.
///
/// Where nobody would continue it (the parent is in another session) nothing is stopped, as POSIX has it for orphaned
/// process groups.
///
/// # Errors
/// When the signal cannot be watched.
pub fn follow_stops(
    pause: impl Fn() + Send + 'static,
    resume: impl Fn() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let mut stops = signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?;
    Ok(tokio::spawn(async move {
        while stops.recv().await.is_some() {
            if is_orphaned() {
                continue;
            }
            pause();
            restore_all();
            let _ = kill_process(getpid(), Signal::STOP);
            // Continued.
            reapply_all();
            resume();
        }
    }))
}

fn is_orphaned() -> bool {
    let session = |pid: Pid| {
        let line = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        // The name before it may hold anything.
        let (_, rest) = line.rsplit_once(')')?;
        rest.split_ascii_whitespace().nth(3).map(str::to_owned)
    };
    match getppid().map(session) {
        Some(Some(parents)) => session(getpid()).is_none_or(|own| own != parents),
        Some(None) | None => true,
    }
}
