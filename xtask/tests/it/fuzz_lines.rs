//! A short run of the search for lines whose judgement goes over its bounds of time and memory.

use std::process::{Command, Output};

/// Milliseconds for one line: a build without optimisation takes some twenty times as long as one with it.
const MILLISECONDS: &str = "6000";

fn search(arguments: &[&str]) -> Output {
    let keep = concat!(env!("CARGO_TARGET_TMPDIR"), "/fuzz-lines");
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["fuzz-lines", "--keep", keep, "--time-ms", MILLISECONDS])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn lines_made_at_random_keep_to_the_bounds() {
    let found = search(&["--count", "1500", "--seed", "1", "--length", "8192"]);
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
}

#[test]
fn a_line_over_a_bound_is_reported() {
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/one-line.txt");
    std::fs::write(file, "ls -la\n").unwrap();
    let found = search(&["--memory-mb", "1", "--lines", file]);
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(!found.status.success() && said.contains("go over the bounds"), "{said}");
}
