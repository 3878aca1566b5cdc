//! `aish mcp install` and `climax`'s: into other programs' settings, and out again.

use std::os::unix::fs::PermissionsExt as _;
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
fn an_entry_of_others_comes_back_also_where_the_file_was_changed_meanwhile() {
    let home = Home::new();
    let path = home.path(".cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = "{\"mcpServers\": {\"aish\": {\"command\": \"theirs\"}}}";
    std::fs::write(&path, before).unwrap();
    let read = || std::fs::read_to_string(&path).unwrap();
    let refused = start(&home, &["mcp", "uninstall", "cursor"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("not one that was put in from here"), "{refused:?}");
    text(&start(&home, &["self", "uninstall"]));
    assert_eq!(read(), before);
    let put = text(&start(&home, &["mcp", "install", "cursor", "--binary", PROGRAM]));
    assert!(put.contains("in the place of `theirs`") && !read().contains("theirs"), "{put}");
    std::fs::write(&path, read().replacen('{', "{\"other\": 1,", 1)).unwrap();
    text(&start(&home, &["mcp", "install", "cursor", "--binary", "/bin/true"]));
    text(&start(&home, &["mcp", "uninstall", "cursor"]));
    let rest: serde_json::Value = serde_json::from_str(&read()).unwrap();
    assert_eq!(rest, serde_json::json!({"other": 1, "mcpServers": {"aish": {"command": "theirs"}}}));
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

/// Runs an installation and its opposite around a look at what is between them.
fn around(home: &Home, install: &[&str], uninstall: &[&str], between: impl FnOnce()) {
    text(&start(home, install));
    between();
    text(&start(home, uninstall));
}

const HOOK: [&str; 5] = ["hook", "install", "claude", "--program", PROGRAM];
const UNHOOK: [&str; 3] = ["hook", "uninstall", "claude"];

#[test]
fn links_stay_links_whether_they_lead_to_a_file_or_not() {
    let home = Home::new();
    let (link, real) = (home.path(".claude/settings.json"), home.path("dotfiles/claude.json"));
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("../dotfiles/claude.json", &link).unwrap();
    around(&home, &HOOK, &UNHOOK, || assert!(std::fs::read_to_string(&real).unwrap().contains("hook run claude")));
    assert!(!real.exists() && !home.path("dotfiles").exists());
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    std::fs::create_dir(home.path("dotfiles")).unwrap();
    let before = "{\r\n  \"model\": \"opus\"\r\n}\r\n";
    std::fs::write(&real, before).unwrap();
    around(&home, &HOOK, &UNHOOK, || {
        let with = std::fs::read_to_string(&real).unwrap();
        assert!(with.lines().count() > 10 && with.matches("\r\n").count() == with.matches('\n').count(), "{with:?}");
    });
    assert_eq!(std::fs::read_to_string(&real).unwrap(), before);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn a_file_that_nobody_may_write_to_is_left_alone() {
    let home = Home::new();
    let path = home.path(".claude/settings.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{}").unwrap();
    let mode = |mode: u32| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o444);
    let refused = start(&home, &HOOK);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("read-only"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}");
    mode(0o600);
    text(&start(&home, &HOOK));
    mode(0o444);
    assert_eq!(start(&home, &UNHOOK).status.code(), Some(1));
    assert!(std::fs::read_to_string(&path).unwrap().contains("hook run claude"));
    mode(0o600);
    text(&start(&home, &UNHOOK));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}");
}

#[test]
fn folders_that_were_made_go_again_and_others_stay() {
    let home = Home::new();
    let all = ["claude", "codex", "gemini", "opencode", "cursor", "copilot", "qwen", "goose", "crush"];
    let listed = || {
        let list = Command::new("find").arg(home.path("")).args(["-path", "*/aish", "-prune", "-o", "-print"]).output();
        let text = String::from_utf8(list.unwrap().stdout).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    // Our own state is there before.
    text(&start(&home, &["memory", "add", "I like tea"]));
    let before = listed();
    for agent in all {
        let install = ["hook", "install", agent, "--program", PROGRAM];
        around(&home, &install, &["hook", "uninstall", agent], || assert_ne!(listed(), before, "{agent}"));
        assert_eq!(listed(), before, "{agent}");
    }
    around(&home, &HOOK, &UNHOOK, || std::fs::write(home.path(".claude/mine"), "").unwrap());
    assert!(home.path(".claude/mine").exists() && !home.path(".claude/settings.json").exists());
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
