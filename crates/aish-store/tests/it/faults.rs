//! A database that cannot be used: warned about once, left as it is, and the store goes on in memory.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use aish_journal::WallClock;
use aish_store::{HistoryQuery, NewHistoryEntry, Store};

use crate::ticking::SIZE;

fn line(command: &str) -> NewHistoryEntry {
    NewHistoryEntry { command: command.into(), ..Default::default() }
}

fn goes_on(path: &Path) -> String {
    let store = Store::new(path, WallClock::default());
    store.add_history(&line("ls"), SIZE).unwrap();
    assert_eq!(store.search_history(&HistoryQuery::default()).unwrap().len(), 1);
    let warning = store.take_warning().expect("a warning");
    assert_eq!(store.take_warning(), None, "once");
    warning
}

#[test]
fn nothing_is_made_before_the_first_use_and_then_it_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/aish.db");
    let store = Store::new(&path, WallClock::default());
    assert!(!path.exists());
    store.add_history(&line("ls"), SIZE).unwrap();
    assert_eq!(store.take_warning(), None);
    for name in ["aish.db", "aish.db-wal", "aish.db-shm"] {
        let mode = std::fs::metadata(path.with_file_name(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    drop(store);
    assert_eq!(Store::new(&path, WallClock::default()).search_history(&HistoryQuery::default()).unwrap().len(), 1);
}

#[test]
fn a_corrupt_database_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aish.db");
    let junk =
        b"this is no database, and long enough to have a header of one hundred bytes or more, as one has, really";
    std::fs::write(&path, junk).unwrap();
    let warning = goes_on(&path);
    assert!(warning.contains("aish.db cannot be used: file is not a database"), "{warning}");
    assert_eq!(std::fs::read(&path).unwrap(), junk);
}

#[test]
fn a_newer_database_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aish.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let warning = goes_on(&path);
    assert!(warning.contains("newer version"), "{warning}");
}

#[test]
fn a_folder_that_cannot_be_written_is_no_end() {
    for path in ["/proc/aish/aish.db", "/dev/null/aish.db"] {
        assert!(goes_on(Path::new(path)).contains("are not kept"));
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(goes_on(folder.path()).contains("are not kept"), "a folder is no database");
}

#[test]
fn eight_sessions_share_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aish.db");
    std::thread::scope(|scope| {
        for session in 0..8 {
            let path = &path;
            scope.spawn(move || {
                let store = Store::new(path, WallClock::default());
                for n in 0..100 {
                    store.add_history(&line(&format!("{session}-{n}")), SIZE).unwrap();
                }
                assert_eq!(store.take_warning(), None);
            });
        }
    });
    let store = Store::new(&path, WallClock::default());
    let unique = HistoryQuery { unique: true, ..Default::default() };
    assert_eq!(store.search_history(&unique).unwrap().len(), 800);
}

#[test]
fn the_log_does_not_grow_with_programs_that_write_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aish.db");
    let mut longest = 0;
    for number in 0..200 {
        let store = Store::new(&path, WallClock::default());
        store.add_history(&line(&format!("echo {number}")), SIZE).unwrap();
        drop(store);
        longest = longest.max(std::fs::metadata(folder.path().join("aish.db-wal")).unwrap().len());
    }
    assert!(
        (100_000..600_000).contains(&longest),
        "{longest} bytes: kept at the end, and written back when it is long"
    );
    // One who leaves while another is there loses nothing either.
    let (stays, leaves) = (Store::new(&path, WallClock::default()), Store::new(&path, WallClock::default()));
    for number in 200..400 {
        let command = format!("echo {number}");
        let store = if number % 2 == 0 { &stays } else { &leaves };
        store.add_history(&NewHistoryEntry { command, ..NewHistoryEntry::default() }, SIZE).unwrap();
    }
    drop(leaves);
    assert_eq!(stays.search_history(&HistoryQuery::default()).unwrap().len(), 400);
    drop(stays);
    assert_eq!(Store::new(&path, WallClock::default()).search_history(&HistoryQuery::default()).unwrap().len(), 400);
}

#[test]
fn one_that_lost_its_database_says_so_where_sums_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aish.db");
    std::fs::write(&path, [b'x'; 200]).unwrap();
    let store = Store::new(&path, WallClock::default());
    let why = store.kept().unwrap_err();
    let cause = std::error::Error::source(&why).unwrap().to_string();
    assert!(cause.ends_with("aish.db cannot be used: file is not a database"), "{cause}");
    assert!(store.kept().is_err(), "as often as it is asked");
    assert!(store.take_warning().unwrap().ends_with("are not kept"));
    assert!(Store::in_memory(WallClock::default()).kept().is_ok(), "nothing else was wanted");
    let nowhere = Store::without_place("HOME is not set", WallClock::default());
    nowhere.add_history(&line("echo"), SIZE).unwrap();
    assert_eq!(std::error::Error::source(&nowhere.kept().unwrap_err()).unwrap().to_string(), "HOME is not set");
    assert_eq!(nowhere.take_warning(), None, "that is said where the folders are");
    assert!(Store::new(folder.path().join("other.db"), WallClock::default()).kept().is_ok());
}

#[test]
fn a_damaged_page_is_told_once_and_found_by_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aish.db");
    let store = Store::new(&path, WallClock::default());
    (0..3_000).for_each(|number| drop(store.add_history(&line(&format!("echo {number}")), SIZE)));
    store.check().unwrap();
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[8_192..half].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let store = Store::new(&path, WallClock::default());
    assert!(store.search_history(&HistoryQuery::default()).is_err());
    assert!(store.take_warning().unwrap().contains("is damaged: some of history"));
    assert!(store.search_history(&HistoryQuery::default()).is_err());
    assert_eq!(store.take_warning(), None, "once");
    assert!(store.check().is_err());
}
