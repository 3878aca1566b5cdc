//! Python as the oracle: 5,000 random expressions against its fractions, 2,000 with functions against mpmath, 500 instants
//! against its time zones, of the same seed every time.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use aish_testkit::skip;
use aish_tools::builtin::calculator::calculate;
use aish_tools::builtin::{Builtins, Ports};
use aish_tools::{Clock, Executor, Registry};
use serde_json::json;

use crate::door::{door, through};

const SCRIPT: &str = r#"
import math, random
from fractions import Fraction
random.seed(20260101)

def number():
    if random.random() < 0.5:
        text = str(random.randint(0, 999))
    else:
        text = f"{random.randint(0, 99)}.{random.randint(0, 9999):04d}"
    return text, Fraction(text)

def expression(depth):
    if depth == 0 or random.random() < 0.15:
        return number()
    (a, x), (b, y) = expression(depth - 1), expression(depth - 1)
    kind = random.choice(["+", "-", "*", "/", "//", "%", "neg", "abs", "min", "max", "round", "pow", "sum", "percent"])
    if kind in "+-":
        return f"({a} {kind} {b})", x + y if kind == "+" else x - y
    if kind == "*":
        return f"({a} * {b})", x * y
    if kind in ("/", "//", "%"):
        if y == 0:
            return a, x
        return f"({a} {kind} {b})", {"/": lambda: x / y, "//": lambda: Fraction(x // y), "%": lambda: x % y}[kind]()
    if kind == "neg":
        return f"(-{a})", -x
    if kind == "abs":
        return f"abs({a})", abs(x)
    if kind in ("min", "max"):
        return f"{kind}({a}, {b})", min(x, y) if kind == "min" else max(x, y)
    if kind == "round":
        return f"round({a}, 2)", Fraction(round(x, 2))
    if kind == "pow":
        n = random.randint(0, 3)
        return f"({a} ** {n})", x ** n
    if kind == "sum":
        return f"sum([{a}, {b}])", x + y
    return f"({a}%)", x / 100

def text(value):
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value * 10 ** 15
    if scaled.denominator == 1:
        places = next(n for n in range(1, 16) if (value * 10 ** n).denominator == 1)
        digits = str(abs((value * 10 ** places).numerator))
        if len(digits) <= 15:
            digits = digits.rjust(places + 1, "0")
            return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]
    return "%.6g" % float(value)

for _ in range(5000):
    words, value = expression(4)
    print(words, text(value), sep="\t")
"#;

/// Every function with an inexact result, on arguments inside its domain, nested and mixed with plain arithmetic.
const FUNCTIONS: &str = r#"
import random
from decimal import Decimal
from mpmath import mp, mpf
import mpmath
mp.dps = 60
random.seed(20260102)

def number(low, high):
    text = f"{random.uniform(low, high):.3f}"
    return text, mpf(text)

def expression(depth):
    """Returns a text and its value, of a size that can be told from 0 and is no larger than about 1e6."""
    if depth == 0:
        return number(0.1, 50)
    (a, x), (b, y) = expression(depth - 1), expression(depth - 1)
    kind = random.choice(["sqrt", "sin", "cos", "tan", "log", "log10", "log base", "pow", "pi", "e", "+", "*", "/", "abs"])
    positive = x > mpf("0.01")
    if kind == "sqrt" and positive:
        return f"sqrt({a})", mpmath.sqrt(x)
    if kind in ("sin", "cos", "tan"):
        return f"{kind}({a})", getattr(mpmath, kind)(x)
    if kind == "log" and positive:
        return f"log({a})", mpmath.log(x)
    if kind == "log10" and positive:
        return f"log10({a})", mpmath.log10(x)
    if kind == "log base" and positive and y > mpf("1.1"):
        return f"log({a}, {b})", mpmath.log(x, y)
    if kind == "pow" and positive and x < 100:
        whole, (power, value) = random.randint(-3, 2), number(0.1, 0.9)
        return f"({a} ** ({whole} + {power}))", x ** (whole + value)
    if kind == "pi":
        return f"({a} * pi)", x * mp.pi
    if kind == "e":
        return f"({a} + e)", x + mp.e
    if kind == "*" and abs(x) < 1000 and abs(y) < 1000:
        return f"({a} * {b})", x * y
    if kind == "/" and abs(y) > mpf("0.01"):
        return f"({a} / {b})", x / y
    if kind == "abs":
        return f"abs({a})", abs(x)
    return f"({a} + {b})", x + y

made = 0
while made < 2000:
    words, value = expression(random.randint(1, 3))
    if not any(name in words for name in ("sqrt", "sin", "cos", "tan", "log", "**", "pi", "e")) or abs(value) < mpf("1e-4"):
        continue
    made += 1
    print(words, format(Decimal(mpmath.nstr(value, 40, min_fixed=-50, max_fixed=50)), ".6g"), sep="\t")
"#;

/// Runs a script that prints an expression, a tabulator and the result a line, and compares.
fn compare(python: &str, script: &str, count: usize) {
    let output = Command::new(python).args(["-c", script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut differing = Vec::new();
    for line in text.lines() {
        let (expression, expected) = line.split_once('\t').unwrap();
        let result = calculate(expression).unwrap_or_else(|error| error.to_string());
        if !same(&result, expected) {
            differing.push(format!("{expression}: {result}, not {expected}"));
        }
    }
    assert_eq!(text.lines().count(), count);
    assert!(differing.is_empty(), "{} differ, such as {:#?}", differing.len(), &differing[..differing.len().min(5)]);
}

/// The same text, or the same number written in another way (`1.5e+06`, `1500000`).
fn same(result: &str, expected: &str) -> bool {
    result == expected
        || matches!((result.parse::<f64>(), expected.parse::<f64>()), (Ok(a), Ok(b)) if a.to_bits() == b.to_bits())
}

#[test]
fn agrees_with_pythons_fractions() {
    if Command::new("python3").arg("-V").output().is_err() {
        eprintln!("skipped: needs python3");
        return;
    }
    compare("python3", SCRIPT, 5_000);
}

#[test]
fn agrees_with_mpmath() {
    let python = std::env::var("AISH_TEST_PYTHON").unwrap_or_default();
    if python.is_empty() {
        skip("agrees_with_mpmath", "AISH_TEST_PYTHON is not set; ./test sets it");
        return;
    }
    compare(&python, FUNCTIONS, 2_000);
}

const ZONES: &str = r#"
import random
from datetime import datetime, timezone
from zoneinfo import ZoneInfo
random.seed(7)
names = ["America/New_York", "Europe/Berlin", "Europe/London", "Asia/Tokyo", "Australia/Lord_Howe", "America/Sao_Paulo",
         "Asia/Kathmandu", "Africa/Casablanca", "Pacific/Apia", "America/St_Johns", "Asia/Tehran", "UTC"]
for _ in range(500):
    name = random.choice(names)
    zone = ZoneInfo(name)
    at = random.randint(0, 2_000_000_000)
    # Half of the instants lie within a minute of a change of the offset, where there is one in the year after.
    if random.random() < 0.5:
        low, high = at, at + 366 * 86400
        offset = lambda t: datetime.fromtimestamp(t, zone).utcoffset()
        while low < high - 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(middle) == offset(low) else (low, middle)
        at = high + random.randint(-60, 60)
    now = datetime.fromtimestamp(at, zone)
    print(at, name, now.strftime("%A, %B %d, %Y at %I:%M %p %Z"), now.strftime("%Y-%m-%d"),
          now.strftime("%H:%M:%S %Z"), now.isoformat(), sep="\t")
"#;

/// A clock that stands at one second.
struct At(u64);

impl Clock for At {
    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn since_epoch(&self) -> Duration {
        Duration::from_secs(self.0)
    }
}

#[tokio::test]
async fn agrees_with_pythons_zoneinfo() {
    let output = Command::new("python3").env("LC_ALL", "C").args(["-c", ZONES]).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: needs python3 with a time zone database");
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 500);
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let registry = Arc::new(Registry::default());
        let ports = Ports { clock: Arc::new(At(fields[0].parse().unwrap())), ..Ports::default() };
        registry.add(Arc::new(Builtins::all(&ports)));
        let executor = door(Executor::new(registry));
        for (format, expected) in ["full", "date", "time", "iso"].iter().zip(&fields[2..]) {
            let arguments = json!({"timezone": fields[1], "format": format}).to_string();
            assert_eq!(through(&executor, "get_time", &arguments, "me").await.text, *expected, "{line}");
        }
    }
}
