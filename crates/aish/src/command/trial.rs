//! `aish try`: runs a command in a layer, shows what it changed, and keeps or drops that.

use std::ffi::OsString;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::process::Command;

use aish_confine::{
    Caches, Dotenv, KeepError, Layer, Network, OnConflict, Report, State, Streams, Why, run_on_pipes, run_on_terminal,
};

use crate::arguments::TrialFlags;
use crate::base::Base;
use crate::confinement::facts::{Facts, remarks};
use crate::confinement::{Ground, Order, Prepared, kept, times};
use crate::exit::ExitCode;
use crate::failure::{Failure, chain};
use crate::run::complain;

/// Exit code where the command could not be run at all, as of `env` and `timeout`.
const NOT_RUN: u8 = 125;

/// Exit code where the program is not there.
const NOT_FOUND: i32 = 127;

/// What becomes of the changes.
enum Decision {
    Keep,
    Drop,
}

/// Runs the command; its exit code, or 3 where its changes were dropped.
///
/// # Errors
/// When there is no folder for layers, or the changes cannot be kept.
pub fn run(base: &Base, flags: &TrialFlags, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    // What an earlier run left half done is whole before this one looks at the tree.
    kept(base, &mut complain);
    // Who types a command says yes to what it reads; from where other hosts can be reached the tree's own secrets stay closed.
    let dotenv = if flags.net { Dotenv::Locked } else { Dotenv::Readable };
    let confinement = Ground::of(base).at(&base.folder, dotenv)?;
    if confinement.tree().is_none() {
        complain("this folder belongs to no tree (it is the home folder or above): nothing can be written");
    }
    let network = if flags.net { Network::Machine } else { Network::Loopback };
    let on_terminal =
        !flags.json && io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
    let on_terminal = on_terminal && flags.agent.is_none();
    let shown = shown(flags);
    let order = Order {
        shown: &shown,
        session: flags.agent.as_deref(),
        words: flags.command.clone(),
        network,
        terminal: on_terminal,
        shows: None,
    };
    let Prepared { layer, words, .. } = confinement.prepare(order)?;
    let (program, arguments) = words.split_first().ok_or_else(|| Failure::internal("there is no launcher"))?;
    let mut launcher = Command::new(program);
    launcher.args(arguments).env_clear().envs(confinement.environment(std::env::vars_os()));
    let streams = if flags.json { Streams::Error } else { Streams::Own };
    let ran = if on_terminal { run_on_terminal(&mut launcher) } else { run_on_pipes(&mut launcher, streams) };
    let status = match ran {
        Ok(status) => status,
        Err(error) => {
            let _ = layer.discard();
            return Err(error.into());
        }
    };
    let report = Report::read(&layer.report_path()).unwrap_or_default();
    if report.failed.is_some() {
        let _ = layer.discard();
        complain("`aish doctor` says what commands can be confined by here");
        return Ok(ExitCode::Of(NOT_RUN));
    }
    let code = ExitCode::Of(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1));
    if status.code() == Some(NOT_FOUND) && is_line(&flags.command) {
        complain("there is no program of that name; a whole line needs a shell: `aish try -- bash -c 'LINE'`");
    }
    for line in remarks(&report, flags.net) {
        complain(&format!("{line} (--net gives it one)"));
    }
    let facts = Facts::of(&layer, &Ground::of(base).settings).inspect_err(|_| {
        let _ = layer.discard();
        complain("what it changed cannot be read: nothing was kept");
    })?;
    let ran = Ran { layer, report, facts, shown, on_terminal };
    if ran.settle(flags, print)? { Ok(code) } else { Ok(ExitCode::Halted) }
}

/// Says whether a command is a line for a shell in one word.
fn is_line(words: &[OsString]) -> bool {
    matches!(words, [only] if only.to_string_lossy().contains(char::is_whitespace))
}

/// A command that has run in its layer.
struct Ran {
    layer: Layer,
    report: Report,
    facts: Facts,
    shown: String,
    on_terminal: bool,
}

impl Ran {
    /// Shows what it changed, and keeps or drops that; says whether nothing was dropped.
    fn settle(self, flags: &TrialFlags, print: &mut dyn FnMut(&str)) -> Result<bool, Failure> {
        let json = |end: &str| flags.json.then(|| self.facts.to_json(&self.layer, &self.report, end).to_string());
        if self.facts.is_empty() {
            json("empty").iter().for_each(|json| print(json));
            self.layer.discard()?;
            return Ok(true);
        }
        if !flags.json {
            complain(&format!("ran apart: {}", aish_types::visible(&self.layer.about.command)));
            let lines = self.facts.say().into_iter().chain(times(&self.facts.changes));
            lines.for_each(|line| complain(&format!("  {line}")));
        }
        if self.facts.changes.keeps_nothing() {
            match json("dropped") {
                Some(json) => print(&json),
                None => complain("nothing was kept: all of it is left out"),
            }
            self.layer.discard()?;
            return Ok(false);
        }
        match self.decision(flags) {
            Decision::Keep => {
                let json = json("kept");
                let caches = if flags.net { Caches::Included } else { Caches::LeftOut };
                keep(&self.layer, caches, self.on_terminal)?;
                match json {
                    Some(json) => print(&json),
                    None => complain(&format!("kept; `aish undo {}` takes it back", self.layer.id())),
                }
                Ok(true)
            }
            Decision::Drop => {
                match json("dropped") {
                    Some(json) => print(&json),
                    None => complain("dropped: nothing of it is in the tree"),
                }
                self.layer.discard()?;
                Ok(false)
            }
        }
    }

