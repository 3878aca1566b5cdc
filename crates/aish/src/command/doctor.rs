//! `aish doctor`: what works here, and what to do about the rest.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use aish_process::Command;
use aish_tools::RunContext;
use tokio_util::sync::CancellationToken;

use crate::arguments::SharedFlags;
use crate::base::Base;
use crate::config::section::EditMode;
use crate::exit::ExitCode;
use crate::failure::{Failure, chain};
use crate::installation::Installation;
use crate::live::Live;
use crate::search::find_models;
use crate::shell_tool::{CommandRunner as _, Way};

/// How long the person's start-up files may take.
const START_UP: Duration = Duration::from_secs(5);

/// How well a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    Good,
    /// It works, and something of it is not used.
    Warned,
    Failed,
}

impl Health {
    fn of(works: bool) -> Self {
        if works { Self::Good } else { Self::Failed }
    }
}

/// One finding.
struct Finding {
    health: Health,
    what: &'static str,
    text: String,
}

/// Checks, and prints a line for each thing; exit code 1 when something does not work.
///
/// # Errors
/// None of its own.
pub async fn run(base: &Base, shared: &SharedFlags, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let mut findings = vec![configuration(base), state(base)];
    findings.push(model(base, shared).await);
    findings.push(shell(base).await);
    findings.push(sandbox(base));
    findings.push(confinement());
    findings.push(terminal(base));
    findings.push(keys(base).await);
    findings.push(servers(base));
    findings.push(installation());
    for finding in &findings {
        let mark = match finding.health {
            Health::Good => "ok  ",
            Health::Warned => "warn",
            Health::Failed => "FAIL",
        };
        print(&aish_types::sanitize(&format!("{mark} {:13} {}", finding.what, finding.text)));
    }
    Ok(if findings.iter().all(|finding| finding.health != Health::Failed) { ExitCode::Ok } else { ExitCode::Error })
}

fn configuration(base: &Base) -> Finding {
    let place = match &base.config_path {
        Some(path) if path.exists() => path.display().to_string(),
        Some(path) => format!("no file at {}; the defaults hold", path.display()),
        None => "HOME is not set; the defaults hold".to_owned(),
    };
    let faults = base.faults();
    let text = if faults.is_empty() { place } else { faults.join("; ") };
    let health = match (base.has_errors(), faults.is_empty()) {
        (true, _) => Health::Failed,
        (false, false) => Health::Warned,
        (false, true) => Health::Good,
    };
    Finding { health, what: "configuration", text }
}

fn state(base: &Base) -> Finding {
    match (base.paths.state_fault(), &base.paths.state) {
        (Some(fault), _) => Finding { health: Health::Failed, what: "state", text: fault },
        (None, folder) => {
            let place = folder.as_ref().map(|folder| folder.display().to_string()).unwrap_or_default();
            match base.store.check() {
                Ok(()) => Finding { health: Health::Good, what: "state", text: place },
                Err(error) => {
                    let text = format!("{place}: {}; with aish.db moved away a new one is begun", chain(&error));
                    Finding { health: Health::Failed, what: "state", text }
                }
            }
        }
    }
}

async fn model(base: &Base, shared: &SharedFlags) -> Finding {
    let found = find_models(base, shared.model.as_deref()).await;
    let answers = answers(&found).await;
    let good = found.default.is_some() && answers.is_ok();
    let context = if good { context(&found).await } else { String::new() };
    let mut text = match found.default.as_ref().and_then(|name| Some((name, found.places.get(name)?))) {
        Some((name, place)) => {
            format!("{name}: {} at {} ({}){context}", place.model, place.endpoint, place.origin)
        }
        None => "none; `aish model pull` fetches a small one, or set OPENAI_BASE_URL".to_owned(),
    };
    if let Err(why) = answers {
        text.push_str("; ");
        text.push_str(&why.in_a_line());
    }
    for notice in &found.notices {
        text.push_str("; ");
        text.push_str(notice);
    }
    Finding { health: Health::of(good), what: "model", text }
}

/// Asks the model's server for its list, which tries the address and the key, and looks for the model there.
async fn answers(found: &crate::models::ModelSet) -> Result<(), Failure> {
    let Some((name, place)) = found.default.as_ref().and_then(|name| Some((name, found.places.get(name)?))) else {
        return Ok(());
    };
    let Some(model) = found.broker.model(name) else { return Ok(()) };
    let listed = model.provider.models().await.map_err(|error| crate::models::advice(&error))?;
    // A server of one model answers to any name, and some leave models out of their lists.
    let is_missing = listed.len() > 1 && !listed.contains(&place.model) && !is_tagged(&listed, &place.model);
    if is_missing {
        let some: Vec<&str> = listed.iter().take(12).map(String::as_str).collect();
        return Err(Failure::config(format!("the server has no {:?} in its list: {} …", place.model, some.join(", ")))
            .hint(format!("models.{name}.model is where it is named")));
    }
    Ok(())
}

