//! Lines of other shells come before all others.

use aish_store::history::Order;
use aish_store::history_import::{ImportedLine, read_atuin};
use aish_store::{HistoryQuery, NewHistoryEntry, Store};

use crate::ticking::{SIZE, clock};

#[test]
fn lines_that_were_taken_over_are_older_than_all_others() {
    let store = Store::in_memory(clock());
    let own = NewHistoryEntry { command: "own".into(), ..NewHistoryEntry::default() };
    store.add_history(&own, SIZE).unwrap();
    let line =
        |command: &str, started_ms| ImportedLine { command: command.into(), started_ms, ..ImportedLine::default() };
    store.import_history(&[line("one", 5), line("two", 6)]).unwrap();
    store.import_history(&[line("zero", 1)]).unwrap();
    store.add_history(&own, SIZE).unwrap();
    let query = HistoryQuery { order: Order::OldestFirst, ..HistoryQuery::default() };
    let found = store.search_history(&query).unwrap();
    let commands: Vec<&str> = found.iter().map(|entry| entry.command.as_str()).collect();
    assert_eq!(commands, ["zero", "one", "two", "own", "own"]);
    assert_eq!((found[1].started_ms, found[1].route.as_deref()), (5, Some("import")));
}

#[test]
fn atuins_database_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE history (id TEXT PRIMARY KEY, timestamp INTEGER NOT NULL, duration INTEGER NOT NULL,
               exit INTEGER NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL, session TEXT NOT NULL,
               hostname TEXT NOT NULL, deleted_at INTEGER);
             INSERT INTO history VALUES ('a', 2000000000, 5000000, 1, 'later', '/b', 's', 'h', NULL);
             INSERT INTO history VALUES ('b', 1000000000, -1, -1, 'earlier', 'unknown', 's', 'h', NULL);",
        )
        .unwrap();
    drop(connection);
    let lines = read_atuin(&path, 10).unwrap();
    let expected = [
        ImportedLine { command: "earlier".into(), started_ms: 1000, ..ImportedLine::default() },
        ImportedLine {
            command: "later".into(),
            folder: Some("/b".into()),
            exit_code: Some(1),
            duration_ms: Some(5),
            started_ms: 2000,
        },
    ];
    assert_eq!(lines, expected);
    assert_eq!(read_atuin(&path, 1).unwrap().len(), 1);
    std::fs::write(&path, "no database").unwrap();
    assert!(read_atuin(&path, 1).is_err());
}
