//! `climax validate` and relative commands, with the program itself.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// Runs climax in a folder; the exit code, standard output and standard error.
fn climax(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_climax"))
        .args(arguments)
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const NOTES: &str = "name: notes\ndescription: d\ncommand: ./notes.sh\ntools:\n  - name: say\n    description: Says it\n    \
                     risk: read\n    args:\n      - {name: text, positional: true, required: true}\n";

#[test]
fn a_relative_command_is_beside_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (beside, elsewhere) = (folder.path().join("a b"), folder.path().join("elsewhere"));
    for place in [&beside, &elsewhere] {
        std::fs::create_dir(place).unwrap();
    }
    std::fs::write(beside.join("notes.yaml"), NOTES).unwrap();
    let (code, out, _) = climax(&elsewhere, &["validate", "../a b/notes.yaml"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("1 tools, but its program") && out.contains("notes.sh' is not here"), "{out}");
    let script = beside.join("notes.sh");
    std::fs::write(&script, "#!/bin/sh\necho \"said $1\"\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (code, out, told) = climax(&elsewhere, &["validate", "../a b/notes.yaml"]);
    assert_eq!((code, out.trim_end().ends_with(": ok, 1 tools")), (Some(0), true), "{out} {told}");
    let (code, out, told) = climax(&elsewhere, &["call", "say", "--in", "../a b/notes.yaml", "--arg", "text=hello"]);
    assert_eq!((code, out.contains("said hello")), (Some(0), true), "{out} {told}");
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.yaml"), NOTES.replace("./notes.sh", "no-such-program-at-all --flag")).unwrap();
    let (code, out, _) = climax(folder.path(), &["validate", "x.yaml"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("'no-such-program-at-all' is not here"), "{out}");
}

#[test]
fn two_tools_of_one_name_are_told_beside_other_faults() {
    let text =
        "name: n\ncommand: ls\ntools:\n  - {name: a, description: d}\n  - {name: a}\n  - {name: a, description: e}\n";
    let (_, faults) = climax::config::read("x.yaml", text);
    let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(told.iter().filter(|fault| fault.contains("two tools are called 'a'")).count(), 2, "{told:?}");
    assert!(told.iter().any(|fault| fault.contains("description")), "{told:?}");
}

#[test]
fn what_is_printed_to_a_full_disk_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["list", "search x", "validate git", "skill", "completions bash", "--help", "--version"] {
        let output = Command::new("sh")
            .args(["-c", &format!("\"$CLIMAX\" {line} > /dev/full")])
            .env("CLIMAX", env!("CARGO_BIN_EXE_climax"))
            .env("XDG_STATE_HOME", folder.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {told}");
        assert!(told.contains("standard output cannot be written: No space left on device"), "{line}: {told}");
    }
}

#[test]
fn the_whole_example_of_the_page_is_a_config() {
    let page = include_str!("../../../../docs/climax.md");
    let examples: Vec<&str> = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let whole = examples.iter().find(|example| example.starts_with("name: ")).expect("a whole example");
    let (config, faults) = climax::config::read("notes.yaml", whole);
    assert_eq!(faults, []);
    assert!(config.unwrap().tools.len() >= 2);
}
