//! The tasks of `docs/daily.md`, each played in a terminal.

use std::path::Path;

use aish_testkit::case::{names_of, run_some};

const CASES: &str = include_str!("cases/daily.yaml");

/// Plays every fourth task, so that four tests share them.
fn check(part: usize) {
    let mut at = 0;
    let failed = run_some(CASES, Path::new(env!("CARGO_BIN_EXE_aish")), &mut |_| {
        at += 1;
        at % 4 == part
    });
    assert!(failed.is_empty(), "{} failed:\n\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn first_quarter() {
    check(1);
}

#[test]
fn second_quarter() {
    check(2);
}

#[test]
fn third_quarter() {
    check(3);
}

#[test]
fn last_quarter() {
    check(0);
}

#[test]
fn every_task_of_the_page_is_played_and_the_other_way_round() {
    let page = include_str!("../../../../docs/daily.md");
    let told: Vec<String> = page
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            let number: u32 = cells.next()?.trim().parse().ok()?;
            Some(format!("{number} {}", cells.next()?.trim()))
        })
        .collect();
    assert_eq!(told.len(), 60);
    assert_eq!(names_of(CASES), told);
}
