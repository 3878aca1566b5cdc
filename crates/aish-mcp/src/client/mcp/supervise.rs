//! The task that owns a connection: it connects, lists, waits for an end, and tries again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Inner, ServerState};
use crate::client::connection::{Connection, END_TIMEOUT, connect};
use crate::client::options::Endpoint;
use crate::client::ports::Status;

/// A connection that stayed so long may fail again as often as a new one.
const SETTLED: Duration = Duration::from_secs(60);
/// After how long a server at a URL that failed is tried again, at first and at most.
const LATER: Duration = Duration::from_secs(5);
const LATEST: Duration = Duration::from_secs(120);

/// Ends a connection and waits for its process.
async fn finish(connection: Option<Arc<Connection>>) {
    let Some(mut connection) = connection else { return };
    let deadline = Instant::now() + END_TIMEOUT;
    // A call that is just failing may still hold it.
    loop {
        match Arc::try_unwrap(connection) {
            Ok(mut connection) => {
                let _ = connection.service.close_with_timeout(END_TIMEOUT).await;
                return;
            }
            Err(shared) if Instant::now() < deadline => {
                shared.service.cancellation_token().cancel();
                connection = shared;
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(_) => return,
        }
    }
}

pub(super) async fn supervise(inner: Arc<Inner>) {
    if let Endpoint::Http { url, token: Some(_), .. } = &inner.options.endpoint
        && let Ok(url) = reqwest::Url::parse(url)
        && url.scheme() == "http"
        && !crate::client::http::is_loopback(&url)
    {
        inner.say(Status::PlainToken);
    }
    let mut failures = 0_u32;
    let mut ever = false;
    let mut later = LATER;
    let put_off = inner.options.start_after;
    if !put_off.is_zero() && inner.close.run_until_cancelled(tokio::time::sleep(put_off)).await.is_none() {
        return;
    }
    loop {
        let started = Instant::now();
        let ended = tokio::select! {
            ended = one_connection(&inner, &mut ever, &mut later) => ended,
            () = inner.close.cancelled() => break,
        };
        let connection = inner.take(None);
        // A pending call fails now and not when somebody looks.
        if let Some(connection) = &connection {
            connection.service.cancellation_token().cancel();
        }
        finish(connection).await;
        if started.elapsed() > SETTLED {
            failures = 0;
        }
        if !ever || failures >= inner.options.restarts {
            inner.definitions.write().map(|mut definitions| *definitions = Arc::default()).ok();
            // Said once, however often it fails from now on.
            if !matches!(&*inner.state.borrow(), ServerState::Failed(_)) {
                inner.say(Status::Failed(ended.clone()));
            }
            inner.state.send_replace(ServerState::Failed(ended));
            if !inner.comes_back() {
                inner.close.cancelled().await;
                break;
            }
            tokio::select! {
                () = tokio::time::sleep(later) => {}
                () = inner.close.cancelled() => break,
            }
            later = (later * 2).min(LATEST);
            (ever, failures) = (false, 0);
            continue;
        }
        let retry_ms = 250_u64 << failures.min(6);
        failures += 1;
        inner.state.send_replace(ServerState::Connecting);
        inner.say(Status::Lost { reason: ended, retry_ms });
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(retry_ms)) => {}
            () = inner.close.cancelled() => break,
        }
    }
    finish(inner.take(None)).await;
    inner.state.send_replace(ServerState::Closed);
}

/// Connects, lists, and returns why it ended.
async fn one_connection(inner: &Inner, ever: &mut bool, later: &mut Duration) -> String {
    let connection = match connect(&inner.options, &inner.ports, &inner.calls).await {
        Ok(connection) => Arc::new(connection),
        Err(reason) => return reason,
    };
    inner.take(Some(Arc::clone(&connection)));
    if let Err(reason) = inner.list(&connection).await {
        return reason;
    }
    *ever = true;
    *later = LATER;
    let tools = inner.definitions.read().map_or(0, |definitions| definitions.len());
    inner.state.send_replace(ServerState::Ready);
    inner.say(Status::Connected { tools, protocol: connection.protocol.clone() });
    let mut look = tokio::time::interval(Duration::from_millis(50));
    loop {
        tokio::select! {
            () = connection.tools_changed.notified() => {}
            () = inner.refresh.notified() => {}
            _ = look.tick() => {
                if connection.peer().is_transport_closed() || connection.service.is_closed() {
                    return connection.last_words().unwrap_or_else(|| "the connection ended".into());
                }
                continue;
            }
        }
        if let Err(reason) = inner.list(&connection).await {
            inner.say(Status::Log { level: "warning".into(), text: reason });
        }
    }
}
