//! The commands of the documentation: every one is of a climax that has these options, and those that end by themselves run.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use aish_testkit::pages::all_commands;

const PROGRAM: &str = env!("CARGO_BIN_EXE_climax");

/// What the pages call theirs.
const TOOL: &str = "name: notes\ndescription: Notes\ncommand: echo\ntools:\n  - name: put\n    description: Puts a note away\n    \
                    risk: write\n    args:\n      - {name: text, positional: true, required: true}\n";

/// Beginnings of commands that go on, or need a server, a network or somebody to ask: their options alone are checked.
const READ: [&str; 7] = [
    "climax run",
    "climax dev",
    "climax install",
    "climax refresh",
    "climax status",
    "climax import",
    "climax validate kubectl",
];

fn bash(folder: &Path, line: &str) -> Output {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-c", line]).env("PATH", path).env("HOME", folder).env("XDG_STATE_HOME", folder.join("state"));
    command.current_dir(folder.join("work")).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn the_commands_of_the_pages_are_known_and_run() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bin", "work"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("work/my-tool.yaml"), TOOL).unwrap();
    std::fs::write(folder.path().join("work/policy.yaml"), "default: enabled\n").unwrap();
    let who =
        "git init --quiet && git -c user.name=n -c user.email=n@localhost commit --quiet --allow-empty --message first";
    assert!(bash(folder.path(), who).status.success());
    let program = folder.path().join("bin/climax");
    let commands = all_commands(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), "climax").unwrap();
    assert!(commands.len() >= 15, "{} commands were found", commands.len());
    for (page, line) in commands {
        let is_read = READ.iter().any(|beginning| line.starts_with(beginning));
        let help = if is_read { "--help" } else { "" };
        std::fs::write(&program, format!("#!/bin/sh\nexec \"{PROGRAM}\" \"$@\" {help}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = bash(folder.path(), &line);
        assert!(output.status.success(), "{page}: {line}\n{output:?}");
    }
}

#[test]
fn routing_knows_the_commands() {
    let help = Command::new(PROGRAM).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let mut own: Vec<&str> = listed
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    own.sort_unstable();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aish-programs/programs/climax.toml");
    let data = std::fs::read_to_string(data).unwrap();
    let known = data.split_once("subcommands = \"\"\"").unwrap().1.split_once("\"\"\"").unwrap().0;
    assert_eq!(known.split_whitespace().collect::<Vec<_>>(), own);
}
