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

    /// Takes in what the first process inside has said so far, in whole lines, and says whether that tells how it ended.
    pub(crate) fn hear(&mut self, said: &[u8]) -> bool {
        let whole = said.iter().rposition(|byte| *byte == b'\n').and_then(|end| said.get(..end)).unwrap_or_default();
        self.names.clear();
        for line in String::from_utf8_lossy(whole).lines() {
            match line.split_once(' ') {
                Some(("code", code)) => self.code = code.parse().ok(),
                Some(("signal", signal)) => self.signal = signal.parse().ok(),
                Some(("failed", why)) => self.failed = Some(why.to_owned()),
                Some(("name", name)) => self.names.push(name.to_owned()),
                _ => {}
            }
        }
        self.code.is_some() || self.signal.is_some() || self.failed.is_some()
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
    fn what_is_said_is_heard_line_by_line() {
        let mut report = Report::default();
        assert!(!report.hear(b"name a.example\nname b.exa"));
        assert_eq!(report.names, ["a.example"]);
        assert!(!report.hear(b"name a.example\nname b.example\ncode 1"));
        assert_eq!((report.names.len(), report.code), (2, None));
        assert!(report.hear(b"name a.example\nname b.example\ncode 12\n"));
        assert_eq!((report.names.len(), report.code), (2, Some(12)));
        assert!(Report::default().hear(b"failed the overlay: no space\n"));
    }

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
