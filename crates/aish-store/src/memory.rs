//! Memory: facts, each with its source, date and scope, found by words.

mod fitting;

use aish_tools::{Memory, MemoryError, MemoryFuture, MemoryStore, NewMemory, Owner};
use rusqlite::{Connection, OptionalExtension, Row, params};
use rust_stemmers::{Algorithm, Stemmer};

use crate::store::{Store, StoreError};

/// Where a fact holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The person's own: it holds in every folder.
    User,
    /// In one project (the path of its folder) and below it.
    Project(String),
}

/// A fact with its scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMemory {
    /// What is remembered.
    pub memory: Memory,
    /// Where it holds.
    pub scope: Scope,
}

/// Words of a query that are looked for.
const MAX_WORDS: usize = 32;

const COLUMNS: &str = "memory.id, memory.content, memory.category, importance, source, created_ms, project";

/// The owner's facts that hold in the owner's folder.
const MINE: &str = "user = ?1 AND channel IS ?2 AND (project IS NULL OR project = ?3
    OR substr(?3, 1, length(project) + 1) = project || '/')";

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredMemory> {
    Ok(StoredMemory {
        memory: Memory {
            id: row.get::<_, i64>(0)?.to_string(),
            content: row.get(1)?,
            category: row.get(2)?,
            importance: row.get(3)?,
            source: row.get(4)?,
            created_ms: row.get(5)?,
        },
        scope: row.get::<_, Option<String>>(6)?.map_or(Scope::User, Scope::Project),
    })
}

impl Store {
    /// Keeps a fact and returns its id. A fact that is there already, but for case and blanks, is not kept twice: it
    /// gets the higher importance and the new date.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn remember(&self, owner: &Owner, new: &NewMemory, scope: &Scope) -> Result<String, StoreError> {
        let now = self.now_ms();
        let content = new.content.split_whitespace().collect::<Vec<_>>().join(" ");
        let project = match scope {
            Scope::User => None,
            Scope::Project(path) => Some(path.trim_end_matches('/')),
        };
        let importance = new.importance.clamp(1, 5);
        self.with(|connection| {
            let transaction = connection.transaction()?;
            let known: Option<i64> = transaction
                .query_row(
                    "SELECT id FROM memory WHERE user = ?1 AND channel IS ?2 AND project IS ?3
                         AND lower(content) = lower(?4)",
                    params![owner.user, owner.channel, project, content],
                    |row| row.get(0),
                )
                .optional()?;
            let id = match known {
                Some(id) => {
                    transaction.execute(
                        "UPDATE memory SET importance = max(importance, ?2), created_ms = ?3 WHERE id = ?1",
                        params![id, importance, now],
                    )?;
                    id
                }
                None => {
                    transaction.execute(
                        "INSERT INTO memory (user, channel, project, content, category, importance, source, created_ms)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                        params![owner.user, owner.channel, project, content, new.category, importance, new.source, now],
                    )?;
                    transaction.last_insert_rowid()
                }
            };
            transaction.commit()?;
            Ok(id.to_string())
        })
    }

    /// Finds the owner's facts that fit a query in words, best first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn recall(&self, owner: &Owner, query: &str, limit: usize) -> Result<Vec<StoredMemory>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.with(|connection| {
            let mut found = by_words(connection, owner, query, limit)?;
            // Scripts without blanks between words have no words to index: there the text itself is looked for.
            if found.is_empty() {
                found = by_part(connection, owner, query.trim(), limit)?;
            }
            Ok(found)
        })
    }

    /// Returns the owner's facts, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn memories(&self, owner: &Owner, limit: usize) -> Result<Vec<StoredMemory>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.with(|connection| {
            let sql = format!("SELECT {COLUMNS} FROM memory WHERE {MINE} ORDER BY created_ms DESC, id DESC LIMIT ?4");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![owner.user, owner.channel, owner.folder, limit], stored)?;
            rows.collect()
        })
    }

    /// Forgets one of the owner's facts, also one of another project; returns whether it was there.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget(&self, owner: &Owner, id: &str) -> Result<bool, StoreError> {
        let Ok(id) = id.parse::<i64>() else { return Ok(false) };
        self.with(|connection| {
            let removed = connection.execute(
                "DELETE FROM memory WHERE id = ?1 AND user = ?2 AND channel IS ?3",
                params![id, owner.user, owner.channel],
            )?;
            Ok(removed > 0)
        })
    }
}

fn by_words(connection: &Connection, owner: &Owner, query: &str, limit: i64) -> rusqlite::Result<Vec<StoredMemory>> {
    let expression = expression(query);
    if expression.is_empty() {
        return Ok(Vec::new());
    }
    // bm25 is negative, the best lowest; importance counts for up to a third.
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_words JOIN memory ON memory.id = memory_words.rowid
         WHERE memory_words MATCH ?4 AND {MINE}
         ORDER BY bm25(memory_words, 1.0, 0.5) * (1.0 + importance / 15.0), created_ms DESC LIMIT ?5"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![owner.user, owner.channel, owner.folder, expression, limit], stored)?;
    rows.collect()
}

fn by_part(connection: &Connection, owner: &Owner, part: &str, limit: i64) -> rusqlite::Result<Vec<StoredMemory>> {
    if part.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM memory WHERE {MINE} AND instr(lower(content), lower(?4)) > 0
         ORDER BY importance DESC, created_ms DESC LIMIT ?5"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![owner.user, owner.channel, owner.folder, part, limit], stored)?;
    rows.collect()
}

/// Writes a query in words as an expression of the full-text index: any of the words, or what begins as one of its
/// forms does. Nothing of the query is an operator.
fn expression(query: &str) -> String {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut terms: Vec<String> = Vec::new();
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(MAX_WORDS);
    for word in words {
        let word = word.to_lowercase();
        terms.push(format!("\"{word}\""));
        for beginning in beginnings(&stemmer.stem(&word)) {
            terms.push(format!("\"{beginning}\"*"));
        }
    }
    terms.join(" OR ")
}

/// Returns how the forms of a word begin, by its stem: `deploy`, `stag` (stage, staging), `city` and `citie`.
fn beginnings(stem: &str) -> Vec<String> {
    match (stem.chars().count(), stem.strip_suffix('e'), stem.strip_suffix('i')) {
        (0..=2, ..) => Vec::new(),
        (3, ..) => vec![stem.into()],
        (4.., Some(short), _) => vec![short.into()],
        (4.., None, Some(short)) => vec![format!("{short}y"), format!("{short}ie")],
        _ => vec![stem.into()],
    }
}

impl MemoryStore for Store {
    fn add<'a>(&'a self, owner: &'a Owner, memory: NewMemory) -> MemoryFuture<'a, String> {
        let result = self.remember(owner, &memory, &Scope::User).map_err(|error| fail(&error));
        Box::pin(std::future::ready(result))
    }

    fn search<'a>(&'a self, owner: &'a Owner, query: &'a str, limit: usize) -> MemoryFuture<'a, Vec<Memory>> {
        let result = self.recall(owner, query, limit).map_err(|error| fail(&error));
        Box::pin(std::future::ready(result.map(|found| found.into_iter().map(|found| found.memory).collect())))
    }
}

fn fail(error: &StoreError) -> MemoryError {
    let cause = std::error::Error::source(error).map(|cause| cause.to_string()).unwrap_or_default();
    MemoryError(cause)
}
