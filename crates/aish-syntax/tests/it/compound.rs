//! What is a compound command: bash itself is the oracle, over generated texts.

use std::process::{Command, Stdio};

use aish_syntax::is_compound;
use aish_testkit::shell_lines::ShellLines;

/// Nothing runs under `-n`.
fn bash_parses(text: &str) -> bool {
    let status = Command::new("bash")
        .args(["--norc", "-n", "-c", "--", text])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

#[test]
fn what_bash_parses_as_a_compound_command_is_one() {
    let mut generator = ShellLines::new(7);
    let (mut valid, mut wrong) = (0, Vec::new());
    for _ in 0..800 {
        let line = generator.compound_line();
        let (ours, bash) = (is_compound(&line), bash_parses(&line));
        valid += usize::from(bash);
        if ours != bash {
            wrong.push(format!("bash {bash}: {line:?}"));
        }
    }
    assert!(valid > 400, "only {valid} lines are bash's");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_bash_does_not_parse_is_no_compound_command() {
    let mut generator = ShellLines::new(11);
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

#[test]
fn compound_commands() {
    for text in [
        "time for i in 1 2; do echo $i; done",
        "( for f in *; do echo \"$f\"; done ) | sort",
        "(if true; then echo x; fi) > f",
        "(! true) | cat",
        "coproc cat",
        "coproc NAME { cat; }",
        "( umask 77 && mkdir -p \"` echo /tmp/a `\" && mkdir /tmp/b ) && sleep 0",
        "{ echo a; echo b; } 2>&1 | tee log",
        "ls | while read -r x; do echo $x; done",
        "f() { echo; }",
        "function f { echo; }; f",
        "case $x in (a|b) echo 1;; *) ;; esac",
        "for ((i = 0; i < 3; i++)); do echo; done",
        "[[ -f x && ( $y == a* || 1 -lt 2 ) ]] && echo",
        "((x++)) || true",
        "if cat <<E\nx\nE\nthen :; fi",
        "while :; do break; done &",
        "until x; do y; done < in > out",
        "! { false; }",
        "select x in a b; do break; done",
        "a=(1 2) ; { :; }",
        "if a; then { b; } fi",
        "echo x; (cd a && ls)",
        "for x; do :; done",
    ] {
        assert!(is_compound(text), "{text}");
    }
}

#[test]
fn other_texts() {
    for text in [
        "ls",
        "echo $(for i in 1; do :; done)",
        "if you see this, tell me",
        "while you are at it, fix the tests",
        "for each file, count the lines",
        "(see above) can you fix it?",
        "( )",
        "{ echo a",
        "for i in 1 2; do echo",
        "then do it; done",
        "case in point",
        "function of x",
        "time to go (home)",
        "what is f(x)?",
        "if a; then fi",
        "() { x; }",
        "a | | { b; }",
        "[[ a && ]]",
        "echo 'open; { x; }",
    ] {
        assert!(!is_compound(text), "{text}");
    }
}
