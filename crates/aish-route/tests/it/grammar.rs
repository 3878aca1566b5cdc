//! What is a compound command: bash itself is the oracle, over generated texts.

use std::process::{Command, Stdio};

use aish_route::grammar::is_compound;
use aish_route::{Names, Route, decide};

/// A generator of the same texts each time.
struct Generator(u64);

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        // Constants of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn word(&mut self) -> String {
        let words = [
            "a",
            "file.txt",
            "'two words'",
            "\"$x y\"",
            "$x",
            "${x:-d e}",
            "\"$(echo a)\"",
            "`echo a`",
            "-l",
            "*.c",
            "a\\ b",
            "$((1 + 2))",
            "~/x",
            "1",
            "\"a`echo b`\"",
            "$'t\\n'",
            "x=1",
            "if",
            "done",
            "{a,b}",
            "\"}\"",
            "${x[1]}",
        ];
        self.one(&words).to_owned()
    }

    fn simple(&mut self) -> String {
        let mut text = self.one(&["echo", "true", "ls", "A=1 cat", "! test", "umask 77", "printf"]).to_owned();
        for _ in 0..self.below(3) {
            text = format!("{text} {}", self.word());
        }
        text + self.one(&["", "", "", " > f", " 2>&1", " < in", " <<< w", " &> f", " {fd}> f"])
    }

    fn compound(&mut self, depth: usize) -> String {
        let (a, b) = (self.list(depth), self.list(depth));
        let word = self.word();
        let text = match self.below(14) {
            0 => format!("for i in {word}; do {a}; done"),
            1 => format!("for ((i = 0; i < 3; i++)); do {a}; done"),
            2 => format!("while {a}; do {b}; done"),
            3 => format!("until {a}; do {b}\ndone"),
            4 => format!("if {a}; then {b}; fi"),
            5 => format!("if {a}; then {b}; elif {a}; then {a}; else {b}; fi"),
            6 => format!("case {word} in a) {a};; (b|c) {b};; *) ;; esac"),
            7 => format!("{{ {a}; }}"),
            8 => format!("({a})"),
            9 => format!("( {a} && {b} )"),
            10 => "[[ -f x && $y == z ]]".to_owned(),
            11 => "((x > 1))".to_owned(),
            12 => format!("f() {{ {a}; }}"),
            _ => format!("select i in {word}; do {a}; done"),
        };
        text + self.one(&["", "", "", " > f", " 2>/dev/null", " < in"])
    }

    fn command(&mut self, depth: usize) -> String {
        if depth > 0 && self.below(3) == 0 { self.compound(depth - 1) } else { self.simple() }
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = self.command(depth);
        for _ in 0..self.below(2) {
            let joint = self.one(&["; ", " && ", " || ", " | ", " |& ", " & ", "\n"]);
            text = format!("{text}{joint}{}", self.command(depth));
        }
        text
    }

    fn line(&mut self) -> String {
        let begin = self.one(&["", "", "", "time ", "time -p ", "! ", "coproc ", "echo a; ", "ls | ", "x=1 && "]);
        let compound = self.compound(2);
        let end = self.one(&["", "", "", " | sort", " && echo a", " &", "; echo a", " || exit", " # done"]);
        format!("{begin}{compound}{end}")
    }

    /// Takes a word out, or puts one in.
    fn broken(&mut self) -> String {
        let line = self.line();
        let mut words: Vec<&str> = line.split(' ').collect();
        let at = self.below(words.len());
        match self.below(3) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, ["done", ";", "then", ")", "fi", "|", "x", "do", "("][self.0 as usize % 9]),
            _ => words.swap(at, 0),
        }
        words.join(" ")
    }
}

/// Nothing runs under `-n`.
fn bash_parses(text: &str) -> bool {
    let status = Command::new("bash")
        .args(["--norc", "-n", "-c", text])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

#[test]
fn what_bash_parses_as_a_compound_command_is_one() {
    let mut generator = Generator(7);
    let (mut valid, mut wrong) = (0, Vec::new());
    for _ in 0..800 {
        let line = generator.line();
        let (ours, bash) = (is_compound(&line), bash_parses(&line));
        valid += usize::from(bash);
        if ours != bash {
            wrong.push(format!("bash {bash}: {line:?}"));
        }
        if bash && decide(&line, &Names::default()).route != Route::Shell {
            wrong.push(format!("routed elsewhere: {line:?}"));
        }
    }
    assert!(valid > 400, "only {valid} lines are bash's");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_bash_does_not_parse_is_no_compound_command() {
    let mut generator = Generator(11);
    let (mut invalid, mut wrong) = (0, Vec::new());
    for _ in 0..800 {
        let line = generator.broken();
        let bash = bash_parses(&line);
        invalid += usize::from(!bash);
        if is_compound(&line) && !bash {
            wrong.push(format!("{line:?}"));
        }
    }
    assert!(invalid > 200, "only {invalid} lines are broken");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
