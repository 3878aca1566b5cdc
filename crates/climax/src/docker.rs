//! Commands inside a container that is removed afterwards.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aish_process::{Command, Exit, RunOutcome, SpawnError};
use tokio_util::sync::CancellationToken;

use crate::argv::Invocation;
use crate::expand::{self, Variables};
use crate::policy::Docker;
use crate::run::{self, Limits};

/// How long the removal of a container may take.
const REMOVAL: Duration = Duration::from_secs(10);

/// Puts `docker run` before the words. The container has no name yet: [`run`] gives it one.
pub(crate) fn wrap(invocation: &mut Invocation, container: &Docker, world: &dyn Variables) {
    let mut words: Vec<String> = ["docker", "run", "--rm"].map(str::to_owned).into();
    if invocation.stdin.is_some() {
        words.push("-i".into());
    }
    for volume in &container.volumes {
        words.extend(["-v".to_owned(), expand::path(volume, world)]);
    }
    if let Some(network) = &container.network {
        words.extend(["--network".to_owned(), network.clone()]);
    }
    // A folder that the call names lies inside the container.
    if let Some(folder) = invocation.folder.take().or_else(|| container.working_dir.clone()) {
        words.extend(["-w".to_owned(), folder]);
    }
    for (name, value) in invocation.env.drain(..) {
        words.extend(["-e".to_owned(), format!("{name}={value}")]);
    }
    words.push(container.image.clone());
    words.append(&mut invocation.words);
    invocation.words = words;
}

/// Runs a wrapped command under a name of its own, and removes the container when the command was cut off.
///
/// Ending `docker run` leaves the container running: the daemon owns it.
pub(crate) async fn run(mut invocation: Invocation, limits: &Limits) -> Result<RunOutcome, SpawnError> {
    let name = container_name();
    let at = invocation.words.iter().position(|word| word == "--rm").map_or(0, |at| at + 1);
    invocation.words.splice(at..at, ["--name".to_owned(), name.clone()]);
    let guard = Removal { name: Some(name) };
    let outcome = aish_process::run(&run::command(invocation, limits.timeout_s), &limits.cancel).await;
    match &outcome {
        Ok(RunOutcome { exit: Exit::TimedOut | Exit::Cancelled, .. }) => guard.now().await,
        Ok(RunOutcome { exit: Exit::Code(_) | Exit::Signal(_), .. }) | Err(_) => guard.not_needed(),
    }
    outcome
}

fn container_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("climax-{}-{number}", std::process::id())
}

/// Removes a container, also when the call's future is dropped.
struct Removal {
    name: Option<String>,
}

impl Removal {
    async fn now(mut self) {
        if let Some(name) = self.name.take() {
            remove(name).await;
        }
    }

    fn not_needed(mut self) {
        self.name = None;
    }
}

impl Drop for Removal {
    fn drop(&mut self) {
        if let (Some(name), Ok(runtime)) = (self.name.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(remove(name));
        }
    }
}

async fn remove(name: String) {
    let command = Command::new("docker").args(["rm", "-f", &name]).timeout(REMOVAL);
    match aish_process::run(&command, &CancellationToken::new()).await {
        Ok(outcome) if outcome.exit == Exit::Code(0) => {}
        Ok(outcome) => tracing::warn!(container = %name, exit = ?outcome.exit, "a container was not removed"),
        Err(error) => tracing::warn!(container = %name, %error, "a container was not removed"),
    }
}
