//! The history of lines: what was run, where, when, and how it ended.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params, params_from_iter};

use crate::store::{Store, StoreError};

/// The size is enforced once in so many additions.
const TRIM_EVERY: i64 = 64;

/// A line that is about to run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewHistoryEntry {
    /// The line as it was typed.
    pub command: String,
    /// The folder in which it runs.
    pub folder: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// Where it went: `shell`, `ai`, `meta`.
    pub route: Option<String>,
    /// Its exit code, where it has ended.
    pub exit_code: Option<i32>,
    /// Milliseconds that it took, where it has ended.
    pub duration_ms: Option<u64>,
}

/// A line of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Its number; later lines have higher ones.
    pub id: i64,
    /// The command line as it was typed.
    pub command: String,
    /// The folder in which it ran.
    pub folder: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// Where it went: `shell`, `ai`, `meta`.
    pub route: Option<String>,
    /// Its exit code; none while it runs, or when that was never known.
    pub exit_code: Option<i32>,
    /// Milliseconds that it took.
    pub duration_ms: Option<u64>,
    /// When it began, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
}

/// What a line must look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextMatch {
    /// It begins with this, case counts.
    Prefix(String),
    /// It contains this, case does not count for ASCII letters.
    Contains(String),
    /// It is this.
    Exact(String),
}

/// How a line must have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// With exit code 0.
    Success,
    /// With another exit code.
    Failure,
}

/// In which order lines come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The newest first.
    #[default]
    NewestFirst,
    /// The oldest first.
    OldestFirst,
}

/// Which lines are wanted; everything that is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistoryQuery {
    /// What the line must look like.
    pub text: Option<TextMatch>,
    /// What it must not be.
    pub not: Option<String>,
    /// The folder, exactly.
    pub folder: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// How it must have ended.
    pub status: Option<Status>,
    /// Only lines with a higher number.
    pub after_id: Option<i64>,
    /// Only lines with a lower number.
    pub before_id: Option<i64>,
    /// Each command once, at its newest place.
    pub unique: bool,
    /// Which entries come first.
    pub order: Order,
    /// The largest number of lines; none means all.
    pub limit: Option<usize>,
    /// Only among the newest 2,000 lines.
    pub lately: bool,
}

impl HistoryQuery {
    /// Writes the conditions.
    fn conditions(&self) -> (String, Vec<Value>) {
        let mut all: Vec<String> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let mut push = |condition: &str, value: Value| {
            values.push(value);
            all.push(condition.replace('?', &format!("?{}", values.len())));
        };
        match &self.text {
            // A range, which the index of commands serves; no text has a character behind the last one.
            Some(TextMatch::Prefix(text)) => {
                push("command >= ?", text.clone().into());
                push("command < ?", format!("{text}{}", char::MAX).into());
            }
            Some(TextMatch::Contains(text)) => push("instr(lower(command), lower(?)) > 0", text.clone().into()),
            Some(TextMatch::Exact(text)) => push("command = ?", text.clone().into()),
            None => {}
        }
        if let Some(not) = &self.not {
            push("command <> ?", not.clone().into());
        }
        if let Some(folder) = &self.folder {
            push("folder = ?", folder.clone().into());
        }
        if let Some(session) = &self.session {
            push("session = ?", session.clone().into());
        }
        if let Some(id) = self.after_id {
            push("id > ?", id.into());
        }
        if let Some(id) = self.before_id {
            push("id < ?", id.into());
        }
        match self.status {
            Some(Status::Success) => all.push("exit_code = 0".into()),
            Some(Status::Failure) => all.push("exit_code <> 0".into()),
            None => {}
        }
        let text = if all.is_empty() { String::new() } else { format!("WHERE {}", all.join(" AND ")) };
        (text, values)
    }
}

/// Lines among which the newest ones that begin like a text are looked for first, one after the other.
const LATELY: u32 = 2_000;

const COLUMNS: &str = "id, command, folder, session, route, exit_code, duration_ms, started_ms";

