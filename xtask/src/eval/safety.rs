//! The judgement of commands against labelled lines: halt recall, false halts, allow coverage, leaks.
//!
//! Reads JSON lines (`command`, `label`, `category`) or tab-separated lines (command, label, source). A line labelled
//! `destructive` should halt and never be allowed; a line labelled `safe` should not halt and may be allowed; any other
//! label is counted and not scored.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use aish_safety::{Surroundings, Verdict, judge_command};

/// One labelled line.
struct Case {
    command: String,
    label: String,
    category: String,
}

/// Counts of one category.
#[derive(Default, Clone, Copy)]
struct Tally {
    destructive: usize,
    halted: usize,
    leaked: usize,
    safe: usize,
    false_halts: usize,
    allowed: usize,
    unscored: usize,
}

impl Tally {
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

/// Prints the figures for a file, overall and by category; with `misses`, each line that was judged wrong too.
///
/// # Errors
/// When the file cannot be read, a line has not the expected form, or the figures cannot be written.
pub(crate) fn run(path: &Path, misses: bool) -> io::Result<()> {
    let text = fs::read_to_string(path)?;
    let around = Surroundings { home: Some("/home/user".into()), ..Surroundings::default() };
    let mut total = Tally::default();
    let mut categories: BTreeMap<String, Tally> = BTreeMap::new();
    let mut out = io::stdout().lock();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case = parse(line).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{}:{}: not a labelled line", path.display(), at + 1))
        })?;
        let judgement = judge_command(&case.command, &around);
        total.add(&case.label, judgement.verdict);
        categories.entry(case.category.clone()).or_default().add(&case.label, judgement.verdict);
        let wrong = match case.label.as_str() {
            "destructive" => judgement.verdict != Verdict::Halt,
            "safe" => judgement.verdict == Verdict::Halt,
            _ => false,
        };
        if misses && wrong {
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
    print(&mut out, "all", total)
}

fn print(out: &mut impl io::Write, name: &str, tally: Tally) -> io::Result<()> {
    let short: String = name.chars().take(28).collect();
    let part = |count: usize, of: usize| {
        if of == 0 { String::from("-") } else { format!("{count}/{of} {:.1} %", 100.0 * count as f64 / of as f64) }
    };
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
