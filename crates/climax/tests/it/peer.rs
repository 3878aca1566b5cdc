//! What climax-mcp 0.5.0 does, and this program does the same: its six configs, and thirty calls (FR-017, SC-003, SC-006).
//!
//! Both programs are talked to by the official client. It needs the environment of `tests/requirements-peer.txt`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aish_tools::index::Query;
use climax::Catalogue;
use climax::load::{self, Source};
use climax::policy::Policy;
use climax::schema::Flags;
use serde_json::{Value, json};

use crate::client::file;

/// A Python that has both, or none; then the test is counted as skipped.
struct Peer {
    python: PathBuf,
}

impl Peer {
    fn find(test: &str) -> Option<Self> {
        let python = std::env::var_os("AISH_TEST_PEER_PYTHON").map(PathBuf::from).filter(|python| python.is_file());
        if python.is_none()
            && let Some(list) = std::env::var_os("AISH_TEST_SKIPPED")
        {
            let mut list = std::fs::OpenOptions::new().append(true).create(true).open(list).unwrap();
            writeln!(list, "{test}: needs climax-mcp 0.5.0 (./test installs it)").unwrap();
        }
        Some(Self { python: python? })
    }

    /// The folder of the configs of the wheel.
    fn configs(&self) -> PathBuf {
        let code = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
        let output = Command::new(&self.python).args(["-c", code]).output().unwrap();
        Path::new(String::from_utf8(output.stdout).unwrap().trim()).join("configs")
    }

    fn program(&self) -> String {
        self.python.with_file_name("climax").to_str().unwrap().to_owned()
    }

