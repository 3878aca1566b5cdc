//! Functions and constants.

use aish_types::near::near;
use std::cmp::Ordering;

use dashu_base::{Abs, ExtendedGcd, Gcd, Signed};
use dashu_float::DBig;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::builtin::calculator::CalculatorError;
use crate::builtin::calculator::evaluate::{Evaluator, as_whole, compare, is_negative, is_zero, negate, real, wrong};
use crate::builtin::calculator::limits::{MAX_DIGITS, too_large};
use crate::builtin::calculator::number::{Number, Value, bits};
use crate::builtin::calculator::tree::Tree;
use crate::builtin::calculator::{exact, real as reals};

/// The largest whole number whose factorial is given.
const MAX_FACTORIAL: u32 = 3_000;

#[rustfmt::skip]
const FUNCTIONS: [&str; 29] = [
    "abs", "round", "min", "max", "sum", "sqrt", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "log", "log2",
    "log10", "ln", "exp", "floor", "ceil", "factorial", "gcd", "lcm", "hypot", "mod", "int", "trunc", "degrees",
    "radians",
];

const CONSTANTS: [&str; 3] = ["pi", "tau", "e"];

impl Evaluator {
    pub(super) fn constant(&mut self, name: &str) -> Result<Number, CalculatorError> {
        match name {
            "pi" | "π" => Ok(Number::Inexact(DBig::pi(reals::context().precision()))),
            "tau" | "τ" => Ok(Number::Inexact(DBig::pi(reals::context().precision()) * DBig::from(2u8))),
            "e" => Ok(Number::Inexact(DBig::e(reals::context().precision()))),
            name => Err(unknown(name)),
        }
    }

    pub(super) fn call(&mut self, name: &str, trees: &[Tree]) -> Result<Number, CalculatorError> {
        if !is_function(name) {
            return Err(unknown(name));
        }
        let mut values = Vec::with_capacity(trees.len());
        for tree in trees {
            values.push(self.value(tree)?);
        }
        match name {
            "sum" => return self.total(values),
            "min" => return extreme(name, values, Ordering::Less),
            "max" => return extreme(name, values, Ordering::Greater),
            _ => {}
        }
        let numbers: Result<Vec<Number>, _> = values
            .into_iter()
            .map(|value| match value {
                Value::Number(number) => Ok(number),
                Value::List(_) => Err(wrong(&format!("{name} takes no list"))),
            })
            .collect();
        match (name, numbers?.as_slice()) {
            ("abs", [x]) => Ok(if is_negative(x) { negate(x.clone()) } else { x.clone() }),
            ("round", [x]) => self.round(x, &Number::whole(0)),
            ("round", [x, places]) => self.round(x, places),
            ("floor", [x]) => self.floor_divide(x, &Number::whole(1)),
            ("ceil", [x]) => self.floor_divide(&negate(x.clone()), &Number::whole(1)).map(negate),
            ("sqrt", [x]) => self.square_root(x),
            ("pow", [base, exponent]) => self.power(base, exponent),
            ("pow", [base, exponent, modulus]) => self.modular_power(base, exponent, modulus),
            ("exp", [x]) if is_zero(x) => Ok(Number::whole(1)),
            ("exp", [x]) => {
                let e = self.constant("e")?;
                self.power(&e, x)
            }
            ("log" | "ln", [x]) => self.logarithm(x, None),
            ("log", [x, base]) => self.logarithm(x, Some(base)),
            ("log2", [x]) => self.logarithm(x, Some(&Number::whole(2))),
            ("log10", [x]) => self.logarithm(x, Some(&Number::whole(10))),
            ("sin" | "tan" | "asin" | "atan", [x]) if is_zero(x) => Ok(Number::whole(0)),
            ("cos", [x]) if is_zero(x) => Ok(Number::whole(1)),
            ("sin" | "cos" | "tan" | "asin" | "acos" | "atan", [x]) => self.trigonometric(name, x),
            ("degrees", [x]) => self.scale(x, 180, Turn::ToDegrees),
            ("radians", [x]) => self.scale(x, 180, Turn::ToRadians),
            ("factorial", [x]) => self.factorial(x),
            ("gcd", numbers) => gcd(name, numbers),
            ("lcm", numbers) => self.lcm(numbers),
            ("hypot", [a, b]) => {
                let (a, b) = (self.multiply(a, a)?, self.multiply(b, b)?);
                let sum = self.add(&a, &b)?;
                self.square_root(&sum)
            }
            ("mod", [a, b]) => self.remainder(a, b),
            ("int" | "trunc", [x]) if is_negative(x) => {
                self.floor_divide(&negate(x.clone()), &Number::whole(1)).map(negate)
            }
            ("int" | "trunc", [x]) => self.floor_divide(x, &Number::whole(1)),
            (name, numbers) => Err(wrong(&format!("{name} does not take {} arguments", numbers.len()))),
        }
    }

