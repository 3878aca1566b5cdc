//! A question at the controlling terminal.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};

use aish_safety::Answer;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};

/// The controlling terminal, when this process is the leader of its foreground process group.
///
/// A server whose client is a program with a full screen shares that terminal and must not write to it.
pub(crate) struct Terminal(File);

impl Terminal {
    /// Opens the terminal; none when there is none, or it is somebody else's.
    pub(crate) fn open() -> Option<Self> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        let foreground = rustix::termios::tcgetpgrp(&file).ok()?;
        let ours = rustix::process::getpgrp() == foreground && rustix::process::getpid() == foreground;
        ours.then_some(Self(file))
    }

    /// Asks at once; everything but a yes is a no.
    pub(crate) fn ask_now(self, sentence: &str) -> Answer {
        ask(self.0, sentence)
    }

    /// Asks; everything but a yes is a no.
    pub(crate) async fn ask(&self, sentence: String) -> Answer {
        let Ok(file) = self.0.try_clone() else { return Answer::Nobody };
        let asked = tokio::task::spawn_blocking(move || ask(file, &sentence));
        asked.await.unwrap_or(Answer::Nobody)
    }
}

/// For how long nothing may have been typed before the question is shown: what was typed before is no answer.
const QUIET: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

fn discard_typed_ahead(file: &File) -> rustix::io::Result<()> {
    while poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&QUIET))? > 0 {
        tcflush(file, QueueSelector::IFlush)?;
    }
    // The beginning of a line makes the terminal no more ready than nothing does.
    tcflush(file, QueueSelector::IFlush)
}

fn ask(mut file: File, sentence: &str) -> Answer {
    if discard_typed_ahead(&file).is_err() {
        return Answer::Nobody;
    }
    if write!(file, "\n{sentence}\n\nApprove? [y/N] ").and_then(|()| file.flush()).is_err() {
        return Answer::Nobody;
    }
    let mut line = String::new();
    match BufReader::new(file).read_line(&mut line) {
        Ok(_) if matches!(line.trim().to_lowercase().as_str(), "y" | "yes") => Answer::Yes,
        Ok(_) | Err(_) => Answer::No,
    }
}
