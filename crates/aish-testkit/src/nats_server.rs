//! A real nats-server on a free port, ended with the test.

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
    program: PathBuf,
    arguments: Vec<String>,
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl NatsServer {
    /// Starts a server with JetStream, or says that `test` cannot run: it is Debian's package `nats-server`.
    ///
    /// # Panics
    /// When a server that is installed does not start, or none is and `AISH_REQUIRE_NATS` is set.
    pub fn start(test: &str) -> Option<Self> {
        Self::configured(test, "")
    }

    /// Starts a server with JetStream and a configuration of its own.
    ///
    /// # Panics
    /// As [`NatsServer::start`].
    #[expect(clippy::expect_used, reason = "a test without its server has failed")]
    pub fn configured(test: &str, config: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = folder.path().join("jetstream").display().to_string();
        let path = folder.path().join("nats.conf");
        std::fs::write(&path, config).expect("the temporary folder takes a file");
        let more = ["-js", "-sd", &store, "-c", &path.display().to_string()].map(str::to_owned).to_vec();
        Self::spawn(test, folder, more)
    }

    /// Starts a server that keeps nothing.
    ///
    /// # Panics
    /// As [`NatsServer::start`].
    #[expect(clippy::expect_used, reason = "a test without its server has failed")]
    pub fn without_jetstream(test: &str) -> Option<Self> {
        Self::spawn(test, tempfile::tempdir().expect("a temporary folder"), Vec::new())
    }

    fn spawn(test: &str, folder: tempfile::TempDir, more: Vec<String>) -> Option<Self> {
        let Some(program) = installed() else {
            assert!(std::env::var_os("AISH_REQUIRE_NATS").is_none(), "nats-server is not installed");
            skip(test, "needs nats-server (Debian: apt-get install nats-server)");
            return None;
        };
        let port = free_port();
        let mut arguments = ["-a", "127.0.0.1", "-p", &port.to_string()].map(str::to_owned).to_vec();
        arguments.extend(more);
        let child = run(&program, &arguments, port);
        Some(Self { program, arguments, child, port, folder })
    }

    /// Ends the server at once and starts it again, on the same port with what it had on disk.
    ///
    /// # Panics
    /// When it does not start again.
    pub fn restart(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.child = run(&self.program, &self.arguments, self.port);
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

/// Starts the program and waits until it listens.
#[expect(clippy::expect_used, reason = "a test without its server has failed")]
fn run(program: &Path, arguments: &[String], port: u16) -> Child {
    let child =
        Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < HUNG, "nats-server does not listen");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
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
