//! Bounds on what one expression may cost.

use crate::builtin::calculator::CalculatorError;

/// Characters of an expression.
pub(super) const MAX_CHARS: usize = 10_000;
/// Nested parentheses, signs and powers.
pub(super) const MAX_DEPTH: usize = 64;
/// Bits of the numerator and of the denominator of any value on the way.
pub(super) const MAX_BITS: usize = 131_072;
/// Digits of a whole result.
pub(super) const MAX_DIGITS: usize = 10_000;
/// Decimal exponent of an inexact value.
pub(super) const MAX_EXPONENT: isize = 100_000;
/// Work, in machine words touched; about a nanosecond each.
const MAX_WORK: u64 = 20_000_000;

pub(super) fn too_large() -> CalculatorError {
    CalculatorError::Calculation("the result is too large".into())
}

/// The work that is left.
pub(super) struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_WORK)
    }
}

impl Budget {
    /// Pays for an operation on numbers of so many bits, whose cost grows with their product.
    pub(super) fn pay(&mut self, bits: usize, other_bits: usize) -> Result<(), CalculatorError> {
        let words = |bits: usize| (bits / 64 + 1) as u64;
        self.pay_flat(words(bits).saturating_mul(words(other_bits)).saturating_add(50))
    }

    /// Pays for one evaluation of a transcendental function.
    pub(super) fn pay_function(&mut self) -> Result<(), CalculatorError> {
        self.pay_flat(200_000)
    }

    fn pay_flat(&mut self, work: u64) -> Result<(), CalculatorError> {
        let left = self.0.checked_sub(work);
        self.0 = left.ok_or_else(|| CalculatorError::Calculation("the expression is too much work".into()))?;
        Ok(())
    }
}
