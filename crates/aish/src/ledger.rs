//! What this session has used, and the cap that is checked before each request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use aish_llm::{BookedCall, Broker, Endpoint, PlannedCall, Purpose, Reservation, SpendGuard, SpendRefusal};
use aish_store::{LedgerEntry, Store};
use aish_types::{Money, SessionId, Usage};

use crate::base::Base;
use crate::config::section::CostScope;
use crate::failure::Failure;
use crate::project::project_root;

/// The limits of cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// From here on a line warns.
    pub warn_at: Option<Money>,
    /// A request that could pass this is refused.
    pub cap_at: Option<Money>,
    /// Why they cannot be known: every request that costs is refused.
    pub fault: Option<String>,
}

impl Limits {
    /// Returns the limits that are configured.
    pub fn of(base: &Base) -> Self {
        Self {
            warn_at: base.config.cost.warn_at_dollars.map(Money::from_dollars),
            cap_at: base.config.cost.cap_at_dollars.map(Money::from_dollars),
            fault: base.loaded.cap_fault.clone(),
        }
    }
}

/// Usage and cost of one model and category.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Answered requests.
    pub calls: u64,
    /// Tokens.
    pub usage: Usage,
    /// Dollars of the calls whose price is known.
    pub cost: Money,
    /// Calls whose price is unknown.
    pub unpriced: u64,
}

#[derive(Debug, Default)]
struct Spending {
    limits: Limits,
    rows: BTreeMap<(String, &'static str), Row>,
    /// What earlier sessions of the day spent, where the cap is a day's.
    before: Money,
    /// What could not be written into the database.
    unwritten: Money,
    warned: bool,
    /// What is set aside for requests of this process that are running.
    aside: Money,
    /// What the session's spending may come to while an autonomous run goes on.
    run_cap: Option<Money>,
    last: Option<(String, Usage, Option<Money>)>,
}

/// Where calls are booked for good.
pub struct StoredLedger {
    /// The database.
    pub store: Arc<Store>,
    /// The session.
    pub session: String,
    /// The project, where there is one.
    pub project: Option<String>,
}

/// Returns what all sessions have spent today, or why the database cannot tell.
pub type Today = Box<dyn Fn() -> Result<Money, Failure> + Send + Sync>;

/// The session's books, which every request passes.
#[derive(Default)]
pub struct Ledger {
    books: Arc<Mutex<Spending>>,
    stored: Option<StoredLedger>,
    today: Option<Today>,
}

impl Ledger {
    /// Makes the books of a session, with the configured limits and the database behind them.
    pub fn of(base: &Base, session: &SessionId) -> Self {
        let stored = StoredLedger {
            store: Arc::clone(&base.store),
            session: session.to_string(),
            project: project_root(&base.folder).map(|root| root.display().to_string()),
        };
        let ledger = Self::new(Limits::of(base), Money::ZERO).on(stored);
        if base.config.cost.scope == CostScope::Session {
            return ledger;
        }
        let (store, clock) = (Arc::clone(&base.store), base.clock.clone());
        ledger.of_the_day(Box::new(move || {
            let from_ms = start_of_day(clock.millis(), &crate::zone::local());
            let sum = store.kept().and_then(|()| store.ledger_sum(Some(from_ms)));
            Ok(sum?.cost)
        }))
    }

    /// Opens the books with limits and what counts against them already.
    pub fn new(limits: Limits, before: Money) -> Self {
        let books = Spending { limits, before, ..Spending::default() };
        Self { books: Arc::new(Mutex::new(books)), stored: None, today: None }
    }

    /// Books every call in the database too.
    #[must_use]
    pub fn on(mut self, stored: StoredLedger) -> Self {
        self.stored = Some(stored);
        self
    }

    /// Holds the limits against all that is spent in a day, other sessions' calls included.
    #[must_use]
    pub fn of_the_day(mut self, today: Today) -> Self {
        self.today = Some(today);
        self
    }

