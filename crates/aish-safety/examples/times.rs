//! How long the judgement of lines takes: `cargo run --release -p aish-safety --example times < LINES`.
//!
//! Each line of standard input, or with `-0` each text before a NUL, is judged five times, and its shortest time counts. Prints
//! percentiles in microseconds, each with a line that took so long, and the slowest.

use std::hint::black_box;
use std::io::{Error, Write as _, read_to_string, stdin, stdout};
use std::time::{Duration, Instant};

use aish_safety::{PolicyRules, Surroundings, analyse};

/// Lines that are shown as the slowest.
const SLOWEST: usize = 10;

/// Times that a line is judged.
const ROUNDS: usize = 5;

fn main() -> Result<(), Error> {
    let (around, rules) = (Surroundings::default(), PolicyRules::default());
    let time = |line: &str| {
        let rounds = (0..ROUNDS).map(|_| {
            let begin = Instant::now();
            black_box(analyse(black_box(line), &around, &rules));
            begin.elapsed()
        });
        rounds.min().unwrap_or_default()
    };
    let text = read_to_string(stdin())?;
    let end = if std::env::args().nth(1).is_some_and(|flag| flag == "-0") { '\0' } else { '\n' };
    let lines = text.split(end).filter(|line| !line.trim().is_empty());
    let mut times: Vec<_> = lines.map(|line| (time(line), line)).collect();
    times.sort_unstable();
    let mut out = stdout();
    writeln!(out, "{} lines", times.len())?;
    let mut row = |name: &str, (time, line): &(Duration, &str)| {
        let shown: String = line.chars().take(80).collect::<String>().replace('\n', "\\n");
        writeln!(out, "{name:>9} {:>8.1} µs  {shown}", time.as_secs_f64() * 1e6)
    };
    for percent in [10, 25, 50, 75, 90, 95, 99, 100] {
        let last = times.len().saturating_sub(1);
        if let Some(one) = times.get(last * percent / 100) {
            row(&format!("{percent} %"), one)?;
        }
    }
    for one in times.iter().rev().take(SLOWEST) {
        row("slowest", one)?;
    }
    Ok(())
}
