//! The NATS side: connection, state in key-value buckets, the worker, events.

mod connect;
mod events;
mod state;
pub(crate) mod subject;
mod worker;

use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::watch;

pub use connect::{BusError, BusOptions, connect, without_password};
pub use events::NatsEvents;
pub use state::KvState;
pub use worker::serve;

/// How long the server may take to pass a message on.
const SETTLE: Duration = Duration::from_secs(5);

/// It is not known whether the server has seen what was sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSettled {
    /// No inbox could be listened to.
    #[error(transparent)]
    Subscribe(#[from] async_nats::SubscribeError),
    /// Nothing could be sent.
    #[error(transparent)]
    Publish(#[from] async_nats::PublishError),
    /// Something of it may not be done.
    #[error("the server refuses it: {0}")]
    Refused(String),
    /// Nothing came back.
    #[error("the server does not answer")]
    Silent,
}

/// A connection to the bus; cheap to clone.
#[derive(Debug, Clone)]
pub struct Bus {
    pub(crate) client: async_nats::Client,
    /// What the server last refused, in its words.
    refused: watch::Receiver<Option<String>>,
}

impl Bus {
    /// Waits until the server has seen everything that was sent so far, subscriptions included: what it passes on to us
    /// comes after them.
    pub(crate) async fn settle(&self) -> Result<(), NotSettled> {
        let inbox = self.client.new_inbox();
        let mut echo = self.client.subscribe(inbox.clone()).await?;
        self.client.publish(inbox, "".into()).await?;
        let seen = async {
            tokio::select! {
                seen = echo.next() => seen.map(drop).ok_or(NotSettled::Silent),
                why = self.refusal() => Err(NotSettled::Refused(why)),
            }
        };
        tokio::time::timeout(SETTLE, seen).await.unwrap_or(Err(NotSettled::Silent))
    }

    /// Waits until the server has refused something on this connection: who asks for what it may not gets no other answer.
    pub(crate) async fn refusal(&self) -> String {
        let mut refused = self.refused.clone();
        let why = refused.wait_for(Option::is_some).await.map(|why| why.clone());
        match why {
            Ok(why) => why.unwrap_or_default(),
            Err(_) => std::future::pending().await,
        }
    }
}
