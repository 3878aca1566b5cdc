//! The bash of a run: its own, seeded with the person's folder and exports, and gone with the run.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use aish_safety::Surroundings;
use aish_shell::Options;
use aish_types::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::base::Base;
use crate::live::Live;
use crate::sandbox::{Chosen, EXCHANGE, suspicion};
use crate::shell_tool::{CommandRunner, Ran};

/// How long one command may take, in milliseconds, where nothing else says so; the run's own time bounds it too.
pub const COMMAND_MS: u64 = 10 * 60 * 1000;

/// How a run's bash is started.
#[derive(Debug, Clone, Default)]
pub struct Seed {
    /// The sandbox that it runs in; none for none.
    pub sandbox: Option<Chosen>,
    /// The shell's program.
    pub program: String,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// The person's exports, where they are known; else what this process has.
    pub exports: Option<BTreeMap<String, String>>,
}

/// The bash of a run.
pub struct OwnShell {
    live: Arc<Live>,
    sandbox: Option<Chosen>,
    program: String,
}

impl OwnShell {
    /// Makes the shell; it starts with its first command.
    ///
    /// # Errors
    /// When it is to run in a sandbox and this program cannot tell its own path, which is the launcher's.
    pub fn new(seed: Seed) -> io::Result<Self> {
        let mut options = Options::headless();
        options.program = seed.sandbox.as_ref().map_or_else(|| Ok(Vec::new()), Chosen::launcher)?;
        options.program.push(seed.program.clone().into());
        options.cwd = Some(seed.folder.clone());
        if let Some(exports) = seed.exports {
            options.environment = aish_process::Environment::empty();
            for (name, value) in exports {
                options.environment.set(name, value);
            }
        }
        let live = Arc::new(Live::of_run(options, seed.folder));
        Ok(Self { sandbox: seed.sandbox, live, program: seed.program })
    }

    /// Returns what reads the surroundings of the run's commands: this bash is where it is, and has no aliases.
    pub fn surroundings(&self, base: &Base) -> Arc<dyn Fn() -> Surroundings + Send + Sync> {
        self.live.surroundings(base)
    }

    /// Ends the shell with everything that it started.
    pub async fn close(&self) {
        self.live.close().await;
    }
}

impl CommandRunner for OwnShell {
    fn run<'a>(
        &'a self,
        command: &'a str,
        timeout_ms: u64,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Ran, String>> {
        let limit = if timeout_ms == 0 { COMMAND_MS } else { timeout_ms };
        Box::pin(async move {
            let mut ran = self.live.run(command, limit, cancel).await?;
            if let (None, Some(sandbox)) = (&ran.ending, &self.sandbox) {
                ran.stopped = suspicion(ran.status, &ran.output, sandbox);
            }
            Ok(ran)
        })
    }

    /// Runs a command in a bash of its own, where the run's bash is and with what it exports by now. What it sets is gone
    /// with it: the run's bash stays inside.
    fn run_outside<'a>(
        &'a self,
        command: &'a str,
        timeout_ms: u64,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Ran, String>> {
        let limit = if timeout_ms == 0 { COMMAND_MS } else { timeout_ms };
        Box::pin(async move {
            if self.sandbox.is_none() {
                return Err("the commands of this run are in no sandbox".to_owned());
            }
            let inside = self.live.remembered().folder;
            let mut options = Options::headless();
            options.program = vec![self.program.clone().into()];
            options.cwd.clone_from(&inside);
            if let Some(snapshot) = self.live.snapshot().await {
                options.environment = aish_process::Environment::empty();
                for (name, value) in snapshot.environment.into_iter().filter(|(name, _)| name != EXCHANGE) {
                    options.environment.set(name, value);
                }
            }
            let outside = Live::of_run(options, inside.unwrap_or_default());
            let ran = outside.run(command, limit, cancel).await;
            outside.close().await;
            ran
        })
    }
}
