//! The ledger: what every call of a model used and cost.

use aish_types::{Money, Usage};
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};

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

/// Which calls are meant; everything that is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerFilter {
    /// From this time on, in milliseconds since 1970-01-01T00:00:00Z.
    pub from_ms: Option<i64>,
    /// Before this time.
    pub until_ms: Option<i64>,
    /// Only calls of this session.
    pub session: Option<String>,
    /// Only calls made in this project's folder.
    pub project: Option<String>,
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
    /// One row for each purpose of a call.
    Purpose,
    /// One row for each session.
    Session,
    /// Models and reasons together, as `model/purpose`.
    ModelAndPurpose,
}

/// One row of a report.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerRow {
    /// The day, model, project, reason or session.
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

impl LedgerFilter {
    fn conditions(&self) -> (String, Vec<Value>) {
        let parts: [(&str, Option<Value>); 4] = [
            ("time_ms >=", self.from_ms.map(Value::from)),
            ("time_ms <", self.until_ms.map(Value::from)),
            ("session =", self.session.clone().map(Value::from)),
            ("project =", self.project.clone().map(Value::from)),
        ];
        let mut all = Vec::new();
        let mut values = Vec::new();
        for (condition, value) in parts {
            if let Some(value) = value {
                values.push(value);
                all.push(format!("{condition} ?{}", values.len()));
            }
        }
        (if all.is_empty() { String::new() } else { format!("WHERE {}", all.join(" AND ")) }, values)
    }
}

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

    /// Sums the calls up by a group, the group's names in order (days oldest first).
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn ledger_by(&self, group: LedgerGroup, filter: &LedgerFilter) -> Result<Vec<LedgerRow>, StoreError> {
        let key = match group {
            LedgerGroup::Day { offset_seconds } => format!("date(time_ms / 1000 + ({offset_seconds}), 'unixepoch')"),
            LedgerGroup::Model => "model".into(),
            LedgerGroup::Project => "coalesce(project, '')".into(),
            LedgerGroup::Purpose => "purpose".into(),
            LedgerGroup::Session => "session".into(),
            LedgerGroup::ModelAndPurpose => "model || '/' || purpose".into(),
        };
        let (conditions, values) = filter.conditions();
        self.with(|connection| {
            let sql = format!("SELECT {key} AS name, {SUMS} FROM ledger {conditions} GROUP BY name ORDER BY name");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(values), row)?;
            rows.collect()
        })
    }

    /// Sums all calls up that a filter lets through: for the cap of a session or a day.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn ledger_sum(&self, filter: &LedgerFilter) -> Result<LedgerRow, StoreError> {
        let (conditions, values) = filter.conditions();
        self.with(|connection| {
            let sql = format!("SELECT NULL, {SUMS} FROM ledger {conditions}");
            connection.prepare_cached(&sql)?.query_row(params_from_iter(values), row)
        })
    }
}
