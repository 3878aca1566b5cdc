//! The tables, and how an older database becomes a newer one. `user_version` counts the steps that were taken.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use crate::store::OpenError;

/// The steps, oldest first; a step that was released is never changed.
const STEPS: [&str; 3] = [
    "
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    command TEXT NOT NULL,
    folder TEXT,
    exit_code INTEGER,
    duration_ms INTEGER,
    session TEXT,
    started_ms INTEGER NOT NULL,
    route TEXT
);
CREATE INDEX history_by_command ON history (command);

CREATE TABLE memory (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user TEXT NOT NULL,
    channel TEXT,
    project TEXT,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    importance INTEGER NOT NULL,
    source TEXT NOT NULL,
    created_ms INTEGER NOT NULL
);
CREATE INDEX memory_by_user ON memory (user);
CREATE VIRTUAL TABLE memory_words USING fts5 (
    content, category, content='memory', content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='3 4 5'
);
CREATE TRIGGER memory_added AFTER INSERT ON memory BEGIN
    INSERT INTO memory_words (rowid, content, category) VALUES (new.id, new.content, new.category);
END;
CREATE TRIGGER memory_removed AFTER DELETE ON memory BEGIN
    INSERT INTO memory_words (memory_words, rowid, content, category)
        VALUES ('delete', old.id, old.content, old.category);
END;
CREATE TRIGGER memory_changed AFTER UPDATE ON memory BEGIN
    INSERT INTO memory_words (memory_words, rowid, content, category)
        VALUES ('delete', old.id, old.content, old.category);
    INSERT INTO memory_words (rowid, content, category) VALUES (new.id, new.content, new.category);
END;

CREATE TABLE ledger (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time_ms INTEGER NOT NULL,
    session TEXT NOT NULL,
    project TEXT,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    prompt INTEGER NOT NULL,
    completion INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    cost_nanos INTEGER
);
CREATE INDEX ledger_by_time ON ledger (time_ms);
CREATE INDEX ledger_by_session ON ledger (session);

CREATE TABLE session (
    id TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    title TEXT,
    folder TEXT,
    project TEXT,
    turns INTEGER NOT NULL,
    first_words TEXT
);
",
    "
ALTER TABLE ledger ADD COLUMN reasoning INTEGER NOT NULL DEFAULT 0;
",
    "
CREATE TABLE reserved (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time_ms INTEGER NOT NULL,
    cost_nanos INTEGER NOT NULL
);
",
];

/// Brings a database up to date. One that an older version wrote is copied first, beside itself, once.
pub(crate) fn migrate(connection: &mut Connection, path: Option<&Path>) -> Result<(), OpenError> {
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    let before = version(connection)?;
    if before == known {
        return Ok(());
    }
    if let Some(path) = path.filter(|_| (1..known).contains(&before)) {
        back_up(connection, &backup_of(path, before))?;
    }
    // Another process may be doing the same: the version is read again under the lock.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = version(&transaction)?;
    if version > known {
        return Err(OpenError::Newer { version, known });
    }
    for step in STEPS.iter().skip(usize::try_from(version).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

/// Names the copy of a database as a version of the tables left it.
fn backup_of(path: &Path, version: i64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".before-{version}"));
    PathBuf::from(name)
}

/// Copies a database into a file of its owner alone; one that is there already, whole, is the copy.
fn back_up(connection: &Connection, copy: &Path) -> Result<(), OpenError> {
    if copy.exists() {
        return Ok(());
    }
    let mut part = copy.as_os_str().to_owned();
    part.push(format!(".{}", std::process::id()));
    let part = PathBuf::from(part);
    // SQLite fills an empty file as well, and leaves it its mode.
    OpenOptions::new().append(true).create(true).mode(0o600).open(&part)?;
    connection.execute("VACUUM INTO ?1", [part.to_string_lossy()])?;
    std::fs::rename(&part, copy)?;
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_of_the_first_step_keeps_its_calls_and_leaves_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aish.db");
        let mut connection = Connection::open(&path).unwrap();
        connection.execute_batch(STEPS[0]).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        let row = "INSERT INTO ledger (time_ms, session, model, purpose, prompt, completion, cached, estimated)
            VALUES (1, 's', 'm', 'main', 2, 3, 0, 0)";
        connection.execute(row, []).unwrap();
        migrate(&mut connection, Some(&path)).unwrap();
        let copy = Connection::open(folder.path().join("aish.db.before-1")).unwrap();
        assert_eq!(version(&copy).unwrap(), 1);
        let of_copy = copy.query_row("SELECT completion FROM ledger", [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(of_copy, 3);
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let kept = connection.query_row("SELECT completion, reasoning FROM ledger", [], read).unwrap();
        assert_eq!((kept, version(&connection).unwrap()), ((3, 0), 3));
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let before = names();
        migrate(&mut connection, Some(&path)).unwrap();
        assert_eq!(names(), before);
    }
}
