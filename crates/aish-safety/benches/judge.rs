//! How long the judgement of a command takes: a typical line, and 64 KiB of many shapes.

use aish_safety::{Analysis, PolicyRules, Surroundings, analyse};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

fn judge(command: &str, around: &Surroundings) -> Analysis {
    analyse(command, around, &PolicyRules::default())
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
    bencher.bench(|| judge(black_box(command), &around));
}

#[divan::bench(args = [4, 16, 64])]
fn kibibytes(bencher: Bencher<'_, '_>, size: usize) {
    let around = Surroundings::default();
    let command = "echo one \"two $HOME\" | grep -v three; ".repeat(size * 1024 / 39);
    bencher.bench(|| judge(black_box(&command), &around));
}

/// Shapes of a long line: what stands before, what is repeated (`#` is a number), what stands behind.
const SHAPES: &[(&str, &str, &str, &str)] = &[
    ("one-letter programs", "", "a;", ""),
    ("one-letter programs, a line each", "", "a\n", ""),
    ("conditions", "a", "&&a", ""),
    ("unknown programs", "", "p# a;", ""),
    ("programs with an argument", "", "ls a;", ""),
    ("git", "", "git log; ", ""),
    ("an alias", "alias a=ls; ", "a;", ""),
    ("a variable as a program", "a=b; ", "$a;", ""),
    ("a loop's body", "for i in {1..64}; do ", "ls $i;", " done"),
    ("a chain of sudo", "", "sudo ", "ls"),
    ("a chain of env", "", "env ", "ls"),
    ("a chain of xargs", "", "xargs ", "rm -rf /"),
    ("many options", "curl ", "-x a ", ""),
    ("many arguments", "sudo tool ", "a# ", ""),
    ("actions of find", "find . ", "-exec rm {} \\; ", ""),
    ("data to send", "curl -d ", "a:b@c=", " http://x"),
    ("changes of folder", "", "cd a; ", ""),
    ("assignments", "", "a#=b;", ""),
    ("subshells", "", "(a#=b; ls); ", ""),
    ("assignments before programs", "", "a#=b ls;", ""),
    ("substitutions", "", "`ls`;", ""),
    ("texts for a shell", "", "bash -c 'ls'; ", ""),
    ("redirects", "", "ls > a#; ", ""),
    ("a bracket that does not close", "( ", "rm x ", ""),
    ("a loop that does not close", "while true; do ", "rm x ", ""),
    ("half a condition", "", "rm x && ", ""),
    ("different options", "curl ", "-x a# ", ""),
    ("quoted arguments", "tool ", "'a #' ", ""),
];

#[divan::bench(args = SHAPES.iter().map(|shape| shape.0), sample_count = 20)]
fn shape(bencher: Bencher<'_, '_>, name: &str) {
    let around = Surroundings::default();
    let mut command = String::new();
    for (_, before, part, behind) in SHAPES.iter().filter(|shape| shape.0 == name) {
        command.push_str(before);
        for number in 0.. {
            let next = part.replace('#', &number.to_string());
            if command.len() + next.len() + behind.len() > 64 * 1024 {
                break;
            }
            command.push_str(&next);
        }
        command.push_str(behind);
    }
    bencher.bench(|| judge(black_box(&command), &around));
}
