//! The runner behind the tool `shell`: the person's live shell, or that of an autonomous run while one goes on.

use std::sync::{Arc, Mutex, PoisonError};

use aish_tools::RunContext;
use aish_types::{BoxFuture, CallId};

use crate::failure::Failure;
use crate::shell_tool::{CommandRunner, Ran, Way};

/// Hands commands to one of two shells.
pub struct Switch {
    usual: Arc<dyn CommandRunner>,
    of_run: Mutex<Option<Arc<dyn CommandRunner>>>,
}

impl Switch {
    /// Makes a switch that is at the usual shell.
    pub fn new(usual: Arc<dyn CommandRunner>) -> Self {
        Self { usual, of_run: Mutex::new(None) }
    }

    /// Hands commands to a run's shell until what it returns is dropped.
    #[must_use]
    pub fn lend(self: &Arc<Self>, shell: Arc<dyn CommandRunner>) -> Lent {
        self.set(Some(shell));
        Lent(Arc::clone(self))
    }

    fn set(&self, of_run: Option<Arc<dyn CommandRunner>>) {
        *self.of_run.lock().unwrap_or_else(PoisonError::into_inner) = of_run;
    }

    fn current(&self) -> Arc<dyn CommandRunner> {
        let of_run = self.of_run.lock().unwrap_or_else(PoisonError::into_inner).clone();
        of_run.unwrap_or_else(|| Arc::clone(&self.usual))
    }
}

/// The time in which commands go to a run's shell.
pub struct Lent(Arc<Switch>);

impl Drop for Lent {
    fn drop(&mut self) {
        self.0.set(None);
    }
}

impl CommandRunner for Switch {
    fn run<'a>(&'a self, command: &'a str, way: Way<'a>, bounds: RunContext) -> BoxFuture<'a, Result<Ran, Failure>> {
        let runner = self.current();
        Box::pin(async move { runner.run(command, way, bounds).await })
    }

    fn come_back<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, Option<String>> {
        let runner = self.current();
        Box::pin(async move { runner.come_back(call).await })
    }
}
