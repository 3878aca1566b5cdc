//! A value on the way: exact as a rational, or 80 digits of what has no rational value.

use dashu_float::DBig;
use dashu_int::IBig;
use dashu_ratio::RBig;

/// A number.
#[derive(Debug, Clone)]
pub(super) enum Number {
    Exact(RBig),
    Inexact(DBig),
}

/// A number, or a list of them as an argument of `sum`, `min`, `max`.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Number(Number),
    List(Vec<Number>),
}

impl Number {
    pub(super) fn whole(whole: impl Into<IBig>) -> Self {
        Self::Exact(RBig::from(whole.into()))
    }
}

/// Bits of the larger part of a rational.
pub(super) fn bits(number: &RBig) -> usize {
    use dashu_base::BitTest;
    number.numerator().bit_len().max(number.denominator().bit_len())
}
