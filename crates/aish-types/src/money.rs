//! Money in whole nano-dollars, so that sums are exact.

use alloc::string::String;
use core::fmt;
use core::iter::Sum;
use core::ops::Add;

use serde::{Deserialize, Serialize};

/// An amount of US dollars in nano-dollars (1e-9 dollars); sums saturate.
///
/// One dollar a million tokens is 1,000 nano-dollars a token, so every published price is whole here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(u64);

impl Money {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// Makes an amount from nano-dollars.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Makes an amount from dollars, rounded up to the next nano-dollar; what is not a positive number is zero.
    pub fn from_dollars(dollars: f64) -> Self {
        if !(dollars.is_finite() && dollars > 0.0) {
            return Self::ZERO;
        }
        let nanos = dollars * 1e9;
        let whole = nanos as u64;
        Self(if (whole as f64) + 1e-6 < nanos { whole.saturating_add(1) } else { whole })
    }

    /// Returns the amount in nano-dollars.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Returns the amount in dollars, for display and for plots.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns the price of `tokens` tokens at this amount a million tokens, rounded up to the next nano-dollar.
    pub fn times_tokens(self, tokens: u64) -> Self {
        let total = u128::from(self.0) * u128::from(tokens);
        Self(u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }

    /// Returns what is left of this amount after `other`, never below zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Money {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Money {
    /// Writes `$0.000219`: six decimals, or two from one dollar upwards.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if self.0 >= 1_000_000_000 {
            let cents = self.0.saturating_add(5_000_000) / 10_000_000;
            fmt::write(&mut text, format_args!("${}.{:02}", cents / 100, cents % 100))?;
        } else {
            let micros = self.0.saturating_add(500) / 1_000;
            fmt::write(&mut text, format_args!("${}.{:06}", micros / 1_000_000, micros % 1_000_000))?;
        }
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn prices_are_exact() {
        let price = Money::from_dollars(0.25);
        assert_eq!(price.times_tokens(1_000_000), Money::from_dollars(0.25));
        assert_eq!(price.times_tokens(4).nanos(), 1_000);
        assert_eq!(Money::from_dollars(0.1) + Money::from_dollars(0.2), Money::from_dollars(0.3));
    }

    #[test]
    fn shows_six_decimals_below_a_dollar() {
        assert_eq!(Money::from_nanos(219_000).to_string(), "$0.000219");
        assert_eq!(Money::from_dollars(12.346).to_string(), "$12.35");
        assert_eq!(Money::from_dollars(f64::NAN), Money::ZERO);
    }
}