    /// Returns what counts against the limits.
    ///
    /// # Errors
    /// When the limits are a day's and the day's spending cannot be read.
    fn counted(&self, books: &Spending) -> Result<Money, Failure> {
        match &self.today {
            Some(today) => Ok(today()? + books.unwritten),
            None => Ok(books.rows.values().map(|row| row.cost).sum::<Money>() + books.before),
        }
    }

    fn books(&self) -> std::sync::MutexGuard<'_, Spending> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the rows by model and category.
    pub fn rows(&self) -> Vec<(String, &'static str, Row)> {
        self.books().rows.iter().map(|((model, category), row)| (model.clone(), *category, row.clone())).collect()
    }

    /// Returns what was spent in this session.
    pub fn spent(&self) -> Money {
        self.books().rows.values().map(|row| row.cost).sum()
    }

    /// Returns tokens and dollars of this session in all.
    pub fn totals(&self) -> (u64, Money) {
        let books = self.books();
        books
            .rows
            .values()
            .fold((0, Money::ZERO), |(tokens, money), row| (row.usage.total().saturating_add(tokens), money + row.cost))
    }

    /// Lets an autonomous run spend so much from now on, or ends that.
    pub fn cap_run(&self, money: Option<Money>) {
        let spent = self.spent();
        self.books().run_cap = money.map(|money| spent + money);
    }

    /// Returns the limits.
    pub fn limits(&self) -> Limits {
        self.books().limits.clone()
    }

    /// Sets other limits; what was spent stays. A warning that was given is given again when it is about another amount.
    pub fn set_limits(&self, limits: Limits) {
        let mut books = self.books();
        books.warned &= books.limits.warn_at == limits.warn_at;
        books.limits = limits;
    }

    /// Takes what the last request used.
    pub fn take_last(&self) -> Option<(String, Usage, Option<Money>)> {
        self.books().last.take()
    }

    /// Says once when the spending passed the warning.
    pub fn warning(&self) -> Option<String> {
        let mut books = self.books();
        let warn_at = books.limits.warn_at?;
        if books.warned {
            return None;
        }
        let warning = match self.counted(&books) {
            Ok(spent) if spent < warn_at => return None,
            Ok(spent) => format!("{spent} spent; cost.warn_at_dollars is {warn_at}"),
            Err(why) => format!("what was spent today cannot be read, so cost.warn_at_dollars cannot be held: {why}"),
        };
        books.warned = true;
        Some(warning)
    }
}

impl Ledger {
    /// Decides about a request that could cost `worst`, with so much set aside for others.
    fn decide(&self, books: &Spending, call: &PlannedCall<'_>, worst: Money, aside: Money) -> Result<(), SpendRefusal> {
        if let Some(why) = books.limits.fault.as_ref().filter(|_| worst > Money::ZERO) {
            return Err(SpendRefusal(format!(
                "this request to {} could cost {worst}, and no limit of cost can be held until this is mended: {why}",
                call.model
            )));
        }
        let spent: Money = books.rows.values().map(|row| row.cost).sum();
        // What others spent today is looked up only where it counts.
        let counted = match books.limits.cap_at {
            Some(cap) => Some((cap, self.counted(books).map_err(unreadable)?, aside, "cost.cap_at_dollars")),
            None => None,
        };
        let of_run = books.run_cap.map(|cap| (cap, spent, books.aside, "norris.max_dollars, or --max-dollars"));
        for (cap, spent, aside, key) in [counted, of_run].into_iter().flatten() {
            if spent + aside + worst > cap {
                let left = cap.saturating_sub(spent + aside);
                let running = match aside {
                    Money::ZERO => String::new(),
                    aside => format!(", {aside} being set aside for requests that are running"),
                };
                return Err(SpendRefusal(format!(
                    "this request to {} could cost {worst} ({} + {} tokens), and {left} of the cap of {cap} \
                     is left{running} ({key})",
                    call.model, call.prompt_tokens, call.max_completion_tokens
                )));
            }
        }
        Ok(())
    }

