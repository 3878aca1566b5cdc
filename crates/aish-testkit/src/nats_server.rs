//! A real nats-server on a free port, ended with the test.

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

    #[expect(clippy::expect_used, reason = "a test without its server has failed")]
    fn spawn(test: &str, folder: tempfile::TempDir, more: Vec<String>) -> Option<Self> {
        let Some(program) = installed() else {
            assert!(std::env::var_os("AISH_REQUIRE_NATS").is_none(), "nats-server is not installed");
            skip(test, "needs nats-server (Debian: apt-get install nats-server)");
            return None;
        };
        let ports = folder.path().join("ports");
        std::fs::create_dir(&ports).expect("the temporary folder takes a folder");
        let listening = ["-a", "127.0.0.1", "--ports_file_dir", &ports.display().to_string()].map(str::to_owned);
        let arguments: Vec<String> = listening.into_iter().chain(more).collect();
        // The server chooses: a port that was free is another's by the time the server starts.
        let (child, port) = run(&program, &arguments, "-1", &ports);
        Some(Self { program, arguments, child, port, folder })
    }

    /// Ends the server at once and starts it again, on the same port with what it had on disk.
    ///
    /// # Panics
    /// When it does not start again.
    pub fn restart(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let ports = self.folder.path().join("ports");
        (self.child, _) = run(&self.program, &self.arguments, &self.port.to_string(), &ports);
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

/// Starts the program, and returns the port once it says that it listens.
#[expect(clippy::expect_used, reason = "a test without its server has failed")]
fn run(program: &Path, arguments: &[String], port: &str, ports: &Path) -> (Child, u16) {
    let mut command = Command::new(program);
    command.args(arguments).args(["-p", port]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let said = ports.join(format!("nats-server_{}.ports", child.id()));
    let begun = Instant::now();
    loop {
        // `{"nats":["nats://127.0.0.1:34613"]}`, which may be half written.
        let text = std::fs::read_to_string(&said).unwrap_or_default();
        let rest = text.split_once("nats://127.0.0.1:").map_or("", |(_, rest)| rest);
        if let Some(port) = rest.split_once('"').and_then(|(port, _)| port.parse().ok()) {
            return (child, port);
        }
        let ended = child.try_wait().expect("a child");
        assert!(ended.is_none() && begun.elapsed() < HUNG, "nats-server does not listen: {ended:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn installed() -> Option<PathBuf> {
    let places = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"];
    places.into_iter().map(PathBuf::from).find(|path| path.exists())
}
