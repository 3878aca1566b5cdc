//! The run of a command apart: a fresh bash with the shell's names and without its secrets, behind the launcher.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use aish_confine::{Dotenv, Layer, Mechanism, Network, Plan, Report};
use aish_process::Environment;
use aish_safety::Placement;
use aish_shell::{Apart, ApartResult, ShellState, Size, StateFile, Surroundings, Variable};
use aish_types::Stopped;

use super::{Beside, Held, Transactions};
use crate::confinement::{self, Confinement, Ground, Prepared};
use crate::failure::{Failure, ResultExt as _};
use crate::shell_tool::Order;

/// Bytes of output that are kept, head and tail together.
const OUTPUT: usize = 256 * 1024;

/// What came of a command that ran apart.
pub struct Done {
    /// What it showed and how it ended.
    pub result: ApartResult,
    /// What of it the layer may have stopped.
    pub stopped: Option<Stopped>,
}

impl Transactions {
    /// Runs a command apart from a shell; its layer waits to be taken under the call's name.
    ///
    /// # Errors
    /// In words, when it could not be run at all.
    pub async fn run(
        &self,
        command: &str,
        order: &Order,
        beside: Beside<'_>,
        surroundings: &Surroundings,
    ) -> Result<Done, Failure> {
        // Started first, so that its name spaces are made while the rest is prepared.
        let waiting = match order.placement {
            Placement::Layer(_) if !order.network => self.waiting.take().await,
            _ => None,
        };
        let ground = self.ground();
        // From where other hosts can be reached the tree's own secrets stay closed, whatever was said.
        let dotenv = if order.consented && !order.network { Dotenv::Readable } else { Dotenv::Locked };
        let confinement = ground.at(beside.folder, dotenv)?;
        let (state, environment) = scrubbed(&ground, &confinement, beside.state, order);
        let shell = FreshShell::new(command, beside.program, state.as_ref(), environment)?;
        match order.placement {
            Placement::Clean => return shell.bare(beside.folder, surroundings).await,
            Placement::Reading => return shell.reading(&confinement, surroundings).await,
            Placement::Layer(_) | Placement::Open => {}
        }
        let terminal = surroundings.terminal.is_some();
        let order_of_layer = confinement::Order {
            shown: command,
            session: Some(order.session.as_str()),
            words: shell.words.clone(),
            network: network_of(order),
            terminal,
            shows: shell.state_path(),
        };
        let Prepared { layer, mut plan, words } = confinement.prepare(order_of_layer)?;
        plan.environment = Some(shell.environment.resolve());
        plan.no_input = !terminal;
        // A plan that is too long to be told goes by the arguments.
        let waiting = waiting.and_then(|waiting| Some((waiting, plan.to_told().ok()?)));
        let apart = Apart { waiting, ..shell.behind(words) };
        match self.in_layer(apart, layer, order, beside.folder, surroundings).await? {
            Some(done) => Ok(done),
            // Nothing of it has run. Where no layer can be made it runs as where none work.
            None => shell.bare(beside.folder, surroundings).await,
        }
    }

    /// Runs what was prepared in its layer; none where no layer could be made, and nothing is lost by running without one.
    async fn in_layer(
        &self,
        apart: Apart,
        layer: Layer,
        order: &Order,
        folder: &Path,
        surroundings: &Surroundings,
    ) -> Result<Option<Done>, Failure> {
        let result = match apart.run(surroundings).await {
            Ok(result) => result,
            Err(error) => {
                let _ = layer.discard();
                return Err(error.into());
            }
        };
        let report = Report::read(&layer.report_path()).unwrap_or_default();
        let stopped = suspicion(&result, &report, network_of(order));
        if report.failed.is_some() {
            let _ = layer.discard();
            self.note_unable(folder);
            if order.harmless {
                return Ok(None);
            }
        } else {
            self.put(order.call.clone(), Held { layer, report, network: order.network });
        }
        Ok(Some(Done { result, stopped }))
    }
}

const fn network_of(order: &Order) -> Network {
    if order.network { Network::Machine } else { Network::Loopback }
}

/// A bash that runs one command, with what it is given of a shell; it has not begun.
struct FreshShell {
    words: Vec<OsString>,
    environment: Environment,
    mark: String,
    /// The shell's names, which the bash reads.
    state: Option<StateFile>,
}

impl FreshShell {
    fn new(
        command: &str,
        program: &str,
        state: Option<&ShellState>,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let state = state.map(StateFile::write).transpose().at(|| "the shell's names")?;
        let mark = Apart::new_mark()?;
        let words = Apart::bash(program, state.as_ref().map(StateFile::path), &mark, command);
        Ok(Self { words, environment, mark, state })
    }

    fn state_path(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|file| file.path().to_owned())
    }

    fn behind(&self, launcher: Vec<OsString>) -> Apart {
        Apart {
            launcher,
            waiting: None,
            environment: self.environment.clone(),
            size: Size::default(),
            output_cap: OUTPUT,
            mark: self.mark.clone(),
        }
    }

    /// Runs it with nothing round it.
    async fn bare(&self, folder: &Path, surroundings: &Surroundings) -> Result<Done, Failure> {
        let terminal = surroundings.terminal.is_some();
        let plan = Plan { terminal, ..Plan::new(Mechanism::Bare, folder, self.words.clone()) };
        let result = self.behind(confinement::launcher(&plan)?).run(surroundings).await?;
        Ok(Done { result, stopped: None })
    }

    /// Runs it where the kernel keeps it to reading.
    async fn reading(&self, confinement: &Confinement, surroundings: &Surroundings) -> Result<Done, Failure> {
        let terminal = surroundings.terminal.is_some();
        let launcher = confinement.reading(self.words.clone(), terminal, self.state_path())?;
        let result = self.behind(launcher).run(surroundings).await?;
        let stopped = suspicion(&result, &Report::default(), Network::Loopback);
        Ok(Done { result, stopped })
    }
}

