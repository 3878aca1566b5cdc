//! The bash of a run: its own, seeded with the person's folder and exports, and gone with the run.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aish_process::Environment;
use aish_safety::Surroundings;
use aish_shell::{Options, ShellState};
use aish_tools::RunContext;
use aish_types::{BoxFuture, CallId};

use crate::base::Base;
use crate::failure::Failure;
use crate::live::{Live, ending_words};
use crate::sandbox::{EXCHANGE, Landlock, suspicion};
use crate::secrets::Secrets;
use crate::settling::Apart;
use crate::shell_tool::{CommandRunner, Order, Ran, Way};
use crate::transactions::{Beside, Transactions};

/// How long one command may take, in milliseconds, where nothing else says so; the run's own time bounds it too.
pub const COMMAND_MS: u64 = 10 * 60 * 1000;

/// How a run's bash is started.
#[derive(Clone, Default)]
pub struct Seed {
    /// The sandbox that it runs in; `None` runs it without one.
    pub sandbox: Option<Landlock>,
    /// The layers that its commands run in, and whether they reach the network; `None` where they run in the bash itself.
    pub layers: Option<(Arc<Transactions>, bool)>,
    /// The shell's program.
    pub program: String,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// The person's exports, where they are known; else what this process has.
    pub exports: Option<BTreeMap<String, String>>,
    /// What learns the values of its variables with a secret's name.
    pub secrets: Arc<Secrets>,
}

/// The bash of a run.
pub struct OwnShell {
    live: Arc<Live>,
    secrets: Arc<Secrets>,
    sandbox: Option<Landlock>,
    program: String,
    layers: Option<(Arc<Transactions>, bool)>,
    /// What the last command left, where commands run in layers: each begins as the one before it ended.
    state: Mutex<ShellState>,
    /// What commands left whose layers are not settled.
    unsettled: Mutex<HashMap<CallId, ShellState>>,
}

impl OwnShell {
    /// Makes the shell; it starts with its first command.
    ///
    /// # Errors
    /// When it is to run in a sandbox and this program cannot tell its own path, which is the launcher's.
    pub fn new(seed: Seed) -> io::Result<Self> {
        let mut options = Options::headless();
        options.program = seed.sandbox.as_ref().map_or_else(|| Ok(Vec::new()), Landlock::launcher)?;
        options.program.push(seed.program.clone().into());
        options.cwd = Some(seed.folder.clone());
        let exports = seed.exports.clone().unwrap_or_else(|| {
            std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect()
        });
        let state = ShellState::of_environment(seed.folder.clone(), &exports);
        if let Some(exports) = seed.exports {
            options.environment = Environment::of(exports);
        }
        let live = Arc::new(Live::of_run(options, seed.folder, &seed.secrets));
        Ok(Self {
            sandbox: seed.sandbox,
            live,
            secrets: seed.secrets,
            program: seed.program,
            layers: seed.layers,
            state: Mutex::new(state),
            unsettled: Mutex::default(),
        })
    }

    /// Returns what reads the surroundings of the run's commands: this bash is where it is, and has no aliases.
    pub fn surroundings(&self, base: &Base) -> Arc<dyn Fn() -> Surroundings + Send + Sync> {
        self.live.surroundings(base)
    }

    /// Returns the layers that its commands run in; `None` where they run in the bash itself.
    pub fn apart(self: &Arc<Self>) -> Option<Apart> {
        let (transactions, _) = self.layers.clone()?;
        Some(Apart { transactions, runner: Arc::clone(self) as Arc<_> })
    }

    fn state(&self) -> ShellState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the shell with everything that it started.
    pub async fn close(&self) {
        self.live.close().await;
    }

    /// Runs a command in the bash.
    async fn inside(&self, command: &str, bounds: RunContext) -> Result<Ran, Failure> {
        let mut ran = self.live.run(command, Way::Asked, bounds).await?;
        if let (None, Some(sandbox)) = (&ran.ending, &self.sandbox) {
            ran.stopped = suspicion(ran.status, &ran.output, sandbox);
        }
        Ok(ran)
    }

    /// Runs a command in a layer, beginning as the one before it ended.
    async fn in_layer(&self, command: &str, order: &Order, bounds: RunContext) -> Result<Ran, Failure> {
        let Some((transactions, network)) = &self.layers else {
            return self.inside(command, bounds).await;
        };
        let state = self.state();
        let beside = Beside { program: &self.program, folder: &state.cwd, state: Some(&state) };
        let surroundings = aish_shell::Surroundings {
            cancel: bounds.cancel,
            timeout: Some(Duration::from_millis(bounds.timeout_ms)),
            ..aish_shell::Surroundings::unwatched()
        };
        let order = Order { network: *network, ..order.clone() };
        let done = transactions.run(command, &order, beside, &surroundings).await?;
        if let Some(after) = done.result.state {
            let mut unsettled = self.unsettled.lock().unwrap_or_else(PoisonError::into_inner);
            unsettled.insert(order.call.clone(), after);
        }
        let ending = ending_words(done.result.ending, bounds.timeout_ms);
        Ok(Ran { stopped: done.stopped, ..Ran::of(done.result.status, &done.result.output, ending) })
    }

    /// Runs a command in a bash of its own, where the run's bash is and with what it exports by now. What it sets is gone
    /// with it: the run's bash stays inside.
    async fn outside(&self, command: &str, bounds: RunContext) -> Result<Ran, Failure> {
        if self.sandbox.is_none() && self.layers.is_none() {
            return Err(Failure::user("the commands of this run are in no sandbox"));
        }
        let inside = self.live.remembered().folder;
        let mut options = Options::headless();
        options.program = vec![self.program.clone().into()];
        options.cwd.clone_from(&inside);
        if self.layers.is_some() {
            options.environment = Environment::of(self.state().exports());
        } else if let Some(snapshot) = self.live.snapshot().await {
            let variables = snapshot.environment.into_iter().filter(|(name, _)| name != EXCHANGE);
            options.environment = Environment::of(variables);
        }
        let outside = Live::of_run(options, inside.unwrap_or_default(), &self.secrets);
        let ran = outside.run(command, Way::Asked, bounds).await;
        outside.close().await;
        ran
    }
}

impl CommandRunner for OwnShell {
    fn run<'a>(&'a self, command: &'a str, way: Way<'a>, bounds: RunContext) -> BoxFuture<'a, Result<Ran, Failure>> {
        let timeout_ms = if bounds.timeout_ms == 0 { COMMAND_MS } else { bounds.timeout_ms };
        let bounds = RunContext { timeout_ms, ..bounds };
        match way {
            Way::Asked | Way::Unasked => Box::pin(self.inside(command, bounds)),
            Way::Apart(order) => Box::pin(self.in_layer(command, order, bounds)),
            Way::Outside => Box::pin(self.outside(command, bounds)),
        }
    }

    /// The next command begins as this one ended, in its folder if that is there.
    fn come_back<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, Option<String>> {
        let after = self.unsettled.lock().unwrap_or_else(PoisonError::into_inner).remove(call);
        if let Some(mut after) = after {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if !after.cwd.is_dir() {
                after.cwd.clone_from(&state.cwd);
            }
            self.live.go_to(after.cwd.clone());
            *state = after;
        }
        Box::pin(std::future::ready(None))
    }
}
