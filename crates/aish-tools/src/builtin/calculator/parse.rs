//! The grammar, as in Python: `+ -`, then `* / // %`, then signs, then `**` (right to left), calls, lists, numbers.
//!
//! Beside Python: `^` is a power, `×`, `÷`, `√` and `²` are operators, `5!` is a factorial, `mod` a remainder, and `15%`
//! with no operand after it is a percentage; where the `%` does not stand apart it is one too in `20%+5`, `20% - 5` and
//! `20%-5%`, but not in `20%-5`.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use winnow::ascii::multispace0;
use winnow::combinator::{alt, delimited, opt, peek, preceded, repeat, separated, terminated};
use winnow::error::{ContextError, ErrMode};
use winnow::prelude::*;
use winnow::stream::Stateful;
use winnow::token::{any, one_of, take_while};

use crate::builtin::calculator::CalculatorError;
use crate::builtin::calculator::hint;
use crate::builtin::calculator::limits::{MAX_BITS, MAX_CHARS, MAX_DEPTH};
use crate::builtin::calculator::tree::{ProductOperator, SumOperator, Tree};

/// How deep the parser is, and what it found out of bounds.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    depth: usize,
    out_of_bounds: Option<&'static str>,
}

type Input<'a> = Stateful<&'a str, State>;

/// Parses a whole expression.
pub(super) fn parse(expression: &str) -> Result<Tree, CalculatorError> {
    if expression.len() > MAX_CHARS {
        return Err(CalculatorError::Invalid(format!("it is longer than {MAX_CHARS} characters")));
    }
    let plain: String = expression.chars().map(plain).collect();
    let mut input = Input { input: plain.as_str(), state: State::default() };
    let result = terminated(sum, multispace0).parse_next(&mut input);
    if let Some(why) = input.state.out_of_bounds {
        return Err(CalculatorError::Invalid(why.into()));
    }
    match result {
        Ok(tree) if input.input.is_empty() => Ok(tree),
        _ => {
            let rest = input.input.trim_start();
            let at = plain.chars().count().saturating_sub(rest.chars().count()) + 1;
            let shown: String = expression.trim().chars().take(200).collect();
            let hint = hint::hint(&plain, rest, result.ok().as_ref());
            Err(CalculatorError::Invalid(format!("{} (at character {at}{hint})", aish_types::visible(&shown))))
        }
    }
}

/// Writes a character as the grammar has it: one for one, so that places stay what they are.
fn plain(c: char) -> char {
    match c {
        '×' | '·' | '∙' | '⋅' | '∗' => '*',
        '÷' | '∕' | '⁄' => '/',
        '−' | '–' | '‐' | '‑' => '-',
        // The wide forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => u32::from(c).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(c),
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

/// Parses one level deeper, or fails for good.
fn deeper<'a, O>(
    mut parser: impl ModalParser<Input<'a>, O, ContextError>,
) -> impl ModalParser<Input<'a>, O, ContextError> {
    move |input: &mut Input<'a>| {
        input.state.depth += 1;
        if input.state.depth > MAX_DEPTH {
            return fail_for_good(input, "it is nested too deeply");
        }
        let result = parser.parse_next(input);
        input.state.depth -= 1;
        result
    }
}

fn fail_for_good<T>(input: &mut Input<'_>, why: &'static str) -> ModalResult<T> {
    input.state.out_of_bounds = Some(why);
    Err(ErrMode::Cut(ContextError::new()))
}

fn sum(input: &mut Input<'_>) -> ModalResult<Tree> {
    let first = product.parse_next(input)?;
    let operator = preceded(
        multispace0,
        one_of(['+', '-']).map(|sign| if sign == '+' { SumOperator::Plus } else { SumOperator::Minus }),
    );
    let rest: Vec<_> = repeat(0.., (operator, product)).parse_next(input)?;
    Ok(if rest.is_empty() { first } else { Tree::Sum(Box::new(first), rest) })
}

fn product(input: &mut Input<'_>) -> ModalResult<Tree> {
    let first = factor.parse_next(input)?;
    let rest: Vec<_> = repeat(0.., (product_operator, factor)).parse_next(input)?;
    Ok(if rest.is_empty() { first } else { Tree::Product(Box::new(first), rest) })
}

