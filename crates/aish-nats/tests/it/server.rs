//! A real nats-server with JetStream, and clients of it.

use std::time::{Duration, Instant};

use aish_nats::{Bus, BusOptions, connect};
use aish_testkit::nats_server::NatsServer;

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) server: NatsServer,
}

/// Starts a server, or says that the test cannot run.
pub(crate) fn start() -> Option<Server> {
    of(NatsServer::start(&test()))
}

/// Starts a server with a configuration of its own, or says that the test cannot run.
pub(crate) fn configured(config: &str) -> Option<Server> {
    of(NatsServer::configured(&test(), config))
}

/// Starts a server that keeps nothing, or says that the test cannot run.
pub(crate) fn without_jetstream() -> Option<Server> {
    of(NatsServer::without_jetstream(&test()))
}

fn test() -> String {
    std::thread::current().name().unwrap_or_default().to_owned()
}

fn of(server: Option<NatsServer>) -> Option<Server> {
    server.map(|server| Server { url: server.url(), server })
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
    tokio::time::timeout(Duration::from_secs(60), futures_util::StreamExt::next(&mut echo)).await.unwrap().unwrap();
}
