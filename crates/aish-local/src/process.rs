//! The child `aish-model`: started when it is needed, spoken to over its pipes, ended with its owner.

mod connection;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aish_llm::ChatError;
use aish_process::{Command, Environment, Exit, Server, ServerOptions};
use aish_types::embedded::{Event, Info, Request};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::models::ModelFile;

pub(crate) use connection::{Connection, Listener};

/// How long a model may take to load. Its file is mapped, so this is the disk's time.
const LOAD: Duration = Duration::from_secs(120);

/// The variables that the child gets: it needs no keys and no home.
const PASSED_ON: [&str; 5] = ["AISH_MODEL_LOG", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "PATH", "TZ"];

/// What the embedded model is run with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalOptions {
    /// The executable, as [`crate::Search`] finds it.
    pub executable: PathBuf,
    /// The model's file.
    pub model: ModelFile,
    /// Tokens of context; none means 4096, or what the model was trained for where that is less.
    pub context: Option<u32>,
    /// Threads that compute; none means one for each physical core.
    pub threads: Option<u32>,
}

/// The child, when it runs.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) options: LocalOptions,
    running: Mutex<Option<Arc<Running>>>,
}

/// A child with a loaded model.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) connection: Connection,
    pub(crate) info: Info,
    server: Mutex<Server>,
}

impl Process {
    pub(crate) fn new(options: LocalOptions) -> Self {
        Self { options, running: Mutex::new(None) }
    }

    /// Returns the running child; starts it and loads the model when there is none or it has died.
    pub(crate) async fn running(&self) -> Result<Arc<Running>, ChatError> {
        let mut slot = self.running.lock().await;
        if let Some(running) = slot.as_ref().filter(|running| running.connection.is_open()) {
            return Ok(Arc::clone(running));
        }
        *slot = None;
        let running = Arc::new(self.start().await?);
        *slot = Some(Arc::clone(&running));
        Ok(running)
    }

    async fn start(&self) -> Result<Running, ChatError> {
        let failed = |cause: &dyn std::fmt::Display| ChatError::Process(cause.to_string());
        // Threads meet some hundred times a token: asleep at once they take three times as long, and spinning for long they
        // take the time of those they wait for on a busy machine.
        let command = Command::new(self.options.executable.as_os_str())
            .arg(self.options.model.path.as_os_str())
            .environment(Environment::only(PASSED_ON))
            .env("GOMP_SPINCOUNT", "1000");
        let mut server = Server::start(&command, ServerOptions::default()).await.map_err(|error| failed(&error))?;
        let (Some(input), Some(output)) = (server.take_stdin(), server.take_stdout()) else {
            return Err(failed(&"its pipes are not there"));
        };
        let connection = Connection::open(input, output);
        let path = self.options.model.path.display().to_string();
        let (context, threads) = (self.options.context, self.options.threads);
        let mut listener = connection.ask(|id| Request::Load { id, path, context, threads });
        let answer = timeout(LOAD, listener.next()).await;
        let info = match answer {
            Ok(Some(Event::Loaded { info, .. })) => info,
            Ok(Some(Event::Error { message, .. })) => return Err(failed(&message)),
            Ok(Some(other)) => return Err(failed(&format!("it answers {other:?} when asked to load"))),
            Ok(None) => return Err(ChatError::Process(death(&mut server, connection.complaint()).await)),
            Err(_) => return Err(failed(&format!("it did not load within {} s", LOAD.as_secs()))),
        };
        Ok(Running { connection, info, server: Mutex::new(server) })
    }
}

impl Running {
    /// Says in words how the child died.
    pub(crate) async fn death(&self) -> String {
        death(&mut *self.server.lock().await, self.connection.complaint()).await
    }
}

async fn death(server: &mut Server, complaint: Option<String>) -> String {
    if let Some(complaint) = complaint {
        return complaint;
    }
    let exit = timeout(Duration::from_secs(2), server.wait()).await;
    let errors = server.stderr().clean_text();
    let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let end = match exit {
        Ok(Exit::Code(code)) => format!("it ended with exit code {code}"),
        Ok(Exit::Signal(signal)) => format!("signal {signal} ended it"),
        Ok(Exit::TimedOut | Exit::Cancelled) => "it was ended".into(),
        Err(_) => "it closed its pipe".into(),
    };
    if last.is_empty() { end } else { format!("{end}: {last}") }
}
