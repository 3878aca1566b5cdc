//! Confined runs of commands: which folder is the tree, what is hidden, where layers are.
//!
//! `aish-confine` holds the command; here is what it is told, from the environment and the configuration.

pub mod facts;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aish_confine::{
    Available, Caller, Changes, Dotenv, KeepError, Layer, Mechanism, Network, Plan, Recovered, Settings, State,
    Surroundings, Told, tree,
};

use crate::base::Base;
use crate::failure::{Failure, chain};
use crate::secrets::Secrets;

/// The hidden command that becomes the launcher.
pub const LAUNCHER: &str = "__confine";

/// What the launcher is told to say what works here.
pub const PROBE: &str = "--probe";

/// What confined runs of one start have in common, wherever they are.
#[derive(Clone)]
pub struct Ground {
    layers: Option<PathBuf>,
    home: Option<PathBuf>,
    /// Our own configuration, tokens and state.
    own: Vec<PathBuf>,
    /// What the configuration says about confined runs.
    pub(crate) settings: Settings,
    secrets: Arc<Secrets>,
}

/// What confined runs in one folder have in common.
pub struct Confinement {
    surroundings: Surroundings,
    secrets: Arc<Secrets>,
}

/// A run that is to be prepared.
pub struct Order<'a> {
    /// The command as it is shown.
    pub shown: &'a str,
    /// The session whose command it is.
    pub session: Option<&'a str>,
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// Whether it reaches other hosts.
    pub network: Network,
    /// Whether descriptor 0 is a terminal.
    pub terminal: bool,
    /// A file below a private folder that stays visible.
    pub shows: Option<PathBuf>,
}

/// A layer, and the command that runs in it.
pub struct Prepared {
    /// The layer.
    pub layer: Layer,
    /// What runs in it.
    pub plan: Plan,
    /// The launcher with its arguments.
    pub words: Vec<OsString>,
}

impl Ground {
    /// Reads what the configuration and the environment say.
    pub fn of(base: &Base) -> Self {
        let config = base.paths.config.as_ref().and_then(|file| file.parent()).map(Path::to_owned);
        let section = &base.config.confine;
        let settings = Settings {
            hidden: section.hidden.clone(),
            keep_variables: section.keep_variables.clone(),
            ordinary: section.ordinary.clone(),
            caches: section.caches.clone(),
            is_settings_file,
            dotenv: Dotenv::Locked,
            home: base.paths.home.as_deref().and_then(|home| std::fs::canonicalize(home).ok()),
        };
        Self {
            layers: layers(base),
            home: base.paths.home.clone(),
            own: [base.paths.state.clone(), config].into_iter().flatten().collect(),
            settings,
            secrets: Arc::clone(&base.secrets),
        }
    }

    /// Returns the tree around a folder; none where there is none.
    pub fn tree(&self, folder: &Path) -> Option<PathBuf> {
        let home = self.home.as_deref().and_then(|home| std::fs::canonicalize(home).ok());
        tree(&std::fs::canonicalize(folder).ok()?, home.as_deref()).into_iter().next()
    }

    /// Says whether a text may be seen by a confined run.
    pub fn may_be_seen(&self, text: &str) -> bool {
        !self.secrets.are_in(text) && !aish_confine::tells_secret(text)
    }

    /// Works out what is confined around a folder.
    ///
    /// # Errors
    /// In words for the person: there is no folder for layers, or the folder is gone.
    pub fn at(&self, folder: &Path, dotenv: Dotenv) -> Result<Confinement, Failure> {
        let layers = self.layers.as_deref().ok_or_else(no_layers)?;
        let caller = Caller { folder, home: self.home.as_deref(), own: &self.own, layers };
        let settings = Settings { dotenv, ..self.settings.clone() };
        let surroundings = Surroundings::of(&caller, &settings)
            .map_err(|error| Failure::user(format!("{}: {error}", folder.display())))?;
        Ok(Confinement { surroundings, secrets: Arc::clone(&self.secrets) })
    }
}

impl Confinement {
    /// The tree; none where the folder is in none, as right in the home folder.
    pub fn tree(&self) -> Option<&Path> {
        self.surroundings.tree()
    }

    /// Says whether a file, without links in its path, is kept from commands that run confined.
    pub fn hides(&self, file: &Path) -> bool {
        self.surroundings.hides(file)
    }

    /// Returns the words of the launcher that runs a command which the kernel keeps to reading the tree and the system's
    /// files, without what is hidden.
    ///
    /// # Errors
    /// When this program cannot tell its own path.
    pub fn reading(
        &self,
        words: Vec<OsString>,
        terminal: bool,
        shows: Option<PathBuf>,
    ) -> Result<Vec<OsString>, Failure> {
        let mut plan = self.surroundings.plan_without_layer(Mechanism::Landlock, words);
        plan.shown.extend(shows);
        plan.terminal = terminal;
        launcher(&plan)
    }

