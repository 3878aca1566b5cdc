//! Arithmetic on values that have no rational form, with 80 digits, of which the last dozen are not trusted.
//!
//! What cancels down to the untrusted digits is zero, and what is within them of a whole number is that number.

use dashu_base::Abs;
use dashu_float::round::mode::HalfAway;
use dashu_float::{Context, DBig, FpError, FpResult};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::builtin::calculator::CalculatorError;
use crate::builtin::calculator::limits::{MAX_EXPONENT, too_large};

const DIGITS: usize = 80;
/// Digits that are taken for right.
const TRUSTED: isize = 66;

pub(super) fn context() -> Context<HalfAway> {
    Context::new(DIGITS)
}

/// Makes a value of a rational.
pub(super) fn of(number: &RBig) -> DBig {
    number.to_float::<HalfAway, 10>(DIGITS).value()
}

/// Takes a result of the library over, within the bounds.
pub(super) fn take(result: FpResult<DBig>) -> Result<DBig, CalculatorError> {
    let value = match result {
        Ok(value) => value.value(),
        Err(FpError::Overflow(_)) => return Err(too_large()),
        Err(FpError::Underflow(_)) => return Ok(DBig::ZERO),
        Err(FpError::OutOfDomain | FpError::Indeterminate | FpError::InfiniteInput) => return Err(domain()),
        Err(FpError::ZivRetryLimitExceeded) => {
            return Err(CalculatorError::Calculation("the value cannot be found".into()));
        }
    };
    if value.repr().is_infinite() {
        return Err(domain());
    }
    let magnitude = magnitude(&value);
    if magnitude > MAX_EXPONENT {
        Err(too_large())
    } else if magnitude < -MAX_EXPONENT {
        Ok(DBig::ZERO)
    } else {
        Ok(value)
    }
}

pub(super) fn domain() -> CalculatorError {
    CalculatorError::Calculation("math domain error".into())
}

/// Returns the decimal exponent of the first digit; the lowest number for zero.
pub(super) fn magnitude(value: &DBig) -> isize {
    if is_zero(value) {
        return isize::MIN;
    }
    let digits = isize::try_from(value.repr().digits()).unwrap_or(isize::MAX);
    value.repr().exponent().saturating_add(digits).saturating_sub(1)
}

pub(super) fn is_zero(value: &DBig) -> bool {
    value.repr().is_pos_zero() || value.repr().is_neg_zero()
}

/// Makes a result zero that is nothing but the rounding of values of the given size.
pub(super) fn without_noise(value: DBig, size: isize) -> DBig {
    if magnitude(&value) < size.saturating_sub(TRUSTED) { DBig::ZERO } else { value }
}

/// Returns the whole number that a value is, as far as its digits can be trusted.
pub(super) fn as_whole(value: &DBig) -> Option<IBig> {
    let size = magnitude(value).max(0);
    if size >= TRUSTED {
        return None;
    }
    let whole = value.round();
    // A value below the trusted digits of one is small, not zero: what is rounding alone was made zero before.
    if is_zero(&whole) && !is_zero(value) {
        return None;
    }
    let off = value.clone() - whole.clone();
    is_zero(&without_noise(off, size)).then(|| whole.to_int().value())
}

/// Returns a value's digits as a rational.
pub(super) fn to_exact(value: &DBig) -> Result<RBig, CalculatorError> {
    let (significand, exponent) = value.repr().clone().into_parts();
    if exponent.unsigned_abs() > MAX_EXPONENT.unsigned_abs() / 4 {
        return Err(too_large());
    }
    let power = UBig::from(10u8).pow(exponent.unsigned_abs());
    Ok(if exponent < 0 { RBig::from_parts(significand, power) } else { RBig::from(significand * IBig::from(power)) })
}

/// Rounds down to a whole number.
pub(super) fn floor(value: &DBig) -> Result<IBig, CalculatorError> {
    if let Some(whole) = as_whole(value) {
        return Ok(whole);
    }
    Ok(to_exact(value)?.floor())
}

pub(super) fn add(a: &DBig, b: &DBig) -> Result<DBig, CalculatorError> {
    let size = magnitude(a).max(magnitude(b));
    Ok(without_noise(take(context().add(a.repr(), b.repr()))?, size))
}

pub(super) fn multiply(a: &DBig, b: &DBig) -> Result<DBig, CalculatorError> {
    take(context().mul(a.repr(), b.repr()))
}

pub(super) fn divide(a: &DBig, b: &DBig) -> Result<DBig, CalculatorError> {
    take(context().div(a.repr(), b.repr()))
}

/// Raises a positive value to any power. The size of the result is looked at first.
pub(super) fn power(base: &DBig, exponent: &DBig) -> Result<DBig, CalculatorError> {
    let tens = base.ln().to_f64().value() / std::f64::consts::LN_10 * exponent.to_f64().value();
    if tens > MAX_EXPONENT as f64 {
        return Err(too_large());
    }
    if tens < -(MAX_EXPONENT as f64) {
        return Ok(DBig::ZERO);
    }
    take(context().powf(base.repr(), exponent.repr(), None))
}

/// The size up to which sine, cosine and tangent are found, as a decimal exponent.
const MAX_ANGLE: isize = 309;

/// Evaluates a function of an angle.
pub(super) fn of_angle(value: &DBig, function: impl FnOnce(&DBig) -> FpResult<DBig>) -> Result<DBig, CalculatorError> {
    let size = magnitude(value).max(0);
    if size > MAX_ANGLE {
        return Err(CalculatorError::Calculation("the angle is too large".into()));
    }
    let result = take(function(value))?;
    if magnitude(&result) > TRUSTED - size {
        return Err(domain());
    }
    Ok(without_noise(result, size))
}

pub(super) fn less(a: &DBig, b: &DBig) -> bool {
    a < b
}

pub(super) fn absolute(value: &DBig) -> DBig {
    value.clone().abs()
}
