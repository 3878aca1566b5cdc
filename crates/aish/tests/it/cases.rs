//! Every case of every YAML file in `cases/`.

use std::path::Path;

use aish_testkit::case::run_cases;

fn check(text: &str) {
    let failed = run_cases(text, Path::new(env!("CARGO_BIN_EXE_aish")));
    assert!(failed.is_empty(), "{} failed:\n\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn policy() {
    check(include_str!("cases/policy.yaml"));
}

#[test]
fn ask() {
    check(include_str!("cases/ask.yaml"));
}

#[test]
fn schema() {
    check(include_str!("cases/schema.yaml"));
}

#[test]
fn commands() {
    check(include_str!("cases/commands.yaml"));
}

#[test]
fn config() {
    check(include_str!("cases/config.yaml"));
}

#[test]
fn bad_input() {
    check(include_str!("cases/bad_input.yaml"));
}

#[test]
fn files() {
    check(include_str!("cases/files.yaml"));
}

#[test]
fn assistant() {
    check(include_str!("cases/assistant.yaml"));
}

#[test]
fn tools() {
    check(include_str!("cases/tools.yaml"));
}

#[test]
fn mcp() {
    check(include_str!("cases/mcp.yaml"));
}

#[test]
fn context() {
    check(include_str!("cases/context.yaml"));
}

#[test]
fn cost() {
    check(include_str!("cases/cost.yaml"));
}

#[test]
fn service() {
    check(include_str!("cases/service.yaml"));
}

#[test]
fn memory() {
    check(include_str!("cases/memory.yaml"));
}

#[test]
fn project() {
    check(include_str!("cases/project.yaml"));
}

#[test]
fn sessions() {
    check(include_str!("cases/sessions.yaml"));
}

#[test]
fn terminal() {
    check(include_str!("cases/terminal.yaml"));
}

#[test]
fn undo() {
    check(include_str!("cases/undo.yaml"));
}

#[test]
fn norris() {
    check(include_str!("cases/norris.yaml"));
}

#[test]
fn norris_terminal() {
    check(include_str!("cases/norris_terminal.yaml"));
}