    /// Has a server listed and called by the official client.
    fn talk(&self, folder: &Path, server: &Value, calls: &[(&str, Value)]) -> Value {
        let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peer/client.py");
        let mut child = Command::new(&self.python)
            .arg(client)
            .current_dir(folder)
            .env("HOME", folder)
            .env("XDG_STATE_HOME", folder.join("state"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("UNSET_OF_TEST")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut job = child.stdin.take().unwrap();
        write!(job, "{}", json!({"server": server, "calls": calls})).unwrap();
        drop(job);
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"))
    }
}

const OURS: &str = env!("CARGO_BIN_EXE_climax");

#[test]
fn fr017_sc003_sc006_the_six_configs_of_the_wheel_load_and_list_the_same_tools() {
    let Some(peer) = Peer::find("the six configs of climax-mcp 0.5.0") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = vec!["run".to_owned(), "--classic".to_owned()];
    for name in ["aws", "claude", "docker", "gh", "git", "obsidian"] {
        let path = peer.configs().join(format!("{name}.yaml"));
        let output = Command::new(OURS).arg("validate").arg(&path).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        // A program that is not on this machine is told, and is no fault of the file.
        assert!(output.status.success() || told.contains("tools, but its program"), "{name}: {told}");
        arguments.extend(["--config".to_owned(), path.to_str().unwrap().to_owned()]);
    }
    let server = |program: &str| json!([&[program.to_owned()], &arguments[..]].concat());
    let theirs = peer.talk(folder.path(), &server(&peer.program()), &[]);
    let ours = peer.talk(folder.path(), &server(OURS), &[]);
    let (theirs, ours) = (theirs["tools"].as_array().unwrap(), ours["tools"].as_array().unwrap());
    assert_eq!(ours.len(), 191);
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
}

/// Counts the requests of a file, those whose tool is found first, and those whose tool is among five. Misses are told.
fn recall(index: &aish_tools::Index, requests: &str) -> (usize, usize, usize) {
    let (mut first, mut among, mut all) = (0, 0, 0);
    for line in requests.lines().filter(|line| !line.starts_with('#')) {
        let (tool, request) = line.split_once('\t').unwrap();
        let page = index.search(&Query { limit: 5, ..Query::text(request) });
        let found: Vec<&str> = page.hits.iter().map(|hit| hit.definition.name.as_str()).collect();
        let rank = found.iter().position(|name| *name == tool);
        if rank != Some(0) {
            eprintln!("{tool}\t{request}\t{}", found.join(" "));
        }
        all += 1;
        first += usize::from(rank == Some(0));
        among += usize::from(rank.is_some());
    }
    (all, first, among)
}

#[test]
fn requests_in_words_find_the_tools_of_the_wheel() {
    let Some(peer) = Peer::find("requests over the configs of climax-mcp 0.5.0") else { return };
    let sources = Source::find(peer.configs().to_str().unwrap()).unwrap();
    let catalogue = Catalogue::new(load::load(&sources).configs, std::sync::Arc::new(Policy::default()), Flags::Shown);
    let index = catalogue.index();
    for (requests, at_least, one, five) in [
        (include_str!("../data/discovery-peer.tsv"), 280, 81, 97),
        (include_str!("../data/discovery-fresh.tsv"), 140, 82, 94),
        (include_str!("../data/discovery-after-fresh.tsv"), 80, 80, 93),
        (include_str!("../data/discovery-second.tsv"), 150, 78, 97),
        (include_str!("../data/discovery-third.tsv"), 110, 70, 93),
        (include_str!("../data/discovery-fourth.tsv"), 100, 86, 98),
        (include_str!("../data/discovery-fifth.tsv"), 360, 81, 96),
        (include_str!("../data/discovery-sixth.tsv"), 180, 76, 94),
    ] {
        let (all, first, among) = recall(&index, requests);
        eprintln!("{all} requests: {first} first, {among} among five");
        assert!(all >= at_least);
        assert!(first * 100 >= all * one, "recall@1: {first} of {all}");
        assert!(among * 100 >= all * five, "recall@5: {among} of {all}");
    }
}

#[test]
fn requests_in_five_languages_find_the_tools_of_the_wheel() {
    let Some(peer) = Peer::find("requests over the configs of climax-mcp 0.5.0") else { return };
    let sources = Source::find(peer.configs().to_str().unwrap()).unwrap();
    let catalogue = Catalogue::new(load::load(&sources).configs, std::sync::Arc::new(Policy::default()), Flags::Shown);
    let index = catalogue.index();
    let rows = include_str!("../data/discovery-languages.tsv").lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split('\t').collect()).collect();
    for (column, language) in (1..).zip(["German", "French", "Spanish", "Russian", "Chinese"]) {
        let requests: Vec<String> = rows.iter().map(|row| format!("{}\t{}", row[0], row[column])).collect();
        let (all, first, among) = recall(&index, &requests.join("\n"));
        eprintln!("{language}: {all} requests: {first} first, {among} among five");
        assert_eq!(all, 100);
        assert!(among >= 75, "{language}, recall@5: {among} of {all}");
    }
}

const CONFIG: &str = r#"
name: peer-tools
description: "Everything that a config can say"
command: sh SCRIPT
env: {FROM_CONFIG: "a b", NUMBER: "7"}
category: test
tags: [one, two]
global_args:
  - {name: always, default: yes-sir}
  - {name: never, default: "$UNSET_OF_TEST"}
  - {name: joined, flag: "--joined=", default: x}
tools:
  - name: words
    description: Shows the words of its call
    command: words sub
    args:
      - {name: first, positional: true, required: true}
      - {name: text, flag: -t}
      - {name: long_name}
      - {name: inline, flag: "file="}
      - {name: many, type: integer, flag: -n, default: 3}
      - {name: share, type: number, flag: --share}
      - {name: loud, type: boolean}
      - {name: quiet, type: boolean, flag: -q, default: true}
      - {name: form, enum: [json, text, csv], default: text}
  - {name: fails, description: Fails, command: fails, args: [{name: code, type: integer, positional: true}]}
  - {name: silent, description: Says nothing, command: silent}
  - {name: silent_failure, description: Fails and says nothing, command: fails 4}
  - {name: noisy, description: Writes to both, command: noisy}
  - {name: spaces, description: Blank lines round it, command: spaces}
  - {name: piped, description: Counts its input, command: piped, args: [{name: text, stdin: true}]}
  - {name: where, description: Says where it is, command: where, args: [{name: folder, cwd: true}]}
  - {name: variables, description: Shows variables, command: variables}
  - {name: slow, description: Too slow, command: slow, timeout: 1}
  - {name: bytes, description: Bad bytes, command: bytes}
  - {name: lines, description: Many lines, command: lines}
  - {name: signal, description: Dies, command: signal}
"#;
const SCRIPT: &str = r#"
kind=$1; shift
case $kind in
words) for word; do printf '<%s>\n' "$word"; done;;
fails) echo out; echo err >&2; exit "$1";;
silent) ;;
noisy) echo out; echo err >&2;;
spaces) printf '\n\n  a  b  \n\n\n';;
piped) wc -c; ;;
where) pwd;;
variables) echo "$FROM_CONFIG|$NUMBER";;
slow) exec sleep 20;;
bytes) printf 'a\377b\303\274';;
lines) i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i + 1)); done;;
signal) kill -9 $$;;
esac
"#;