    fn total(&mut self, values: Vec<Value>) -> Result<Number, CalculatorError> {
        let mut total = Number::whole(0);
        for value in values {
            let numbers = match value {
                Value::Number(number) => vec![number],
                Value::List(numbers) => numbers,
            };
            for number in &numbers {
                total = self.add(&total, number)?;
            }
        }
        Ok(total)
    }

    fn round(&mut self, number: &Number, places: &Number) -> Result<Number, CalculatorError> {
        let places = as_whole(places).and_then(|places| i32::try_from(places).ok());
        let Some(places) = places.filter(|places| places.unsigned_abs() as usize <= MAX_DIGITS) else {
            return Err(wrong("round needs a whole number of places"));
        };
        let number = match number {
            Number::Exact(number) => number.clone(),
            Number::Inexact(number) => match reals::as_whole(number) {
                Some(whole) => RBig::from(whole),
                None => reals::to_exact(number)?,
            },
        };
        self.budget.pay(bits(&number), places.unsigned_abs() as usize * 4)?;
        Ok(Number::Exact(exact::round(&number, places)))
    }

    fn square_root(&mut self, number: &Number) -> Result<Number, CalculatorError> {
        if is_negative(number) {
            return Err(reals::domain());
        }
        if let Number::Exact(number) = number {
            self.budget.pay(bits(number), bits(number))?;
            if let Some(root) = exact::root(number, 2) {
                return Ok(Number::Exact(root));
            }
        }
        self.budget.pay_function()?;
        reals::take(reals::context().sqrt(real(number).repr())).map(Number::Inexact)
    }

    fn modular_power(&mut self, base: &Number, exponent: &Number, modulus: &Number) -> Result<Number, CalculatorError> {
        let whole = |number: &Number| as_whole(number).ok_or_else(|| wrong("pow with a modulus needs whole numbers"));
        let (mut base, exponent, modulus) = (whole(base)?, whole(exponent)?, whole(modulus)?);
        if modulus == IBig::ZERO {
            return Err(wrong("division by zero"));
        }
        let size = |number: &IBig| bits(&RBig::from(number.clone()));
        let steps = size(&exponent);
        self.budget.pay(size(&modulus).saturating_mul(steps), size(&modulus))?;
        if exponent.is_negative() {
            let wide = size(&base).max(size(&modulus));
            self.budget.pay(wide.saturating_mul(wide), size(&modulus))?;
            let (shared, inverse, _) = (base % &modulus).gcd_ext(&modulus);
            if shared != UBig::ONE {
                return Err(wrong("pow: the base has no inverse for this modulus; they share a divisor"));
            }
            base = inverse;
        }
        let exponent = exponent.abs();
        let (mut result, mut square, mut left) = (IBig::ONE, base % &modulus, exponent);
        while left > IBig::ZERO {
            if &left % IBig::from(2u8) == IBig::ONE {
                result = result * &square % &modulus;
            }
            square = &square * &square % &modulus;
            left >>= 1;
        }
        result %= &modulus;
        // The sign is the divisor's, as in Python.
        if result != IBig::ZERO && result.is_negative() != modulus.is_negative() {
            result += modulus;
        }
        Ok(Number::whole(result))
    }

    fn logarithm(&mut self, number: &Number, base: Option<&Number>) -> Result<Number, CalculatorError> {
        if is_negative(number) || is_zero(number) {
            return Err(reals::domain());
        }
        if as_whole(number) == Some(IBig::ONE) {
            return Ok(Number::whole(0));
        }
        self.budget.pay_function()?;
        let natural = |number: &Number| {
            let value = reals::take(reals::context().ln(real(number).repr(), None))?;
            Ok::<DBig, CalculatorError>(reals::without_noise(value, 0))
        };
        let top = natural(number)?;
        let Some(base) = base else { return Ok(Number::Inexact(top)) };
        if is_negative(base) || is_zero(base) {
            return Err(reals::domain());
        }
        self.budget.pay_function()?;
        let bottom = natural(base)?;
        if reals::is_zero(&bottom) {
            return Err(wrong("division by zero"));
        }
        let quotient = reals::divide(&top, &bottom)?;
        // A logarithm that is whole is exact: the power is the number itself.
        if let (Number::Exact(number), Number::Exact(base), Some(whole)) = (number, base, reals::as_whole(&quotient))
            && exact::power(base, &whole).as_ref() == Some(number)
        {
            return Ok(Number::whole(whole));
        }
        Ok(Number::Inexact(quotient))
    }