fn product_operator(input: &mut Input<'_>) -> ModalResult<ProductOperator> {
    let end_of_word = || peek(one_of(|c: char| c.is_whitespace() || c == '('));
    let of = (word("of"), end_of_word()).value(ProductOperator::Times);
    let modulo = (word("mod"), end_of_word()).value(ProductOperator::Remainder);
    preceded(
        multispace0,
        alt((
            "//".value(ProductOperator::FloorDivide),
            terminated('*', winnow::combinator::not('*')).value(ProductOperator::Times),
            '/'.value(ProductOperator::Divide),
            '%'.value(ProductOperator::Remainder),
            of,
            modulo,
        )),
    )
    .parse_next(input)
}

fn word<'a>(word: &'static str) -> impl ModalParser<Input<'a>, &'a str, ContextError> {
    word
}

/// A signed power, with the percent signs after it.
fn factor(input: &mut Input<'_>) -> ModalResult<Tree> {
    let mut tree = signed.parse_next(input)?;
    while opt(percent).parse_next(input)?.is_some() {
        tree = Tree::Percent(Box::new(tree));
        input.state.depth += 1;
        if input.state.depth > MAX_DEPTH {
            return fail_for_good(input, "it is nested too deeply");
        }
    }
    Ok(tree)
}

/// A `%` after which no operand comes.
fn percent(input: &mut Input<'_>) -> ModalResult<()> {
    let blank_before = multispace0.parse_next(input)?;
    '%'.parse_next(input)?;
    let after = input.input;
    let next = after.trim_start();
    let mut chars = next.chars();
    let is_operand = match chars.next() {
        // Nobody divides by `+5`, and what is added to or taken off a percentage is often one too.
        Some(sign @ ('+' | '-')) => {
            let stands_apart = chars.as_str().starts_with(char::is_whitespace) && after.len() != next.len();
            let is_sum = sign == '+' || stands_apart || is_percentage(chars.as_str());
            !(blank_before.is_empty() && is_sum)
        }
        Some('o') => !next.strip_prefix("of").is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric())),
        Some(c) => c.is_alphanumeric() || matches!(c, '.' | '_' | '(' | '['),
        None => false,
    };
    if is_operand { Err(ErrMode::Backtrack(ContextError::new())) } else { Ok(()) }
}

/// Says whether a text begins with a number that a `%` without an operand follows.
fn is_percentage(text: &str) -> bool {
    let rest = text.trim_start();
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_'));
    let after = behind.trim_start().strip_prefix('%').map(str::trim_start);
    behind.len() < rest.len()
        && after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '('))
}

fn signed(input: &mut Input<'_>) -> ModalResult<Tree> {
    let sign = preceded(multispace0, opt(one_of(['+', '-']))).parse_next(input)?;
    match sign {
        Some('-') => deeper(signed).map(|tree| Tree::Negate(Box::new(tree))).parse_next(input),
        Some(_) => deeper(signed).parse_next(input),
        None => power.parse_next(input),
    }
}

fn power(input: &mut Input<'_>) -> ModalResult<Tree> {
    let base = marked.parse_next(input)?;
    let operator = preceded(multispace0, alt(("**", "^")));
    let exponent = opt(preceded(operator, deeper(signed))).parse_next(input)?;
    Ok(match exponent {
        Some(exponent) => Tree::Power(Box::new(base), Box::new(exponent)),
        None => base,
    })
}

/// An atom with a `!` or a raised number after it.
fn marked(input: &mut Input<'_>) -> ModalResult<Tree> {
    let tree = atom.parse_next(input)?;
    // `3!!` is another function, and `!=` none at all.
    let factorial = (multispace0, '!', winnow::combinator::not(one_of(['!', '='])));
    if opt(factorial).parse_next(input)?.is_some() {
        return Ok(Tree::Call("factorial".into(), vec![tree]));
    }
    let raised = take_while(1.., |c: char| RAISED.contains(c));
    let Some(raised) = opt(raised).parse_next(input)? else { return Ok(tree) };
    let digits: String =
        raised.chars().filter_map(|c| RAISED.chars().position(|known| known == c)).map(|n| n.to_string()).collect();
    let exponent = whole(input, &digits, 10)?;
    Ok(Tree::Power(Box::new(tree), Box::new(Tree::Number(RBig::from(IBig::from(exponent))))))
}

/// Raised digits, each at the place of its value.
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";

fn atom(input: &mut Input<'_>) -> ModalResult<Tree> {
    let root = preceded('√', deeper(atom)).map(|tree| Tree::Call("sqrt".into(), vec![tree]));
    preceded(multispace0, alt((number, name_or_call, deeper(parentheses), deeper(list), root))).parse_next(input)
}

