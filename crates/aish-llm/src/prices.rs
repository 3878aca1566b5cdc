//! What models cost: configured prices win, then the built-in data; what is unknown stays unknown.

mod data;

use aish_types::{Money, Usage};

use crate::abilities::Abilities;

/// What Anthropic charges for a prompt token that is kept for five minutes, in percent of any other
/// (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching>).
pub const ANTHROPIC_WRITE_PERCENT: u32 = 125;

/// The price of one model, each amount for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Prompt tokens.
    pub input: Money,
    /// Completion tokens.
    pub output: Money,
    /// Prompt tokens that were read from the server's cache; unset means the price of any other.
    pub cached: Option<Money>,
    /// What a prompt token costs that the server writes into its cache, in percent of any other; 100 for most.
    pub write_percent: u32,
    /// The price of requests with long prompts, where it differs.
    pub above: Option<LongPrompt>,
}

/// The price of a whole request whose prompt is long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongPrompt {
    /// The longest prompt in tokens that does not count as long.
    pub tokens: u64,
    /// Prompt tokens.
    pub input: Money,
    /// Completion tokens.
    pub output: Money,
    /// Prompt tokens from the cache; unset means the price of any other.
    pub cached: Option<Money>,
}

impl Price {
    /// Makes a price from dollars a million tokens.
    pub fn from_dollars(input: f64, output: f64, cached: Option<f64>) -> Self {
        Self {
            input: Money::from_dollars(input),
            output: Money::from_dollars(output),
            cached: cached.map(Money::from_dollars),
            write_percent: 100,
            above: None,
        }
    }

    /// Sets what writing into the server's cache costs, in percent of any other prompt token.
    #[must_use]
    pub fn with_write_percent(self, write_percent: u32) -> Self {
        Self { write_percent, ..self }
    }

    /// Returns the most that a call can cost: nothing from the cache, everything written into it, the longest answer.
    pub fn most(&self, prompt: u64, completion: u64) -> Money {
        let written = if self.write_percent > 100 { prompt } else { 0 };
        self.of(&Usage { prompt, completion, cached: 0, written, reasoning: 0, estimated: true })
    }

    /// Returns what a call cost.
    pub fn of(&self, usage: &Usage) -> Money {
        let (input, output, cached) = match &self.above {
            Some(long) if usage.prompt > long.tokens => (long.input, long.output, long.cached),
            Some(_) | None => (self.input, self.output, self.cached),
        };
        let from_cache = usage.cached.min(usage.prompt);
        let written = usage.written.min(usage.prompt.saturating_sub(from_cache));
        let plain = usage.prompt.saturating_sub(from_cache).saturating_sub(written);
        // Per cent of a million tokens' price: rounded up, as every price here.
        let write = Money::from_nanos(input.nanos().saturating_mul(self.write_percent.into()).div_ceil(100));
        input.times_tokens(plain)
            + write.times_tokens(written)
            + cached.unwrap_or(input).times_tokens(from_cache)
            + output.times_tokens(usage.completion)
    }
}

/// What is known of a model without asking its server, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownModel {
    /// What its tokens cost.
    pub price: Price,
    /// What it can do, where that is published.
    pub abilities: Abilities,
    /// When the price was read, `YYYY-MM-DD`.
    pub date: &'static str,
    /// Where it is published.
    pub source: &'static str,
}

/// Returns what the built-in data knows of a model; none when it is unknown, which is not the same as free.
///
/// OpenRouter's `:free` models are free and are known as that.
pub fn known(model: &str) -> Option<KnownModel> {
    data::find(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(model: &str, usage: &Usage) -> Option<Money> {
        known(model).map(|known| known.price.of(usage))
    }

    fn usage(prompt: u64, completion: u64, cached: u64) -> Usage {
        Usage { prompt, completion, cached, written: 0, reasoning: 0, estimated: false }
    }

    #[test]
    fn the_seeds_row_costs_what_it_says() {
        let cost = price("anthropic/claude-haiku-4.5", &usage(179, 8, 0)).unwrap();
        assert_eq!(cost.to_string(), "$0.000219");
    }

    #[test]
    fn cached_tokens_have_their_price() {
        let price = Price::from_dollars(2.0, 10.0, Some(0.5));
        assert_eq!(price.of(&usage(100, 10, 60)).nanos(), 40 * 2000 + 60 * 500 + 10 * 10_000);
        let price = Price::from_dollars(2.0, 10.0, None);
        assert_eq!(price.of(&usage(100, 0, 60)).nanos(), 100 * 2000);
        assert_eq!(price.of(&usage(10, 0, 60)).nanos(), 10 * 2000);
    }

    #[test]
    fn what_is_written_into_a_cache_has_its_price() {
        let price = known("claude-haiku-4-5").unwrap().price;
        let usage = Usage { written: 1_000_000, ..usage(1_500_000, 0, 500_000) };
        // $1 a million, a quarter more to write, a tenth to read.
        assert_eq!(price.of(&usage), Money::from_dollars(1.25 + 0.05));
        assert_eq!(price.most(1_000_000, 0), Money::from_dollars(1.25));
        let plain = Price::from_dollars(1.0, 1.0, None);
        assert_eq!(plain.of(&Usage { written: 7, ..self::usage(10, 0, 0) }), plain.most(10, 0));
    }

    #[test]
    fn long_prompts_have_their_price() {
        let known = known("gemini-2.5-pro").unwrap();
        assert_eq!(known.price.of(&usage(200_000, 0, 0)), Money::from_dollars(0.25));
        assert_eq!(known.price.of(&usage(400_000, 0, 0)), Money::from_dollars(1.0));
    }

    #[test]
    fn names_are_found_as_servers_spell_them() {
        for (name, same_as) in [
            ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
            ("openai/gpt-4o-mini", "gpt-4o-mini"),
            ("claude-haiku-4-5-20251001", "anthropic/claude-haiku-4.5"),
            ("models/gemini-2.5-flash", "google/gemini-2.5-flash"),
            ("GPT-4o", "gpt-4o"),
            ("deepseek/deepseek-v4-pro", "deepseek-v4-pro"),
        ] {
            let (one, two) = (known(name), known(same_as));
            assert!(one.as_ref().is_some_and(|known| known.abilities.context.is_some()), "{name}");
            assert_eq!(one, two, "{name}");
        }
        assert_ne!(known("gpt-4o-2024-05-13").unwrap().price, known("gpt-4o").unwrap().price);
        assert_eq!(price("x/y:free", &usage(1_000_000, 1, 0)), Some(Money::ZERO));
    }

    #[test]
    fn what_is_unknown_is_not_free() {
        for name in ["", "llama3.2", "gpt-4o-mini-of-mine", "qwen2.5-7b", "gpt", "scripted"] {
            assert_eq!(price(name, &usage(1000, 1000, 0)), None, "{name}");
        }
    }
}
