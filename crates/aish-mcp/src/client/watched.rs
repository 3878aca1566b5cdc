//! A transport that tells the open calls what is sent, and the connection's health when it has ended.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::health::{Ended, Health};
use super::open_calls::OpenCalls;

/// Any transport to a server.
pub(super) struct WatchedTransport<T> {
    inner: T,
    calls: Arc<OpenCalls>,
    health: Health,
    _gone: DropGuard,
}

impl<T> WatchedTransport<T> {
    /// Watches a transport; `gone` fires when it has been closed and dropped.
    pub(super) fn new(inner: T, calls: &Arc<OpenCalls>, health: &Health, gone: &CancellationToken) -> Self {
        Self { inner, calls: Arc::clone(calls), health: health.clone(), _gone: gone.clone().drop_guard() }
    }
}

impl<T> Drop for WatchedTransport<T> {
    fn drop(&mut self) {
        self.health.end(Ended::Closed);
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for WatchedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        mut item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.calls.sent(&mut item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await;
        if message.is_none() {
            // Told at once: rmcp may wait for our own answers before it closes the transport.
            self.health.end(Ended::Closed);
        }
        message
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