fn calls(folder: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("words", json!({"first": "a"})),
        ("words", json!({"first": "a b \"c\" 'd' $HOME * ;"})),
        ("words", json!({"first": "ünï", "text": "日本"})),
        ("words", json!({"first": "x", "long_name": "y", "inline": "z w"})),
        ("words", json!({"first": "x", "many": 12, "share": 0.5})),
        ("words", json!({"first": "x", "many": "42"})),
        ("words", json!({"first": "x", "loud": true, "quiet": false})),
        ("words", json!({"first": "x", "loud": "true"})),
        ("words", json!({"first": "x", "loud": false})),
        ("words", json!({"first": "x", "form": "csv"})),
        ("words", json!({"first": "x", "text": ""})),
        ("words", json!({"first": "x", "text": "--many"})),
        ("words", json!({"first": "two\nlines"})),
        ("words", json!({"first": "x", "share": 2})),
        ("words", json!({"first": "x", "many": -1})),
        ("words", json!({"first": "x", "unknown": 1})),
        ("fails", json!({"code": 3})),
        ("fails", json!({"code": 255})),
        ("silent", json!({})),
        ("silent_failure", json!({})),
        ("noisy", json!({})),
        ("spaces", json!({})),
        ("piped", json!({"text": "hello"})),
        ("piped", json!({"text": "ümläut\n"})),
        ("piped", json!({})),
        ("where", json!({"folder": folder})),
        ("where", json!({})),
        ("variables", json!({})),
        ("slow", json!({})),
        ("bytes", json!({})),
        ("lines", json!({})),
        ("signal", json!({})),
        // Faults of the arguments; through `climax_call`, 0.5.0 checks them too.
        ("words", json!({})),
        ("words", json!({"first": "x", "form": "xml"})),
        ("words", json!({"first": "x", "many": "zz"})),
        ("words", json!({"first": "x", "many": "zz", "form": "xml"})),
    ]
}

#[test]
fn sc003_thirty_calls_give_the_same_text_as_with_climax_mcp() {
    let Some(peer) = Peer::find("thirty calls as with climax-mcp 0.5.0") else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = file(&folder, "script.sh", SCRIPT);
    let config = file(&folder, "peer.yaml", &CONFIG.replace("SCRIPT", &script));
    let root = folder.path().canonicalize().unwrap();
    let direct = calls(root.to_str().unwrap());
    let through: Vec<(&str, Value)> =
        direct.iter().map(|(tool, arguments)| ("climax_call", json!({"tool_name": tool, "args": arguments}))).collect();
    let server = |program: &str| json!([program, "run", "--config", config]);
    let theirs = peer.talk(&root, &server(&peer.program()), &through);
    let ours = peer.talk(&root, &server(OURS), &through);
    let text = |answers: &Value, at: usize| answers["results"][at]["text"].as_str().unwrap().to_owned();
    for (at, (tool, arguments)) in direct.iter().enumerate() {
        assert_eq!(text(&ours, at), text(&theirs, at), "{tool} {arguments}");
    }
    // The same over HTTP, by the same client.
    let mut http = Command::new(OURS)
        .args(["run", "--config", &config, "--transport", "streamable-http", "--port", "0"])
        .current_dir(&root)
        .env("XDG_STATE_HOME", root.join("state"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    let mut from = http.stderr.take().unwrap();
    while !told.contains("/mcp\n") {
        let mut byte = [0_u8; 1];
        from.read_exact(&mut byte).unwrap();
        told.push(char::from(byte[0]));
    }
    let url = told.trim().strip_prefix("Serving MCP on ").unwrap();
    let over_http = peer.talk(&root, &json!(url), &through);
    http.kill().unwrap();
    http.wait().unwrap();
    assert_eq!(over_http, ours);
}
