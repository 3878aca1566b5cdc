//! Sessions: written, torn, resumed.

use aish_journal::session::{Context, Hold, path_of};
use aish_journal::{SessionError, SessionHead, SessionLog, WallClock};
use aish_types::{Message, ToolCall, Usage};
use serde_json::json;

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "calculator".into(), arguments: "{}".into() }
}

fn calls(ids: &[&str]) -> Message {
    Message::Assistant { content: String::new(), tool_calls: ids.iter().map(|id| call(id)).collect(), state: None }
}

fn result(id: &str, content: &str) -> Message {
    Message::Tool { tool_call_id: id.into(), name: "calculator".into(), content: content.into(), blocks: vec![] }
}

fn begin(folder: &tempfile::TempDir) -> SessionLog {
    let head = SessionHead { folder: Some("/tmp".into()), ..SessionHead::default() };
    SessionLog::create(folder.path(), "s-1".into(), head, WallClock::default()).unwrap()
}

#[test]
fn a_session_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let log = begin(&folder);
    let usage = Usage { prompt: 10, completion: 2, cached: 0, written: 0, reasoning: 0, estimated: true };
    let messages = [Message::user("hi"), calls(&["a"]), result("a", "4"), Message::assistant("four")];
    for message in &messages {
        log.append(message, Some(usage), Some("m")).unwrap();
    }
    log.rename("sums").unwrap();
    log.note("summary", json!({"text": "x"})).unwrap();
    let (log, session) = SessionLog::resume(folder.path(), "s-1".into(), WallClock::default()).unwrap();
    assert_eq!(session.head.unwrap().folder.as_deref(), Some("/tmp"));
    assert_eq!(session.title.as_deref(), Some("sums"));
    assert_eq!(session.events, [("summary".to_owned(), json!({"text": "x"}))]);
    assert_eq!(session.turns.iter().map(|turn| turn.message.clone()).collect::<Vec<_>>(), messages);
    assert_eq!(session.turns.iter().map(|turn| turn.id).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!((session.turns[0].usage, session.turns[0].model.as_deref()), (Some(usage), Some("m")));
    assert!(session.warnings.is_empty());
    assert_eq!(log.append(&Message::user("more"), None, None).unwrap(), 5);
}

#[test]
fn a_call_without_a_result_gets_an_aborted_one() {
    let folder = tempfile::tempdir().unwrap();
    let log = begin(&folder);
    let messages = [calls(&["a", "b"]), result("a", "1"), Message::user("stop"), result("zz", "whose?"), calls(&["c"])];
    for message in &messages {
        log.append(message, None, None).unwrap();
    }
    let session = SessionLog::read(folder.path(), &"s-1".into()).unwrap();
    let told: Vec<String> = session
        .turns
        .iter()
        .map(|turn| match &turn.message {
            Message::Tool { tool_call_id, content, .. } => format!("{tool_call_id}:{content}"),
            other => format!("{:?}", other.role()),
        })
        .collect();
    let aborted = "Error: the call was aborted before it had a result";
    assert_eq!(told, ["Assistant", "a:1", &format!("b:{aborted}"), "User", "Assistant", &format!("c:{aborted}")]);
    assert_eq!(session.warnings.len(), 2, "{:?}", session.warnings);
}

#[test]
fn results_that_were_written_behind_a_commands_output_stand_behind_their_calls_again() {
    let folder = tempfile::tempdir().unwrap();
    let log = begin(&folder);
    let written = [
        calls(&["a", "b", "c"]),
        Message::user("[exec: ls]\nx"),
        result("a", "1"),
        result("b", "2"),
        Message::assistant("done"),
    ];
    for message in &written {
        log.append(message, None, None).unwrap();
    }
    let session = SessionLog::read(folder.path(), &"s-1".into()).unwrap();
    let told: Vec<&str> = session.turns.iter().map(|turn| turn.message.content()).collect();
    let aborted = "Error: the call was aborted before it had a result";
    assert_eq!(told, ["", "1", "2", aborted, "[exec: ls]\nx", "done"]);
}

#[test]
fn a_torn_log_loads_up_to_the_tear() {
    let folder = tempfile::tempdir().unwrap();
    let log = begin(&folder);
    for n in 0..5 {
        log.append(&Message::user(format!("message {n}")), None, None).unwrap();
    }
    let bytes = std::fs::read(log.path()).unwrap();
    let start = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for cut in start..bytes.len() {
        std::fs::write(log.path(), &bytes[..cut]).unwrap();
        let whole = bytes[..cut].iter().filter(|byte| **byte == b'\n').count() - 1;
        let (again, session) = SessionLog::resume(folder.path(), "s-1".into(), WallClock::default()).unwrap();
        let is_whole = bytes[cut - 1] == b'}'
            && serde_json::from_slice::<serde_json::Value>(bytes[..cut].rsplit(|byte| *byte == b'\n').next().unwrap())
                .is_ok();
        assert_eq!(session.turns.len(), whole + usize::from(is_whole), "cut at {cut}");
        again.append(&Message::user("after"), None, None).unwrap();
        let session = SessionLog::read(folder.path(), &"s-1".into()).unwrap();
        assert_eq!(session.turns.last().unwrap().message.content(), "after");
        assert!(session.warnings.is_empty(), "mended once");
    }
}