/// Returns what a run may have of a shell's state, and its environment.
fn scrubbed(
    ground: &Ground,
    confinement: &Confinement,
    state: Option<&ShellState>,
    order: &Order,
) -> (Option<ShellState>, Environment) {
    let exported = |state: &ShellState| -> Vec<(OsString, OsString)> {
        state.exports().into_iter().map(|(name, value)| (name.into(), value.into())).collect()
    };
    let variables = state.map_or_else(|| std::env::vars_os().collect(), exported);
    let mut environment = Environment::of(confinement.environment(variables));
    if order.harmless {
        // Looking at a repository refreshes its index otherwise, which is a change.
        environment.set("GIT_OPTIONAL_LOCKS", "0");
    }
    let state = state.map(|state| {
        let mut state = state.clone();
        let name = |variable: &Variable| (OsString::from(&variable.name), OsString::from(variable.text()));
        let open = confinement.environment(state.variables.iter().map(name));
        state.variables.retain(|variable| open.iter().any(|(name, _)| *name == *variable.name));
        state.leave_out(|text| ground.may_be_seen(text));
        state
    });
    (state, environment)
}

/// What a run may have wanted that had no network.
const NETWORK: &str = "the network";

/// The same, where it is on this machine: in the layer nobody else's answers.
const SERVER: &str = "a server outside";

/// Words of programs that ran into a wall, and what they may have wanted.
const HINTS: &[(&str, &str)] = &[
    ("read-only file system", "a path outside the tree"),
    ("no new privileges", "another user"),
    ("/dev/fuse", "to mount a file system"),
    ("fuse: device not found", "to mount a file system"),
    ("invalid cross-device link", "to rename a folder"),
    ("operation not permitted", "more rights"),
    ("permission denied", "a file that is hidden or not its own"),
    ("network is unreachable", NETWORK),
    ("network unreachable", NETWORK),
    ("could not resolve", NETWORK),
    ("name resolution", NETWORK),
    ("name or service not known", NETWORK),
    ("getaddrinfo", NETWORK),
    ("connection refused", SERVER),
    ("connect to server", SERVER),
];

/// Says what of a failed command the layer may have stopped: the kernel names neither paths nor hosts, so that the names
/// that were asked for and the program's own words are all there is.
fn suspicion(result: &ApartResult, report: &Report, network: Network) -> Option<Stopped> {
    if let Some(why) = &report.failed {
        let what = "it was not run, because no layer could be made".to_owned();
        return Some(Stopped { what, said: why.clone(), network: false });
    }
    if result.status == 0 {
        return None;
    }
    if let Some(host) = report.names.first().filter(|_| network == Network::Loopback) {
        let what = format!("it may have wanted the network (it asked for {host})");
        return Some(Stopped { what, said: format!("no answer for {host}"), network: true });
    }
    let output = result.output.clean_text();
    let hinted = |line: &str| {
        let lower = line.to_lowercase();
        HINTS.iter().find(|(words, what)| lower.contains(words) && !(network == Network::Machine && *what == NETWORK))
    };
    let (line, (_, what)) = output.lines().find_map(|line| Some((line, hinted(line)?)))?;
    let wants_network = [NETWORK, SERVER].contains(what);
    let what = format!("it may have wanted {what}");
    Some(Stopped { what, said: line.trim().to_owned(), network: wants_network })
}

#[cfg(test)]
mod tests {
    use aish_process::Captured;
    use aish_shell::Ending;

    use super::*;

    fn of(status: i32, output: &str, report: &Report) -> Option<String> {
        let result = ApartResult {
            status,
            output: Captured::whole(output.as_bytes().to_vec()),
            full_screen: false,
            type_ahead: Vec::new(),
            folded: 0,
            ending: Ending::Completed,
            state: None,
            duration: std::time::Duration::ZERO,
        };
        suspicion(&result, report, Network::Loopback).map(|stopped| format!("{}: {}", stopped.what, stopped.said))
    }

    #[test]
    fn what_a_layer_may_have_stopped_is_said_with_may() {
        let none = Report::default();
        let said = of(1, "x\ntouch: cannot touch '/x': Read-only file system\n", &none).unwrap();
        assert_eq!(said, "it may have wanted a path outside the tree: touch: cannot touch '/x': Read-only file system");
        let said = of(1, "fuse: device not found, try 'modprobe fuse' first\n", &none).unwrap();
        assert!(said.starts_with("it may have wanted to mount a file system: fuse"), "{said}");
        assert_eq!(of(0, "Permission denied", &none), None);
        assert_eq!(of(1, "assertion failed", &none), None);
        let asked = Report { names: vec!["example.org".to_owned()], ..Report::default() };
        assert!(of(6, "curl: (6)", &asked).unwrap().contains("it asked for example.org"));
        let failed = Report { failed: Some("overlayfs: no".to_owned()), ..Report::default() };
        assert!(of(125, "", &failed).unwrap().starts_with("it was not run"));
    }
}