    /// Makes a layer and the words of the launcher that runs a command in it.
    ///
    /// # Errors
    /// In words for the person.
    pub fn prepare(&self, order: Order<'_>) -> Result<Prepared, Failure> {
        // It is kept with the layer, and a command may spell out a key.
        let shown = aish_types::mask_named(&aish_types::mask(order.shown));
        let layer = self.surroundings.layer(&shown, order.session)?;
        let mut plan = self.surroundings.plan(&layer, order.words);
        plan.shown.extend(order.shows);
        plan.network = order.network;
        plan.terminal = order.terminal;
        match launcher(&plan) {
            Ok(words) => Ok(Prepared { layer, plan, words }),
            Err(why) => {
                let _ = layer.discard();
                Err(why)
            }
        }
    }

    /// Returns those of some variables that a confined run may have.
    pub fn environment<I>(&self, variables: I) -> Vec<(OsString, OsString)>
    where
        I: IntoIterator<Item = (OsString, OsString)>,
    {
        self.surroundings.variables(variables, |value| self.secrets.are_in(value))
    }
}

/// Says of a file's name whether a known program takes settings from such files.
pub fn is_settings_file(name: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&'static str>> =
        LazyLock::new(|| aish_safety::settings_files().into_iter().collect());
    KNOWN.contains(name)
}

/// Returns the words of the launcher that runs a plan.
///
/// # Errors
/// When this program cannot tell its own path.
pub fn launcher(plan: &Plan) -> Result<Vec<OsString>, Failure> {
    words_of_launcher(plan.to_arguments())
}

/// Returns the words of a launcher that waits for its plan, on descriptor 3.
///
/// # Errors
/// When this program cannot tell its own path.
pub fn waiting_launcher() -> Result<Vec<OsString>, Failure> {
    words_of_launcher([Told::Beside.as_argument().into()])
}

fn words_of_launcher(arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, Failure> {
    let program = std::env::current_exe()?;
    Ok([program.into_os_string(), LAUNCHER.into()].into_iter().chain(arguments).collect())
}

fn no_layers() -> Failure {
    Failure::user("HOME is not set, so that there is no folder for layers")
}

/// Says whether layers work here, by trying.
pub fn works() -> bool {
    available().is_ok_and(|available| available.mechanism == Mechanism::Namespaces)
}

/// Finds out what commands can be confined by here.
///
/// # Errors
/// In words, when it cannot be tried.
pub fn available() -> Result<Available, Failure> {
    // A trial needs a process with one thread.
    let program = std::env::current_exe()?;
    let output = Command::new(program).args([LAUNCHER, PROBE]).output()?;
    Available::from_lines(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| Failure::internal("the trial did not end"))
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

/// Tells that times of folders changed and nothing else did; none where that is not so.
pub fn times(changes: &Changes) -> Option<String> {
    changes.are_times().then(|| match changes.times.as_slice() {
        [(_, one)] if !one.as_os_str().is_empty() => format!("changed  the time of {}/", facts::in_one_line(one)),
        [_] => "changed  the time of the folder".to_owned(),
        all => format!("changed  the times of {} folders", all.len()),
    })
}

/// Returns the folder of layers; none where there is no folder for state.
pub fn layers(base: &Base) -> Option<PathBuf> {
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
    Surroundings::forget(&folder);
    let mut layers = Layer::all(&folder);
    if complete(&layers, say) {
        // What others did in the meantime may have become one of its own.
        layers = Layer::all(&folder);
    }
    for layer in layers {
        let Ok(state) = layer.state() else { continue };
        let age = now.saturating_sub(Duration::from_millis(layer.about.time_ms));
        let over = match state {
            // A process in a container is not seen, and what it holds is.
            State::Open => !layer.is_held() && !is_running(layer.about.process),
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

/// Completes what was cut, or takes it back, and says whether there was something.
fn complete(layers: &[Layer], say: &mut dyn FnMut(&str)) -> bool {
    let mut was_any_cut = false;
    for layer in layers {
        // Whoever is at it has it to itself; what nobody is at was cut.
        if !matches!(layer.state(), Ok(State::Keeping | State::TakingBack)) {
            continue;
        }
        let command = &layer.about.command;
        match layer.recover() {
            Ok(Recovered { was_cut: false, .. }) | Err(KeepError::Busy) => {}
            Ok(Recovered { state, was_cut: true }) => {
                was_any_cut = true;
                say(&format!("a change that was cut is {} now: {command}", state.as_str()));
            }
            Err(error) => {
                say(&format!("a change that was cut cannot be completed yet ({command}): {}", chain(&error)));
            }
        }
    }
    was_any_cut
}

fn is_running(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}
