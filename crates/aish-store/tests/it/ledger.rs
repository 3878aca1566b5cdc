//! The ledger: sums by day, model, project.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aish_journal::WallClock;
use aish_store::{LedgerEntry, LedgerGroup, LedgerRow, Store};
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
    let rows = store().ledger_by(group, None).unwrap();
    rows.into_iter().map(|row| (row.key, row.calls, row.cost.nanos(), row.unpriced)).collect()
}

#[test]
fn rows_sum_up() {
    let day = |offset_seconds| LedgerGroup::Day { offset_seconds };
    assert_eq!(rows(day(0)), [("2025-01-15".into(), 10, 6_000, 4), ("2025-01-16".into(), 2, 2_000, 0)]);
    assert_eq!(rows(day(3_600)), [("2025-01-16".into(), 12, 8_000, 4)]);
    assert_eq!(rows(LedgerGroup::Model), [("big".into(), 6, 4_000, 2), ("small".into(), 6, 4_000, 2)]);
    assert_eq!(rows(LedgerGroup::Project), [(String::new(), 6, 4_000, 2), ("/p".into(), 6, 4_000, 2)]);
}

#[test]
fn only_calls_from_a_time_on_are_summed_up() {
    let store = store();
    let all = store.ledger_sum(None).unwrap();
    assert_eq!((all.calls, all.usage.prompt, all.usage.completion, all.usage.estimated), (12, 66, 12, true));
    assert_eq!(all.usage.reasoning, 12);
    let late = store.ledger_sum(Some(START_MS + 10_000)).unwrap();
    assert_eq!((late.calls, late.unpriced, late.usage.estimated), (2, 0, false));
    let late = store.ledger_by(LedgerGroup::Model, Some(START_MS + 10_000)).unwrap();
    assert_eq!(late.iter().map(|row| (row.key.as_str(), row.calls)).collect::<Vec<_>>(), [("big", 1), ("small", 1)]);
    assert_eq!(store.ledger_sum(Some(START_MS + 1_000_000)).unwrap(), LedgerRow::default());
}

#[test]
fn what_a_server_made_up_can_be_summed() {
    let store = store();
    for _ in 0..3 {
        store.book(&entry("s3", "odd", u64::MAX, Some(u64::MAX))).unwrap();
    }
    let all = store.ledger_sum(None).unwrap();
    assert_eq!((all.calls, all.usage.prompt), (15, 3_000_000_000_066));
    assert_eq!(store.ledger_by(LedgerGroup::Model, None).unwrap().len(), 3);
}

#[test]
fn money_is_set_aside_until_it_is_given_back_or_its_time_is_over() {
    let now = Arc::new(AtomicU64::new(1_736_985_590));
    let clock = Arc::clone(&now);
    let store = Store::in_memory(WallClock::new(move || {
        SystemTime::UNIX_EPOCH + Duration::from_secs(clock.load(Ordering::SeqCst))
    }));
    let dollar = |number| Money::from_dollars(f64::from(number));
    let (first, others) = store.set_aside(dollar(1)).unwrap();
    assert_eq!(others, Money::ZERO);
    let (second, others) = store.set_aside(dollar(2)).unwrap();
    assert_eq!(others, dollar(1));
    store.give_back(first).unwrap();
    let (third, others) = store.set_aside(dollar(4)).unwrap();
    assert_eq!(others, dollar(2));
    // Who died gives nothing back; a clock that is set back makes nothing stay for good.
    for seconds in [1_736_985_590 + 901, 1_736_900_000] {
        now.store(seconds, Ordering::SeqCst);
        let (_, others) = store.set_aside(dollar(8)).unwrap();
        assert_eq!(others, Money::ZERO, "{seconds}");
    }
    assert!(second < third);
    assert_eq!(store.ledger_sum(None).unwrap().calls, 0, "nothing of it is a call");
}
