//! What people read when something is wrong, and what the doctor says, whole.

use std::process::Command;

/// Runs command lines in a fresh home, one after the other, and returns what each wrote, with its exit code.
fn said(lines: &[&[&str]]) -> String {
    let home = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for line in lines {
        let out = Command::new(env!("CARGO_BIN_EXE_aish"))
            .args(*line)
            .current_dir(home.path())
            .env_clear()
            .envs([("HOME", home.path().as_os_str()), ("PATH", "/usr/bin:/bin".as_ref()), ("TERM", "dumb".as_ref())])
            .env("XDG_RUNTIME_DIR", home.path())
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let code = out.status.code().unwrap_or(-1);
        text.push_str(&format!("$ aish {}\n", line.join(" ")));
        for written in [&out.stdout, &out.stderr] {
            text.push_str(&String::from_utf8_lossy(written));
        }
        text.push_str(&format!("[{code}]\n\n"));
    }
    let home = home.path().display().to_string();
    text.replace(&home, "HOME")
}

#[test]
fn errors() {
    let text = said(&[
        &["ask"],
        &["frobnicate"],
        &["-c"],
        &["--config", "missing.toml", "config", "check"],
        &["config", "show", "contxt"],
        &["tools", "call", "calculater", "{}"],
        &["tools", "call", "calculator", "{"],
        &["tools", "call", "calculator", "{\"expression\": \"1 +\"}"],
        &["tools", "describe", "nothing"],
        &["mcp", "test", "nothing"],
        &["sessions", "export", "nothing"],
        &["memory", "forget", "9"],
        &["undo", "x"],
        &["undo"],
        &["policy", "test", "missing.toml"],
        &["check", ""],
        &["norris"],
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn the_doctor() {
    let text = said(&[&["doctor"]]);
    // What is found here depends on the machine; what it is about does not.
    let subjects: Vec<String> = text
        .lines()
        .map(|line| match line.split_once(' ') {
            Some(("ok" | "FAIL", _)) => line.get(5..18).unwrap_or(line).trim().to_owned(),
            _ => line.to_owned(),
        })
        .collect();
    assert!(text.contains("ok   configuration no file at HOME/.config/aish/config.toml; the defaults hold"), "{text}");
    assert!(text.contains("ok   state         HOME/.local/state/aish"), "{text}");
    insta::assert_snapshot!(subjects.join("\n"), @r"
    $ aish doctor
    configuration
    state
    model
    shell
    norris
    confinement
    terminal
    keys
    MCP servers
    installation
    [1]
    ");
}
