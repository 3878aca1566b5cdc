//! The history: queries, order, bounds.

use aish_store::history::{Order, Status, TextMatch};
use aish_store::{HistoryQuery, NewHistoryEntry, Store};

use crate::ticking::{SIZE, clock};

fn store() -> Store {
    let store = Store::in_memory(clock());
    for (command, folder, session, exit_code) in [
        ("cargo build", "/home/me/a", "s1", Some(0)),
        ("ls -l", "/home/me", "s1", Some(0)),
        ("cargo test", "/home/me/a/sub", "s2", Some(101)),
        ("git status", "/home/me/ab", "s2", None),
        ("cargo build", "/home/me/a", "s2", Some(1)),
        ("echo 100% _CARGO_", "/tmp", "s1", Some(0)),
    ] {
        let entry = NewHistoryEntry {
            command: command.into(),
            folder: Some(folder.into()),
            session: Some(session.into()),
            route: Some("shell".into()),
            exit_code,
            duration_ms: Some(12),
        };
        store.add_history(&entry, SIZE).unwrap();
    }
    store
}

fn ids(query: &HistoryQuery) -> Vec<i64> {
    let store = store();
    let found = store.search_history(query).unwrap();
    found.iter().map(|entry| entry.id).collect()
}

#[test]
fn queries_narrow_down() {
    let query = HistoryQuery::default;
    let text = |text| HistoryQuery { text: Some(text), ..query() };
    for (query, expected) in [
        (query(), vec![6, 5, 4, 3, 2, 1]),
        (text(TextMatch::Prefix("cargo".into())), vec![5, 3, 1]),
        (text(TextMatch::Prefix("Cargo".into())), vec![]),
        (text(TextMatch::Contains("CARGO".into())), vec![6, 5, 3, 1]),
        (text(TextMatch::Contains("100%".into())), vec![6]),
        (text(TextMatch::Contains("_c".into())), vec![6]),
        (text(TextMatch::Exact("cargo build".into())), vec![5, 1]),
        (text(TextMatch::Contains("' OR 1=1 --".into())), vec![]),
        (HistoryQuery { unique: true, ..query() }, vec![6, 5, 4, 3, 2]),
        (HistoryQuery { not: Some("ls -l".into()), ..query() }, vec![6, 5, 4, 3, 1]),
        (HistoryQuery { folder: Some("/home/me/a".into()), ..query() }, vec![5, 1]),
        (HistoryQuery { session: Some("s2".into()), ..query() }, vec![5, 4, 3]),
        (HistoryQuery { status: Some(Status::Success), ..query() }, vec![6, 2, 1]),
        (HistoryQuery { status: Some(Status::Failure), ..query() }, vec![5, 3]),
        (HistoryQuery { before_id: Some(3), ..query() }, vec![2, 1]),
        (HistoryQuery { after_id: Some(4), order: Order::OldestFirst, ..query() }, vec![5, 6]),
        (HistoryQuery { limit: Some(2), ..query() }, vec![6, 5]),
        (HistoryQuery { limit: Some(2), ..text(TextMatch::Prefix("cargo".into())) }, vec![5, 3]),
        (HistoryQuery { lately: true, unique: true, ..query() }, vec![6, 5, 4, 3, 2]),
        (HistoryQuery { lately: true, ..query() }, vec![6, 5, 4, 3, 2, 1]),
    ] {
        assert_eq!(ids(&query), expected, "{query:?}");
    }
}

#[test]
fn the_size_is_bounded() {
    let store = Store::in_memory(clock());
    for n in 0..1_000 {
        store.add_history(&NewHistoryEntry { command: n.to_string(), ..Default::default() }, 100).unwrap();
    }
    let all = store.search_history(&HistoryQuery::default()).unwrap();
    assert!((100..=164).contains(&all.len()), "{}", all.len());
    assert_eq!(all.first().unwrap().command, "999");
}

#[test]
fn the_newest_that_begin_like_a_text_are_found_however_far_back() {
    let store = Store::in_memory(clock());
    let add = |command: &str| {
        let new = NewHistoryEntry { command: command.into(), folder: Some("/a".into()), ..NewHistoryEntry::default() };
        store.add_history(&new, 100_000).unwrap()
    };
    let (old, other) = (add("git push"), add("gitk"));
    for number in 0..2_500 {
        add(&format!("ls {number}"));
    }
    let query = |text: &str| HistoryQuery {
        text: Some(TextMatch::Prefix(text.into())),
        folder: Some("/a".into()),
        limit: Some(1),
        ..HistoryQuery::default()
    };
    let ids = |query: &HistoryQuery| store.search_history(query).unwrap().into_iter().map(|e| e.id).collect::<Vec<_>>();
    assert_eq!(ids(&query("git")), [other]);
    assert_eq!(ids(&query("git ")), [old]);
    assert_eq!(ids(&query("ls ")), [other + 2_500]);
    assert_eq!(ids(&HistoryQuery { lately: true, ..query("git") }), [0; 0]);
    assert_eq!(ids(&HistoryQuery { limit: None, ..query("git") }), [other, old]);
    assert_eq!(ids(&HistoryQuery { before_id: Some(other), ..query("git") }), [old]);
}
