//! Being stopped from outside, as `kill -TSTP` does: terminals have their own modes while this process is stopped.

use std::{fs, io};

use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::changed_modes::{reapply_all, restore_all};

/// Stops this process at SIGTSTP, and goes on with it at SIGCONT. `pause` and `resume` give a terminal back and take it
/// again that is not ours. Needs a tokio runtime with I/O; the task goes on until it is aborted.
///
/// Where nobody would continue it nothing is stopped, as POSIX has it for orphaned process groups: no process of the group has
/// a parent in another group of the session, as the jobs of a shell with job control have.
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

/// Stops this process as Ctrl-Z would, in [`follow_stops`] where that runs. False where nobody would continue it.
pub(crate) fn stop_this_process() -> bool {
    !is_orphaned() && kill_process(getpid(), Signal::TSTP).is_ok()
}

/// Says whether the kernel takes this process's group for orphaned, and so would not stop it at the terminal's Ctrl-Z.
fn is_orphaned() -> bool {
    let own = getpid().as_raw_nonzero().get();
    let Some(me) = Kin::of(own) else { return true };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut group = ids.filter_map(Kin::of).filter(|process| process.group == me.group);
    // Somebody who could continue it stands above one of the group, beside it, in the same session.
    !group.any(|process| {
        Kin::of(process.parent).is_some_and(|parent| parent.session == me.session && parent.group != me.group)
    })
}

/// How a process stands to others.
struct Kin {
    parent: i32,
    group: i32,
    session: i32,
}

impl Kin {
    fn of(process: i32) -> Option<Self> {
        let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name before it may hold anything.
        let (_, rest) = line.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace().skip(1).map_while(|field| field.parse().ok());
        Some(Self { parent: fields.next()?, group: fields.next()?, session: fields.next()? })
    }
}
