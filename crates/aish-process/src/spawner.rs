//! The one thread that makes children.
//!
//! `PR_SET_PDEATHSIG` fires when the *thread* that made a child ends, so children are made by a thread that ends
//! only with the process. It is also what `clone` suspends while a child starts, instead of a thread of the runtime.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use rustix::process::{Pid, getpid};
use tokio::sync::oneshot;

use crate::clone::{self, Stack, Step, Streams};
use crate::image::Image;
use crate::registry;
use crate::table::number;

/// A child that runs. Dropped before it is claimed, it is ended in the background: whoever asked for it went away while it
/// was made, or while the answer was on its way.
pub(crate) struct Born {
    pid: Pid,
    pidfd: Option<OwnedFd>,
}

impl Born {
    /// Hands the child to its owner; none is handed over twice.
    pub(crate) fn claim(mut self) -> Option<(Pid, OwnedFd)> {
        self.pidfd.take().map(|pidfd| (self.pid, pidfd))
    }
}

impl Drop for Born {
    fn drop(&mut self) {
        if let Some(pidfd) = self.pidfd.take() {
            crate::child::abandon(self.pid, pidfd);
        }
    }
}

/// A wish for a child; its descriptors are closed on our side once it runs.
pub(crate) struct Order {
    pub(crate) image: Image,
    pub(crate) tag: Option<String>,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) beside: Option<OwnedFd>,
    pub(crate) controlling: bool,
}

type Answer = Result<Born, (Step, io::Error)>;

/// An order and who waits for its child.
type Request = (Order, oneshot::Sender<Answer>);

static SPAWNER: OnceLock<Option<mpsc::Sender<Request>>> = OnceLock::new();
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Returns a tag that no other child of this machine has.
pub(crate) fn next_tag() -> String {
    format!("{}.{}", getpid().as_raw_nonzero(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Makes a child on the spawner's thread.
pub(crate) async fn spawn(order: Order) -> Answer {
    let gone = || (Step::Clone, io::Error::other("the thread that starts processes is gone"));
    let spawner = SPAWNER.get_or_init(start).as_ref().ok_or_else(gone)?;
    let (reply, answer) = oneshot::channel();
    spawner.send((order, reply)).map_err(|_| gone())?;
    answer.await.map_err(|_| gone())?
}

fn start() -> Option<mpsc::Sender<Request>> {
    registry::become_subreaper();
    let (sender, orders) = mpsc::channel::<Request>();
    let thread = std::thread::Builder::new().name("aish-spawner".into()).spawn(move || {
        clone::block_signals();
        let mut stack = Stack::new();
        for (order, reply) in orders {
            let answer = make(&mut stack, order);
            // Where whoever asked is gone, the child is dropped, here or with the answer.
            drop(reply.send(answer));
        }
    });
    thread.map(|_| sender).map_err(|error| tracing::error!(%error, "no thread to start processes from")).ok()
}

fn make(stack: &mut Stack, order: Order) -> Answer {
    let streams = Streams {
        fds: [order.stdin.as_raw_fd(), order.stdout.as_raw_fd(), order.stderr.as_raw_fd()],
        beside: order.beside.as_ref().map(OwnedFd::as_raw_fd),
        controlling: order.controlling,
    };
    // Held over the birth, so that nobody takes a child that ends at once for an orphan.
    let mut live = registry::lock();
    let (pid, pidfd) = clone::spawn(stack, &order.image, streams)?;
    live.insert(number(pid), order.tag);
    Ok(Born { pid, pidfd: Some(pidfd) })
}
