//! `climax install`: into another program's settings, and out again.

use std::process::{Command, Output};

fn start(home: &std::path::Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_climax"));
    command.args(arguments).env_clear().env("HOME", home).current_dir(home).output().unwrap()
}

#[test]
fn a_server_is_put_in_shown_before_and_taken_out() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".config/zed/settings.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = "// Zed\n{\n  \"theme\": \"One Dark\",\n}\n";
    std::fs::write(&path, before).unwrap();
    std::fs::write(home.path().join("own.yaml"), "command: ls\ntools: []\n").unwrap();
    let shown = start(home.path(), &["install", "zed", "git", "own.yaml", "--dry-run"]);
    assert!(shown.status.success(), "{shown:?}");
    assert!(String::from_utf8_lossy(&shown.stdout).contains("\n+"), "{shown:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    assert!(start(home.path(), &["install", "zed", "git", "own.yaml"]).status.success());
    let with = std::fs::read_to_string(&path).unwrap();
    let own = home.path().join("own.yaml");
    for part in ["// Zed", "One Dark", "\"run\"", "\"git\"", own.to_str().unwrap(), env!("CARGO_BIN_EXE_climax")] {
        assert!(with.contains(part), "{part}: {with}");
    }
    assert!(start(home.path(), &["install", "zed", "--remove"]).status.success());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before, "byte by byte");
    let beside: Vec<_> =
        std::fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["settings.json"], "nothing is left beside it");
    assert_eq!(start(home.path(), &["install", "zed"]).status.code(), Some(1));
    assert_eq!(start(home.path(), &["install", "nobody", "git"]).status.code(), Some(2));
}

#[test]
fn what_keeps_settings_from_being_written_is_told_and_they_stay() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".config/zed/settings.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{}\n").unwrap();
    let line = format!("ulimit -f 0; exec '{}' install zed git", env!("CARGO_BIN_EXE_climax"));
    let output = Command::new("sh").args(["-c", &line]).env_clear().env("HOME", home.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("File too large") && told.contains("nothing was changed"), "{told}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}\n");
}

/// Starts it, and returns what it wrote to both streams; the exit code must be this one.
fn told(home: &std::path::Path, arguments: &[&str], code: i32) -> String {
    let output = start(home, arguments);
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
    told
}

#[test]
fn an_entry_of_others_comes_back_and_is_never_taken_out() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = r#"{"mcpServers": {"climax": {"command":"climax-mcp","args":["--policy","/x/p.yaml","git"],"env":{"TOKEN":"t"}}}}"#;
    std::fs::write(&path, before).unwrap();
    let read = || std::fs::read_to_string(&path).unwrap();
    let refused = told(home.path(), &["install", "cursor", "--remove"], 1);
    assert!(refused.contains("not one that was put in from here") && refused.contains("climax-mcp"), "{refused}");
    assert_eq!(read(), before);
    let put = told(home.path(), &["install", "cursor", "docker"], 0);
    assert!(put.contains("climax-mcp --policy /x/p.yaml git") && !read().contains("climax-mcp"), "{put}");
    told(home.path(), &["install", "cursor", "docker", "git"], 0);
    let back = told(home.path(), &["install", "cursor", "--remove"], 0);
    assert!(back.contains("is back in its place"), "{back}");
    assert_eq!(read(), before);
    // Also where the file was changed meanwhile.
    told(home.path(), &["install", "cursor", "docker"], 0);
    std::fs::write(&path, read().replacen('{', "{\"other\": 1,", 1)).unwrap();
    told(home.path(), &["install", "cursor", "--remove"], 0);
    let rest: serde_json::Value = serde_json::from_str(&read()).unwrap();
    let entry = &serde_json::from_str::<serde_json::Value>(before).unwrap()["mcpServers"]["climax"];
    assert_eq!((&rest["other"], &rest["mcpServers"]["climax"]), (&1.into(), entry));
    assert!(told(home.path(), &["install", "cursor", "--remove", "--server", "zz"], 0).contains("has no server 'zz'"));
}

#[test]
fn a_file_that_was_not_there_is_gone_again() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().unwrap();
    for (place, file) in [(&["--project"][..], ".vscode/mcp.json"), (&[], ".config/Code/User/mcp.json")] {
        let path = home.path().join(file);
        told(home.path(), &[&["install", "vscode", "git"], place].concat(), 0);
        told(home.path(), &[&["install", "vscode", "tar", "--server", "more"], place].concat(), 0);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        std::fs::write(home.path().join("plain"), "").unwrap();
        let plain = std::fs::metadata(home.path().join("plain")).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if place.is_empty() { 0o600 } else { plain }, "{file}");
        told(home.path(), &[&["install", "vscode", "--remove"], place].concat(), 0);
        assert!(std::fs::read_to_string(&path).unwrap().contains("more"));
        told(home.path(), &[&["install", "vscode", "--remove", "--server", "more"], place].concat(), 0);
        assert!(!path.parent().unwrap().exists(), "{file}");
    }
}

#[test]
fn what_a_server_could_not_start_with_is_not_installed() {
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
    write("list.json", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}");
    write("bad.yaml", "command: [\n");
    write("good.yaml", "command: ls\ntools: []\n");
    write("policy.yaml", "default: enabled\n");
    for (words, why) in [
        (&["nosuchname"][..], "no bundled config and no file is called 'nosuchname'"),
        (&["./nosuch.yaml"], "there is no file './nosuch.yaml'"),
        (&["./list.json"], "with `--servers FILE`"),
        (&["git", "bad.yaml"], "bad.yaml"),
        (&["--servers", "nosuch.json"], "nosuch.json"),
        (&["git", "--policy", "nosuch.yaml"], "nosuch.yaml"),
    ] {
        let refused = told(home.path(), &[&["install", "claude"], words].concat(), 1);
        assert!(refused.contains(why) && refused.contains("nothing was installed"), "{words:?}: {refused}");
        assert!(!home.path().join(".claude.json").exists(), "{words:?}");
    }
    let words = ["git", "./good.yaml", "--servers", "./list.json", "--policy", "policy.yaml", "--classic", "--watch"];
    told(home.path(), &[&["install", "claude"], &words[..]].concat(), 0);
    let with: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(home.path().join(".claude.json")).unwrap()).unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (good, list, policy) = (at("good.yaml"), at("list.json"), at("policy.yaml"));
    let words = ["run", "git", &good, "--servers", &list, "--policy", &policy, "--classic", "--watch"];
    assert_eq!(with["mcpServers"]["climax"]["args"], serde_json::json!(words));
}
