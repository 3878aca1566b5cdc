//! The text of a result: whole numbers and decimals of up to 15 digits exactly, all else as Python's `.6g` writes it.

use dashu_base::{Signed, UnsignedAbs};
use dashu_float::DBig;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::builtin::calculator::CalculatorError;
use crate::builtin::calculator::limits::{MAX_DIGITS, too_large};
use crate::builtin::calculator::number::{Number, bits};
use crate::builtin::calculator::real;

/// Digits of a decimal that are written whole.
const EXACT_DIGITS: usize = 15;
/// Significant digits of all other numbers.
const SIGNIFICANT: usize = 6;

pub(super) fn format(number: &Number) -> Result<String, CalculatorError> {
    match number {
        Number::Exact(number) if number.is_int() => whole(number.numerator()),
        Number::Exact(number) => Ok(decimal(number).unwrap_or_else(|| significant(&real::of(number)))),
        Number::Inexact(number) => Ok(match real::as_whole(number) {
            Some(whole) if whole.to_string().trim_start_matches('-').len() <= EXACT_DIGITS => whole.to_string(),
            _ => significant(number),
        }),
    }
}

fn whole(number: &IBig) -> Result<String, CalculatorError> {
    // 3.3 bits a digit: the text is not made when it is too long anyway.
    if bits(&RBig::from(number.clone())) > MAX_DIGITS * 10 / 3 {
        return Err(too_large());
    }
    Ok(number.to_string())
}

/// Writes a number as a decimal, if it is one of up to 15 digits.
fn decimal(number: &RBig) -> Option<String> {
    let ten = UBig::from(10u8);
    let places = (1..=EXACT_DIGITS).find(|&places| ten.pow(places) % number.denominator() == UBig::ZERO)?;
    let scaled = number.numerator() * IBig::from(ten.pow(places) / number.denominator());
    let digits = scaled.clone().unsigned_abs().to_string();
    if digits.len() > EXACT_DIGITS {
        return None;
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (left, right) = padded.split_at_checked(padded.len() - places)?;
    let sign = if scaled.is_negative() { "-" } else { "" };
    Some(format!("{sign}{left}.{right}"))
}

/// Writes six significant digits: plain from 0.0001 up to a million, else with an exponent of at least two digits.
fn significant(number: &DBig) -> String {
    let rounded = number.clone().with_precision(SIGNIFICANT).value();
    if real::is_zero(&rounded) {
        return "0".into();
    }
    let exponent = real::magnitude(&rounded);
    let sign = if rounded.is_negative() { "-" } else { "" };
    let digits = rounded.repr().significand().clone().unsigned_abs().to_string();
    let digits = digits.trim_end_matches('0');
    if !(-4..6).contains(&exponent) {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
        let point = if rest.is_empty() { "" } else { "." };
        let direction = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}e{direction}{:02}", exponent.unsigned_abs());
    }
    if exponent < 0 {
        let zeros = "0".repeat(exponent.unsigned_abs() - 1);
        return format!("{sign}0.{zeros}{digits}");
    }
    let left = exponent.unsigned_abs() + 1;
    let padded = format!("{digits:0<left$}");
    let (left, right) = padded.split_at_checked(left).unwrap_or((&padded, ""));
    let point = if right.is_empty() { "" } else { "." };
    format!("{sign}{left}{point}{right}")
}
