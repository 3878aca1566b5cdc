//! The audit log and the pins.

use std::path::Path;
use std::time::{Duration, SystemTime};

use aish_journal::{AuditFile, PinFile, TrustFile, WallClock};
use aish_safety::{AuditEntry, AuditLog, By, Pin, PinStore, Verdict};
use aish_types::{CallContext, ToolDefinition};
use serde_json::json;

fn entry(command: &str) -> AuditEntry {
    AuditEntry {
        context: CallContext {
            call: "c".into(),
            session: "s".into(),
            user: "me".into(),
            channel: None,
            folder: Some("/tmp".into()),
        },
        tool: "shell".into(),
        source: "shell".into(),
        command: Some(command.into()),
        call_hash: "00".into(),
        verdict: Verdict::Ask,
        rule: "unknown".into(),
        approved: true,
        by: By::Person,
    }
}

#[test]
fn a_decision_has_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let clock = WallClock::new(|| SystemTime::UNIX_EPOCH + Duration::from_millis(1_736_951_400_500));
    let audit = AuditFile::new(folder.path().join("audit.jsonl"), clock);
    audit.append(&entry("rm -rf x")).unwrap();
    audit.append(&entry("ls")).unwrap();
    let loaded = audit.load().unwrap();
    assert_eq!(loaded.records.len(), 2);
    assert_eq!(loaded.records[0].time, "2025-01-15T14:30:00.500Z");
    assert_eq!(loaded.records[0].entry, entry("rm -rf x"));
}

#[test]
fn an_audit_that_cannot_be_written_says_so() {
    let audit = AuditFile::new("/proc/aish/audit.jsonl", WallClock::default());
    let error = audit.append(&entry("ls")).unwrap_err().to_string();
    assert!(
        error.starts_with("the audit log cannot be written: /proc/aish/audit.jsonl cannot be written: "),
        "{error}"
    );
}

fn pin(description: &str) -> Pin {
    Pin::of(&ToolDefinition::new("t", description, json!({}), "mcp:a".into()))
}

#[test]
fn pins_are_kept_by_source_and_tool() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pins = PinFile::new(&path);
    assert_eq!(pins.get(&"mcp:a".into(), &"t".into()).unwrap(), None);
    pins.put(&"mcp:a".into(), &"t".into(), &pin("one")).unwrap();
    pins.put(&"mcp:b".into(), &"t".into(), &pin("two")).unwrap();
    let again = PinFile::new(&path);
    assert_eq!(again.get(&"mcp:a".into(), &"t".into()).unwrap(), Some(pin("one")));
    assert_eq!(again.get(&"mcp:b".into(), &"t".into()).unwrap(), Some(pin("two")));
    assert_eq!(again.get(&"mcp:a".into(), &"u".into()).unwrap(), None);
}

#[test]
fn a_corrupt_file_fails_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    let pins = PinFile::new(&path);
    for content in ["", "{", "[]", r#"{"version": 9, "pins": {}}"#, r#"{"version": 1}"#] {
        std::fs::write(&path, content).unwrap();
        assert!(pins.get(&"mcp:a".into(), &"t".into()).is_err(), "{content}");
        assert!(pins.put(&"mcp:a".into(), &"t".into(), &pin("one")).is_err(), "{content}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content, "it is not replaced");
    }
}

#[test]
fn two_that_pin_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pins.json");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let pins = PinFile::new(path);
                for n in 0..25 {
                    pins.put(&format!("mcp:{thread}").into(), &format!("t{n}").into(), &pin("x")).unwrap();
                }
            });
        }
    });
    let all = PinFile::new(&path).all().unwrap();
    assert_eq!(all.values().map(|tools| tools.len()).sum::<usize>(), 100);
}

#[test]
fn trust_is_by_file_and_hash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/trust.json");
    let trust = TrustFile::new(&path);
    let (one, two) = (Path::new("/p/AGENTS.md"), Path::new("/p/.aish.toml"));
    assert_eq!(trust.hash(one).unwrap(), None);
    trust.trust([(one, "a"), (two, "b")]).unwrap();
    TrustFile::new(&path).trust([(one, "c")]).unwrap();
    assert_eq!((trust.hash(one).unwrap().as_deref(), trust.hash(two).unwrap().as_deref()), (Some("c"), Some("b")));
    trust.distrust([one]).unwrap();
    assert_eq!((trust.hash(one).unwrap(), trust.hash(two).unwrap().as_deref()), (None, Some("b")));
    for bad in ["", "{}", "{\"version\":2,\"files\":{}}"] {
        std::fs::write(&path, bad).unwrap();
        assert!(trust.hash(two).is_err() && trust.trust([(one, "a")]).is_err(), "{bad:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), bad, "it is not replaced");
    }
}

/// A key that a model spells out in a command, and what of the line is left.
const TOLD: [(&str, &str); 2] = [
    (
        "curl -H 'Authorization: Bearer sk-proj-abcDEF0123456789abcd' https://x",
        "curl -H 'Authorization: Bearer [redacted]' https://x",
    ),
    ("git push https://me:hunter2@example.org/x", "git push https://[redacted]@example.org/x"),
];

#[test]
fn keys_that_a_model_writes_itself_are_in_no_log() {
    use aish_journal::{AuditFile, SessionHead, SessionLog};
    use aish_types::{Message, ToolCall};
    let folder = tempfile::tempdir().unwrap();
    let audit = AuditFile::new(folder.path().join("audit.jsonl"), WallClock::default());
    let log = SessionLog::create(folder.path(), "s".into(), SessionHead::default(), WallClock::default()).unwrap();
    for (line, left) in TOLD {
        aish_safety::AuditLog::append(&audit, &entry(line)).unwrap();
        assert_eq!(audit.load().unwrap().records.last().unwrap().entry.command.as_deref(), Some(left));
        let arguments = serde_json::json!({ "command": line }).to_string();
        let call = ToolCall { id: "1".into(), name: "shell".into(), arguments };
        let said = Message::Assistant { content: format!("I run\nCMD: {line}"), tool_calls: vec![call], state: None };
        let id = log.append(&said, None, None).unwrap();
        log.amend(id, Some(&said)).unwrap();
        log.append(&Message::user(line), None, None).unwrap();
    }
    for file in ["audit.jsonl", "s.jsonl"] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.contains("[redacted]") && !text.contains("sk-proj") && !text.contains("hunter2"), "{text}");
    }
}
