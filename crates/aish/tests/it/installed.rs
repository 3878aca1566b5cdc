//! `aish mcp install` and `climax`'s: into other programs' settings, and out again.

use std::process::{Command, Output};

use crate::person::Home;

const PROGRAM: &str = env!("CARGO_BIN_EXE_aish");

fn start(home: &Home, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).env_clear().envs(home.all_variables()).current_dir(home.work()).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const FILES: [(&str, &str, &str); 6] = [
    ("claude", ".claude.json", "{\"numStartups\": 3}"),
    ("codex", ".codex/config.toml", "# mine\nmodel = \"m\"\n"),
    ("cursor", ".cursor/mcp.json", "{\n  \"mcpServers\": {\"git\": {\"command\": \"git-mcp\"}}\n}\n"),
    ("vscode", ".config/Code/User/mcp.json", "{\n\t// mine\n\t\"servers\": {},\n}\n"),
    ("gemini", ".gemini/settings.json", "{\"theme\": \"dark\"}"),
    ("zed", ".config/zed/settings.json", "// Zed\n{\n  \"theme\": \"One Dark\",\n}\n"),
];

#[test]
fn settings_get_the_server_and_come_back_byte_by_byte() {
    let home = Home::new();
    for (program, file, before) in FILES {
        let path = home.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, before).unwrap();
        let install = ["mcp", "install", program, "--binary", PROGRAM];
        let shown = text(&start(&home, &[&install[..], &["--dry-run"]].concat()));
        assert!(shown.contains("\n+") && shown.contains("serve"), "{shown}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before, "{program}");
        text(&start(&home, &install));
        let with = std::fs::read_to_string(&path).unwrap();
        assert!(with.contains(PROGRAM) && with.contains("\"serve\""), "{with}");
        assert!(text(&start(&home, &install)).contains("already"), "{program}");
        text(&start(&home, &["mcp", "uninstall", program]));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before, "{program}");
        // What was not there is not there again.
        std::fs::remove_file(&path).unwrap();
        text(&start(&home, &install));
        text(&start(&home, &["mcp", "uninstall", program]));
        assert!(!path.exists(), "{program}");
    }
}

#[test]
fn hooks_and_a_server_in_one_file_come_out_one_by_one() {
    let home = Home::new();
    let path = home.path(".gemini/settings.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{\"theme\": \"dark\"}").unwrap();
    text(&start(&home, &["hook", "install", "gemini", "--program", PROGRAM]));
    text(&start(&home, &["mcp", "install", "gemini", "--binary", PROGRAM]));
    text(&start(&home, &["hook", "uninstall", "gemini"]));
    let rest: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(rest.get("hooks").is_none() && rest["mcpServers"]["aish"].is_object(), "{rest}");
    text(&start(&home, &["mcp", "uninstall", "gemini"]));
    let rest: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(rest, serde_json::json!({"theme": "dark"}));
}

#[test]
fn what_cannot_be_read_is_left_as_it_is() {
    let home = Home::new();
    let path = home.path(".cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{ // mine\n}").unwrap();
    let refused = start(&home, &["mcp", "install", "cursor", "--binary", PROGRAM]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("was not changed"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ // mine\n}");
    assert_eq!(start(&home, &["mcp", "install", "nobody"]).status.code(), Some(2));
}

#[test]
fn uninstall_takes_out_what_was_written_everywhere() {
    let home = Home::new();
    let rc = "alias ll='ls -l'\neval \"$(aish init bash)\"\n";
    let files = [
        (".claude/settings.json", "{\"theme\": \"dark\"}"),
        (".cursor/mcp.json", "{\"mcpServers\": {\"git\": {\"command\": \"git-mcp\"}}}"),
        (".bashrc", "alias ll='ls -l'\n"),
        // Not ours, and not even JSON.
        (".gemini/settings.json", "{ broken"),
    ];
    for (file, content) in files {
        std::fs::create_dir_all(home.path(file).parent().unwrap()).unwrap();
        std::fs::write(home.path(file), content).unwrap();
    }
    text(&start(&home, &["hook", "install", "claude", "--program", PROGRAM]));
    text(&start(&home, &["hook", "install", "codex", "--program", PROGRAM]));
    text(&start(&home, &["mcp", "install", "cursor", "--binary", PROGRAM]));
    text(&start(&home, &["memory", "add", "I like tea"]));
    std::fs::write(home.path(".bashrc"), rc).unwrap();
    let read = |file: &str| std::fs::read_to_string(home.path(file)).unwrap();
    let hooked = read(".claude/settings.json");

    let shown = text(&start(&home, &["self", "uninstall", "--delete-state", "--dry-run"]));
    for part in ["claude would no longer ask", "codex would", "-", "eval \"$(aish init bash)\"", "would delete:"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!((read(".claude/settings.json"), read(".bashrc")), (hooked, rc.to_owned()), "a dry run changes nothing");

    let kept = text(&start(&home, &["self", "uninstall"]));
    for (file, content) in files {
        assert_eq!(read(file), content, "{file}: {kept}");
    }
    assert!(!home.path(".codex/hooks.json").exists(), "what was not there is gone: {kept}");
    assert!(kept.contains("kept: ") && text(&start(&home, &["memory", "list"])).contains("tea"), "{kept}");
    let again = text(&start(&home, &["self", "uninstall", "--delete-state"]));
    assert!(again.contains("deleted: ") && !again.contains("no longer"), "{again}");
    assert!(!text(&start(&home, &["memory", "list"])).contains("tea"));
}

#[test]
fn a_state_is_kept_when_something_could_not_be_taken_out() {
    let home = Home::new();
    let path = home.path(".cursor/mcp.json");
    text(&start(&home, &["mcp", "install", "cursor", "--binary", PROGRAM]));
    text(&start(&home, &["memory", "add", "I like tea"]));
    std::fs::write(&path, "{ aish // broken since").unwrap();
    let ended = start(&home, &["self", "uninstall", "--delete-state"]);
    assert_eq!(ended.status.code(), Some(1));
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(told.contains("was not changed") && told.contains("the state is kept"), "{told}");
    assert!(text(&start(&home, &["memory", "list"])).contains("tea"));
}

#[test]
fn update_says_by_what_it_comes() {
    let home = Home::new();
    let told = text(&start(&home, &["self", "update"]));
    assert!(told.contains("does not replace itself") && told.contains("a build in a checkout"), "{told}");
}
