//! The ledger: sums by day, model, project.

use aish_store::{LedgerEntry, LedgerFilter, LedgerGroup, LedgerRow, Store};
use aish_types::{Money, Usage};

use crate::ticking::{START_MS, clock};

fn entry(session: &str, model: &str, tokens: u64, cost: Option<u64>) -> LedgerEntry {
    LedgerEntry {
        session: session.into(),
        project: (session == "s1").then(|| "/p".into()),
        model: model.into(),
        purpose: "main".into(),
        usage: Usage { prompt: tokens, completion: 1, cached: 0, written: 0, reasoning: 1, estimated: cost.is_none() },
        cost: cost.map(Money::from_nanos),
    }
}

/// Twelve calls, a second apart, across midnight UTC.
fn store() -> Store {
    let store = Store::in_memory(clock());
    for n in 0..12 {
        let (session, model) = if n % 2 == 0 { ("s1", "big") } else { ("s2", "small") };
        store.book(&entry(session, model, n, (n % 3 != 0).then_some(1_000))).unwrap();
    }
    store
}

fn rows(group: LedgerGroup) -> Vec<(String, u64, u64, u64)> {
    let rows = store().ledger_by(group, &LedgerFilter::default()).unwrap();
    rows.into_iter().map(|row| (row.key, row.calls, row.cost.nanos(), row.unpriced)).collect()
}

#[test]
fn rows_sum_up() {
    let day = |offset_seconds| LedgerGroup::Day { offset_seconds };
    assert_eq!(rows(day(0)), [("2025-01-15".into(), 10, 6_000, 4), ("2025-01-16".into(), 2, 2_000, 0)]);
    assert_eq!(rows(day(3_600)), [("2025-01-16".into(), 12, 8_000, 4)]);
    assert_eq!(rows(LedgerGroup::Model), [("big".into(), 6, 4_000, 2), ("small".into(), 6, 4_000, 2)]);
    assert_eq!(rows(LedgerGroup::Project), [(String::new(), 6, 4_000, 2), ("/p".into(), 6, 4_000, 2)]);
    assert_eq!(rows(LedgerGroup::Purpose), [("main".into(), 12, 8_000, 4)]);
    assert_eq!(rows(LedgerGroup::Session).len(), 2);
    assert_eq!(rows(LedgerGroup::ModelAndPurpose)[0].0, "big/main");
}

#[test]
fn a_filter_narrows_down() {
    let store = store();
    let sum = |filter: &LedgerFilter| store.ledger_sum(filter).unwrap();
    let all = sum(&LedgerFilter::default());
    assert_eq!((all.calls, all.usage.prompt, all.usage.completion, all.usage.estimated), (12, 66, 12, true));
    assert_eq!(all.usage.reasoning, 12);
    let session = sum(&LedgerFilter { session: Some("s1".into()), ..Default::default() });
    assert_eq!((session.calls, session.cost.nanos()), (6, 4_000));
    let late = sum(&LedgerFilter { from_ms: Some(START_MS + 10_000), ..Default::default() });
    assert_eq!((late.calls, late.unpriced, late.usage.estimated), (2, 0, false));
    let early = sum(&LedgerFilter { until_ms: Some(START_MS + 1_000), ..Default::default() });
    assert_eq!((early.calls, early.unpriced), (1, 1));
    assert_eq!(sum(&LedgerFilter { session: Some("none".into()), ..Default::default() }), LedgerRow::default());
}

#[test]
fn what_a_server_made_up_can_be_summed() {
    let store = store();
    for _ in 0..3 {
        store.book(&entry("s3", "odd", u64::MAX, Some(u64::MAX))).unwrap();
    }
    let all = store.ledger_sum(&LedgerFilter::default()).unwrap();
    assert_eq!((all.calls, all.usage.prompt), (15, 3_000_000_000_066));
    assert_eq!(store.ledger_by(LedgerGroup::Model, &LedgerFilter::default()).unwrap().len(), 3);
}
