//! Confined runs of commands: which folder is the tree, what is hidden, where layers are.
//!
//! `aish-confine` holds the command; here is what it is told, from the environment and the configuration.

pub mod facts;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aish_confine::{Available, Caller, Layer, Mechanism, Network, Settings, State, Surroundings};

use crate::base::Base;
use crate::failure::chain;

/// The hidden command that becomes the launcher.
pub const LAUNCHER: &str = "__confine";

/// What the launcher is told to say what works here.
pub const PROBE: &str = "--probe";

/// What confined runs of one start have in common.
pub struct Confinement {
    surroundings: Surroundings,
    environment: Vec<(OsString, OsString)>,
}

/// A layer, and the command that runs in it.
pub struct Prepared {
    /// The layer.
    pub layer: Layer,
    /// The launcher with its arguments and the cleaned environment.
    pub command: Command,
}

impl Confinement {
    /// Works out what is confined around the working folder.
    ///
    /// # Errors
    /// In words for the person: there is no folder for layers, or the working folder is gone.
    pub fn of(base: &Base) -> Result<Self, String> {
        let layers = layers(base).ok_or("HOME is not set, so that there is no folder for layers")?;
        let config = base.paths.config.as_ref().and_then(|file| file.parent()).map(Path::to_owned);
        let own: Vec<PathBuf> = [base.paths.state.clone(), config].into_iter().flatten().collect();
        let caller = Caller { folder: &base.folder, home: base.paths.home.as_deref(), own: &own, layers: &layers };
        let surroundings = Surroundings::of(&caller, &Settings::default())
            .map_err(|error| format!("{}: {error}", base.folder.display()))?;
        let environment = surroundings.variables(std::env::vars_os(), |value| base.secrets.are_in(value));
        Ok(Self { surroundings, environment })
    }

    /// The tree; none where the folder is in none, as right in the home folder.
    pub fn tree(&self) -> Option<&Path> {
        self.surroundings.tree()
    }

    /// Makes a layer and the command that runs words in it.
    ///
    /// # Errors
    /// In words for the person.
    pub fn prepare(&self, words: &[OsString], network: Network, terminal: bool) -> Result<Prepared, String> {
        let shown = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>();
        let shown = shell_words::join(shown.iter().map(AsRef::as_ref));
        let layer = self.surroundings.layer(&shown, None).map_err(|error| chain(&error))?;
        let mut plan = self.surroundings.plan(&layer, words.to_vec());
        plan.network = network;
        plan.terminal = terminal;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg(LAUNCHER).args(plan.to_arguments()).env_clear().envs(self.environment.iter().cloned());
        Ok(Prepared { layer, command })
    }
}

/// Finds out what commands can be confined by here.
///
/// # Errors
/// In words, when it cannot be tried.
pub fn available() -> Result<Available, String> {
    // A trial needs a process with one thread.
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program).args([LAUNCHER, PROBE]).output().map_err(|error| error.to_string())?;
    Available::from_lines(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| "the trial did not end".to_owned())
}

/// Says what commands are confined by here, why by nothing stronger, and what to do about that, for `aish doctor`: whether
/// layers work, and the words.
pub fn say() -> (bool, String) {
    let found = match available() {
        Ok(found) => found,
        Err(why) => return (false, format!("cannot be tried: {why}")),
    };
    let mut text = format!("{}: {}", found.mechanism.as_str(), found.mechanism.say());
    for missing in &found.missing {
        text.push_str(&format!("; no {}: {}", missing.mechanism.as_str(), missing.why));
        if !missing.remedy.is_empty() {
            text.push_str(&format!(": {}", missing.remedy));
        }
    }
    (found.mechanism == Mechanism::Namespaces, text)
}

/// Returns the folder of layers; none where there is no folder for state.
fn layers(base: &Base) -> Option<PathBuf> {
    base.paths.state.as_ref().map(|state| state.join("layers"))
}

/// Lists the layers that were kept, the oldest first, after completing what was cut and forgetting what is too old, of
/// runs that are over, or over the bound of what undo keeps.
///
/// `say` is told of every keeping that was cut and what became of it.
pub fn kept(base: &Base, say: &mut dyn FnMut(&str)) -> Vec<Layer> {
    let Some(folder) = layers(base) else { return Vec::new() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let keep = Duration::from_secs(base.config.undo.keep_days.saturating_mul(24 * 60 * 60));
    let mut kept = Vec::new();
    for layer in Layer::all(&folder) {
        let state = match layer.state() {
            Ok(State::Keeping | State::TakingBack) if !is_running(layer.about.process) => {
                let done = layer.recover();
                say(&match &done {
                    Ok(state) => format!("a change that was cut is {} now: {}", state.as_str(), layer.about.command),
                    Err(error) => format!("a change that was cut cannot be completed: {}", chain(error)),
                });
                done.unwrap_or(State::Keeping)
            }
            Ok(state) => state,
            Err(_) => continue,
        };
        let age = now.saturating_sub(Duration::from_millis(layer.about.time_ms));
        let over = match state {
            State::Open => !is_running(layer.about.process),
            State::Kept | State::TakenBack => age > keep,
            State::Keeping | State::TakingBack => false,
        };
        if over {
            let _ = layer.discard();
        } else if state == State::Kept {
            kept.push(layer);
        }
    }
    let mut bytes = 0_u64;
    let mut fits = |layer: &Layer| {
        bytes = bytes.saturating_add(layer.size().0);
        bytes <= base.config.undo.max_bytes
    };
    let first = kept.iter().rposition(|layer| !fits(layer)).map_or(0, |position| position + 1);
    // The newest stays, however large: its way back was promised a moment ago.
    for layer in kept.drain(..first.min(kept.len().saturating_sub(1))) {
        let _ = layer.discard();
    }
    kept
}

fn is_running(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}
