//! How the servers of running gateways do, in a file a process, for `climax status`.

use std::path::{Path, PathBuf};

use aish_journal::WallClock;
use serde::{Deserialize, Serialize};

use super::health::ServerRow;

/// Bytes that a file may have.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A process that serves MCP servers, and how these do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunningGateway {
    /// Its process id.
    pub pid: u32,
    /// When the process was started, in clock ticks since the machine was: an id may be given out again.
    started: u64,
    /// When this was written, in milliseconds since 1970.
    pub written_ms: i64,
    /// Its servers.
    pub servers: Vec<ServerRow>,
}

/// The file of this process; it goes with it.
pub(crate) struct StatusFile {
    path: PathBuf,
    clock: WallClock,
    last: Vec<ServerRow>,
}

impl StatusFile {
    /// Names the file of this process below the folder for state.
    pub(crate) fn new(state: &Path) -> Self {
        let path = folder(state).join(format!("{}.json", std::process::id()));
        Self { path, clock: WallClock::default(), last: Vec::new() }
    }

    /// Writes the rows, where they are not what they were.
    pub(crate) fn write(&mut self, rows: Vec<ServerRow>) {
        if rows == self.last {
            return;
        }
        let pid = std::process::id();
        let running = RunningGateway {
            pid,
            started: started(pid).unwrap_or_default(),
            written_ms: self.clock.millis(),
            servers: rows.clone(),
        };
        if let Ok(bytes) = serde_json::to_vec(&running)
            && let Err(error) = aish_journal::replace(&self.path, &bytes)
        {
            tracing::debug!(%error, "the status cannot be written");
        }
        self.last = rows;
    }
}

impl Drop for StatusFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn folder(state: &Path) -> PathBuf {
    state.join("running")
}

/// Returns the gateways that run, and takes files away that ended processes left.
pub fn running(state: &Path) -> Vec<RunningGateway> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder(state)).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_small = entry.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
        let is_ours = path.extension().is_some_and(|ending| ending == "json");
        let text = if is_small && is_ours { std::fs::read(&path).unwrap_or_default() } else { continue };
        let Ok(gateway) = serde_json::from_slice::<RunningGateway>(&text) else { continue };
        if started(gateway.pid) == Some(gateway.started) {
            out.push(gateway);
        } else {
            let _ = std::fs::remove_file(&path);
        }
    }
    out.sort_by_key(|gateway| gateway.pid);
    out
}

/// Reads when a process was started (proc_pid_stat(5), field 22); none where there is no such process.
fn started(pid: u32) -> Option<u64> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = line.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_ended_process_left_is_taken_away() {
        let state = tempfile::tempdir().unwrap();
        let mut file = StatusFile::new(state.path());
        assert_eq!(running(state.path()), []);
        file.write(Vec::new());
        assert_eq!(running(state.path()), [], "nothing has changed");
        let row = ServerRow {
            server: "notes".into(),
            state: super::super::health::ServerHealth::Ready,
            reached: "npx notes".into(),
            era: None,
            protocol: None,
            tools: 3,
            listed_ms: None,
            last_error: None,
            starts: 1,
            calls: 0,
            p50_ms: None,
            p95_ms: None,
        };
        file.write(vec![row]);
        let mut there = running(state.path());
        assert_eq!((there.len(), there[0].pid), (1, std::process::id()));
        // A process with that id was started at another time.
        there[0].started += 1;
        std::fs::write(&file.path, serde_json::to_vec(&there[0]).unwrap()).unwrap();
        assert_eq!(running(state.path()), []);
        assert!(!file.path.exists());
    }
}
