//! The evaluation of a tree.

use std::cmp::Ordering;

use dashu_base::Signed;
use dashu_float::DBig;
use dashu_int::IBig;
use dashu_ratio::RBig;

use crate::builtin::calculator::CalculatorError;
use crate::builtin::calculator::limits::{Budget, too_large};
use crate::builtin::calculator::number::{Number, Value, bits};
use crate::builtin::calculator::tree::{ProductOperator, SumOperator, Tree};
use crate::builtin::calculator::{exact, real};

/// Roots of a higher degree are not looked for exactly.
const MAX_EXACT_ROOT: usize = 64;

/// Evaluates one expression within its budget.
#[derive(Default)]
pub(super) struct Evaluator {
    pub(super) budget: Budget,
}

pub(super) fn wrong(why: &str) -> CalculatorError {
    CalculatorError::Calculation(why.into())
}

impl Evaluator {
    /// Evaluates to a number.
    pub(super) fn evaluate(&mut self, tree: &Tree) -> Result<Number, CalculatorError> {
        match self.value(tree)? {
            Value::Number(number) => Ok(number),
            Value::List(_) => Err(wrong("a list is no number")),
        }
    }

    pub(super) fn value(&mut self, tree: &Tree) -> Result<Value, CalculatorError> {
        let number = match tree {
            Tree::Number(number) => Number::Exact(exact::bounded(number.clone())?),
            Tree::Name(name) => self.constant(name)?,
            Tree::Negate(inner) => negate(self.evaluate(inner)?),
            Tree::Percent(inner) => {
                let inner = self.evaluate(inner)?;
                self.divide(&inner, &Number::whole(100))?
            }
            Tree::Sum(first, rest) => {
                let mut total = self.evaluate(first)?;
                for (operator, tree) in rest {
                    let term = self.evaluate(tree)?;
                    total = match operator {
                        SumOperator::Plus => self.add(&total, &term)?,
                        SumOperator::Minus => self.add(&total, &negate(term))?,
                    };
                }
                total
            }
            Tree::Product(first, rest) => {
                let mut total = self.evaluate(first)?;
                for (operator, tree) in rest {
                    let factor = self.evaluate(tree)?;
                    total = match operator {
                        ProductOperator::Times => self.multiply(&total, &factor)?,
                        ProductOperator::Divide => self.divide(&total, &factor)?,
                        ProductOperator::FloorDivide => self.floor_divide(&total, &factor)?,
                        ProductOperator::Remainder => self.remainder(&total, &factor)?,
                    };
                }
                total
            }
            Tree::Power(base, exponent) => {
                let (base, exponent) = (self.evaluate(base)?, self.evaluate(exponent)?);
                self.power(&base, &exponent)?
            }
            Tree::Call(name, arguments) => return self.call(name, arguments).map(Value::Number),
            Tree::List(items) => {
                let items: Result<Vec<Number>, _> = items.iter().map(|item| self.evaluate(item)).collect();
                return items.map(Value::List);
            }
        };
        Ok(Value::Number(number))
    }

    pub(super) fn add(&mut self, a: &Number, b: &Number) -> Result<Number, CalculatorError> {
        match (a, b) {
            (Number::Exact(a), Number::Exact(b)) => {
                self.budget.pay(bits(a), bits(b))?;
                exact::bounded(a + b).map(Number::Exact)
            }
            _ => real::add(&real(a), &real(b)).map(Number::Inexact),
        }
    }

    pub(super) fn multiply(&mut self, a: &Number, b: &Number) -> Result<Number, CalculatorError> {
        match (a, b) {
            (Number::Exact(a), Number::Exact(b)) => {
                self.budget.pay(bits(a), bits(b))?;
                exact::bounded(a * b).map(Number::Exact)
            }
            _ => real::multiply(&real(a), &real(b)).map(Number::Inexact),
        }
    }

    pub(super) fn divide(&mut self, a: &Number, b: &Number) -> Result<Number, CalculatorError> {
        if is_zero(b) {
            return Err(wrong("division by zero"));
        }
        match (a, b) {
            (Number::Exact(a), Number::Exact(b)) => {
                self.budget.pay(bits(a), bits(b))?;
                exact::bounded(a / b).map(Number::Exact)
            }
            _ => real::divide(&real(a), &real(b)).map(Number::Inexact),
        }
    }

