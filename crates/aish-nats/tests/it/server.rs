//! A real nats-server with JetStream on a free port, ended with the test.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aish_nats::{Bus, BusOptions, connect};

pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    _folder: tempfile::TempDir,
}

/// Starts a server, or says what is missing: Debian's package `nats-server`.
pub(crate) fn start() -> Option<Server> {
    let program = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"];
    let Some(program) = program.into_iter().find(|path| PathBuf::from(path).exists()) else {
        assert!(std::env::var_os("AISH_REQUIRE_NATS").is_none(), "nats-server is not installed");
        eprintln!("skipped: needs nats-server (Debian: apt-get install nats-server)");
        return None;
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap();
    let child = Command::new(program)
        .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(10), "nats-server does not listen");
        std::thread::yield_now();
    }
    Some(Server { child, url: format!("nats://127.0.0.1:{port}"), _folder: folder })
}

impl Server {
    pub(crate) async fn bus(&self) -> Bus {
        connect(&BusOptions { url: self.url.clone(), creds: None, name: "test".into() }).await.unwrap()
    }

    pub(crate) async fn client(&self) -> async_nats::Client {
        async_nats::connect(&self.url).await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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
