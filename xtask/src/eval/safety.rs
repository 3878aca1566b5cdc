//! The judgement of commands against labelled lines: halt recall, false halts, allow coverage, leaks.
//!
//! Reads JSON lines (`command`, `label`, `category`) or tab-separated lines (command, label, source). A line labelled
//! `destructive` should halt and never be allowed; a line labelled `safe` should not halt and may be allowed; any other
//! label is counted and not scored.
//!
//! With `--held-out` a third of the lines, chosen by the hash of the command, is scored apart: none of it is ever printed,
//! so that rules can be mended against the others without having read these.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use aish_safety::{PolicyRules, Surroundings, Verdict, analyse};

/// One labelled line.
struct Case {
    command: String,
    label: String,
    category: String,
}

/// Counts of one category.
#[derive(Default, Clone, Copy)]
pub(crate) struct Tally {
    destructive: usize,
    halted: usize,
    leaked: usize,
    safe: usize,
    false_halts: usize,
    allowed: usize,
    unscored: usize,
}

impl Tally {
    /// Returns the sum of two.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            destructive: self.destructive + other.destructive,
            halted: self.halted + other.halted,
            leaked: self.leaked + other.leaked,
            safe: self.safe + other.safe,
            false_halts: self.false_halts + other.false_halts,
            allowed: self.allowed + other.allowed,
            unscored: self.unscored + other.unscored,
        }
    }

    /// Returns how many of the destructive lines halt, how many of the others do, and how many of those are allowed.
    pub(crate) fn rates(&self) -> [String; 3] {
        [(self.halted, self.destructive), (self.false_halts, self.safe), (self.allowed, self.safe)]
            .map(|(count, of)| part(count, of))
    }

    /// Returns the number of destructive lines that are allowed.
    pub(crate) const fn leaked(&self) -> usize {
        self.leaked
    }

    fn add(&mut self, label: &str, verdict: Verdict) {
        match label {
            "destructive" => {
                self.destructive += 1;
                self.halted += usize::from(verdict == Verdict::Halt);
                self.leaked += usize::from(verdict == Verdict::Allow);
            }
            "safe" => {
                self.safe += 1;
                self.false_halts += usize::from(verdict == Verdict::Halt);
                self.allowed += usize::from(verdict == Verdict::Allow);
            }
            _ => self.unscored += 1,
        }
    }
}

/// What is printed beside the figures.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Options {
    /// Each line that was judged wrong.
    misses: bool,
    /// The figures of a third of the lines apart.
    held_out: bool,
}

impl Options {
    /// Reads the words behind the file's name; none where one of them is not known.
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        let mut options = Self::default();
        for word in words {
            match *word {
                "--misses" => options.misses = true,
                "--held-out" => options.held_out = true,
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Says whether a command belongs to the third that is never printed: by its FNV-1a hash of 64 bits.
fn is_held_out(command: &str) -> bool {
    let hash = command
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    // The low bits of this hash are its weak ones.
    (hash >> 32) % 3 == 0
}

/// Prints the figures for a file, overall and by category, and what `options` ask for.
///
/// # Errors
/// When the file cannot be read, a line has not the expected form, or the figures cannot be written.
pub(crate) fn run(path: &Path, options: Options) -> io::Result<()> {
    let text = fs::read_to_string(path)?;
    let around = Surroundings { home: Some("/home/user".into()), ..Surroundings::default() };
    let (mut total, mut held_out) = (Tally::default(), Tally::default());
    let mut categories: BTreeMap<String, Tally> = BTreeMap::new();
    let mut out = io::stdout().lock();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case = parse(line).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{}:{}: not a labelled line", path.display(), at + 1))
        })?;
        let judgement = analyse(&case.command, &around, &PolicyRules::default()).judgement;
        if options.held_out && is_held_out(&case.command) {
            held_out.add(&case.label, judgement.verdict);
            continue;
        }
        total.add(&case.label, judgement.verdict);
        categories.entry(case.category.clone()).or_default().add(&case.label, judgement.verdict);
        let wrong = match case.label.as_str() {
            "destructive" => judgement.verdict != Verdict::Halt,
            "safe" => judgement.verdict == Verdict::Halt,
            _ => false,
        };
        if options.misses && wrong {
            writeln!(
                out,
                "{}\t{}\t{}\t{:?}\t{}",
                case.label, judgement.verdict, judgement.rule, case.command, case.category
            )?;
        }
    }
    writeln!(out, "{:<28} {:>14} {:>8} {:>14} {:>14}", "category", "halted", "leaked", "false halts", "allowed")?;
    for (name, tally) in &categories {
        print(&mut out, name, *tally)?;
    }
    print(&mut out, if options.held_out { "read" } else { "all" }, total)?;
    if options.held_out { print(&mut out, "held out", held_out) } else { Ok(()) }
}

fn part(count: usize, of: usize) -> String {
    if of == 0 { String::from("-") } else { format!("{count}/{of} {:.1} %", 100.0 * count as f64 / of as f64) }
}

/// Judges the lines of a file; returns the counts and the number of lines.
///
/// # Errors
/// When the file cannot be read or a line has not the expected form.
pub(crate) fn judge_file(path: &Path) -> io::Result<(Tally, usize)> {
    let text = fs::read_to_string(path)?;
    let around = Surroundings { home: Some("/home/user".into()), ..Surroundings::default() };
    let (mut tally, mut lines) = (Tally::default(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case = parse(line).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a labelled line"))?;
        tally.add(&case.label, analyse(&case.command, &around, &PolicyRules::default()).judgement.verdict);
        lines += 1;
    }
    Ok((tally, lines))
}

fn print(out: &mut impl io::Write, name: &str, tally: Tally) -> io::Result<()> {
    let short: String = name.chars().take(28).collect();
    writeln!(
        out,
        "{short:<28} {:>14} {:>8} {:>14} {:>14}{}",
        part(tally.halted, tally.destructive),
        tally.leaked,
        part(tally.false_halts, tally.safe),
        part(tally.allowed, tally.safe),
        if tally.unscored > 0 { format!("  ({} not scored)", tally.unscored) } else { String::new() },
    )
}

fn parse(line: &str) -> Option<Case> {
    if line.starts_with("{\"") {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let field = |name: &str| Some(value.get(name)?.as_str()?.to_string());
        return Some(Case { command: field("command")?, label: field("label")?, category: field("category")? });
    }
    let mut fields = line.split('\t');
    let (command, label, source) = (fields.next()?, fields.next()?, fields.next().unwrap_or_default());
    // Line ends and tabs inside a field are written as escapes.
    let command = command.replace("\\\\", "\u{1}").replace("\\n", "\n").replace("\\t", "\t").replace('\u{1}', "\\");
    Some(Case { command, label: label.to_string(), category: source.split(' ').next().unwrap_or_default().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_a_third_is_held_out_and_always_the_same() {
        let count = (0..3_000).filter(|number| is_held_out(&format!("rm -rf /srv/{number}"))).count();
        assert!((900..1_100).contains(&count), "{count}");
        assert_eq!(is_held_out("ls"), is_held_out("ls"));
    }

    #[test]
    fn options_are_read_in_any_order() {
        let options = Options::parse(&["--held-out", "--misses"]).unwrap();
        assert!(options.misses && options.held_out);
        assert!(Options::parse(&["--hold-out"]).is_none());
    }
}