    /// Rounds the quotient down, as Python does.
    pub(super) fn floor_divide(&mut self, a: &Number, b: &Number) -> Result<Number, CalculatorError> {
        match self.divide(a, b)? {
            Number::Exact(quotient) => Ok(Number::whole(quotient.floor())),
            Number::Inexact(quotient) => real::floor(&quotient).map(Number::whole),
        }
    }

    /// Has the sign of the divisor, as in Python.
    pub(super) fn remainder(&mut self, a: &Number, b: &Number) -> Result<Number, CalculatorError> {
        let quotient = self.floor_divide(a, b)?;
        let taken = self.multiply(&quotient, b)?;
        self.add(a, &negate(taken))
    }

    pub(super) fn power(&mut self, base: &Number, exponent: &Number) -> Result<Number, CalculatorError> {
        if let Number::Exact(exponent) = exponent
            && let Some(result) = self.exact_power(base, exponent)?
        {
            return Ok(result);
        }
        if is_zero(base) {
            return if is_negative(exponent) { Err(wrong("division by zero")) } else { Ok(Number::whole(0)) };
        }
        self.budget.pay_function()?;
        if is_negative(base) {
            let Some(whole) = as_whole(exponent) else {
                return Err(wrong("a negative number has no real power that is not whole"));
            };
            let size = real::power(&real::absolute(&real(base)), &real(exponent))?;
            let odd = whole % IBig::from(2u8) != IBig::ZERO;
            return Ok(Number::Inexact(if odd { -size } else { size }));
        }
        real::power(&real(base), &real(exponent)).map(Number::Inexact)
    }

    /// Returns the power where it is rational and within the bounds.
    fn exact_power(&mut self, base: &Number, exponent: &RBig) -> Result<Option<Number>, CalculatorError> {
        if exponent.is_zero() {
            return Ok(Some(Number::whole(1)));
        }
        let Number::Exact(base) = base else { return Ok(None) };
        if base.is_zero() && exponent.is_negative() {
            return Err(wrong("division by zero"));
        }
        if exponent.is_int() {
            let result = exact::power(base, exponent.numerator());
            if let Some(result) = &result {
                self.budget.pay(bits(result), bits(result) / 8)?;
            }
            return match result {
                Some(result) => exact::bounded(result).map(|result| Some(Number::Exact(result))),
                None if base.is_int() && !exponent.is_negative() => Err(too_large()),
                None => Ok(None),
            };
        }
        let Ok(degree) = usize::try_from(exponent.denominator()) else { return Ok(None) };
        if degree > MAX_EXACT_ROOT || base.is_negative() {
            return Ok(None);
        }
        self.budget.pay(bits(base), bits(base))?;
        let root = exact::root(base, degree);
        let result = root.and_then(|root| exact::power(&root, exponent.numerator()));
        result.map(|result| exact::bounded(result).map(Number::Exact)).transpose()
    }
}

pub(super) fn negate(number: Number) -> Number {
    match number {
        Number::Exact(number) => Number::Exact(-number),
        Number::Inexact(number) => Number::Inexact(-number),
    }
}

pub(super) fn real(number: &Number) -> DBig {
    match number {
        Number::Exact(number) => real::of(number),
        Number::Inexact(number) => number.clone(),
    }
}

pub(super) fn is_zero(number: &Number) -> bool {
    match number {
        Number::Exact(number) => number.is_zero(),
        Number::Inexact(number) => real::is_zero(number),
    }
}

pub(super) fn is_negative(number: &Number) -> bool {
    match number {
        Number::Exact(number) => number.is_negative(),
        Number::Inexact(number) => number.is_negative(),
    }
}

/// Returns the whole number that a number is, if it is one.
pub(super) fn as_whole(number: &Number) -> Option<IBig> {
    match number {
        Number::Exact(number) => number.is_int().then(|| number.numerator().clone()),
        Number::Inexact(number) => real::as_whole(number),
    }
}

pub(super) fn compare(a: &Number, b: &Number) -> Ordering {
    match (a, b) {
        (Number::Exact(a), Number::Exact(b)) => a.cmp(b),
        _ => real(a).cmp(&real(b)),
    }
}
