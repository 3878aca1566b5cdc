//! Events on the bus: `PREFIX.event.llm.response`, `.error`, `.tool`.

use serde_json::Value;
use tokio::sync::mpsc;

use crate::bus::Bus;
use crate::events::Events;

/// Events that wait to be published; more are dropped, for nobody may have to wait for a listener.
const WAITING: usize = 4_096;

/// Publishes events; the task that does it ends when this is dropped.
pub struct NatsEvents {
    waiting: mpsc::Sender<(String, Value)>,
    prefix: String,
}

impl NatsEvents {
    /// Starts publishing. Must be called inside a runtime.
    pub fn start(bus: &Bus, prefix: &str) -> Self {
        let (waiting, mut published) = mpsc::channel::<(String, Value)>(WAITING);
        let client = bus.client.clone();
        tokio::spawn(async move {
            while let Some((subject, payload)) = published.recv().await {
                if let Err(error) = client.publish(subject, payload.to_string().into()).await {
                    tracing::debug!(%error, "an event was not published");
                }
            }
        });
        Self { waiting, prefix: prefix.into() }
    }
}

impl Events for NatsEvents {
    fn publish(&self, kind: &str, payload: Value) {
        if self.waiting.try_send((format!("{}.event.llm.{kind}", self.prefix), payload)).is_err() {
            tracing::debug!(kind, "an event was dropped");
        }
    }
}
