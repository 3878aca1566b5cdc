//! The parent's end of the child that judges: one line goes out, its cost comes back, or it is ended.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::child::Cost;

/// The address space of the child, in kilobytes.
const ADDRESS_SPACE: u32 = 1 << 20;
/// How long an answer may take: after that the child hangs.
const HANGS: Duration = Duration::from_secs(30);

/// What became of one line.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It was judged.
    Judged(Cost),
    /// The child ended: a panic, an overflow of its stack, or no memory.
    Died(String),
    /// No answer came.
    Hung,
}

/// A child that judges.
#[derive(Debug)]
pub(super) struct Judge {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Judge {
    /// Starts a child with a bound on its address space.
    pub(super) fn start() -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("ulimit -c 0; ulimit -v {ADDRESS_SPACE} && exec \"$0\" fuzz-lines --child"))
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the child that judges")?;
        let input = child.stdin.take().context("the child has no input")?;
        let output = child.stdout.take().context("the child has no output")?;
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, answers })
    }

    /// Has one line judged; after anything but [`Outcome::Judged`] the child is gone.
    pub(super) fn judge(&mut self, line: &str) -> Result<Outcome> {
        let length = u32::try_from(line.len()).context("a line is too long")?;
        let sent = self.input.write_all(&length.to_le_bytes()).and_then(|()| self.input.write_all(line.as_bytes()));
        if sent.and_then(|()| self.input.flush()).is_err() {
            return self.died();
        }
        match self.answers.recv_timeout(HANGS) {
            Ok(answer) => Ok(Outcome::Judged(Cost::read(&answer).context("the child answers with something else")?)),
            Err(RecvTimeoutError::Disconnected) => self.died(),
            Err(RecvTimeoutError::Timeout) => {
                self.child.kill().context("cannot end the child")?;
                self.child.wait().context("cannot wait for the child")?;
                Ok(Outcome::Hung)
            }
        }
    }

    fn died(&mut self) -> Result<Outcome> {
        Ok(Outcome::Died(self.child.wait().context("cannot wait for the child")?.to_string()))
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