    fn trigonometric(&mut self, name: &str, number: &Number) -> Result<Number, CalculatorError> {
        self.budget.pay_function()?;
        let context = reals::context();
        let value = real(number);
        let one = DBig::from(1u8);
        if matches!(name, "asin" | "acos") && reals::less(&one, &value.clone().abs()) {
            return Err(reals::domain());
        }
        let result = match name {
            "sin" => reals::of_angle(&value, |x| context.sin(x.repr(), None)),
            "cos" => reals::of_angle(&value, |x| context.cos(x.repr(), None)),
            "tan" => reals::of_angle(&value, |x| context.tan(x.repr(), None)),
            "asin" => reals::take(context.asin(value.repr(), None)),
            "acos" => reals::take(context.acos(value.repr(), None)),
            _ => reals::take(context.atan(value.repr(), None)),
        };
        result.map(Number::Inexact)
    }

    fn lcm(&mut self, numbers: &[Number]) -> Result<Number, CalculatorError> {
        let mut result = Number::whole(1);
        for number in numbers {
            let shared = gcd("lcm", &[result.clone(), number.clone()])?;
            if is_zero(number) {
                return Ok(Number::whole(0));
            }
            let product = self.multiply(&result, number)?;
            let multiple = self.floor_divide(&product, &shared)?;
            result = if is_negative(&multiple) { negate(multiple) } else { multiple };
        }
        Ok(result)
    }

    fn scale(&mut self, number: &Number, half_turn: u32, turn: Turn) -> Result<Number, CalculatorError> {
        let (pi, half_turn) = (self.constant("pi")?, Number::whole(half_turn));
        match turn {
            Turn::ToDegrees => {
                let product = self.multiply(number, &half_turn)?;
                self.divide(&product, &pi)
            }
            Turn::ToRadians => {
                let product = self.multiply(number, &pi)?;
                self.divide(&product, &half_turn)
            }
        }
    }

    fn factorial(&mut self, number: &Number) -> Result<Number, CalculatorError> {
        let Some(whole) = as_whole(number).filter(|whole| !whole.is_negative()) else {
            return Err(wrong("factorial needs a whole number that is not negative"));
        };
        let Some(whole) = u32::try_from(whole).ok().filter(|&whole| whole <= MAX_FACTORIAL) else {
            return Err(too_large());
        };
        self.budget.pay(64 * whole as usize, 64 * 64)?;
        let product = (2..=whole).fold(UBig::ONE, |product, factor| product * UBig::from(factor));
        Ok(Number::whole(product))
    }
}

enum Turn {
    ToDegrees,
    ToRadians,
}

pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Says whether a name is one of a function or a constant.
pub(super) fn is_known(name: &str) -> bool {
    matches!(name, "π" | "τ") || is_function(name) || CONSTANTS.contains(&name)
}

fn unknown(name: &str) -> CalculatorError {
    let shown: String = name.chars().take(100).collect();
    if is_function(name) {
        return CalculatorError::Unknown(format!("{shown} (a function, written {shown}(x))"));
    }
    if CONSTANTS.contains(&name) {
        return CalculatorError::Unknown(format!("{shown} (a number, written without brackets)"));
    }
    match near(&shown, FUNCTIONS.into_iter().chain(CONSTANTS), 1).first() {
        Some(near) => CalculatorError::Unknown(format!("{shown} (did you mean {near}?)")),
        None => CalculatorError::Unknown(shown),
    }
}

fn extreme(name: &str, values: Vec<Value>, wanted: Ordering) -> Result<Number, CalculatorError> {
    let numbers = values.into_iter().flat_map(|value| match value {
        Value::Number(number) => vec![number],
        Value::List(numbers) => numbers,
    });
    let best = numbers.reduce(|best, next| if compare(&next, &best) == wanted { next } else { best });
    best.ok_or_else(|| wrong(&format!("{name} needs at least one number")))
}

fn gcd(name: &str, numbers: &[Number]) -> Result<Number, CalculatorError> {
    let mut result = IBig::ZERO;
    for number in numbers {
        let whole = as_whole(number).ok_or_else(|| wrong(&format!("{name} needs whole numbers")))?;
        result = match (result == IBig::ZERO, whole == IBig::ZERO) {
            (true, _) => whole.abs(),
            (false, true) => result,
            (false, false) => IBig::from(result.gcd(&whole)),
        };
    }
    Ok(Number::whole(result))
}