/// Parentheses round one expression, or round several: a list.
fn parentheses(input: &mut Input<'_>) -> ModalResult<Tree> {
    let (mut items, comma) = delimited('(', items, (multispace0, ')')).parse_next(input)?;
    match (items.pop(), comma) {
        (Some(only), false) if items.is_empty() => Ok(only),
        (Some(last), _) => {
            items.push(last);
            Ok(Tree::List(items))
        }
        (None, _) => Err(ErrMode::Backtrack(ContextError::new())),
    }
}

fn list(input: &mut Input<'_>) -> ModalResult<Tree> {
    delimited('[', items, (multispace0, ']')).map(|(items, _)| Tree::List(items)).parse_next(input)
}

/// Expressions with commas between them, and whether a last comma follows.
fn items(input: &mut Input<'_>) -> ModalResult<(Vec<Tree>, bool)> {
    let comma = || preceded(multispace0, ',');
    (separated(0.., sum, comma()), opt(comma()).map(|comma| comma.is_some())).parse_next(input)
}

fn name_or_call(input: &mut Input<'_>) -> ModalResult<Tree> {
    let start = one_of(|c: char| c.is_alphabetic() || c == '_');
    let rest = take_while(0.., |c: char| (c.is_alphanumeric() && !RAISED.contains(c)) || c == '_');
    let name = (start, rest).take().map(str::to_lowercase).parse_next(input)?;
    let arguments = preceded(multispace0, delimited('(', items, (multispace0, ')')));
    Ok(match opt(deeper(arguments)).parse_next(input)? {
        Some((arguments, _)) => Tree::Call(name, arguments),
        None => Tree::Name(name),
    })
}

fn number(input: &mut Input<'_>) -> ModalResult<Tree> {
    alt((based, decimal)).parse_next(input)
}

fn digits<'a>(radix: u32) -> impl ModalParser<Input<'a>, String, ContextError> {
    (one_of(move |c: char| c.is_digit(radix)), take_while(0.., move |c: char| c.is_digit(radix) || c == '_'))
        .take()
        .map(|text: &str| text.replace('_', ""))
}

/// `0x1f`, `0b101`, `0o17`.
fn based(input: &mut Input<'_>) -> ModalResult<Tree> {
    '0'.parse_next(input)?;
    let mut radix = any.verify_map(|c: char| match c {
        'x' | 'X' => Some(16),
        'o' | 'O' => Some(8),
        'b' | 'B' => Some(2),
        _ => None,
    });
    let radix = radix.parse_next(input)?;
    let text = digits(radix).parse_next(input)?;
    whole(input, &text, radix).map(|whole| Tree::Number(RBig::from(IBig::from(whole))))
}

/// `12`, `1_000`, `1.5`, `.5`, `5.`, `1e-3`.
fn decimal(input: &mut Input<'_>) -> ModalResult<Tree> {
    let (left, point, right): (Option<String>, Option<char>, Option<String>) =
        (opt(digits(10)), opt('.'), opt(digits(10))).parse_next(input)?;
    if left.is_none() && (point.is_none() || right.is_none()) {
        return Err(ErrMode::Backtrack(ContextError::new()));
    }
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digits(10));
    let exponent = opt(exponent).parse_next(input)?;
    let places = right.as_ref().map_or(0, String::len);
    let text = format!("{}{}", left.unwrap_or_default(), right.unwrap_or_default());
    let whole = whole(input, &text, 10)?;
    let mut scale = -i64::try_from(places).unwrap_or(i64::MAX);
    if let Some((_, sign, size)) = exponent {
        let size: i64 = size.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        scale += if sign == Some('-') { -size } else { size };
    }
    if whole.is_zero() {
        return Ok(Tree::Number(RBig::ZERO));
    }
    let Some(power) = usize::try_from(scale.unsigned_abs()).ok().filter(|&power| power < MAX_BITS / 4) else {
        return fail_for_good(input, "it has a number that is too large or too small");
    };
    let power = UBig::from(10u8).pow(power);
    Ok(Tree::Number(if scale < 0 {
        RBig::from_parts(IBig::from(whole), power)
    } else {
        RBig::from(IBig::from(whole * power))
    }))
}

fn whole(input: &mut Input<'_>, text: &str, radix: u32) -> ModalResult<UBig> {
    match UBig::from_str_radix(text, radix) {
        Ok(whole) => Ok(whole),
        Err(_) => fail_for_good(input, "it has a number that cannot be read"),
    }
}
