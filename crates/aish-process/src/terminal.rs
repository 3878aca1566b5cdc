//! A child that owns a terminal: leader of a session whose controlling terminal is given to it.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};

use crate::child::{Child, Ends};
use crate::command::Command;
use crate::exit::Exit;
use crate::image::SpawnError;

/// What becomes of descendants that left the session of a [`TerminalChild`] (daemons, terminal multiplexers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detached {
    /// They end with it.
    End,
    /// They live on, as they do when a terminal's window is closed.
    Leave,
}

/// What became of a child that was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was stopped, and can go on.
    Stopped,
    /// It ended.
    Ended(Exit),
}

/// A child on a terminal (the slave of a pseudo-terminal) that is its stdin, stdout, stderr and controlling terminal.
///
/// Dropped, its whole session is ended in the background: TERM, and KILL after the command's grace.
#[derive(Debug)]
pub struct TerminalChild {
    child: Child,
    /// Tells that a child of this process ended, was stopped or went on.
    changes: Signals,
}

impl TerminalChild {
    /// Starts a command on a terminal; its `stdin`, `timeout`, `output_cap` and `drain` are not used.
    ///
    /// # Errors
    /// When the command cannot be started, or the terminal belongs to another session.
    pub async fn start(command: &Command, terminal: OwnedFd, detached: Detached) -> Result<Self, SpawnError> {
        let system =
            |source: io::Error| SpawnError::System { program: command.program.to_string_lossy().into_owned(), source };
        let stdout = terminal.try_clone().map_err(system)?;
        let stderr = terminal.try_clone().map_err(system)?;
        let ends = Ends { stdin: terminal, stdout, stderr, beside: None, controlling: true, detached };
        Self::spawn(command, ends).await
    }

    /// Starts a launcher that gives the terminal, which is its stdin as well where `input` is none, to a session of its
    /// own: the terminal controls nothing here. `plan`, where there is one, is its descriptor 3, from which it reads what it
    /// starts.
    ///
    /// # Errors
    /// When the command cannot be started.
    pub async fn start_launcher(
        command: &Command,
        input: Option<OwnedFd>,
        terminal: OwnedFd,
        plan: Option<OwnedFd>,
    ) -> Result<Self, SpawnError> {
        let system =
            |source: io::Error| SpawnError::System { program: command.program.to_string_lossy().into_owned(), source };
        let stdin = input.map_or_else(|| terminal.try_clone(), Ok).map_err(system)?;
        let stdout = terminal.try_clone().map_err(system)?;
        let detached = Detached::End;
        let ends = Ends { stdin, stdout, stderr: terminal, beside: plan, controlling: false, detached };
        Self::spawn(command, ends).await
    }

    async fn spawn(command: &Command, ends: Ends) -> Result<Self, SpawnError> {
        let changes = signal(SignalKind::child());
        let program = || command.program.to_string_lossy().into_owned();
        let changes = changes.map_err(|source| SpawnError::System { program: program(), source })?;
        Ok(Self { child: Child::spawn(command, ends).await?, changes })
    }

    /// The process id of the child, which is also its session's.
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// Sends INT to the child's own process group.
    pub fn interrupt(&self) {
        self.child.signal(Signal::INT);
    }

    /// Waits for the child to end by itself. Cancel-safe.
    pub async fn wait(&mut self) -> Exit {
        self.child.wait().await
    }

    /// Waits until the child ends by itself or is stopped (STOP, or what stops at a terminal); each stop is told once.
    /// Cancel-safe.
    pub async fn changed(&mut self) -> Change {
        loop {
            if self.is_newly_stopped() {
                return Change::Stopped;
            }
            tokio::select! {
                exit = self.child.wait() => return Change::Ended(exit),
                Some(()) = self.changes.recv() => {}
            }
        }
    }

    fn is_newly_stopped(&self) -> bool {
        let pid = i32::try_from(self.child.pid()).ok().and_then(Pid::from_raw);
        let look = |pid| waitid(WaitId::Pid(pid), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
        pid.is_some_and(|pid| matches!(look(pid), Ok(Some(_))))
    }

    /// Sends CONT to the child's own process group.
    pub fn go_on(&self) {
        self.child.signal(Signal::CONT);
    }

    /// Ends the whole session: TERM, and KILL after the command's grace. Nothing of it is left after this.
    pub async fn end(mut self) -> Exit {
        self.child.finish(Duration::ZERO).await
    }

    /// Hangs up: HUP and CONT to the child's own process group, as a closing terminal does.
    pub fn hang_up(&self) {
        self.child.signal(Signal::HUP);
        self.child.signal(Signal::CONT);
    }

    /// Hangs up, waits up to `patience`, then ends the whole session; nothing of it is left after this.
    pub async fn stop(mut self, patience: Duration) -> Exit {
        self.hang_up();
        self.child.finish(patience).await
    }
}
