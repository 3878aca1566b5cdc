//! What the launcher tells its caller when a run has ended: a file of lines, written once.

use std::fs;
use std::io;
use std::path::Path;

/// Host names that are noted of one run.
pub(crate) const MOST_NAMES: usize = 64;

/// Why a run was ended by its launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Its layer grew over its limit.
    LayerFull,
}

/// How a run ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Exit code of the command, where it exited.
    pub code: Option<i32>,
    /// Signal that ended the command, where one did.
    pub signal: Option<i32>,
    /// Why the launcher ended it, where it did.
    pub ended: Option<Ended>,
    /// What could not be set up, where that is why the command did not run.
    pub failed: Option<String>,
    /// Names of hosts that it asked for and was not told of; at most 64.
    pub names: Vec<String>,
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// When there is none, as after a KILL of the launcher.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut report = Self::default();
        for line in fs::read_to_string(path)?.lines() {
            match line.split_once(' ') {
                Some(("code", code)) => report.code = code.parse().ok(),
                Some(("signal", signal)) => report.signal = signal.parse().ok(),
                Some(("ended", "layer-full")) => report.ended = Some(Ended::LayerFull),
                Some(("failed", why)) => report.failed = Some(why.to_owned()),
                Some(("name", name)) if report.names.len() < MOST_NAMES => report.names.push(name.to_owned()),
                _ => {}
            }
        }
        Ok(report)
    }

    /// Writes it.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut lines = Vec::new();
        lines.extend(self.code.map(|code| format!("code {code}")));
        lines.extend(self.signal.map(|signal| format!("signal {signal}")));
        lines.extend(self.ended.map(|Ended::LayerFull| "ended layer-full".to_owned()));
        lines.extend(self.failed.as_ref().map(|why| format!("failed {}", why.replace('\n', " "))));
        lines.extend(self.names.iter().take(MOST_NAMES).map(|name| format!("name {name}")));
        fs::write(path, lines.join("\n") + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        let report = Report {
            code: Some(3),
            signal: Some(9),
            ended: Some(Ended::LayerFull),
            failed: Some("the overlay: no space".to_owned()),
            names: vec!["example.org".to_owned()],
        };
        report.write(&path).unwrap();
        assert_eq!(Report::read(&path).unwrap(), report);
        assert!(Report::read(&folder.path().join("none")).is_err());
    }
}
