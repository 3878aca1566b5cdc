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
    std::fs::write(home.path().join("own.yaml"), "").unwrap();
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
    assert_eq!(std::fs::read_to_string(home.path().join(".config/zed/settings.json.before-climax")).unwrap(), before);
    assert!(start(home.path(), &["install", "zed", "--remove"]).status.success());
    let rest = std::fs::read_to_string(&path).unwrap();
    assert!(rest.contains("// Zed") && !rest.contains("climax"), "{rest}");
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
