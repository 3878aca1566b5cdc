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
fn a_program_behind_env_and_a_folder_that_is_not_there_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for (head, told) in [
        ("command: env A=1 -u B no-such-program-at-all", "'no-such-program-at-all' is not here"),
        ("command: $NO_SUCH_VARIABLE_AT_ALL/x", "names a variable that is not set"),
        ("command: ls\nworking_dir: /no/such/folder", "its folder '/no/such/folder' (`working_dir`) is not here"),
    ] {
        std::fs::write(folder.path().join("x.yaml"), NOTES.replace("command: ./notes.sh", head)).unwrap();
        let (code, out, _) = climax(folder.path(), &["validate", "x.yaml"]);
        assert!(code == Some(1) && out.contains(told), "{head}: {out}");
    }
    // The tools of such a config name their programs.
    let text = NOTES
        .replace("./notes.sh", "env")
        .replace("    risk: read", "    command: no-such-program-at-all\n    risk: read");
    std::fs::write(folder.path().join("x.yaml"), text).unwrap();
    assert!(climax(folder.path(), &["validate", "x.yaml"]).1.contains("'no-such-program-at-all' is not here"));
}

#[test]
fn a_policy_that_names_what_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.yaml"), NOTES.replace("./notes.sh", "echo")).unwrap();
    let policy = "default: enabled\ntools:\n  say:\n    args: {txt: {pattern: a}, text: {pattern: '[a-z]+'}}\n  sya: {require_approval: \
                  true}\napproval: {tools: {sayy: true}}\n";
    std::fs::write(folder.path().join("p.yaml"), policy).unwrap();
    let (code, _, told) = climax(folder.path(), &["validate", "x.yaml", "--policy", "p.yaml"]);
    assert_eq!(code, Some(1), "{told}");
    for fault in [
        "p.yaml:4:12: error: the policy names the argument 'txt' of say, which has none of that name; did you mean 'text'?",
        "p.yaml:5:3: error: the policy names the tool 'sya', and no config has it; did you mean 'say'?",
        "p.yaml:6:20: error: the policy names the tool 'sayy', and no config has it; did you mean 'say'?",
    ] {
        assert!(told.contains(fault), "{fault}: {told}");
    }
    let (_, _, told) =
        climax(folder.path(), &["call", "say", "--in", "x.yaml", "--policy", "p.yaml", "--arg", "text=a"]);
    assert!(told.contains("the argument 'txt' of say") && told.contains("the tool 'sya'"), "{told}");
    std::fs::write(folder.path().join("p.yaml"), "default: enabled\ntools: {say: {args: {text: {pattern: a}}}}\n")
        .unwrap();
    assert_eq!(climax(folder.path(), &["validate", "x.yaml", "--policy", "p.yaml"]).0, Some(0));
}

#[test]
fn a_dropped_argument_is_told_to_the_person() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.yaml"), NOTES.replace("./notes.sh", "echo")).unwrap();
    let (code, out, told) =
        climax(folder.path(), &["call", "say", "--in", "x.yaml", "--json", r#"{"text": "a", "tetx": 1}"#]);
    assert_eq!((code, out.as_str()), (Some(0), "a\n"));
    assert!(told.contains("say has no argument 'tetx'"), "{told}");
}

#[test]
fn an_argument_that_is_given_again_makes_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let list = NOTES.replace("./notes.sh", "echo").replace("{name: text,", "{name: text, type: array,");
    std::fs::write(folder.path().join("x.yaml"), list).unwrap();
    let call = ["call", "say", "--in", "x.yaml", "--arg"];
    for (more, expected) in
        [(&["text=a"][..], "a\n"), (&["text=a", "--arg", "text=b"], "a b\n"), (&["text=[\"a\", \"b\"]"], "a b\n")]
    {
        let (code, out, told) = climax(folder.path(), &[&call[..], more].concat());
        assert_eq!((code, out.as_str()), (Some(0), expected), "{told}");
    }
    std::fs::write(folder.path().join("x.yaml"), NOTES.replace("./notes.sh", "echo")).unwrap();
    let (code, out, told) = climax(folder.path(), &[&call[..], &["text=a", "--arg", "text=b"][..]].concat());
    assert_eq!(code, Some(1), "{told}");
    assert!(out.contains("Argument 'text': cannot convert '[\"a\",\"b\"]' to string"), "{out}{told}");
}

#[test]
fn faults_of_a_list_of_servers_have_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let list =
        "{\"mcpServers\": {\n  \"a\": {\"command\": 5},\n  \"b\": {\"command\": \"x\", \"url\": \"http://h\"}\n}}\n";
    std::fs::write(folder.path().join("s.json"), list).unwrap();
    let (code, _, told) = climax(folder.path(), &["validate", "--servers", "s.json"]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("s.json:2: a: its `command` is a number, and must be a text; it is left out"), "{told}");
    assert!(told.contains("s.json:3: b: it has both a command and a url; the command is used"), "{told}");
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
