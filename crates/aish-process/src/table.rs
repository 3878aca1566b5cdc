//! The process table, as `/proc` shows it.

use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::process::{Pid, RawPid, getpid};

/// The number of a process; positive.
pub(crate) fn number(pid: Pid) -> RawPid {
    pid.as_raw_nonzero().get()
}

/// One line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) pid: Pid,
    pub(crate) state: u8,
    pub(crate) parent: RawPid,
    pub(crate) group: RawPid,
    pub(crate) session: RawPid,
    /// Clock ticks since boot; with the pid it names a process for good.
    pub(crate) started: u64,
    /// It ignores that its terminal hangs up, as what `nohup` starts does.
    pub(crate) ignores_hangup: bool,
    /// It is in the middle of its `execve` (or has ended): its environment is not in place.
    pub(crate) is_bare: bool,
}

impl Stat {
    /// Reads `/proc/PID/stat`; `None` when there is no such process any more.
    pub(crate) fn read(pid: Pid) -> Option<Self> {
        let line = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        Self::parse(pid, &line)
    }

    /// Parses a line of proc_pid_stat(5). The name in parentheses may hold anything, parentheses too.
    fn parse(pid: Pid, line: &[u8]) -> Option<Self> {
        let name_end = line.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(line.get(name_end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let started = fields.nth(15)?.parse().ok()?;
        // A bit for each signal, from 1 on.
        let ignored: u64 = fields.nth(10)?.parse().ok()?;
        let ignores_hangup = ignored & 1 != 0;
        // `env_end`, the last thing that `execve` sets.
        let is_bare = fields.nth(17) == Some("0");
        Some(Self { pid, state, parent, group, session, started, ignores_hangup, is_bare })
    }

    /// Returns whether the process has ended and only waits for its parent.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }
}

/// Reads the whole table; processes that end meanwhile are missing.
pub(crate) fn all() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .filter_map(Stat::read)
        .collect()
}

/// Lists the children of this process that the kernel gave to its main thread: orphans of its descendants, and what
/// the main thread itself started. `None` where the kernel does not say.
pub(crate) fn adopted() -> Option<Vec<Pid>> {
    let own = getpid().as_raw_nonzero();
    let list = fs::read_to_string(format!("/proc/self/task/{own}/children")).ok()?;
    Some(list.split_ascii_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect())
}

/// Returns whether a living process was started with this variable and value; `None` in the middle of its `execve`, when
/// it shows no environment.
pub(crate) fn environment_has(pid: Pid, name: &str, value: &str) -> Option<bool> {
    let read = || fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()));
    let Ok(mut environment) = read() else { return Some(false) };
    if environment.is_empty() {
        if Stat::read(pid).is_some_and(|stat| stat.is_bare) {
            return None;
        }
        // It may have come between the two looks.
        environment = read().unwrap_or_default();
    }
    Some(environment.split(|byte| *byte == 0).any(|entry| {
        entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")) == Some(value.as_bytes())
    }))
}

/// How long an `execve` is waited for; one that takes longer is of a process that is stuck.
const EXECVE: Duration = Duration::from_millis(500);

/// Says the same once the process is through its `execve`. Blocks.
pub(crate) fn settled_environment_has(pid: Pid, name: &str, value: &str) -> bool {
    let since = Instant::now();
    loop {
        if let Some(has) = environment_has(pid, name, value) {
            return has;
        }
        // An ended process shows none, too.
        if since.elapsed() > EXECVE || Stat::read(pid).is_none_or(|stat| stat.is_dead()) {
            return false;
        }
        thread::sleep(Duration::from_micros(500));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_blanks_does_not_shift_the_fields() {
        let pid = Pid::from_raw(42).unwrap();
        let rest: String = (25..=50).map(|field| format!(" {field}")).collect();
        let front = "42 (a) S 1 (b) Z 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 9 9";
        let stat = Stat::parse(pid, format!("{front}{rest} 51 0").as_bytes()).unwrap();
        let expected = Stat {
            pid,
            state: b'Z',
            parent: 7,
            group: 8,
            session: 9,
            started: 12345,
            ignores_hangup: true,
            is_bare: false,
        };
        assert_eq!(stat, expected);
        let bare = Stat::parse(pid, format!("{front}{rest} 0 0").as_bytes()).unwrap();
        assert!(bare.is_bare);
        assert!(stat.is_dead());
        assert_eq!(Stat::parse(pid, b"42 (a"), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = getpid();
        let found = all().into_iter().find(|stat| stat.pid == own).unwrap();
        assert_eq!(Stat::read(own).unwrap().started, found.started);
        assert!(!found.is_dead());
    }
}
