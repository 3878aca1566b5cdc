//! The ledger: what every call of a model used and cost.

use aish_types::{Money, Usage};
use rusqlite::{Row, params};

use crate::store::{Store, StoreError};

/// One call of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// The id of the session that made the call.
    pub session: String,
    /// The project (the path of its folder), where there is one.
    pub project: Option<String>,
    /// The model's name, as the provider knows it.
    pub model: String,
    /// Why it was called: `main`, `fast`, `summary`, `norris`.
    pub purpose: String,
    /// What it used.
    pub usage: Usage,
    /// What it cost; none where the price is not known.
    pub cost: Option<Money>,
}

/// What the rows of a report stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerGroup {
    /// Days, as `2025-01-15`, in a zone that is so many seconds ahead of UTC.
    Day {
        /// Seconds east of UTC.
        offset_seconds: i32,
    },
    /// One row for each model.
    Model,
    /// Projects; calls outside one are under an empty name.
    Project,
}

/// One row of a report.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerRow {
    /// The day, model or project.
    pub key: String,
    /// How many calls.
    pub calls: u64,
    /// What they used; `estimated` when any of them was.
    pub usage: Usage,
    /// What those cost whose price is known.
    pub cost: Money,
    /// Calls whose price is not known.
    pub unpriced: u64,
}

/// No row counts for more than 10^12 tokens or a million dollars: a sum of what a server made up would have no number.
const SUMS: &str = "count(*), coalesce(sum(min(prompt, 1000000000000)), 0),
    coalesce(sum(min(completion, 1000000000000)), 0), coalesce(sum(min(cached, 1000000000000)), 0),
    coalesce(max(estimated), 0), coalesce(sum(min(cost_nanos, 1000000000000000)), 0),
    coalesce(sum(cost_nanos IS NULL), 0), coalesce(sum(min(reasoning, 1000000000000)), 0)";

/// Which rows count: all, or those from a time on.
const FROM: &str = "WHERE ?1 IS NULL OR time_ms >= ?1";

fn row(row: &Row<'_>) -> rusqlite::Result<LedgerRow> {
    let count = |at: usize| row.get::<_, i64>(at).map(|n| u64::try_from(n).unwrap_or(0));
    Ok(LedgerRow {
        key: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
        calls: count(1)?,
        usage: Usage {
            prompt: count(2)?,
            completion: count(3)?,
            cached: count(4)?,
            written: 0,
            reasoning: count(8)?,
            estimated: row.get(5)?,
        },
        cost: Money::from_nanos(count(6)?),
        unpriced: count(7)?,
    })
}

/// How long money stays set aside, in milliseconds: longer than an answer takes whose cost is bounded.
const RESERVED_MS: i64 = 15 * 60 * 1000;

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Store {
    /// Books a call that ended now.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn book(&self, entry: &LedgerEntry) -> Result<(), StoreError> {
        let now = self.now_ms();
        self.with(|connection| {
            connection
                .prepare_cached(
                    "INSERT INTO ledger
                         (time_ms, session, project, model, purpose, prompt, completion, cached, estimated, cost_nanos,
                          reasoning)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                )?
                .execute(params![
                    now,
                    entry.session,
                    entry.project,
                    entry.model,
                    entry.purpose,
                    signed(entry.usage.prompt),
                    signed(entry.usage.completion),
                    signed(entry.usage.cached),
                    entry.usage.estimated,
                    entry.cost.map(|cost| signed(cost.nanos())),
                    signed(entry.usage.reasoning)
                ])?;
            Ok(())
        })
    }

    /// Sets money aside for a call that is to be made; returns the number under which [`Store::give_back`] takes it, and what is
    /// set aside for other calls already.
    ///
    /// What a process that died left is void after a quarter of an hour, and where the clock was set back by as much.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_aside(&self, cost: Money) -> Result<(i64, Money), StoreError> {
        let now = self.now_ms();
        self.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM reserved WHERE abs(?1 - time_ms) > ?2", [now, RESERVED_MS])?;
            let sum = "SELECT coalesce(sum(min(cost_nanos, 1000000000000000)), 0) FROM reserved";
            let others = transaction.query_row(sum, [], |row| row.get::<_, i64>(0))?;
            let row = [now, signed(cost.nanos())];
            transaction.execute("INSERT INTO reserved (time_ms, cost_nanos) VALUES (?1, ?2)", row)?;
            let number = transaction.last_insert_rowid();
            transaction.commit()?;
            Ok((number, Money::from_nanos(u64::try_from(others).unwrap_or(0))))
        })
    }

    /// Gives back what was set aside.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn give_back(&self, number: i64) -> Result<(), StoreError> {
        self.with(|connection| connection.execute("DELETE FROM reserved WHERE id = ?1", [number]).map(drop))
    }

    /// Sums the calls up by a group, the group's names in order (days oldest first). Only calls from `from_ms` on count, in
    /// milliseconds since 1970-01-01T00:00:00Z, where that is given.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn ledger_by(&self, group: LedgerGroup, from_ms: Option<i64>) -> Result<Vec<LedgerRow>, StoreError> {
        let key = match group {
            LedgerGroup::Day { offset_seconds } => format!("date(time_ms / 1000 + ({offset_seconds}), 'unixepoch')"),
            LedgerGroup::Model => "model".into(),
            LedgerGroup::Project => "coalesce(project, '')".into(),
        };
        self.with(|connection| {
            let sql = format!("SELECT {key} AS name, {SUMS} FROM ledger {FROM} GROUP BY name ORDER BY name");
            connection.prepare_cached(&sql)?.query_map([from_ms], row)?.collect()
        })
    }

    /// Sums up all calls from a time on, as [`Store::ledger_by`] takes it: for the cap of a day.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn ledger_sum(&self, from_ms: Option<i64>) -> Result<LedgerRow, StoreError> {
        self.with(|connection| {
            connection.prepare_cached(&format!("SELECT NULL, {SUMS} FROM ledger {FROM}"))?.query_row([from_ms], row)
        })
    }
}
