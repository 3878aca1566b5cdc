//! The list of sessions over the journal.

use std::sync::Arc;

use aish_journal::{SessionHead, SessionLog, WallClock};
use aish_store::{Sessions, Store};
use aish_types::{Message, SessionId};

fn begin(folder: &tempfile::TempDir, id: &str, project: &str) -> SessionLog {
    let head = SessionHead { project: Some(project.into()), ..SessionHead::default() };
    SessionLog::create(folder.path(), id.into(), head, WallClock::default()).unwrap()
}

fn titles(sessions: &Sessions) -> Vec<(String, Option<String>, u64)> {
    let mut all: Vec<_> = sessions.list().unwrap().into_iter().map(|s| (s.id.to_string(), s.title, s.turns)).collect();
    all.sort();
    all
}

#[test]
fn sessions_are_listed_renamed_forked_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::in_memory(WallClock::default()));
    let sessions = Sessions::new(store, folder.path(), WallClock::default());
    assert!(
        Sessions::new(Arc::new(Store::in_memory(WallClock::default())), "/nowhere", WallClock::default())
            .list()
            .unwrap()
            .is_empty()
    );
    let log = begin(&folder, "one", "/p");
    log.append(&Message::user("how  do\nI count lines?"), None, None).unwrap();
    log.append(&Message::assistant("wc -l"), None, None).unwrap();
    begin(&folder, "two", "/q");
    assert_eq!(titles(&sessions), [("one".into(), None, 2), ("two".into(), None, 0)]);
    let first = sessions.list().unwrap().into_iter().find(|session| session.project.as_deref() == Some("/p")).unwrap();
    assert_eq!(first.first_words.as_deref(), Some("how do I count lines?"));

    sessions.rename(&"one".into(), "counting").unwrap();
    assert_eq!(titles(&sessions)[0], ("one".into(), Some("counting".into()), 2));

    sessions.fork(&"one".into(), &"three".into(), Some(1)).unwrap();
    let (fork, _) = SessionLog::resume(folder.path(), "three".into(), WallClock::default()).unwrap();
    fork.append(&Message::assistant("grep -c ''"), None, None).unwrap();
    let session = SessionLog::read(folder.path(), &"three".into()).unwrap();
    assert_eq!(session.head.unwrap().forked_from.as_deref(), Some("one"));
    assert_eq!(session.turns.len(), 2);
    assert!(sessions.fork(&"one".into(), &"two".into(), None).is_err(), "taken");
    assert!(sessions.fork(&"none".into(), &"four".into(), None).is_err());
    for turn in [0, 3] {
        assert!(sessions.fork(&"one".into(), &"four".into(), Some(turn)).is_err(), "there is no turn {turn}");
    }
    assert_eq!(std::fs::read_dir(folder.path().join(".unfinished")).unwrap().count(), 0);

    sessions.delete(&"one".into()).unwrap();
    assert!(sessions.delete(&"one".into()).is_err());
    assert!(sessions.delete(&SessionId::new("../two")).is_err());
    assert_eq!(titles(&sessions).len(), 2);
    std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
    assert_eq!(titles(&sessions).len(), 2);
}

#[test]
fn a_fork_is_seen_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = |folder: &tempfile::TempDir| {
        Sessions::new(Arc::new(Store::in_memory(WallClock::default())), folder.path(), WallClock::default())
    };
    let log = begin(&folder, "one", "/p");
    for number in 0..40 {
        log.append(&Message::user(format!("question {number}")), None, None).unwrap();
    }
    log.rename("bot").unwrap();
    let reader = sessions(&folder);
    std::thread::scope(|scope| {
        let forks = scope.spawn(|| {
            let sessions = sessions(&folder);
            (0..40).for_each(|number| sessions.fork(&"one".into(), &format!("fork-{number}").into(), None).unwrap());
        });
        let mut whole = true;
        while !forks.is_finished() {
            whole &= titles(&reader).iter().all(|(_, title, turns)| title.as_deref() == Some("bot") && *turns == 40);
        }
        forks.join().unwrap();
        assert!(whole && titles(&reader).len() == 41);
    });
}

#[test]
fn what_is_no_file_is_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(Arc::new(Store::in_memory(WallClock::default())), folder.path(), WallClock::default());
    begin(&folder, "one", "/p");
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.jsonl")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero.jsonl")).unwrap();
    assert_eq!(titles(&sessions), [("one".into(), None, 0)]);
}
