//! A real nats-server with JetStream, and clients of it.

use std::time::{Duration, Instant};

use aish_nats::{Bus, BusOptions, connect};
use aish_testkit::nats_server::NatsServer;

pub(crate) struct Server {
    pub(crate) url: String,
    _server: NatsServer,
}

/// Starts a server, or says that the test cannot run.
pub(crate) fn start() -> Option<Server> {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let server = NatsServer::start(&test)?;
    Some(Server { url: server.url(), _server: server })
}

impl Server {
    pub(crate) async fn bus(&self) -> Bus {
        connect(&BusOptions { url: self.url.clone(), creds: None, name: "test".into() }).await.unwrap()
    }

    pub(crate) async fn client(&self) -> async_nats::Client {
        async_nats::connect(&self.url).await.unwrap()
    }
}

/// Waits until something holds, for ten times as long as it should take.
pub(crate) async fn until(what: &str, seconds: u64, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(seconds), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until the server has seen what this client subscribed to.
pub(crate) async fn settle(client: &async_nats::Client) {
    let inbox = client.new_inbox();
    let mut echo = client.subscribe(inbox.clone()).await.unwrap();
    client.publish(inbox, "".into()).await.unwrap();
    tokio::time::timeout(Duration::from_secs(10), futures_util::StreamExt::next(&mut echo)).await.unwrap().unwrap();
}
