//! Exact arithmetic on rationals.

use dashu_base::{Signed, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::builtin::calculator::CalculatorError;
use crate::builtin::calculator::limits::{MAX_BITS, too_large};
use crate::builtin::calculator::number::bits;

/// Passes a value on if it is within the bounds.
pub(super) fn bounded(number: RBig) -> Result<RBig, CalculatorError> {
    if bits(&number) > MAX_BITS { Err(too_large()) } else { Ok(number) }
}

/// Raises to a whole power; none when the result is over the bounds.
pub(super) fn power(base: &RBig, exponent: &IBig) -> Option<RBig> {
    let (sign_is_negative, size) = (exponent.is_negative(), exponent.clone().unsigned_abs());
    if base.is_zero() || base.is_one() {
        return Some(if size.is_zero() { RBig::ONE } else { base.clone() });
    }
    if base.is_int() && base.numerator().clone().unsigned_abs() == UBig::ONE {
        let odd = size.clone() % UBig::from(2u8) == UBig::ONE;
        return Some(if odd { base.clone() } else { RBig::ONE });
    }
    let size = usize::try_from(&size).ok()?;
    // A number of n bits has at least (n - 1) * size bits when raised.
    if bits(base).saturating_sub(1).saturating_mul(size) > MAX_BITS {
        return None;
    }
    let (numerator, denominator) = (base.numerator().pow(size), base.denominator().pow(size));
    Some(if sign_is_negative {
        RBig::from_parts_signed(IBig::from(denominator), numerator)
    } else {
        RBig::from_parts(numerator, denominator)
    })
}

/// Returns the rational root of a non-negative rational, if it has one.
pub(super) fn root(number: &RBig, degree: usize) -> Option<RBig> {
    let part = |whole: &UBig| {
        let root = whole.nth_root(degree);
        (root.pow(degree) == *whole).then_some(root)
    };
    if number.numerator().is_negative() {
        return None;
    }
    let numerator = part(&number.numerator().clone().unsigned_abs())?;
    Some(RBig::from_parts(IBig::from(numerator), part(number.denominator())?))
}

/// Rounds to a multiple of `10**-places`, halves to even, as Python does.
pub(super) fn round(number: &RBig, places: i32) -> RBig {
    let scale = RBig::from(IBig::from(UBig::from(10u8).pow(places.unsigned_abs() as usize)));
    let scaled = if places < 0 { number / &scale } else { number * &scale };
    let floor = scaled.floor();
    let rest = (scaled - RBig::from(floor.clone())) * RBig::from(2u8);
    let up = match rest.cmp(&RBig::ONE) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => floor.clone() % IBig::from(2u8) != IBig::ZERO,
        std::cmp::Ordering::Less => false,
    };
    let whole = RBig::from(if up { floor + IBig::ONE } else { floor });
    if places < 0 { whole * scale } else { whole / scale }
}
