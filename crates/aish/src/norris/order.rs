//! What a run is told to do: the goal, the limits, and what was agreed to beforehand.

use aish_safety::Consent;
use aish_turn::Limits;
use aish_types::Money;

use crate::arguments::NorrisFlags;
use crate::config::section::Norris;
use crate::failure::Failure;

/// An order for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The goal, in the person's words.
    pub goal: String,
    /// Its limits.
    pub limits: Limits,
    /// Whether it may act or only read.
    pub consent: Consent,
    /// Whether there is a person who can be asked.
    pub person: bool,
}

impl Order {
    /// Makes an order from the configuration; flags win.
    pub fn new(goal: impl Into<String>, config: &Norris, flags: &NorrisFlags) -> Self {
        let limits = Limits {
            steps: flags.max_steps.unwrap_or(config.max_steps),
            tool_calls: flags.max_tool_calls.unwrap_or(config.max_tool_calls),
            tokens: flags.max_tokens.unwrap_or(config.max_tokens),
            money: Money::from_dollars(flags.max_dollars.unwrap_or(config.max_dollars)),
            millis: millis(flags.max_minutes.unwrap_or(config.max_minutes)),
        };
        let consent = if flags.yes_read_only || config.read_only { Consent::Reads } else { Consent::Acts };
        Self { goal: goal.into(), limits, consent, person: false }
    }

    /// Says that there is a person who can be asked.
    #[must_use]
    pub fn watched(mut self) -> Self {
        self.person = true;
        self
    }

    /// Takes flags off the front of a line: `:norris --max-steps 3 tidy up`. The rest is the goal, letter for letter.
    ///
    /// # Errors
    /// When a flag is unknown or its value is no number.
    pub fn parse(line: &str, config: &Norris) -> Result<Self, Failure> {
        let mut flags = NorrisFlags::default();
        let mut rest = line.trim();
        while rest.starts_with("--") {
            let (flag, after) = word(rest);
            rest = after;
            if flag == "--" {
                break;
            }
            if flag == "--yes-read-only" {
                flags.yes_read_only = true;
                continue;
            }
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, value),
                None => {
                    let (value, after) = word(rest);
                    rest = after;
                    (flag, value)
                }
            };
            let wrong = || Failure::user(format!("{name} takes a number, not {value:?}"));
            match name {
                "--max-steps" => flags.max_steps = Some(value.parse().map_err(|_| wrong())?),
                "--max-tool-calls" => flags.max_tool_calls = Some(value.parse().map_err(|_| wrong())?),
                "--max-tokens" => flags.max_tokens = Some(value.parse().map_err(|_| wrong())?),
                "--max-dollars" => flags.max_dollars = Some(amount(value).map_err(Failure::user)?),
                "--max-minutes" => flags.max_minutes = Some(amount(value).map_err(Failure::user)?),
                other => {
                    return Err(Failure::user(format!("there is no {other}")).hint(
                        "--max-steps, --max-tool-calls, --max-tokens, --max-dollars, --max-minutes and --yes-read-only \
                         stand before the goal",
                    ));
                }
            }
        }
        if rest.is_empty() {
            return Err(Failure::user("a goal is missing: `:norris GOAL`"));
        }
        Ok(Self::new(rest, config, &flags))
    }
}

/// Reads an amount of dollars or minutes: a number from zero.
///
/// # Errors
/// In words, when it is none.
pub fn amount(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(amount) if amount.is_finite() && amount >= 0.0 => Ok(amount),
        _ => Err(format!("{text:?} is no number from zero")),
    }
}

fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

fn millis(minutes: f64) -> u64 {
    if minutes.is_finite() && minutes > 0.0 { (minutes * 60_000.0) as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_before_the_goal() {
        let config = Norris::default();
        let order = Order::parse("--max-steps 3 --max-dollars=0.5 don't touch \"x\" --max-steps", &config).unwrap();
        assert_eq!(order.goal, "don't touch \"x\" --max-steps");
        assert_eq!((order.limits.steps, order.limits.money), (3, Money::from_dollars(0.5)));
        assert_eq!((order.limits.tool_calls, order.consent), (50, Consent::Acts));
        assert_eq!(Order::parse("--yes-read-only look", &config).unwrap().consent, Consent::Reads);
        assert_eq!(Order::parse("-- --odd goal", &config).unwrap().goal, "--odd goal");
        assert_eq!(Order::parse("--max-minutes 0.5 x", &config).unwrap().limits.millis, 30_000);
        for line in
            ["", "--max-steps 3", "--max-steps x y", "--max-dollars -1 x", "--max-dollars nan x", "--nonsense x"]
        {
            assert!(Order::parse(line, &config).is_err(), "{line}");
        }
    }

    #[test]
    fn the_configuration_holds_where_no_flag_says_otherwise() {
        let config = Norris { max_steps: 7, read_only: true, ..Norris::default() };
        let order = Order::new("x", &config, &NorrisFlags::default());
        assert_eq!((order.limits.steps, order.consent), (7, Consent::Reads));
    }
}
