//! Whether the terminal is still there.
//!
//! The terminal library reads on without a pause, and without an end, on a terminal that was closed. So a thread of its
//! own waits for that, and whoever waits for a line is told.

use std::future::{Future, poll_fn};
use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use tokio::runtime::Handle;
use tokio::sync::watch;

/// How long after the start the terminal is watched.
const AFTER: Duration = Duration::from_millis(10);

/// Tells when standard input's terminal is closed.
#[derive(Debug, Clone)]
pub(super) struct Hangup(watch::Receiver<bool>);

impl Hangup {
    /// Starts to watch. Where standard input is no terminal nothing is watched: its end is seen by reading.
    pub(super) fn watch() -> Self {
        let (tell, told) = watch::channel(false);
        if io::stdin().is_terminal() {
            match Handle::try_current() {
                // The first prompt does not wait for a thread; what was closed by then is seen then.
                Ok(runtime) => drop(runtime.spawn(async move {
                    tokio::time::sleep(AFTER).await;
                    start(tell);
                })),
                Err(_) => start(tell),
            }
        }
        Self(told)
    }

    /// Waits for a future, or for the terminal's end, which gives none.
    pub(super) async fn unless<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        let mut told = self.0.clone();
        let mut closed = pin!(async move {
            if told.wait_for(|closed| *closed).await.is_err() {
                // Nobody watches.
                std::future::pending::<()>().await;
            }
        });
        poll_fn(|context| {
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                return Poll::Ready(Some(value));
            }
            closed.as_mut().poll(context).map(|()| None)
        })
        .await
    }
}

fn start(tell: watch::Sender<bool>) {
    let started = std::thread::Builder::new().name("hangup".into()).stack_size(64 * 1024).spawn(move || {
        wait();
        let _ = tell.send(true);
    });
    if let Err(error) = started {
        tracing::debug!(%error, "nobody watches whether the terminal is closed");
    }
}

/// Returns when the terminal is closed. Input is not looked at.
fn wait() {
    let stdin = io::stdin();
    loop {
        let mut asked = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut asked, None) {
            Ok(_) => {
                let ended = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
                if asked.iter().any(|fd| fd.revents().intersects(ended)) {
                    return;
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                tracing::debug!(%error, "the terminal cannot be watched");
                return;
            }
        }
    }
}
