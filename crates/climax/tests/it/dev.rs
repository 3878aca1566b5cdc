//! `climax dev`, with the program itself.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const NOTES: &str = "name: notes\ncommand: echo\ntools:\n  - name: say\n    description: Says a text aloud\n    args:\n      \
                     - {name: text, positional: true, required: true}\n      - {name: times, type: integer}\n";

fn climax(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_climax"));
    command.arg("dev").current_dir(folder).env("HOME", folder).env("XDG_STATE_HOME", folder.join("state"));
    command
}

fn once(folder: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let output = climax(folder).args(["notes.yaml", "--once"]).args(more).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_an_agent_sees_pays_finds_and_calls_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.yaml"), NOTES).unwrap();
    let (code, out, told) = once(folder.path(), &["--query", "say it aloud", "--call", "say", "--arg", "text=hello"]);
    assert_eq!(code, Some(0), "{out}{told}");
    for part in ["notes.yaml: ok, 1 tools", "say  read", "takes text [times]", "finds 1, in about", ": ok\nhello"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    // The figures are those of what is sent.
    let listed = r#"{"name":"say","description":"Says a text aloud","inputSchema":"#;
    let least = listed.len() / 4;
    let line = out.lines().find(|line| line.contains("say  read")).unwrap();
    let tokens: usize = line.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!((least..200).contains(&tokens), "{line}");
    assert!(out.contains(&format!("or {tokens} for all")), "{out}");
    let (code, out, _) = once(folder.path(), &["--call", "say"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("Missing required argument 'text'"), "{out}");
}

#[test]
fn a_list_is_shown_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let lists = NOTES.replace("{name: text,", "{name: text, type: array,").replace("type: integer", "type: array");
    std::fs::write(folder.path().join("notes.yaml"), lists).unwrap();
    let (code, out, told) = once(folder.path(), &["--call", "say", "--arg", "text=a", "--arg", "text=b"]);
    assert_eq!(code, Some(0), "{out}{told}");
    assert!(out.contains("takes text... [times...]") && out.contains(": ok\na b"), "{out}");
}

#[test]
fn faults_are_told_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.yaml"), NOTES.replace("type: integer", "type: many")).unwrap();
    let (code, _, told) = once(folder.path(), &[]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("notes.yaml:8"), "{told}");
}

#[test]
fn a_change_is_shown_at_once_and_another_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.yaml");
    std::fs::write(&file, NOTES).unwrap();
    let mut child =
        climax(folder.path()).arg("notes.yaml").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut totals = || lines.by_ref().map(Result::unwrap).find(|line| line.contains("An agent pays")).unwrap();
    assert!(totals().starts_with("1 tools."));
    // As an editor writes it: another file, and that in its place.
    std::fs::write(folder.path().join("unlike.txt"), "x").unwrap();
    let more = format!("{NOTES}  - {{name: shout, description: Shouts}}\n");
    std::fs::write(folder.path().join(".notes.swp"), more).unwrap();
    std::fs::rename(folder.path().join(".notes.swp"), &file).unwrap();
    assert!(totals().starts_with("2 tools."));
    child.kill().unwrap();
    child.wait().unwrap();
}
