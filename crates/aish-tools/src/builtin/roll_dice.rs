//! `roll_dice`: `[N]dS[khN|klN][+M|-M]`, `d%`.

use std::sync::Arc;

use aish_types::{BoxFuture, CallContext, ToolDefinition, ToolOutcome};
use serde_json::{Value, json};
use winnow::combinator::{alt, eof, opt, preceded, terminated};
use winnow::prelude::*;
use winnow::token::{one_of, take_while};

use crate::builtin::{Builtin, definition};
use crate::parameter::{Parameter, ParameterKind};
use crate::random::Random;

const MAX_DICE: u64 = 100;
const MAX_SIDES: u64 = 1_000;
const MAX_MODIFIER: u64 = 1_000_000_000;

/// Which dice count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    Highest(u64),
    Lowest(u64),
}

/// A parsed notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dice {
    count: u64,
    sides: u64,
    keep: Option<Keep>,
    modifier: i64,
}

/// The tool.
pub(crate) struct RollDice {
    pub(crate) random: Arc<dyn Random>,
}

impl Builtin for RollDice {
    fn definition(&self) -> ToolDefinition {
        let parameters = [Parameter::required("notation", ParameterKind::String)
            .describe("Dice notation (e.g., '2d6', '1d20+5', 'd%', '3d6kh2' for keep highest 2)")];
        ToolDefinition {
            category: "fun".into(),
            examples: vec!["roll two dice".into(), "flip a d20".into()],
            tags: ["dice", "random", "game"].map(String::from).into(),
            ..definition(
                "roll_dice",
                "Roll dice using standard notation (e.g., '2d6', '1d20+5', '4d6kh3').",
                &parameters,
            )
        }
    }

    fn call<'a>(&'a self, arguments: &'a Value, _context: &'a CallContext) -> BoxFuture<'a, ToolOutcome> {
        let notation = arguments.get("notation").and_then(Value::as_str).unwrap_or_default();
        let outcome = roll(notation, &*self.random).unwrap_or_else(|error| ToolOutcome::failure(error.to_string()));
        Box::pin(std::future::ready(outcome))
    }
}

/// A notation that cannot be rolled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// There is none.
    #[error("No dice notation provided")]
    Empty,
    /// It is none; with what of it is wrong.
    #[error("Invalid dice notation: {0}")]
    Invalid(String),
    /// It has more dice than are rolled.
    #[error("Too many dice (max {MAX_DICE})")]
    Dice,
    /// Its dice have more sides than dice have here.
    #[error("Too many sides (max {MAX_SIDES})")]
    Sides,
}

/// Rolls the dice of a notation; the text says what fell, the structured result has the numbers.
///
/// # Errors
/// What is wrong with the notation.
pub fn roll(notation: &str, random: &dyn Random) -> Result<ToolOutcome, NotationError> {
    let notation = tight(notation);
    if notation.is_empty() {
        return Err(NotationError::Empty);
    }
    let dice = parse(&notation)?;
    let sides = u32::try_from(dice.sides).unwrap_or(1);
    let rolls: Vec<i64> = (0..dice.count).map(|_| i64::from(random.below(sides)) + 1).collect();
    let mut kept = rolls.clone();
    match dice.keep {
        Some(Keep::Highest(count)) => {
            kept.sort_unstable_by(|a, b| b.cmp(a));
            kept.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        }
        Some(Keep::Lowest(count)) => {
            kept.sort_unstable();
            kept.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        }
        None => {}
    }
    let total = kept.iter().sum::<i64>() + dice.modifier;
    let list = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let mut text = format!("Rolled {notation}: ");
    if rolls.len() > 1 {
        text.push_str(&format!("[{}]", list(&rolls)));
        if dice.keep.is_some() {
            text.push_str(&format!(" → kept [{}]", list(&kept)));
        }
        if dice.modifier != 0 {
            text.push_str(&format!(" {:+}", dice.modifier));
        }
        text.push_str(" = ");
    }
    text.push_str(&format!("**{total}**"));
    let structured = json!({"rolls": rolls, "kept": kept, "modifier": dice.modifier, "total": total});
    Ok(ToolOutcome { structured: Some(structured), ..ToolOutcome::success(text) })
}

/// Writes a notation in small letters and without the blanks round a sign; a blank elsewhere is a fault of its own.
fn tight(notation: &str) -> String {
    let pieces = notation.trim().split_inclusive(['+', '-']);
    let tight = pieces.map(|piece| match piece.strip_suffix(['+', '-']) {
        Some(before) => format!("{}{}", before.trim(), piece.get(before.len()..).unwrap_or_default()),
        None => piece.trim().to_owned(),
    });
    tight.collect::<String>().to_lowercase()
}

fn parse(notation: &str) -> Result<Dice, NotationError> {
    let shown: String = aish_types::visible(notation).chars().take(64).collect();
    let invalid = |why: &str| NotationError::Invalid(format!("{shown}{why}"));
    let dice = parse_dice.parse(notation).map_err(|_| invalid(""))?;
    if dice.count > MAX_DICE {
        return Err(NotationError::Dice);
    }
    if dice.sides > MAX_SIDES {
        return Err(NotationError::Sides);
    }
    if dice.count == 0 {
        return Err(invalid(" (at least 1 die)"));
    }
    if dice.sides < 2 {
        return Err(invalid(" (at least 2 sides)"));
    }
    if let Some(Keep::Highest(keep) | Keep::Lowest(keep)) = dice.keep
        && !(1..=dice.count).contains(&keep)
    {
        return Err(invalid(&format!(" (keep 1 to {})", dice.count)));
    }
    if dice.modifier.unsigned_abs() > MAX_MODIFIER {
        return Err(invalid(&format!(" (a modifier of at most {MAX_MODIFIER})")));
    }
    Ok(dice)
}

fn parse_dice(input: &mut &str) -> ModalResult<Dice> {
    let count = opt(number).map(|count| count.unwrap_or(1));
    let sides = preceded('d', alt(('%'.value(100), number)));
    let keep = alt((preceded("kh", number).map(Keep::Highest), preceded("kl", number).map(Keep::Lowest)));
    let modifier = (one_of(['+', '-']), number).map(|(sign, size)| {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        if sign == '-' { -size } else { size }
    });
    let modifier = opt(modifier).map(|modifier| modifier.unwrap_or(0));
    terminated((count, sides, opt(keep), modifier), eof)
        .map(|(count, sides, keep, modifier)| Dice { count, sides, keep, modifier })
        .parse_next(input)
}

/// A whole number; one that is too long for a machine word is as large as that.
fn number(input: &mut &str) -> ModalResult<u64> {
    take_while(1.., |c: char| c.is_ascii_digit()).map(|text: &str| text.parse().unwrap_or(u64::MAX)).parse_next(input)
}
