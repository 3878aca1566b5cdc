//! A real nats-server with JetStream on a free port, ended with the test.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::skip;

/// Longer than a start takes that is not hung.
const HUNG: Duration = Duration::from_secs(30);

/// A running server; it is killed when this is dropped.
#[derive(Debug)]
pub struct NatsServer {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl NatsServer {
    /// Starts a server, or says that `test` cannot run: it is Debian's package `nats-server`.
    ///
    /// # Panics
    /// When a server that is installed does not start, or none is and `AISH_REQUIRE_NATS` is set.
    #[expect(clippy::expect_used, reason = "a test without its server has failed")]
    pub fn start(test: &str) -> Option<Self> {
        let Some(program) = installed() else {
            assert!(std::env::var_os("AISH_REQUIRE_NATS").is_none(), "nats-server is not installed");
            skip(test, "needs nats-server (Debian: apt-get install nats-server)");
            return None;
        };
        let port = free_port();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let child = Command::new(program)
            .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
            .arg(folder.path().join("jetstream"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nats-server starts");
        let server = Self { child, port, folder };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < HUNG, "nats-server does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(server)
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL that clients connect to.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// A folder that lasts as long as the server.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn installed() -> Option<PathBuf> {
    let places = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"];
    places.into_iter().map(PathBuf::from).find(|path| path.exists())
}

#[expect(clippy::expect_used, reason = "a machine without a free port runs no test")]
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound address").port()
}