/// Says whether a list has the model with a tag or a date behind its name.
fn is_tagged(listed: &[String], model: &str) -> bool {
    listed.iter().any(|name| name.strip_prefix(model).is_some_and(|rest| rest.starts_with([':', '-', '@'])))
}

/// Says what the model can do, where it is known or its server tells; a server that is not there is said too.
async fn context(found: &crate::models::ModelSet) -> String {
    let Some(name) = &found.default else { return String::new() };
    let known = found.places.get(name).and_then(|place| place.context);
    let asked = match (known, found.broker.model(name)) {
        (None, Some(model)) => model.provider.abilities().await,
        _ => None,
    };
    let mut abilities = asked.unwrap_or_default();
    abilities.context = known.or(abilities.context);
    let words = abilities.words();
    if words.is_empty() { words } else { format!(", {words}") }
}

async fn shell(base: &Base) -> Finding {
    let live = Live::headless(&base.config.shell.program, &base.secrets);
    let bounds = RunContext { cancel: CancellationToken::new(), timeout_ms: 10_000 };
    let ran = live.run("echo aish-doctor", Way::Asked, bounds).await;
    live.close().await;
    match ran {
        Ok(ran) if ran.output.contains("aish-doctor") => {
            Finding { health: Health::Good, what: "shell", text: format!("{} answers", base.config.shell.program) }
        }
        Ok(ran) => {
            Finding { health: Health::Failed, what: "shell", text: format!("an odd answer: {}", ran.output.trim()) }
        }
        Err(why) => Finding { health: Health::Failed, what: "shell", text: format!("{why} (shell.program)") },
    }
}

fn installation() -> Finding {
    let here = Installation::here();
    let text = format!(
        "{} {}, by {}; newer: {}",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        here.words(),
        here.update()
    );
    Finding { health: Health::Good, what: "installation", text }
}

fn confinement() -> Finding {
    let (good, text) = crate::confinement::say();
    Finding { health: Health::of(good), what: "confinement", text }
}

fn sandbox(base: &Base) -> Finding {
    match crate::sandbox::find(base, &base.folder, crate::confinement::works()) {
        Ok(found) => {
            let text = found.say();
            Finding { health: Health::Good, what: "norris", text: text.trim_start_matches("sandbox: ").to_owned() }
        }
        Err(why) => Finding { health: Health::Failed, what: "norris", text: why.to_string() },
    }
}

fn terminal(base: &Base) -> Finding {
    let term = base.variable("TERM").unwrap_or_default();
    let text = match (io::stdout().is_terminal(), term.as_str()) {
        (false, _) => "standard output is no terminal: plain text".to_owned(),
        (true, "" | "dumb") => "a dumb terminal: lines without editing, no colour".to_owned(),
        (true, term) => term.to_owned(),
    };
    Finding { health: Health::Good, what: "terminal", text }
}

async fn keys(base: &Base) -> Finding {
    let left_out = crate::repl::inputrc(base).left_out;
    let mut text = match left_out.len() {
        0 => match base.config.ui.edit_mode {
            EditMode::Emacs => "those of emacs".to_owned(),
            EditMode::Vi => "those of vi".to_owned(),
        },
        count => format!("{count} lines of the inputrc are about what is not here: {}", left_out.join(" | ")),
    };
    let bound = bound(base).await;
    if !bound.is_empty() {
        text.push_str("; what `bind -x` of your start-up files binds works in bash alone: ");
        text.push_str(&bound.join(" "));
    }
    Finding { health: Health::Good, what: "keys", text }
}

/// Returns the keys that the person's start-up files bind to code of the shell: only bash's own line editor runs that.
async fn bound(base: &Base) -> Vec<String> {
    if !base.config.shell.rc {
        return Vec::new();
    }
    let bash = Command::new(&base.config.shell.program).args(["-ic", "\\builtin bind -X"]).timeout(START_UP);
    let Ok(told) = aish_process::run(&bash, &CancellationToken::new()).await else { return Vec::new() };
    let text = told.stdout.clean_text();
    text.lines().filter_map(|line| Some(line.strip_prefix('"')?.split_once("\":")?.0.to_owned())).collect()
}

fn servers(base: &Base) -> Finding {
    let on = base.config.mcp.servers.values().filter(|server| server.enabled).count();
    let text = match on {
        0 => "none configured".to_owned(),
        count => format!("{count} configured; `aish mcp test URL` tries one"),
    };
    Finding { health: Health::Good, what: "MCP servers", text }
}