fn entry(row: &Row<'_>) -> rusqlite::Result<HistoryEntry> {
    Ok(HistoryEntry {
        id: row.get(0)?,
        command: row.get(1)?,
        folder: row.get(2)?,
        session: row.get(3)?,
        route: row.get(4)?,
        exit_code: row.get(5)?,
        duration_ms: row.get::<_, Option<i64>>(6)?.map(|ms| u64::try_from(ms).unwrap_or(0)),
        started_ms: row.get(7)?,
    })
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Store {
    /// Adds a line that begins now, keeps the history to `size` lines, and returns the line's number.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn add_history(&self, new: &NewHistoryEntry, size: u64) -> Result<i64, StoreError> {
        let now = self.now_ms();
        self.with(|connection| {
            connection
                .prepare_cached(
                    "INSERT INTO history (command, folder, session, route, exit_code, duration_ms, started_ms)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    new.command,
                    new.folder,
                    new.session,
                    new.route,
                    new.exit_code,
                    new.duration_ms.map(signed),
                    now
                ])?;
            let id = connection.last_insert_rowid();
            if id % TRIM_EVERY == 0 {
                connection.execute("DELETE FROM history WHERE id <= ?1", [id.saturating_sub(signed(size))])?;
            }
            Ok(id)
        })
    }

    /// Deletes the lines that a query's conditions fit, so that the file does not hold their texts any more, and returns how
    /// many there were.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn delete_history(&self, query: &HistoryQuery) -> Result<usize, StoreError> {
        let (conditions, values) = query.conditions();
        self.with(|connection| {
            connection.pragma_update(None, "secure_delete", true)?;
            let count = connection.execute(&format!("DELETE FROM history {conditions}"), params_from_iter(values))?;
            // What was written beside the file holds them too; where somebody reads just now it goes a little later.
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            Ok(count)
        })
    }

    /// Returns one line.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn history_entry(&self, id: i64) -> Result<Option<HistoryEntry>, StoreError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM history WHERE id = ?1"))?;
            statement.query_row([id], entry).optional()
        })
    }

    /// Returns the lines that fit a query.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn search_history(&self, query: &HistoryQuery) -> Result<Vec<HistoryEntry>, StoreError> {
        let (conditions, values) = query.conditions();
        let order = match query.order {
            Order::NewestFirst => "DESC",
            Order::OldestFirst => "ASC",
        };
        let limit = query.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let and = if conditions.is_empty() { "WHERE" } else { "AND" };
        // In the inner select the names are those of the newer line.
        let newest = match query.unique {
            true => format!(
                "{and} NOT EXISTS (SELECT 1 FROM history AS newer {conditions} {and} newer.command = history.command
                 AND newer.id > history.id)"
            ),
            false => String::new(),
        };
        let select = |from: &str, only: &str| {
            format!("SELECT {COLUMNS} FROM {from} {conditions} {newest} {only} ORDER BY id {order} LIMIT {limit}")
        };
        self.with(|connection| {
            let read = |sql: &str| -> rusqlite::Result<Vec<HistoryEntry>> {
                let mut statement = connection.prepare_cached(sql)?;
                statement.query_map(params_from_iter(&values), entry)?.collect()
            };
            let lately = match conditions.is_empty() && !query.unique {
                true => format!("WHERE id > (SELECT max(id) FROM history) - {LATELY}"),
                false => format!("AND id > (SELECT max(id) FROM history) - {LATELY}"),
            };
            let begins = matches!(query.text, Some(TextMatch::Prefix(_)));
            if query.lately || begins && query.order == Order::NewestFirst && query.limit.is_some() {
                // What somebody types begins most often like something of late; these are looked at one after the other.
                let found = read(&select("history NOT INDEXED", &lately))?;
                if query.lately || query.limit.is_some_and(|wanted| found.len() >= wanted) {
                    return Ok(found);
                }
                return read(&select("history INDEXED BY history_by_command", ""));
            }
            read(&select("history", ""))
        })
    }
}
