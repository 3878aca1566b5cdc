//! The commands of the documentation: every one is of an aish that has these options, and those that end by themselves run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use aish_testkit::model_server::{Expect, ModelServer, OpenAiStream, Reply, Script};
use aish_testkit::pages::all_commands;

use crate::person::Home;

const PROGRAM: &str = env!("CARGO_BIN_EXE_aish");

/// Stands for aish: asks it for the help on this very line, which it gives when it knows all of it.
const READER: &str = "#!/bin/bash\nwords=()\nfor word in \"$@\"; do [ \"$word\" != -- ] || break; words+=(\"$word\"); done\n\
                      \"PROGRAM\" \"${words[@]}\" --help </dev/null >/dev/null || echo \"aish $*\" >>\"$HOME/unknown\"\n";

/// Beginnings of commands that end by themselves, with their exit code, and nothing outside this machine.
const RUN: [(&str, i32); 14] = [
    ("aish ask \"", 0),
    ("aish ask --json", 0),
    ("df -h | aish ask", 0),
    ("aish check 'find", 1),
    ("aish check --explain 'curl", 2),
    ("aish doctor", 0),
    ("aish hook ", 0),
    ("aish mcp install", 0),
    ("aish mcp uninstall", 0),
    ("aish self uninstall", 0),
    ("aish sessions list", 0),
    ("aish tools call", 0),
    ("aish undo list", 0),
    ("printf 'who", 0),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn bash(home: &Home, line: &str) -> Output {
    // Fish's own word is no other program's.
    let script = format!("set -o pipefail\nsource() {{ cat >/dev/null; }}\n{line}\n");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).env_clear().envs(home.all_variables()).current_dir(home.work());
    command.stdin(std::process::Stdio::null()).output().unwrap()
}

#[test]
fn every_command_of_the_pages_is_known() {
    let home = Home::new();
    home.program("aish", &READER.replace("PROGRAM", PROGRAM));
    for name in ["journalctl", "df", "printf"] {
        home.program(name, "#!/bin/sh\n");
    }
    let commands = all_commands(&root(), "aish").unwrap();
    assert!(commands.len() >= 40, "{} commands were found", commands.len());
    for (page, line) in commands {
        let output = bash(&home, &line);
        let unknown = std::fs::read_to_string(home.path("unknown")).unwrap_or_default();
        assert!(unknown.is_empty(), "{page}: {line}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn commands_of_the_pages_that_end_by_themselves_run() {
    let listed = Reply::new(200, "application/json", r#"{"object":"list","data":[{"id":"m"}]}"#);
    let script = Script::new()
        .always(Expect::chat(), OpenAiStream::answer("It joins two programs.").into())
        .always(Expect::request("GET", "/v1/models"), listed);
    let model = ModelServer::start(script).unwrap();
    let home = Home::new()
        .with("OPENAI_BASE_URL", &format!("{}/v1", model.url()))
        .with("OPENAI_API_KEY", "k")
        .with("OPENAI_MODEL", "m");
    home.program("aish", &format!("#!/bin/sh\nexec \"{PROGRAM}\" \"$@\"\n"));
    let mut used = [false; RUN.len()];
    for (page, line) in all_commands(&root(), "aish").unwrap() {
        let Some(at) = RUN.iter().position(|(beginning, _)| line.starts_with(beginning)) else { continue };
        used[at] = true;
        let output = bash(&home, &line);
        assert_eq!(output.status.code(), Some(RUN[at].1), "{page}: {line}\n{output:?}");
    }
    let unused: Vec<&str> = RUN.iter().zip(used).filter(|(_, used)| !used).map(|((line, _), _)| *line).collect();
    assert!(unused.is_empty(), "no page shows {unused:?}");
}

#[test]
fn the_commands_of_the_pages_are_no_questions() {
    let home = Home::new();
    for name in ["aish", "climax", "journalctl", "df", "printf", "echo", "claude", "codex"] {
        home.program(name, "#!/bin/sh\n");
    }
    let commands = ["aish", "climax"].into_iter().flat_map(|program| all_commands(&root(), program).unwrap());
    let lines: Vec<String> = commands.map(|(_, line)| line).filter(|line| !line.contains('\n')).collect();
    std::fs::write(home.path("lines"), lines.join("\n")).unwrap();
    let script = format!("\"{PROGRAM}\" route < \"{}\"", home.path("lines").display());
    let mut command = Command::new("/bin/bash");
    let told = command.args(["-c", &script]).env_clear().envs(home.all_variables()).output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    assert_eq!(told.lines().count(), lines.len());
    let asked: Vec<&str> = told.lines().filter(|line| !line.starts_with("shell\t")).collect();
    assert!(asked.is_empty(), "{}", asked.join("\n"));
}