#[test]
fn ids_are_names_of_files_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    for id in ["", "../x", "a/b", "a.b", "a b", &"x".repeat(129)] {
        assert!(matches!(path_of(folder.path(), &id.into()), Err(SessionError::InvalidId(_))), "{id}");
    }
    assert!(matches!(SessionLog::read(folder.path(), &"none".into()), Err(SessionError::Missing(_))));
    let _log = begin(&folder);
    let again = SessionLog::create(folder.path(), "s-1".into(), SessionHead::default(), WallClock::default());
    assert!(matches!(again, Err(SessionError::Exists(_))));
}

#[test]
fn the_context_begins_where_it_was_noted_last() {
    let folder = tempfile::tempdir().unwrap();
    let log = begin(&folder);
    for n in 1..=4 {
        log.append_to(Some(n), &Message::user(format!("message {n}")), None, None).unwrap();
    }
    let read = || SessionLog::read(folder.path(), &"s-1".into()).unwrap();
    assert_eq!((read().context(), read().turns_in_context().count()), (Context::default(), 4));
    log.note_context(&Context { from: 2, ..Context::default() }).unwrap();
    let last = Context { from: 4, summary: Some("three things".into()), results_as_text: Some("m".into()) };
    log.note_context(&last).unwrap();
    assert_eq!(read().context(), last);
    let seen: Vec<_> = read().turns_in_context().map(|turn| (turn.id, turn.exchange)).collect();
    assert_eq!((seen, read().turns.len()), (vec![(4, Some(4))], 4));
}

#[test]
fn one_process_writes_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let take = || Hold::take(folder.path(), &"s-1".into()).unwrap();
    let first = take().unwrap();
    assert!(take().is_none());
    drop(first);
    assert!(take().is_some());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    assert!(Hold::take(folder.path(), &"../x".into()).is_err());
}

#[test]
fn the_lock_of_one_who_is_gone_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    // What a process that was killed leaves to the child that it was starting: a lock, and a number that is nobody's.
    let left = std::fs::File::create(folder.path().join("s-1.lock")).unwrap();
    left.lock().unwrap();
    std::fs::write(folder.path().join("s-1.lock"), child.id().to_string()).unwrap();
    let (sender, taken) = std::sync::mpsc::channel();
    let path = folder.path().to_owned();
    std::thread::spawn(move || {
        // Given back before it is told of: the next may take it at once.
        let is_taken = Hold::take(&path, &"s-1".into()).unwrap().is_some();
        sender.send(is_taken)
    });
    assert!(taken.recv_timeout(std::time::Duration::from_millis(200)).is_err(), "it is not given up at once");
    drop(left);
    assert_eq!(taken.recv_timeout(std::time::Duration::from_secs(60)), Ok(true));
    // One who lives keeps it, whatever the file said before.
    let hold = Hold::take(folder.path(), &"s-1".into()).unwrap();
    let begun = std::time::Instant::now();
    assert!(hold.is_some() && Hold::take(folder.path(), &"s-1".into()).unwrap().is_none());
    assert!(begun.elapsed() < std::time::Duration::from_secs(4), "{:?}", begun.elapsed());
}

#[test]
fn an_outline_has_all_turns_and_what_the_person_said() {
    let folder = tempfile::tempdir().unwrap();
    let log = begin(&folder);
    log.append(&Message::user("one \"quoted\" \u{1f600}"), None, None).unwrap();
    let asked = log.append(&calls(&["a", "b"]), None, Some("m")).unwrap();
    log.append(&result("a", "4"), None, None).unwrap();
    let gone = log.append(&Message::user("two"), None, None).unwrap();
    log.append(&result("zz", "whose?"), None, None).unwrap();
    log.amend(gone, None).unwrap();
    log.amend(gone, Some(&Message::user("it stays away"))).unwrap();
    log.amend(asked, Some(&calls(&["a", "c"]))).unwrap();
    log.append(&Message::assistant("four"), None, None).unwrap();
    log.rename("sums").unwrap();
    log.note("summary", json!({"text": "x"})).unwrap();
    std::fs::OpenOptions::new()
        .append(true)
        .open(log.path())
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"{\"kind\":\"turn\"}\n[]\n{\"kind\":\"new\"}\n"))
        .unwrap();
    let whole = SessionLog::read(folder.path(), &"s-1".into()).unwrap();
    let outline = SessionLog::outline(folder.path(), &"s-1".into()).unwrap();
    assert_eq!((&outline.head, &outline.title), (&whole.head, &whole.title));
    assert_eq!(outline.warnings.len(), whole.warnings.len());
    assert_eq!(outline.turns.len(), 5, "the amended calls have their results");
    for (outline, whole) in outline.turns.iter().zip(&whole.turns) {
        assert_eq!((outline.id, outline.message.role()), (whole.id, whole.message.role()));
        if whole.message.role() == aish_types::Role::User {
            assert_eq!(outline.message, whole.message);
        }
    }
    assert!(SessionLog::outline(folder.path(), &"none".into()).is_err());
}
