//! The committed lines go where their labels say, often enough: the figures that the project promises.

use std::collections::BTreeSet;

use aish_route::{Line, Names, Route, decide, parse_line};

const LINES: &str = include_str!("../data/lines.tsv");
const COMMANDS: &str = include_str!("../data/commands.txt");

/// Counts of one class.
#[derive(Default)]
struct Tally {
    lines: usize,
    asked: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn share(&self) -> f64 {
        let decided = self.lines - self.asked;
        (decided - self.wrong.len()) as f64 / decided as f64
    }
}

fn score(files: &[&str]) -> (Tally, Tally) {
    let names = Names {
        commands: COMMANDS.split_whitespace().map(str::to_owned).collect(),
        files: files.iter().map(ToString::to_string).collect::<BTreeSet<_>>(),
    };
    let (mut shell, mut ai) = (Tally::default(), Tally::default());
    for row in LINES.lines() {
        let mut fields = row.split('\t');
        let (label, line) = (fields.next().unwrap(), fields.next().unwrap());
        let route = match parse_line(line) {
            Line::Plain(plain) => decide(plain, &names).route,
            Line::Question(_) => Route::Ai,
            Line::Empty | Line::Shell(_) | Line::Meta(..) => Route::Shell,
        };
        let tally = match label {
            "shell" => &mut shell,
            "ai" => &mut ai,
            other => panic!("no label: {other}"),
        };
        tally.lines += 1;
        tally.asked += usize::from(route == Route::Ask);
        if route != Route::Ask && route.as_str() != label {
            tally.wrong.push(format!("{label} {line}"));
        }
    }
    (shell, ai)
}

fn check(files: &[&str]) {
    let (shell, ai) = score(files);
    assert!(shell.lines > 500 && ai.lines > 500, "too few lines: {} and {}", shell.lines, ai.lines);
    assert!(shell.share() >= 0.99, "commands: {:.3}\n{}", shell.share(), shell.wrong.join("\n"));
    assert!(ai.share() >= 0.97, "questions: {:.3}\n{}", ai.share(), ai.wrong.join("\n"));
    let asks = (shell.asked + ai.asked) as f64 / (shell.lines + ai.lines) as f64;
    assert!(asks <= 0.06, "asks on {asks:.3}");
}

#[test]
fn lines_go_where_they_should_in_an_empty_folder() {
    check(&[]);
}

#[test]
fn lines_go_where_they_should_in_a_project() {
    check(&["src", "tests", "docs", "README.md", "Cargo.toml", "package.json", "main.rs", "data.csv", "notes.txt"]);
}