    /// Decides what becomes of the changes: the flags, else what they are, else the person.
    fn decision(&self, flags: &TrialFlags) -> Decision {
        match (flags.keep, flags.drop) {
            (true, _) => Decision::Keep,
            (false, true) => Decision::Drop,
            (false, false) if self.facts.changes.are_times() => Decision::Keep,
            (false, false) if flags.agent.is_some() && !self.facts.has_guarded(Some(&self.shown)) => Decision::Keep,
            (false, false) if flags.agent.is_some() => {
                complain("not all of these are ordinary files, and nobody is here who can be asked about them");
                Decision::Drop
            }
            (false, false) if self.on_terminal => ask(&self.layer, &self.facts),
            (false, false) => Decision::Drop,
        }
    }
}

/// Writes the command as it is shown.
fn shown(flags: &TrialFlags) -> String {
    let words = flags.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>();
    match words.as_slice() {
        // A hook hands over the line of a shell.
        [_, option, line] if flags.agent.is_some() && option == "-c" => line.to_string(),
        words => shell_words::join(words.iter().map(AsRef::as_ref)),
    }
}

/// Conflicts that are listed.
const MOST_CONFLICTS: usize = 20;

/// Moves the changes into the tree; where something else changed there in the meantime, a person decides.
fn keep(layer: &Layer, caches: Caches, on_terminal: bool) -> Result<(), Failure> {
    match layer.keep(caches, OnConflict::Stop) {
        Ok(_) => Ok(()),
        Err(KeepError::Conflicts(conflicts)) => {
            for conflict in conflicts.iter().take(MOST_CONFLICTS) {
                let path = conflict.path.display().to_string();
                complain(&format!("{} {}", aish_types::visible(&path), conflict.why.as_str()));
            }
            if conflicts.len() > MOST_CONFLICTS {
                complain(&format!("and {} more", conflicts.len() - MOST_CONFLICTS));
            }
            if on_terminal && answer("replace it all the same? what is there now can be brought back [y/N] ") == "y" {
                layer.keep(caches, OnConflict::Replace).map(drop).map_err(|error| not_kept(layer, &error))
            } else {
                let _ = layer.discard();
                let all = |why: Why| conflicts.iter().all(|conflict| conflict.why == why);
                let what = if all(Why::Linked) {
                    "a file with several names would be parted; run it without `aish try`"
                } else if all(Why::Unread) {
                    "nobody knows what would be lost; make the folder readable (chmod u+rwX), or run it without `aish try`"
                } else {
                    "the tree changed while the command ran; run it again"
                };
                Err(Failure::user(format!("nothing was kept: {what}")))
            }
        }
        Err(error) => Err(not_kept(layer, &error)),
    }
}

/// Says why a layer is not kept, and drops it where the tree is as it was.
fn not_kept(layer: &Layer, error: &KeepError) -> Failure {
    if matches!(error, KeepError::Unfinished { .. }) {
        return Failure::user(chain(error)).hint("`aish undo list` brings it to an end, and says what is in the way");
    }
    if matches!(layer.state(), Ok(State::Open)) {
        let _ = layer.discard();
    }
    Failure::user(format!("nothing was kept: {}", chain(error)))
}

/// Asks what becomes of the changes; the end of input drops them.
fn ask(layer: &Layer, facts: &Facts) -> Decision {
    const CHOICES: &str = "[k]eep  [d]iff  [n]o, drop it  [?]why ";
    let mut given = answer(CHOICES);
    loop {
        match given.as_str() {
            "k" | "keep" | "y" => return Decision::Keep,
            "n" | "no" | "" => return Decision::Drop,
            "d" | "diff" => {
                let diff = Facts::diff(layer, &facts.changes);
                for line in diff.lines() {
                    let _ = writeln!(io::stdout(), "{}", aish_types::visible(line));
                }
            }
            _ => {
                let _ = writeln!(
                    io::stdout(),
                    "The command ran in a layer: what it changed is listed above and is not in the tree yet.\n\
                     keep moves it there (aish undo takes it back exactly), no throws it away."
                );
            }
        }
        // Whoever asked for the difference has seen the question: what they type meanwhile answers it.
        given = line(CHOICES);
    }
}

/// Asks on the terminal, where nothing counts that was typed before the question is shown, and returns the answer.
fn answer(question: &str) -> String {
    if aish_term::discard_typed_before().is_err() {
        return String::new();
    }
    line(question)
}

/// Shows a question and returns the line that is entered in small letters; empty at the end of input.
fn line(question: &str) -> String {
    let mut terminal = io::stderr();
    let _ = write!(terminal, "{question}");
    let _ = terminal.flush();
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(read) if read > 0 => {
            let line = line.trim().to_lowercase();
            // Enter alone is no answer.
            if line.is_empty() { "?".to_owned() } else { line }
        }
        Ok(_) | Err(_) => String::new(),
    }
}
