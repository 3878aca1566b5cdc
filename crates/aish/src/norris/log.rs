//! The log of a session's runs: every step as it happens, a JSON line each, beside the session's own log.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use aish_journal::{Durability, LineFile, WallClock};
use aish_safety::Verdict;
use aish_types::{SessionId, head_and_tail};
use serde::{Deserialize, Serialize};

use crate::base::Base;
use crate::failure::Failure;

/// Characters of a result that the log keeps; the session's own log and the model have more of it.
const RESULT: usize = 4000;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// When, RFC 3339 in UTC.
    time: String,
    /// The run's number in its session, from 1.
    run: u32,
    #[serde(flatten)]
    step: Step,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Step {
    /// The run began.
    Start {
        /// The goal.
        goal: String,
        /// What it may use, in words.
        limits: String,
    },
    /// The model said something.
    Answer {
        /// What.
        text: String,
    },
    /// It wants a call.
    Call {
        /// The tool.
        tool: String,
        /// The arguments, whole.
        arguments: String,
    },
    /// The gate decided.
    Verdict {
        /// The tool.
        tool: String,
        /// The verdict.
        verdict: Verdict,
        /// The rule.
        rule: String,
        /// Why, in words.
        reason: String,
        /// True when it may run.
        approved: bool,
    },
    /// A call's outcome.
    Result {
        /// The tool.
        tool: String,
        /// True when it went well.
        success: bool,
        /// What it said, head and tail.
        text: String,
    },
    /// A line for the person.
    Notice {
        /// The line.
        text: String,
    },
    /// The run ended.
    End {
        /// How, as a word.
        outcome: String,
        /// How, in words.
        text: String,
        /// What it used, in words.
        used: String,
    },
}

impl Step {
    /// Makes the line of a result.
    pub fn result(tool: &str, success: bool, text: &str) -> Self {
        Self::Result { tool: tool.to_owned(), success, text: head_and_tail(text, RESULT).text.into_owned() }
    }
}

/// Which runs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// The last one.
    Last,
    /// All of the session.
    All,
}

/// The log of a session's runs.
#[derive(Debug)]
pub struct RunLog {
    session: SessionId,
    file: Option<LineFile>,
    lines: Vec<Line>,
    clock: WallClock,
    run: u32,
}

impl RunLog {
    /// Names the log of a session; in memory only where sessions are not kept.
    pub fn new(base: &Base, session: &SessionId) -> Self {
        let folder = base.paths.state.as_ref().filter(|_| base.config.history.sessions);
        let file = folder.map(|state| LineFile::new(path(&state.join("sessions"), session), Durability::System));
        Self::at(session.clone(), file, base.clock.clone())
    }

    /// Says whether it is this session's.
    pub fn is_of(&self, session: &SessionId) -> bool {
        self.session == *session
    }

    fn at(session: SessionId, file: Option<LineFile>, clock: WallClock) -> Self {
        let lines: Vec<Line> =
            file.as_ref().and_then(|file| file.load().ok()).map(|kept| kept.records).unwrap_or_default();
        let run = lines.iter().map(|line| line.run).max().unwrap_or(0);
        Self { session, file, lines, clock, run }
    }

    /// Begins another run.
    pub fn begin(&mut self) {
        self.run += 1;
    }

    /// Writes a step down.
    ///
    /// # Errors
    /// When it could not be written; it is kept in memory all the same.
    pub fn write(&mut self, step: Step) -> Result<(), Failure> {
        let line = Line { time: self.clock.text(), run: self.run, step };
        let written = match &self.file {
            None => Ok(()),
            Some(file) => file.append(&line).map(drop).map_err(Failure::from),
        };
        self.lines.push(line);
        written
    }

    /// Shows what runs did, a line or more each step.
    pub fn show(&self, runs: Runs) -> Vec<String> {
        self.lines.iter().filter(|line| runs == Runs::All || line.run == self.run).map(shown).collect()
    }
}

/// Deletes the log of a session's runs, if there is one.
///
/// # Errors
/// When it is there and cannot be deleted.
pub fn forget(sessions: &Path, session: &SessionId) -> Result<(), Failure> {
    let path = path(sessions, session);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::from(error).at(path.display())),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn path(sessions: &Path, session: &SessionId) -> PathBuf {
    sessions.join(format!("{session}.norris"))
}

fn shown(line: &Line) -> String {
    let time = line.time.get(11..19).unwrap_or(&line.time);
    let text = match &line.step {
        Step::Start { goal, limits } => format!("run {}: {goal}\n{limits}", line.run),
        Step::Answer { text } => format!("says: {}", text.trim()),
        Step::Call { tool, arguments } => format!("wants {tool} {arguments}"),
        Step::Verdict { verdict, rule, reason, approved: true, .. } => format!("{verdict}: {reason} ({rule})"),
        Step::Verdict { verdict, rule, reason, approved: false, .. } => {
            format!("{verdict}, not run: {reason} ({rule})")
        }
        Step::Result { tool, success: true, text } => format!("{tool}: {}", text.trim()),
        Step::Result { tool, success: false, text } => format!("{tool} failed: {}", text.trim()),
        Step::Notice { text } => text.clone(),
        Step::End { text, used, .. } => format!("{text}; {used}"),
    };
    format!("{time}  {}", text.replace('\n', "\n          "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_numbered_on_over_restarts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.norris");
        let open = || RunLog::at("s".into(), Some(LineFile::new(&path, Durability::System)), WallClock::default());
        let mut log = open();
        log.begin();
        log.write(Step::Start { goal: "first".into(), limits: "few".into() }).unwrap();
        let mut log = open();
        log.begin();
        log.write(Step::Start { goal: "second".into(), limits: "few".into() }).unwrap();
        log.write(Step::result("shell", false, "a\nb")).unwrap();
        let last = log.show(Runs::Last).join("\n");
        assert!(last.contains("run 2: second") && !last.contains("first"), "{last}");
        assert!(last.contains("shell failed: a\n          b"), "{last}");
        assert!(log.show(Runs::All).join("\n").contains("run 1: first"));
        forget(folder.path(), &"s".into()).unwrap();
        forget(folder.path(), &"s".into()).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let file = LineFile::new("/proc/nowhere/s.norris", Durability::System);
        let mut log = RunLog::at("s".into(), Some(file), WallClock::default());
        log.begin();
        assert!(log.write(Step::Notice { text: "x".into() }).is_err());
        assert_eq!(log.show(Runs::Last).len(), 1);
    }
}
