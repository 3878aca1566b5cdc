//! The port through which money is watched: asked before each request, told after each.

use aish_types::{Money, Usage};

use crate::prices::Price;
use crate::request::Purpose;

/// A request that is about to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall<'a> {
    /// The model's booked name.
    pub model: &'a str,
    /// Why it is asked.
    pub purpose: Purpose,
    /// The prompt in tokens, counted or estimated.
    pub prompt_tokens: u64,
    /// The longest completion in tokens.
    pub max_completion_tokens: u64,
    /// The model's price; none when it is unknown (which is not zero).
    pub price: Option<Price>,
    /// The most that the call can cost; none when the price is unknown.
    pub worst_cost: Option<Money>,
}

/// A request that was answered, wholly or in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookedCall<'a> {
    /// The model's booked name.
    pub model: &'a str,
    /// Why it was asked.
    pub purpose: Purpose,
    /// What it used; `estimated` when the server reported nothing.
    pub usage: Usage,
    /// What it cost; none when the price is unknown.
    pub cost: Option<Money>,
}

/// Why a request was not sent, in words for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpendRefusal(pub String);

/// What a request may cost, set aside until this is dropped.
#[derive(Default)]
pub struct Reservation(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Reservation {
    /// Says what gives the money back.
    pub fn until(give_back: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(give_back)))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(give_back) = self.0.take() {
            give_back();
        }
    }
}

/// Watches what is spent. Every request passes it: sub-calls, retries and fallbacks too.
pub trait SpendGuard: Send + Sync {
    /// Decides whether a request may be sent.
    fn check(&self, call: &PlannedCall<'_>) -> Result<(), SpendRefusal>;

    /// Decides the same, and sets the money aside until the request is booked, so that requests at the same time do not spend
    /// it twice.
    fn reserve(&self, call: &PlannedCall<'_>) -> Result<Reservation, SpendRefusal> {
        self.check(call).map(|()| Reservation::default())
    }

    /// Returns whether requests are held against a limit: then an answer gets a bound, also where the model could set it.
    fn is_limited(&self) -> bool {
        false
    }

    /// Takes note of what a request used.
    fn book(&self, call: &BookedCall<'_>);
}

/// Lets everything through and keeps no books.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl SpendGuard for Unwatched {
    fn check(&self, _: &PlannedCall<'_>) -> Result<(), SpendRefusal> {
        Ok(())
    }

    fn book(&self, _: &BookedCall<'_>) {}
}
