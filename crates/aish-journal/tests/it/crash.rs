//! Many processes, processes that are killed, a full disk.
//!
//! The writers are this test's own binary, started again with one test and a variable that says what to write.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aish_journal::{Durability, LineFile, SessionHead, SessionLog, WallClock};
use aish_types::Message;
use serde_json::{Value, json};

const WRITER: &str = "AISH_JOURNAL_TEST_WRITER";

fn start(path: &Path, name: &str, count: usize, size: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::writer_process"])
        .env(WRITER, json!({"path": path, "name": name, "count": count, "size": size}).to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Does nothing unless it was started as a writer.
#[test]
fn writer_process() {
    let Ok(order) = std::env::var(WRITER) else { return };
    let order: Value = serde_json::from_str(&order).unwrap();
    let file = LineFile::new(order["path"].as_str().unwrap(), Durability::System);
    let text = "x".repeat(usize::try_from(order["size"].as_u64().unwrap()).unwrap());
    for n in 0..order["count"].as_u64().unwrap() {
        if file.append(&json!({"name": order["name"], "n": n, "text": text})).is_err() {
            std::process::exit(7);
        }
    }
}

fn check(records: &[Value]) -> HashMap<String, u64> {
    let mut next: HashMap<String, u64> = HashMap::new();
    for record in records {
        let n = next.entry(record["name"].as_str().unwrap().into()).or_default();
        assert_eq!(record["n"].as_u64().unwrap(), *n, "in order, none lost, none twice");
        *n += 1;
    }
    next
}

#[test]
fn eight_processes_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let writers: Vec<Child> = (0..8).map(|n| start(&path, &format!("w{n}"), 1_000, 100)).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let loaded = LineFile::new(&path, Durability::System).load::<Value>().unwrap();
    assert!(loaded.bad.is_empty() && loaded.torn.is_none());
    let counts = check(&loaded.records);
    assert!(counts.len() == 8 && counts.values().all(|&n| n == 1_000), "{counts:?}");
}

const SESSION_WRITER: &str = "AISH_JOURNAL_TEST_SESSION";

/// Does nothing unless it was started as a session: it appends its turns, and as many lines to a log that all share.
#[test]
fn session_process() {
    let Ok(order) = std::env::var(SESSION_WRITER) else { return };
    let order: Value = serde_json::from_str(&order).unwrap();
    let (folder, name) = (Path::new(order["folder"].as_str().unwrap()), order["name"].as_str().unwrap());
    let shared = LineFile::new(folder.join("shared.jsonl"), Durability::System);
    let log = SessionLog::create(&folder.join("sessions"), name.into(), SessionHead::default(), WallClock::default())
        .unwrap();
    for n in 0..1_000 {
        log.append_to(Some(n), &Message::user(format!("{name} {n}")), None, None).unwrap();
        shared.append(&json!({"name": name, "n": n})).unwrap();
    }
}

#[test]
fn eight_sessions_of_a_thousand_turns_lose_and_mix_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..8).map(|n| format!("session-{n}")).collect();
    let sessions: Vec<Child> = names
        .iter()
        .map(|name| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "crash::session_process"])
                .env(SESSION_WRITER, json!({"folder": folder.path(), "name": name}).to_string())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut session in sessions {
        assert!(session.wait().unwrap().success());
    }
    for name in &names {
        let session = SessionLog::read(&folder.path().join("sessions"), &name.as_str().into()).unwrap();
        assert!(session.warnings.is_empty(), "{:?}", session.warnings);
        let said: Vec<String> = session.turns.iter().map(|turn| turn.message.content().to_owned()).collect();
        assert_eq!(said, (0..1_000).map(|n| format!("{name} {n}")).collect::<Vec<_>>());
    }
    let shared = LineFile::new(folder.path().join("shared.jsonl"), Durability::System).load::<Value>().unwrap();
    assert!(shared.bad.is_empty() && shared.torn.is_none());
    let counts = check(&shared.records);
    assert!(counts.len() == 8 && counts.values().all(|&n| n == 1_000), "{counts:?}");
}

#[test]
fn eight_threads_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = LineFile::new(folder.path().join("log.jsonl"), Durability::System);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let file = &file;
            scope.spawn(move || {
                for n in 0..1_000 {
                    file.append(&json!({"name": format!("t{thread}"), "n": n})).unwrap();
                }
            });
        }
    });
    let counts = check(&file.load::<Value>().unwrap().records);
    assert!(counts.len() == 8 && counts.values().all(|&n| n == 1_000), "{counts:?}");
}

#[test]
fn a_killed_writer_leaves_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let file = LineFile::new(&path, Durability::System);
    for round in 0..10 {
        let mut writer = start(&path, &format!("round{round}"), 1_000_000, 200_000);
        // Killed at some moment after it began to write, a little later each time.
        let begun = Instant::now();
        let before = std::fs::metadata(&path).map_or(0, |meta| meta.len());
        while std::fs::metadata(&path).map_or(0, |meta| meta.len()) == before {
            assert!(begun.elapsed() < Duration::from_secs(30), "the writer does not write");
            std::thread::yield_now();
        }
        let until = Instant::now() + Duration::from_micros(300 * round);
        while Instant::now() < until {
            std::thread::yield_now();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        file.append(&json!({"name": format!("after{round}"), "n": 0})).unwrap();
        let loaded = file.load::<Value>().unwrap();
        assert!(loaded.bad.is_empty(), "{:?}", loaded.bad);
        check(&loaded.records);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_full_disk_takes_no_part_of_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let order = json!({"path": path, "name": "full", "count": 1_000, "size": 1_000}).to_string();
    // A limit on the file's size fails a write in the middle, as a full disk does, and needs no privileges.
    let status = Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact crash::writer_process"])
        .arg(std::env::current_exe().unwrap())
        .env(WRITER, order)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(7), "the append says that it failed");
    let loaded = LineFile::new(&path, Durability::System).load::<Value>().unwrap();
    assert!(loaded.bad.is_empty() && loaded.torn.is_none(), "what did not fit was taken back");
    assert!((50..65).contains(&loaded.records.len()), "{}", loaded.records.len());
    check(&loaded.records);
}
