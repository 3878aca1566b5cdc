//! `aish cost`: what all sessions used and cost.

use aish_store::{LedgerGroup, LedgerRow};
use aish_types::{Money, Usage};
use serde_json::{Value, json};

use crate::arguments::{CostBy, CostFlags};
use crate::base::Base;
use crate::exit::ExitCode;
use crate::failure::Failure;
use crate::run::complain;

/// Columns of the longest bar of a plot.
const BAR: u64 = 40;

/// Prints a row for each day, model or project, and the sum.
///
/// # Errors
/// When the store cannot be read: what was kept is not known then.
pub fn run(base: &Base, flags: &CostFlags, print: &mut dyn FnMut(&str)) -> Result<ExitCode, Failure> {
    let from_ms = match flags.since.as_deref().map(milliseconds) {
        None => None,
        Some(Some(span)) => Some(base.clock.millis().saturating_sub(span)),
        Some(None) => {
            let given = flags.since.as_deref().unwrap_or_default();
            complain(&format!("--since takes a number and m, h, d or w, as in 7d, not {given:?}"));
            return Ok(ExitCode::Usage);
        }
    };
    let group = match flags.by {
        CostBy::Day => LedgerGroup::Day { offset_seconds: east_of_utc() },
        CostBy::Model => LedgerGroup::Model,
        CostBy::Project => LedgerGroup::Project,
    };
    base.store.kept()?;
    let rows = base.store.ledger_by(group, from_ms)?;
    let sum = rows.iter().fold(LedgerRow { key: "total".to_owned(), ..LedgerRow::default() }, add);
    if flags.json {
        let rows: Vec<Value> = rows.iter().map(object).collect();
        print(&json!({ "by": flags.by.name(), "rows": rows, "total": object(&sum) }).to_string());
        return Ok(ExitCode::Ok);
    }
    if rows.is_empty() {
        print("no model was called in that time");
        return Ok(ExitCode::Ok);
    }
    let lines = if flags.plot { plot(&rows) } else { table(&rows, &sum) };
    lines.iter().for_each(|line| print(&aish_types::sanitize(line)));
    Ok(ExitCode::Ok)
}

/// Reads `90m`, `24h`, `7d`, `2w` as milliseconds.
fn milliseconds(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        'w' => 7 * 24 * 60,
        _ => return None,
    };
    let count: u32 = text.strip_suffix(unit)?.trim().parse().ok()?;
    Some(i64::from(count).saturating_mul(minutes * 60_000))
}

/// Returns how many seconds the machine's zone is ahead of UTC now.
fn east_of_utc() -> i32 {
    crate::zone::local().to_offset(jiff::Timestamp::now()).seconds()
}

fn add(sum: LedgerRow, row: &LedgerRow) -> LedgerRow {
    LedgerRow {
        key: sum.key,
        calls: sum.calls.saturating_add(row.calls),
        usage: sum.usage + row.usage,
        cost: Money::from_nanos(sum.cost.nanos().saturating_add(row.cost.nanos())),
        unpriced: sum.unpriced.saturating_add(row.unpriced),
    }
}

fn object(row: &LedgerRow) -> Value {
    let Usage { prompt, completion, cached, written: _, reasoning, estimated } = row.usage;
    json!({
        "key": row.key, "calls": row.calls, "prompt": prompt, "completion": completion, "reasoning": reasoning,
        "cached": cached, "estimated": estimated, "dollars": row.cost.dollars(), "unpriced": row.unpriced,
    })
}

/// Names a row; calls outside a project have an empty one.
fn name(row: &LedgerRow) -> &str {
    if row.key.is_empty() { "(no project)" } else { &row.key }
}

fn money(row: &LedgerRow) -> String {
    match row.unpriced {
        0 => row.cost.to_string(),
        unpriced if unpriced == row.calls => "price unknown".to_owned(),
        unpriced => format!("{} ({unpriced} calls without a known price)", row.cost),
    }
}

/// Says how much of a completion was reasoning, where any was.
pub(crate) fn reasoned(usage: &Usage) -> String {
    if usage.reasoning > 0 { format!(" ({} of them reasoning)", usage.reasoning) } else { String::new() }
}

fn table(rows: &[LedgerRow], sum: &LedgerRow) -> Vec<String> {
    let width = rows.iter().chain([sum]).map(|row| name(row).chars().count()).max().unwrap_or(0);
    rows.iter()
        .chain([sum])
        .map(|row| {
            let mark = if row.usage.estimated { "~" } else { "" };
            format!(
                "{:width$}  {} calls, {mark}{} / {} tokens{}, {}",
                name(row),
                row.calls,
                row.usage.prompt,
                row.usage.completion,
                reasoned(&row.usage),
                money(row)
            )
        })
        .collect()
}

/// Draws a bar for each row: by dollars, and by tokens where nothing has a price.
fn plot(rows: &[LedgerRow]) -> Vec<String> {
    let priced = rows.iter().any(|row| row.cost > Money::ZERO);
    let size = |row: &LedgerRow| if priced { row.cost.nanos() } else { row.usage.total() };
    let most = rows.iter().map(size).max().unwrap_or(0);
    let width = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
    rows.iter()
        .map(|row| {
            // What is there at all has a column at least.
            let columns = u128::from(size(row)) * u128::from(BAR);
            let columns = columns.div_ceil(u128::from(most.max(1)));
            let bar = "█".repeat(usize::try_from(columns).unwrap_or(0));
            let label = if priced { money(row) } else { format!("{} tokens", row.usage.total()) };
            format!("{:width$}  {bar} {label}", name(row))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        for (text, expected) in [
            ("7d", Some(7 * 86_400_000)),
            ("90m", Some(5_400_000)),
            ("2w", Some(14 * 86_400_000)),
            ("24h", Some(86_400_000)),
            ("7", None),
            ("d", None),
            ("-1d", None),
            ("", None),
            ("7é", None),
        ] {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }

    fn row(key: &str, nanos: u64, tokens: u64, unpriced: u64) -> LedgerRow {
        let usage = Usage { prompt: tokens, ..Usage::default() };
        LedgerRow { key: key.to_owned(), calls: 1, usage, cost: Money::from_nanos(nanos), unpriced }
    }

    #[test]
    fn bars_are_by_dollars_else_by_tokens() {
        let columns = |line: &String| line.matches('█').count();
        let lines = plot(&[row("a", 1_000_000, 1, 0), row("b", 10, 9, 0), row("", 0, 5, 1)]);
        assert_eq!(lines.iter().map(columns).collect::<Vec<_>>(), [40, 1, 0]);
        assert!(lines[2].starts_with("(no project)") && lines[2].ends_with("price unknown"), "{lines:?}");
        let lines = plot(&[row("a", 0, 20, 1), row("b", 0, 5, 1)]);
        assert_eq!(lines.iter().map(columns).collect::<Vec<_>>(), [40, 10]);
    }
}
