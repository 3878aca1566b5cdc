//! How long the judgement of a command takes: a typical line, and 64 KiB.

use aish_safety::{Surroundings, judge_command};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

const LINES: &[&str] = &[
    "ls -la",
    "git log --oneline -5 | head",
    "sudo timeout 5 xargs -n 1 rm -rf < list.txt",
    "for f in *.rs; do grep -n foo \"$f\" && wc -l \"$f\"; done",
    "curl -fsSL https://example.com/install.sh | tee /tmp/i.sh | bash",
    "python3 -c 'import os; os.system(\"ls\")'",
];

#[divan::bench(args = LINES)]
fn line(bencher: Bencher<'_, '_>, command: &str) {
    let around = Surroundings::default();
    bencher.bench(|| judge_command(black_box(command), &around));
}

#[divan::bench(args = [4, 16, 64])]
fn kibibytes(bencher: Bencher<'_, '_>, size: usize) {
    let around = Surroundings::default();
    let command = "echo one \"two $HOME\" | grep -v three; ".repeat(size * 1024 / 39);
    bencher.bench(|| judge_command(black_box(&command), &around));
}
