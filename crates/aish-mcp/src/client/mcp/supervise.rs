//! The task that owns a connection: it connects, lists, waits for an end, and tries again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Inner, ServerState};
use crate::client::connection::connect;
use crate::client::health::ServerFault;
use crate::client::options::Endpoint;
use crate::client::ports::Status;

/// A connection that stayed so long may fail again as often as a new one.
const SETTLED: Duration = Duration::from_secs(60);
/// After how long a server at a URL that failed is tried again, at first and at most.
const LATER: Duration = Duration::from_secs(5);
const LATEST: Duration = Duration::from_secs(120);

/// Keeps one server connected until the client is closed.
pub(super) async fn supervise(inner: Arc<Inner>) {
    warn_of_plain_token(&inner);
    let put_off = inner.options.start_after;
    if !put_off.is_zero() && inner.close.run_until_cancelled(tokio::time::sleep(put_off)).await.is_none() {
        return;
    }
    let mut tries = Tries { failures: 0, has_connected: false, later: LATER };
    loop {
        let started = Instant::now();
        let ended = tokio::select! {
            ended = one_connection(&inner, &mut tries) => ended,
            () = inner.close.cancelled() => break,
        };
        // Calls that wait fail now.
        if let Some(connection) = inner.take(None) {
            connection.end().await;
        }
        if started.elapsed() > SETTLED {
            tries.failures = 0;
        }
        let pause = if tries.has_connected && tries.failures < inner.options.restarts {
            inner.lose(ended.to_string(), &mut tries)
        } else {
            inner.fail(ended);
            if !inner.comes_back() {
                inner.close.cancelled().await;
                break;
            }
            tries.give_up()
        };
        if inner.close.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            break;
        }
    }
    if let Some(connection) = inner.take(None) {
        connection.end().await;
    }
    inner.state.send_replace(ServerState::Closed);
}

/// How often a server was tried, and when it is tried again.
struct Tries {
    failures: u32,
    has_connected: bool,
    /// The next pause of a server that was given up.
    later: Duration,
}

impl Tries {
    /// Begins anew, after a pause that is returned.
    fn give_up(&mut self) -> Duration {
        let pause = self.later;
        *self = Self { failures: 0, has_connected: false, later: (pause * 2).min(LATEST) };
        pause
    }
}

impl Inner {
    /// Says that the connection was lost, and returns how long to wait before the next.
    fn lose(&self, reason: String, tries: &mut Tries) -> Duration {
        let retry_ms = 250_u64 << tries.failures.min(6);
        tries.failures += 1;
        self.state.send_replace(ServerState::Connecting);
        self.say(Status::Lost { reason, retry_ms });
        Duration::from_millis(retry_ms)
    }

    /// Says that the server is out of reach; once, however often it fails from now on.
    fn fail(&self, fault: ServerFault) {
        self.definitions.write().map(|mut definitions| *definitions = Arc::default()).ok();
        if !matches!(&*self.state.borrow(), ServerState::Failed(_)) {
            self.say(Status::Failed(fault.to_string()));
        }
        self.state.send_replace(ServerState::Failed(fault));
    }
}

fn warn_of_plain_token(inner: &Inner) {
    if let Endpoint::Http { url, token: Some(_), .. } = &inner.options.endpoint
        && let Ok(url) = reqwest::Url::parse(url)
        && url.scheme() == "http"
        && !crate::client::http::is_loopback(&url)
    {
        inner.say(Status::PlainToken);
    }
}

/// Connects, lists, and returns why it ended.
async fn one_connection(inner: &Inner, tries: &mut Tries) -> ServerFault {
    let connection = match connect(&inner.options, &inner.ports, &inner.calls, &inner.signed_out).await {
        Ok(connection) => Arc::new(connection),
        Err(failed) => return failed.fault(),
    };
    inner.take(Some(Arc::clone(&connection)));
    if let Err(error) = inner.list(&connection).await {
        return connection.health.fault(error.to_string());
    }
    (tries.has_connected, tries.later) = (true, LATER);
    let tools = inner.definitions.read().map_or(0, |definitions| definitions.len());
    inner.state.send_replace(ServerState::Ready);
    inner.say(Status::Connected { tools, protocol: connection.protocol.clone() });
    loop {
        tokio::select! {
            () = connection.tools_changed.notified() => {}
            () = inner.refresh.notified() => {}
            ended = connection.health.until_ended() => {
                return ServerFault::Failed(connection.health.words().unwrap_or_else(|| ended.to_string()));
            }
        }
        if let Err(error) = inner.list(&connection).await {
            inner.say(Status::Log { level: "warning".into(), text: error.to_string() });
        }
    }
}