    /// Sets money aside where other processes see it, if a limit counts what they spend: returns its number, and what they set
    /// aside before.
    fn set_aside(&self, books: &Spending, worst: Money) -> Result<Option<(i64, Money)>, SpendRefusal> {
        let stored = self.stored.as_ref().filter(|_| self.today.is_some() && books.limits.cap_at.is_some());
        stored.map(|stored| stored.store.set_aside(worst)).transpose().map_err(|error| unreadable(error.into()))
    }
}

impl SpendGuard for Ledger {
    fn check(&self, call: &PlannedCall<'_>) -> Result<(), SpendRefusal> {
        let books = self.books();
        // An unknown price is not zero; it cannot be held against a cap either. Local models have none.
        call.worst_cost.map_or(Ok(()), |worst| self.decide(&books, call, worst, books.aside))
    }

    fn reserve(&self, call: &PlannedCall<'_>) -> Result<Reservation, SpendRefusal> {
        let Some(worst) = call.worst_cost.filter(|_| self.is_limited()) else { return Ok(Reservation::default()) };
        let mut books = self.books();
        // What is set aside first is counted by all who come later: of several at once, those that fit go.
        let set_aside = self.set_aside(&books, worst)?;
        let store = self.stored.as_ref().map(|stored| Arc::clone(&stored.store));
        let give_back = move || {
            if let (Some((number, _)), Some(store)) = (set_aside, store) {
                // What stays is void after a while.
                drop(store.give_back(number));
            }
        };
        if let Err(refusal) = self.decide(&books, call, worst, set_aside.map_or(books.aside, |(_, others)| others)) {
            give_back();
            return Err(refusal);
        }
        books.aside = books.aside + worst;
        let books = Arc::clone(&self.books);
        Ok(Reservation::until(move || {
            give_back();
            let mut books = books.lock().unwrap_or_else(PoisonError::into_inner);
            books.aside = books.aside.saturating_sub(worst);
        }))
    }

    fn is_limited(&self) -> bool {
        let books = self.books();
        books.limits.cap_at.is_some() || books.limits.fault.is_some() || books.run_cap.is_some()
    }

