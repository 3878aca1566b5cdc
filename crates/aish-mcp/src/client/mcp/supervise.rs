//! The task that owns a connection: it connects, lists, waits for an end, and tries again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Inner, ServerState};
use crate::client::connection::connect;
use crate::client::options::Endpoint;
use crate::client::ports::Status;

/// A connection that stayed so long may fail again as often as a new one.
const SETTLED: Duration = Duration::from_secs(60);
/// After how long a server at a URL that failed is tried again, at first and at most.
const LATER: Duration = Duration::from_secs(5);
const LATEST: Duration = Duration::from_secs(120);

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
        // Calls that wait fail now.
        if let Some(connection) = inner.take(None) {
            connection.end().await;
        }
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
    if let Some(connection) = inner.take(None) {
        connection.end().await;
    }
    inner.state.send_replace(ServerState::Closed);
}

/// Connects, lists, and returns why it ended, in words.
async fn one_connection(inner: &Inner, ever: &mut bool, later: &mut Duration) -> String {
    let connection = match connect(&inner.options, &inner.ports, &inner.calls).await {
        Ok(connection) => Arc::new(connection),
        Err(failed) => return failed.to_string(),
    };
    inner.take(Some(Arc::clone(&connection)));
    if let Err(error) = inner.list(&connection).await {
        return error.to_string();
    }
    *ever = true;
    *later = LATER;
    let tools = inner.definitions.read().map_or(0, |definitions| definitions.len());
    inner.state.send_replace(ServerState::Ready);
    inner.say(Status::Connected { tools, protocol: connection.protocol.clone() });
    loop {
        tokio::select! {
            () = connection.tools_changed.notified() => {}
            () = inner.refresh.notified() => {}
            ended = connection.health.until_ended() => {
                return connection.health.words().unwrap_or_else(|| ended.to_string());
            }
        }
        if let Err(error) = inner.list(&connection).await {
            inner.say(Status::Log { level: "warning".into(), text: error.to_string() });
        }
    }
}
