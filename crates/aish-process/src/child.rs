//! A running child with its owner: waited for, signalled, and never left behind.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use tokio::sync::oneshot;

use crate::clone::Step;
use crate::command::Command;
use crate::exit::Exit;
use crate::image::{Image, SpawnError};
use crate::registry;
use crate::spawner::{self, Order};
use crate::table::number;
use crate::terminal::Detached;
use crate::tree::Tree;
use crate::watch::Watched;

/// The streams that a child is started with, as the child sees them.
pub(crate) struct Ends {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    /// What becomes its descriptor 3, where there is something.
    pub(crate) beside: Option<OwnedFd>,
    /// Whether stdin is a terminal that becomes the session's own.
    pub(crate) controlling: bool,
    /// What becomes of descendants that left the session.
    pub(crate) detached: Detached,
}

/// A child of this process. Dropped before it was waited for, its tree is ended in the background.
#[derive(Debug)]
pub(crate) struct Child {
    pidfd: Arc<Watched>,
    tree: Tree,
    grace: Duration,
    exit: Option<Exit>,
}

impl Child {
    /// Starts a command on these streams.
    pub(crate) async fn spawn(command: &Command, ends: Ends) -> Result<Self, SpawnError> {
        let tag = match ends.detached {
            Detached::End => Some(spawner::next_tag()),
            Detached::Leave => None,
        };
        let program = || command.program.to_string_lossy().into_owned();
        let system = |source| SpawnError::System { program: program(), source };
        let order = Order {
            image: Image::prepare(command, tag.as_deref())?,
            tag: tag.clone(),
            stdin: from(3, ends.stdin).map_err(system)?,
            stdout: from(3, ends.stdout).map_err(system)?,
            stderr: from(3, ends.stderr).map_err(system)?,
            beside: ends.beside.map(|fd| from(4, fd)).transpose().map_err(system)?,
            controlling: ends.controlling,
        };
        let born = spawner::spawn(order).await.map_err(|(step, source)| match step {
            Step::Clone | Step::Streams | Step::Terminal => system(source),
            Step::Directory => SpawnError::WorkingDirectory { path: command.cwd.clone().unwrap_or_default(), source },
            Step::Exec if source.kind() == io::ErrorKind::NotFound => SpawnError::NotFound { program: program() },
            Step::Exec => SpawnError::NotRunnable { program: program(), source },
        })?;
        let (pid, pidfd) = born.claim().ok_or_else(|| system(io::Error::other("the process has an owner already")))?;
        let tree = Tree { root: pid, tag, reaped: false };
        match Watched::new(pidfd) {
            Ok(pidfd) => Ok(Self { pidfd: Arc::new(pidfd), tree, grace: command.grace, exit: None }),
            Err(error) => {
                tree.kill_until_gone();
                Err(system(error))
            }
        }
    }

    /// The child's process id.
    pub(crate) fn pid(&self) -> u32 {
        number(self.tree.root).unsigned_abs()
    }

    /// Waits for the child itself. Its descendants may live on until [`Child::end_leftovers`]. Cancel-safe.
    pub(crate) async fn wait(&mut self) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        self.pidfd.readable().await;
        let exit = reap(&self.pidfd);
        self.tree.reaped = true;
        registry::forget(self.tree.root);
        self.exit = Some(exit);
        exit
    }

    /// Sends a signal to the process group of the child.
    pub(crate) fn signal(&self, signal: Signal) {
        if !self.tree.reaped {
            let _ = rustix::process::kill_process_group(self.tree.root, signal);
        }
    }

    /// Starts ending the whole tree, TERM and after the grace KILL; the receiver is told when no member is left.
    pub(crate) fn end_tree(&self) -> oneshot::Receiver<()> {
        end_in_background(self.tree.clone(), self.grace, None)
    }

    /// Returns whether descendants may have outlived the child.
    pub(crate) fn may_have_leftovers(&self) -> bool {
        self.tree.may_have_leftovers()
    }

    /// Ends what has outlived the child, within `grace`, and waits for it.
    pub(crate) async fn end_leftovers(&self, grace: Duration) {
        let _ = end_in_background(self.tree.clone(), grace, None).await;
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.exit.is_some() {
            return;
        }
        self.signal(Signal::TERM);
        let root = self.pidfd.clone();
        drop(end_in_background(self.tree.clone(), self.grace, Some(root)));
    }
}

/// Ends a child that nobody will ever own, on a thread of its own.
pub(crate) fn abandon(root: Pid, pidfd: OwnedFd) {
    let tag = registry::lock().get(&number(root)).cloned().flatten();
    let tree = Tree { root, tag, reaped: false };
    drop(in_background(move || {
        tree.kill_until_gone();
        registry::reap_orphans();
        reap(&pidfd);
        registry::forget(root);
    }));
}

/// Runs [`Tree::end`] on a thread of its own, then reaps the root when it is given.
fn end_in_background(tree: Tree, grace: Duration, root: Option<Arc<Watched>>) -> oneshot::Receiver<()> {
    in_background(move || {
        tree.end(grace);
        if let Some(pidfd) = root {
            reap(&pidfd);
            registry::forget(tree.root);
        }
    })
}

/// Works on a thread of its own; the receiver is told when it is done.
fn in_background(work: impl FnOnce() + Send + 'static) -> oneshot::Receiver<()> {
    let (done, receiver) = oneshot::channel();
    let work = move || {
        work();
        let _ = done.send(());
    };
    if let Err(error) = std::thread::Builder::new().name("aish-reaper".into()).spawn(work) {
        tracing::error!(%error, "no thread to end a command from");
    }
    receiver
}

/// Waits for a child that has ended and says how.
fn reap(pidfd: &impl AsFd) -> Exit {
    match waitid(WaitId::PidFd(pidfd.as_fd()), WaitIdOptions::EXITED) {
        Ok(Some(status)) => match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Code(-1),
        },
        Ok(None) | Err(_) => Exit::Code(-1),
    }
}

/// Moves a descriptor to one from a number on, above those that the child's streams take.
fn from(least: RawFd, fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() < least { Ok(fcntl_dupfd_cloexec(&fd, least)?) } else { Ok(fd) }
}
