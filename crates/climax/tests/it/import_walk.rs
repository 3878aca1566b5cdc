//! `climax import` of programs whose help fails, takes its time, or is none.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use climax::config;

use crate::client::file;

/// Imports a script with arguments; returns the exit code, what was told and the config.
fn import(script: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let program = file(&folder, "prog", script);
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_climax")).arg("import").arg(&program).args(arguments).output().unwrap();
    (ran.status.code(), String::from_utf8(ran.stderr).unwrap(), String::from_utf8(ran.stdout).unwrap())
}

#[test]
fn an_error_is_not_taken_for_help() {
    let (code, told, out) = import("#!/bin/sh\necho 'Traceback: boom' >&2\nexit 1\n", &[]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(told.contains("--help failed with exit code 1: Traceback: boom"), "{told}");
    let (code, _, out) = import("#!/bin/sh\necho 'Usage: prog [-v] FILE' >&2\nexit 2\n", &[]);
    assert_eq!(code, Some(0), "some programs show their help and fail");
    assert!(out.contains("positional: true, required: true"), "{out}");
    let (code, told, _) = import("#!/bin/sh\necho All is well\n", &[]);
    assert_eq!(code, Some(0));
    assert!(told.contains("shows no usage, option or sub-command"), "{told}");
}

#[test]
fn a_time_out_is_said_and_can_be_made_longer() {
    let (code, told, _) = import("#!/bin/sh\nsleep 60\n", &["--timeout", "1"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("--help took more than 1 s; --timeout SECONDS gives it more"), "{told}");
    assert_eq!(import("#!/bin/sh\necho usage: prog\n", &["--timeout", "0"]).0, Some(2));
}

#[test]
fn what_a_sub_command_says_in_error_is_not_its_help() {
    let script = "#!/bin/sh\n[ \"$1\" = --help ] && printf 'Usage: prog COMMAND\\n\\nCommands:\\n  go  Goes there\\n' && exit 0\n\
                  echo 'no module named go' >&2; exit 3\n";
    let (code, told, out) = import(script, &[]);
    assert_eq!(code, Some(0));
    assert!(told.contains("note: go: --help failed with exit code 3: no module named go"), "{told}");
    let config = config::read("prog", &out).0.unwrap();
    assert_eq!(config.tool("prog_go").unwrap().description, "Goes there");
}

#[test]
fn the_config_names_the_program_that_was_imported_wherever_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        |said: &str| format!("#!/bin/sh\n[ \"$1\" = --help ] && echo 'Usage: prog [-v]' && exit 0\necho {said}\n");
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    for (name, said) in [("prog", "mine"), ("sub/prog", "another")] {
        let program = file(&folder, name, &script(said));
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let climax = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_climax"));
        command.args(args).current_dir(folder.path()).env("HOME", folder.path()).env_remove("XDG_STATE_HOME");
        command.output().unwrap()
    };
    assert!(climax(&["import", "./prog", "-o", "sub/t.yaml"]).status.success());
    let called = climax(&["call", "prog", "--in", "sub/t.yaml", "--headless-approve"]);
    assert_eq!(String::from_utf8_lossy(&called.stdout), "mine\n", "{called:?}");
}

#[test]
fn what_a_line_lists_behind_its_first_option_is_said() {
    let help = "Usage: prog [path...]\n\nTests:\n      -amin N -anewer FILE -name PATTERN\n      -ls, -long\n      -x -xdev   Stays here\n";
    let (code, told, out) = import(&format!("#!/bin/sh\ncat <<'EOF'\n{help}EOF\n"), &[]);
    assert_eq!(code, Some(0));
    assert!(told.contains("prog: this option could not be read: -anewer FILE -name PATTERN\n"), "{told}");
    assert_eq!(told.matches("could not be read").count(), 1, "{told}");
    assert!(out.contains("\"-amin\""), "{out}");
}