    fn book(&self, call: &BookedCall<'_>) {
        let mut unwritten = false;
        if let Some(stored) = &self.stored {
            // Books that cannot be written cost the session nothing; the store warns once.
            let written = stored.store.book(&LedgerEntry {
                session: stored.session.clone(),
                project: stored.project.clone(),
                model: call.model.to_owned(),
                purpose: call.purpose.as_str().to_owned(),
                usage: call.usage,
                cost: call.cost,
            });
            unwritten = written.is_err();
        }
        let mut books = self.books();
        if unwritten && let Some(cost) = call.cost {
            books.unwritten = books.unwritten + cost;
        }
        let row = books.rows.entry((call.model.to_owned(), call.purpose.as_str())).or_default();
        row.calls += 1;
        row.usage = row.usage + call.usage;
        match call.cost {
            Some(cost) => row.cost = row.cost + cost,
            None => row.unpriced += 1,
        }
        if matches!(call.purpose, Purpose::Main | Purpose::Norris) {
            books.last = Some((call.model.to_owned(), call.usage, call.cost));
        }
    }
}

/// A day's cap that cannot be compared with the day is not held by guessing.
fn unreadable(why: Failure) -> SpendRefusal {
    SpendRefusal(format!(
        "cost.cap_at_dollars holds for the day, and what was spent today cannot be read: {why}. Mend the \
         database or move it away, or set cost.scope = \"session\""
    ))
}

/// Returns when the day began that a moment is in, both in milliseconds since 1970.
pub fn start_of_day(now_ms: i64, zone: &jiff::tz::TimeZone) -> i64 {
    jiff::Timestamp::from_millisecond(now_ms)
        .and_then(|now| now.to_zoned(zone.clone()).start_of_day())
        .map_or(now_ms, |start| start.timestamp().as_millisecond())
}

/// Says which of the models that may be asked no cap covers: those elsewhere whose price is not known.
pub fn uncovered(limits: &Limits, broker: &Broker) -> Vec<String> {
    if *limits == Limits::default() {
        return Vec::new();
    }
    let chain = broker.chain();
    let names: BTreeSet<&str> = std::iter::once(chain.default.as_str())
        .chain(chain.fast.as_deref())
        .chain(chain.fallback.iter().map(String::as_str))
        .collect();
    let elsewhere = |endpoint: &str| Endpoint::parse(endpoint).is_ok_and(|endpoint| !endpoint.is_loopback());
    names
        .into_iter()
        .filter(|name| {
            let model = broker.model(name);
            model.is_some_and(|model| model.price.is_none() && model.endpoint.as_deref().is_some_and(elsewhere))
        })
        .map(|name| {
            format!(
                "the price of {name} is not known, so no limit of cost covers it (set models.{name}.price_in and \
                 price_out)"
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(worst: Option<f64>) -> PlannedCall<'static> {
        PlannedCall {
            model: "m",
            purpose: Purpose::Main,
            prompt_tokens: 10,
            max_completion_tokens: 10,
            price: None,
            worst_cost: worst.map(Money::from_dollars),
        }
    }

    #[test]
    fn the_cap_holds_before_each_request() {
        let cap = Limits {
            cap_at: Some(Money::from_dollars(0.01)),
            warn_at: Some(Money::from_dollars(0.005)),
            ..Limits::default()
        };
        let ledger = Ledger::new(cap, Money::ZERO);
        assert!(ledger.check(&planned(Some(0.01))).is_ok());
        assert!(ledger.check(&planned(Some(0.0101))).is_err());
        assert!(ledger.check(&planned(None)).is_ok());
        let usage = Usage { prompt: 5, completion: 5, ..Usage::default() };
        let cost = Some(Money::from_dollars(0.006));
        ledger.book(&BookedCall { model: "m", purpose: Purpose::Summary, usage, cost });
        assert!(ledger.warning().is_some() && ledger.warning().is_none(), "it warns once");
        assert!(ledger.check(&planned(Some(0.0041))).is_err());
        assert!(ledger.check(&planned(Some(0.004))).is_ok());
        assert_eq!(ledger.rows()[0].1, "summary");
    }

    #[test]
    fn limits_that_cannot_be_read_let_nothing_go_that_costs() {
        let ledger =
            Ledger::new(Limits { fault: Some("config.toml:2:1: no".into()), ..Limits::default() }, Money::ZERO);
        for refused in [ledger.check(&planned(Some(0.0001))).err(), ledger.reserve(&planned(Some(0.0001))).err()] {
            let SpendRefusal(said) = refused.unwrap();
            assert!(said.contains("until this is mended: config.toml:2:1: no"), "{said}");
        }
        assert!(ledger.reserve(&planned(Some(0.0))).is_ok() && ledger.reserve(&planned(None)).is_ok());
    }

    fn stored(path: &std::path::Path, limits: Limits) -> Ledger {
        let store = Arc::new(Store::new(path.join("aish.db"), aish_journal::WallClock::default()));
        let stored = StoredLedger { store: Arc::clone(&store), session: "s".into(), project: None };
        let today = move || Ok(store.ledger_sum(None)?.cost);
        Ledger::new(limits, Money::ZERO).on(stored).of_the_day(Box::new(today))
    }

    #[test]
    fn of_requests_at_once_only_those_that_fit_are_sent() {
        let cap = Limits { cap_at: Some(Money::from_dollars(0.01)), ..Limits::default() };
        let folder = tempfile::tempdir().unwrap();
        // Two processes, and one whose cap is its session's.
        let (first, second) = (stored(folder.path(), cap.clone()), stored(folder.path(), cap.clone()));
        let alone = Ledger::new(cap, Money::ZERO);
        for (one, other) in [(&first, &second), (&alone, &alone)] {
            let held = one.reserve(&planned(Some(0.006))).ok().unwrap();
            let SpendRefusal(said) = other.reserve(&planned(Some(0.006))).err().unwrap();
            assert!(said.contains("$0.004000 of the cap of $0.010000 is left, $0.006000 being set aside"), "{said}");
            let small = other.reserve(&planned(Some(0.004))).ok().unwrap();
            assert!(one.reserve(&planned(Some(0.001))).is_err());
            drop(small);
            let usage = Usage { prompt: 5, completion: 5, ..Usage::default() };
            let cost = Some(Money::from_dollars(0.002));
            one.book(&BookedCall { model: "m", purpose: Purpose::Main, usage, cost });
            drop(held);
            assert!(other.reserve(&planned(Some(0.0081))).is_err(), "what was spent counts");
            assert!(other.reserve(&planned(Some(0.008))).is_ok());
            assert!(other.reserve(&planned(None)).is_ok(), "a model without a price has no cap");
        }
    }

    #[test]
    fn a_days_cap_counts_what_others_spend_meanwhile() {
        let cap = Limits { cap_at: Some(Money::from_dollars(0.01)), ..Limits::default() };
        let spent = Arc::new(Mutex::new(Money::ZERO));
        let today = Arc::clone(&spent);
        let ledger = Ledger::new(cap, Money::ZERO).of_the_day(Box::new(move || Ok(*today.lock().unwrap())));
        assert!(ledger.check(&planned(Some(0.01))).is_ok());
        *spent.lock().unwrap() = Money::from_dollars(0.002);
        assert!(ledger.check(&planned(Some(0.009))).is_err());
        // Midnight.
        *spent.lock().unwrap() = Money::ZERO;
        assert!(ledger.check(&planned(Some(0.009))).is_ok());
    }

    #[test]
    fn a_days_cap_that_cannot_be_compared_refuses_and_says_so() {
        let limits = Limits {
            cap_at: Some(Money::from_dollars(0.01)),
            warn_at: Some(Money::from_dollars(0.001)),
            ..Limits::default()
        };
        let broken =
            || Ledger::new(limits.clone(), Money::ZERO).of_the_day(Box::new(|| Err(Failure::user("disk I/O error"))));
        let ledger = broken();
        let SpendRefusal(said) = ledger.check(&planned(Some(0.0001))).unwrap_err();
        assert!(said.contains("cannot be read: disk I/O error. Mend the database"), "{said}");
        assert!(ledger.check(&planned(None)).is_ok(), "a model without a price has no cap");
        assert!(ledger.warning().is_some_and(|said| said.contains("disk I/O error")));
        assert!(ledger.warning().is_none(), "it warns once");
        ledger.set_limits(Limits::default());
        assert!(ledger.check(&planned(Some(0.0001))).is_ok());
    }

    #[test]
    fn a_day_begins_at_the_persons_midnight() {
        let east = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
        // 2026-11-22 00:30 at UTC+2 is still the 21st in UTC.
        let now = "2026-11-21T22:30:00Z".parse::<jiff::Timestamp>().unwrap().as_millisecond();
        let midnight = "2026-11-21T22:00:00Z".parse::<jiff::Timestamp>().unwrap().as_millisecond();
        assert_eq!(start_of_day(now, &east), midnight);
        assert_eq!(start_of_day(now, &jiff::tz::TimeZone::UTC), midnight - 22 * 3_600_000);
    }

    #[test]
    fn a_run_has_a_cap_of_its_own() {
        let ledger = Ledger::new(Limits::default(), Money::from_dollars(5.0));
        let usage = Usage { prompt: 5, completion: 5, ..Usage::default() };
        let cost = Some(Money::from_dollars(2.0));
        ledger.book(&BookedCall { model: "m", purpose: Purpose::Main, usage, cost });
        ledger.cap_run(Some(Money::from_dollars(0.01)));
        assert!(ledger.check(&planned(Some(0.01))).is_ok());
        let refused = ledger.check(&planned(Some(0.0101))).unwrap_err();
        assert!(refused.to_string().contains("norris.max_dollars"));
        ledger.cap_run(None);
        assert!(ledger.check(&planned(Some(100.0))).is_ok());
        assert_eq!(ledger.totals(), (10, Money::from_dollars(2.0)));
    }
}
