//! Who is asked, and what happens when nobody can be.

use serde_json::json;

use crate::client::{Client, Way, file, over_both};

const CONFIG: &str = "
name: a
command: echo
tools:
  - {name: read, description: Reads, command: r}
  - name: write
    description: Writes
    command: w
    risk: write
    confirm_message: \"Write {text} for {owner}?\"
    resolve: {owner: {command: Ann, args: {id: '{text}'}}}
    args: [{name: text, positional: true, required: true}]
  - {name: plain, description: Writes, command: p, risk: destructive}
";

over_both!(
    the_client_is_asked_with_the_sentence_and_its_look_ups,
    a_no_is_a_no,
    a_tool_is_refused_before_anybody_is_asked_when_its_arguments_are_wrong,
    headless_the_policy_decides,
    nothing_is_looked_up_where_nobody_can_be_asked,
    what_a_program_reads_and_where_it_runs_is_shown_and_judged,
    a_look_up_runs_where_the_policy_says,
    without_an_audit_only_reading_tools_run,
    a_container_gets_the_whole_call_and_is_removed_on_timeout,
);

fn config(folder: &tempfile::TempDir) -> String {
    file(folder, "a.yaml", CONFIG)
}

fn the_client_is_asked_with_the_sentence_and_its_look_ups(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start_asking(way, &[&config(&folder)], "accept");
    assert_eq!(client.run("write", json!({"text": "x"})).text, "w x");
    assert_eq!(client.asked, ["Write x for Ann --id x?\n\necho w x"]);
    assert_eq!(client.run("read", json!({})).text, "r");
    assert_eq!(client.asked.len(), 1, "what reads is not asked");
    let audit = std::fs::read_to_string(client.state().join("audit.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decided = |line: &serde_json::Value| {
        let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(line["approved"], true);
        [word("tool"), word("by"), word("command")].join(": ")
    };
    let decided: Vec<String> = lines.iter().map(decided).collect();
    assert_eq!(
        decided,
        ["write:owner: policy: echo Ann --id x", "write: person: echo w x", "read: policy: echo r"],
        "a look-up is a call like any other"
    );
}

fn what_a_program_reads_and_where_it_runs_is_shown_and_judged(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let text = "
name: s
command: sh
tools:
  - name: script
    description: Runs a script
    risk: write
    args: [{name: text, stdin: true, required: true}, {name: dir, cwd: true}]
";
    let config = file(&folder, "s.yaml", text);
    let place = folder.path().to_str().unwrap();
    let mut client = Client::start_asking(way, &[&config], "accept");
    assert_eq!(client.run("script", json!({"text": "pwd\u{1b}", "dir": place})).structured["exit_code"], 127);
    let shown = format!("sh\n\nIn the folder {place}\n\nIt reads this:\npwd");
    assert!(client.asked[0].contains(&shown) && !client.asked[0].contains('\u{1b}'), "{:?}", client.asked);
    drop(client);
    let mut client = Client::start_over(way, &[&config, "--headless-approve"]);
    assert_eq!(client.run("script", json!({"text": "echo a"})).text, "a");
    let refused = client.run("script", json!({"text": "rm -rf /"}));
    assert!(refused.is_error && refused.text.contains("not approved"), "{}", refused.text);
}

fn nothing_is_looked_up_where_nobody_can_be_asked(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("looked-up");
    let config = file(
        &folder,
        "a.yaml",
        &format!(
            "name: a\ncommand: touch\ntools:\n  - {{name: mark, description: Writes, command: x, risk: write, confirm_message: 'Mark {{owner}}?', resolve: {{owner: {{command: {}}}}}}}\n",
            mark.display()
        ),
    );
    let mut deny = Client::start_over(way, &[&config]);
    assert!(deny.run("mark", json!({})).is_error);
    assert!(!mark.exists(), "a call that is denied anyway runs nothing");
    let audit = std::fs::read_to_string(deny.state().join("audit.jsonl")).unwrap();
    assert_eq!(audit.lines().count(), 1, "{audit}");
}

fn a_look_up_runs_where_the_policy_says(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let docker = file(&folder, "docker", "#!/bin/sh\n[ \"$1\" = rm ] || echo \"${8}: ${9}\"\n");
    std::fs::set_permissions(&docker, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = config(&folder);
    let policy = file(
        &folder,
        "p.yaml",
        "default: enabled\nexecutor: {type: docker, image: img, network: none, working_dir: /w}\n",
    );
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut client = Client::start_with(way, &[&config, "--policy", &policy], Some("accept"), |command| {
        command.env("PATH", path);
    });
    client.run("write", json!({"text": "x"}));
    let asked = client.asked.concat();
    assert!(asked.starts_with("Write x for /w: img?"), "the look-up ran in a container: {asked}");
}

fn a_no_is_a_no(way: Way) {
    for answer in ["decline", "cancel"] {
        let folder = tempfile::tempdir().unwrap();
        let mut client = Client::start_asking(way, &[&config(&folder)], answer);
        let denied = client.run("plain", json!({}));
        assert!(denied.is_error);
        assert_eq!(denied.text, "Tool execution denied by user: plain");
    }
}

fn a_tool_is_refused_before_anybody_is_asked_when_its_arguments_are_wrong(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start_asking(way, &[&config(&folder)], "accept");
    assert!(client.run("write", json!({"text": "--x"})).is_error);
    assert!(client.asked.is_empty());
}

fn headless_the_policy_decides(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let config = config(&folder);
    let mut deny = Client::start_over(way, &[&config]);
    let denied = deny.run("write", json!({"text": "x"}));
    assert!(denied.is_error && !denied.text.contains("denied by user"), "{}", denied.text);
    for way_to_agree in ["Nobody could be asked", "terminal", "{tools: {write: false}}", "--headless-approve"] {
        assert!(denied.text.contains(way_to_agree), "{way_to_agree}: {}", denied.text);
    }
    assert_eq!(deny.run("read", json!({})).text, "r");
    let mut flag = Client::start_over(way, &[&config, "--headless-approve"]);
    assert_eq!(flag.run("write", json!({"text": "x"})).text, "w x");
    let policy = file(&folder, "p.yaml", "default: enabled\napproval: {headless: approve}\n");
    let mut file_says = Client::start_over(way, &[&config, "--policy", &policy]);
    assert_eq!(file_says.run("write", json!({"text": "x"})).text, "w x");
    let none = file(
        &folder,
        "n.yaml",
        "default: enabled\napproval: {global: none}\ntools: {plain: {require_approval: true}}\n",
    );
    let mut levels = Client::start_over(way, &[&config, "--policy", &none]);
    assert_eq!(levels.run("write", json!({"text": "x"})).text, "w x");
    assert!(levels.run("plain", json!({})).is_error, "the tool's own word comes first");
}

fn without_an_audit_only_reading_tools_run(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let config = config(&folder);
    let blocked = file(&folder, "blocked", "");
    let mut client = Client::start_with(way, &[&config, "--headless-approve"], None, |command| {
        command.env("XDG_STATE_HOME", &blocked);
    });
    assert_eq!(client.run("read", json!({})).text, "r");
    assert!(client.run("write", json!({"text": "x"})).is_error);
}

fn a_container_gets_the_whole_call_and_is_removed_on_timeout(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let docker = file(
        &folder,
        "docker",
        &format!(
            "#!/bin/sh\necho \"$@\" >> {}\n[ \"$1\" = rm ] || {{ echo \"$@\"; case \"$*\" in *slow*) sleep 60;; esac; }}\n",
            log.display()
        ),
    );
    std::fs::set_permissions(&docker, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = file(
        &folder,
        "c.yaml",
        "name: c\ncommand: tool\nenv: {K: v}\ntools:\n  - {name: t, description: d, command: go, args: [{name: text, stdin: true}]}\n  - {name: slow, description: d, command: slow, timeout: 0.5}\n",
    );
    let policy = file(
        &folder,
        "p.yaml",
        "default: enabled\nexecutor: {type: docker, image: img, volumes: ['/a:/b'], network: none, working_dir: /w}\n",
    );
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut client = Client::start_with(way, &[&config, "--policy", &policy], None, |command| {
        command.env("PATH", path);
    });
    let text = client.run("t", json!({"text": "x"})).text;
    let name = text.split(' ').nth(3).unwrap().to_owned();
    assert_eq!(text, format!("run --rm --name {name} -i -v /a:/b --network none -w /w -e K=v img tool go"));
    let slow = client.run("slow", json!({}));
    assert!(slow.is_error && slow.text.contains("timed out"), "{}", slow.text);
    let log = std::fs::read_to_string(log).unwrap();
    let last = log.lines().last().unwrap();
    assert!(last.starts_with("rm -f climax-"), "{log}");
}
