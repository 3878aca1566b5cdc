//! How long a decision takes.

use aish_route::{Names, decide};

const LINES: &str = include_str!("../tests/data/lines.tsv");
const COMMANDS: &str = include_str!("../tests/data/commands.txt");

fn main() {
    divan::main();
}

fn names() -> Names {
    Names { commands: COMMANDS.split_whitespace().map(str::to_owned).collect(), ..Names::default() }
}

/// All committed lines; divide by their number for one.
#[divan::bench]
fn all_lines(bencher: divan::Bencher<'_, '_>) {
    let names = names();
    let lines: Vec<&str> = LINES.lines().filter_map(|row| row.split('\t').nth(1)).collect();
    bencher.counter(divan::counter::ItemsCount::new(lines.len())).bench(|| {
        for line in &lines {
            divan::black_box(decide(divan::black_box(line), &names));
        }
    });
}

#[divan::bench(args = ["ls -la", "find all files larger than 10 MB", "pyhton x.py", "blorp", "wie spät ist es"])]
fn one_line(bencher: divan::Bencher<'_, '_>, line: &str) {
    let names = names();
    bencher.bench(|| decide(divan::black_box(line), &names));
}

/// Grows with the length, not faster.
#[divan::bench(args = [100, 1000, 10_000])]
fn words(bencher: divan::Bencher<'_, '_>, count: usize) {
    let names = names();
    let line = "git word ".repeat(count / 2);
    bencher.bench(|| decide(divan::black_box(&line), &names));
}
