//! What the store costs: opening (it must not delay a prompt), adding a line, searching 100,000 lines.

use aish_journal::WallClock;
use aish_store::history::TextMatch;
use aish_store::{HistoryQuery, NewHistoryEntry, Store};
use aish_tools::Owner;

/// Lines of a history that is never full.
const SIZE: u64 = 100_000;

fn main() {
    divan::main();
}

fn folder() -> Option<tempfile::TempDir> {
    tempfile::tempdir().ok()
}

fn line(n: usize) -> NewHistoryEntry {
    NewHistoryEntry { command: format!("cargo run --example number{n} | less"), ..NewHistoryEntry::default() }
}

#[divan::bench]
fn open(bencher: divan::Bencher<'_, '_>) {
    let Some(folder) = folder() else { return };
    let path = folder.path().join("aish.db");
    let _ = Store::new(&path, WallClock::default()).open();
    bencher.bench(|| Store::new(&path, WallClock::default()).open().is_ok());
}

#[divan::bench]
fn create(bencher: divan::Bencher<'_, '_>) {
    let Some(folder) = folder() else { return };
    let next = std::sync::atomic::AtomicUsize::new(0);
    bencher.bench(|| {
        let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Store::new(folder.path().join(format!("{n}.db")), WallClock::default()).open().is_ok()
    });
}

#[divan::bench]
fn add(bencher: divan::Bencher<'_, '_>) {
    let Some(folder) = folder() else { return };
    let store = Store::new(folder.path().join("aish.db"), WallClock::default());
    bencher.bench(|| store.add_history(&line(1), SIZE).is_ok());
}

#[divan::bench(args = ["number99999", "number7 ", "nowhere"])]
fn search(bencher: divan::Bencher<'_, '_>, text: &str) {
    let store = Store::in_memory(WallClock::default());
    for n in 0..100_000 {
        let _ = store.add_history(&line(n), SIZE);
    }
    let query =
        HistoryQuery { text: Some(TextMatch::Contains(text.into())), limit: Some(20), ..HistoryQuery::default() };
    bencher.bench(|| store.search_history(&query).map(|found| found.len()).unwrap_or(0));
}

/// What a question costs beside 100,000 facts, by words that few and that very many of them have.
#[divan::bench(args = ["where is number77?", "how do we deploy the server to production with number77 and number99"])]
fn fitting(bencher: divan::Bencher<'_, '_>, question: &str) {
    let Some(folder) = folder() else { return };
    let path = folder.path().join("aish.db");
    let store = Store::new(&path, WallClock::default());
    let Ok(()) = store.open() else { return };
    if !filled_with_facts(&path) {
        return;
    }
    let owner = Owner { user: "me".into(), channel: None, folder: Some("/home/me/project".into()) };
    bencher.bench(|| store.fitting(&owner, question, 8).map(|found| found.len()).unwrap_or(0));
}

/// Adds the facts; each by itself would take minutes.
fn filled_with_facts(path: &std::path::Path) -> bool {
    let fill = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO memory (user, project, content, category, importance, source, created_ms)
        SELECT 'me', CASE WHEN i % 2 THEN NULL ELSE '/home/me/project' || (i % 50) END,
            'we deploy number' || (i % 20000) || ' to the server in production', 'fact', 3, 'person', i FROM n";
    rusqlite::Connection::open(path).and_then(|connection| connection.execute(fill, [])).is_ok()
}
