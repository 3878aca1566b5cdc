//! What a server's processes are doing: whether one that says nothing is still at work.

use std::fs;

/// The most processes that are looked at.
const MOST: usize = 64;

/// What a process and its descendants have done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Activity {
    /// Clock ticks of processor time.
    pub(super) ticks: u64,
    /// Whether a thread runs, or waits for a disk.
    pub(super) busy: bool,
}

impl Activity {
    /// Reads it off the process table; all nothing where that cannot be read.
    pub(super) fn of(pid: u32) -> Self {
        let mut activity = Self::default();
        let mut queue = vec![pid];
        let mut seen = 0;
        while let Some(pid) = queue.pop() {
            seen += 1;
            if seen > MOST {
                break;
            }
            if let Some((_, ticks)) = stat(&format!("/proc/{pid}/stat")) {
                activity.ticks += ticks;
            }
            for thread in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
                let path = thread.path();
                let state = stat(&path.join("stat").to_string_lossy()).map(|(state, _)| state);
                activity.busy |= matches!(state, Some(b'R' | b'D'));
                let children = fs::read_to_string(path.join("children")).unwrap_or_default();
                queue.extend(children.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
            }
        }
        activity
    }
}

/// Reads the state and the ticks of a process or thread, its ended children included (proc_pid_stat(5)).
fn stat(path: &str) -> Option<(u8, u64)> {
    let line = fs::read_to_string(path).ok()?;
    let (_, fields) = line.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let ticks = fields.skip(10).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    Some((state, ticks))
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    struct Ended(Child);

    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn a_sleeping_process_is_idle_and_a_spinning_one_is_busy() {
        let idle = Ended(Command::new("sleep").arg("100").spawn().unwrap());
        let busy = Ended(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap());
        let eventually = |pid: u32, wanted: fn(Activity) -> bool| {
            (0..1000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                wanted(Activity::of(pid))
            })
        };
        assert!(eventually(idle.0.id(), |activity| !activity.busy && activity.ticks < 10));
        assert!(eventually(busy.0.id(), |activity| activity.busy && activity.ticks > 5));
        assert_eq!(Activity::of(u32::MAX - 1), Activity::default());
    }
}
