//! The routing of lines against labels: how many commands and questions go the right way, and how often it asks.
//!
//! Reads tab-separated lines: `shell` or `ai`, the line, and a kind. A third of the lines, chosen by a hash of the line, is
//! held out: it is scored apart, and its misses are never shown, so that nobody tunes for them. With `--whole` nothing is.
//! The commands are those of
//! `PATH`, or those of a file, a name a line; the folder is empty.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs, io, io::Write as _};

use aish_route::{Line, Names, Route, decide, parse_line};
use anyhow::{Context as _, Result};

/// What an evaluation shows, and of what.
#[derive(Default, Clone, Copy)]
pub(crate) struct Options<'a> {
    /// A file with the names of the commands; those of `PATH` without it.
    pub(crate) commands: Option<&'a Path>,
    /// Shows the lines that went wrong or were asked.
    pub(crate) misses: bool,
    /// Holds nothing out: for lines that were never developed with.
    pub(crate) whole: bool,
}

impl<'a> Options<'a> {
    /// Reads `--commands NAMES`, `--misses` and `--whole`; nothing when there is anything else.
    pub(crate) fn parse(mut arguments: &[&'a str]) -> Option<Self> {
        let mut options = Self::default();
        loop {
            arguments = match arguments {
                [] => return Some(options),
                ["--commands", file, rest @ ..] => {
                    options.commands = Some(Path::new(*file));
                    rest
                }
                ["--misses", rest @ ..] => {
                    options.misses = true;
                    rest
                }
                ["--whole", rest @ ..] => {
                    options.whole = true;
                    rest
                }
                _ => return None,
            };
        }
    }
}

/// Counts of one class of lines.
#[derive(Default, Clone, Copy)]
struct Tally {
    right: usize,
    wrong: usize,
    asked: usize,
}

impl Tally {
    fn add(&mut self, expected: Route, route: Route) {
        if route == Route::Ask {
            self.asked += 1;
        } else if route == expected {
            self.right += 1;
        } else {
            self.wrong += 1;
        }
    }

    /// Right among decided, in percent.
    fn share(self) -> f64 {
        100.0 * self.right as f64 / (self.right + self.wrong).max(1) as f64
    }
}

/// Commands and questions of a group.
#[derive(Default, Clone, Copy)]
struct Pair {
    shell: Tally,
    ai: Tally,
}

impl Pair {
    fn add(&mut self, expected: Route, route: Route) {
        if expected == Route::Shell { &mut self.shell } else { &mut self.ai }.add(expected, route);
    }

    fn print(self, out: &mut impl io::Write, name: &str) -> io::Result<()> {
        let (shell, ai) = (self.shell, self.ai);
        let count = shell.right + shell.wrong + shell.asked + ai.right + ai.wrong + ai.asked;
        let asked = shell.asked + ai.asked;
        let part = |tally: Tally| {
            let decided = tally.right + tally.wrong;
            if decided == 0 { "-".to_owned() } else { format!("{}/{decided} {:.1} %", tally.right, tally.share()) }
        };
        let asks = format!("{asked}/{count} {:.1} %", 100.0 * asked as f64 / count.max(1) as f64);
        writeln!(out, "{name:<20} {:>18} {:>18} {asks:>16}", part(shell), part(ai))
    }
}

/// Prints the figures for a file, by kind and overall; with `misses`, the developed lines that went wrong or were asked.
///
/// # Errors
/// When a file cannot be read, a line has not the expected form, or the figures cannot be written.
pub(crate) fn run(path: &Path, options: Options<'_>) -> Result<()> {
    let Options { commands, misses, whole } = options;
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let names = Names { commands: command_names(commands)?, files: BTreeSet::new() };
    let mut kinds: BTreeMap<&str, Pair> = BTreeMap::new();
    let (mut developed, mut held_out) = (Pair::default(), Pair::default());
    let mut out = io::stdout().lock();
    for (at, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let mut fields = row.split('\t');
        let (Some(label), Some(line)) = (fields.next(), fields.next()) else {
            anyhow::bail!("{}:{}: not a labelled line", path.display(), at + 1);
        };
        let expected = if label == "shell" { Route::Shell } else { Route::Ai };
        let (route, reason) = match parse_line(line) {
            Line::Plain(plain) => {
                let decision = decide(plain, &names);
                (decision.route, decision.reason)
            }
            Line::Question(_) => (Route::Ai, String::new()),
            Line::Empty | Line::Shell(_) | Line::Meta(..) => (Route::Shell, String::new()),
        };
        kinds.entry(fields.next().unwrap_or("-")).or_default().add(expected, route);
        if !whole && is_held_out(line) {
            held_out.add(expected, route);
            continue;
        }
        developed.add(expected, route);
        if misses && route != expected {
            writeln!(out, "{label}\t{}\t{line}\t{reason}", route.as_str())?;
        }
    }
    writeln!(out, "{:<20} {:>18} {:>18} {:>16}", "kind", "commands right", "questions right", "asked")?;
    for (name, pair) in &kinds {
        pair.print(&mut out, name)?;
    }
    if whole {
        developed.print(&mut out, "all")?;
        return Ok(());
    }
    developed.print(&mut out, "all, developed")?;
    held_out.print(&mut out, "all, held out")?;
    Ok(())
}

fn command_names(file: Option<&Path>) -> Result<BTreeSet<String>> {
    if let Some(file) = file {
        let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        return Ok(text.split_whitespace().map(str::to_owned).collect());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok());
    let names = folders.flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.collect())
}

/// FNV-1a, 32 bits: a third of all lines, the same on every machine.
fn is_held_out(line: &str) -> bool {
    let hash = line.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash.is_multiple_of(3)
}
