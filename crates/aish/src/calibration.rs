//! What the prompt tokens that servers report teach about our own counts.
//!
//! Two lessons. For the budget: with an exact tokenizer, what the model's template adds to each message; with bytes / 4,
//! by how much to scale. Reports that cannot be true of our prompt teach the budget nothing. For the cap: a report above
//! our count is believed whatever it is, since it is what is charged.

use aish_llm::TemplateOverhead;

/// A template adds no more than this to a message, in tokens; what is more is no template's.
const MOST_EACH: u64 = 24;
/// A template adds no more than this to the whole, in tokens.
const MOST_WHOLE: u64 = 64;
/// Nor more than this where it explains tools, beside twice their schemas.
const MOST_TOOLS: u64 = 512;
/// Prompts below this many counted tokens teach no scale: what surrounds them weighs too much.
const ENOUGH: u64 = 256;
/// The scales that are believed, in percent of bytes / 4.
const SCALES: std::ops::RangeInclusive<u64> = 60..=300;

/// What one request was counted as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedPrompt {
    /// Messages that were sent.
    pub messages: u64,
    /// Their tokens as counted, before any lesson: system message and tool schemas included.
    pub counted: u64,
    /// Tokens of the tool schemas among them.
    pub schemas: u64,
    /// What the prompt was estimated at, lessons included.
    pub estimate: u64,
    /// The tokenizer.
    pub tokenizer: String,
}

/// What was learned about one model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    /// What the lessons are about; another tokenizer or other tools begin anew.
    of: Option<(String, u64)>,
    overhead: Option<TemplateOverhead>,
    /// Percent of bytes / 4; 0 until learned.
    scale: u64,
    /// The last estimate and what the server reported for it.
    last: Option<(u64, u64)>,
}

impl Calibration {
    /// Learns from what a server reported for a request.
    pub fn learn(&mut self, prompt: &CountedPrompt, reported: u64) {
        let of = (prompt.tokenizer.clone(), prompt.schemas);
        if self.of.as_ref() != Some(&of) {
            *self = Self { of: Some(of), scale: self.scale, ..Self::default() };
        }
        self.charged(prompt.estimate, reported);
        if prompt.tokenizer == "chars" {
            self.learn_scale(prompt.counted, reported);
        } else {
            // Whether and how a template writes the schemas is its own affair: they are part of what it adds.
            let tools = if prompt.schemas > 0 { prompt.schemas * 2 + MOST_TOOLS } else { 0 };
            let most = prompt.messages * MOST_EACH + MOST_WHOLE + tools;
            let texts = prompt.counted.saturating_sub(prompt.schemas);
            if reported >= texts && reported - texts <= most {
                self.overhead.get_or_insert_default().learn(prompt.messages, texts, reported);
            }
        }
    }

    /// Notes what a prompt of this estimate was charged as.
    pub fn charged(&mut self, estimate: u64, reported: u64) {
        self.last = Some((estimate, reported));
    }

    fn learn_scale(&mut self, counted: u64, reported: u64) {
        let percent = reported.saturating_mul(100).checked_div(counted).unwrap_or(0);
        if counted < ENOUGH || !SCALES.contains(&percent) {
            return;
        }
        // In steps, so that a conversation is not counted again after every answer; never below what was counted.
        let step = percent.div_ceil(5).saturating_mul(5).max(100);
        if step.abs_diff(self.scale()) >= 10 {
            self.scale = step;
        }
    }

    /// Returns by how much bytes / 4 are scaled, in percent.
    pub fn scale(&self) -> u64 {
        self.scale.max(100)
    }

    /// Returns the tokens that the template adds to the texts of so many messages, schemas included; none until that was
    /// learned for this tokenizer and tool schemas of so many tokens.
    pub fn overhead(&self, messages: u64, tokenizer: &str, schemas: u64) -> Option<u64> {
        match &self.of {
            Some((of, tools)) if of == tokenizer && *tools == schemas => Some(self.overhead?.tokens(messages)),
            Some(_) | None => None,
        }
    }

    /// Returns the most tokens that a prompt of this estimate is expected to be charged as.
    pub fn most(&self, estimate: u64) -> u64 {
        let Some((before, reported)) = self.last else { return estimate };
        let added = estimate.saturating_add(reported.saturating_sub(before));
        let scaled = u128::from(estimate) * u128::from(reported) / u128::from(before.max(1));
        estimate.max(added).max(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(messages: u64, counted: u64, tokenizer: &str) -> CountedPrompt {
        CountedPrompt { messages, counted, schemas: 0, estimate: counted, tokenizer: tokenizer.to_owned() }
    }

    #[test]
    fn a_template_is_learned_from_an_exact_tokenizer() {
        let mut calibration = Calibration::default();
        calibration.learn(&prompt(2, 100, "o200k"), 113);
        calibration.learn(&prompt(4, 200, "o200k"), 223);
        assert_eq!(calibration.overhead(40, "o200k", 0), Some(203));
        assert_eq!(calibration.overhead(40, "cl100k", 0), None, "another tokenizer");
        assert_eq!(calibration.overhead(40, "o200k", 9), None, "other tools");
        assert_eq!(calibration.scale(), 100);
    }

    #[test]
    fn a_template_may_leave_the_schemas_out() {
        let mut calibration = Calibration::default();
        let prompt = CountedPrompt { schemas: 100, ..prompt(2, 150, "o200k") };
        calibration.learn(&prompt, 64);
        assert_eq!(calibration.overhead(2, "o200k", 100), Some(14));
    }

    #[test]
    fn bytes_are_scaled_in_steps_and_within_reason() {
        let mut calibration = Calibration::default();
        for (counted, reported, scale) in [
            (100, 140, 100), // too short to tell
            (1000, u64::MAX, 100),
            (1000, 10_000, 100), // no tokenizer is like that
            (1000, 10, 100),
            (1000, 1234, 125),
            (1000, 1290, 125), // near enough
            (1000, 1410, 145),
            (1000, 800, 100), // never less than counted
        ] {
            calibration.learn(&prompt(3, counted, "chars"), reported);
            assert_eq!(calibration.scale(), scale, "{counted} counted, {reported} reported");
        }
    }

    #[test]
    fn the_cap_believes_what_is_charged() {
        let mut calibration = Calibration::default();
        assert_eq!(calibration.most(300), 300);
        calibration.learn(&prompt(2, 300, "o200k"), 1000);
        assert_eq!((calibration.most(300), calibration.most(600)), (1000, 2000));
        assert_eq!(calibration.overhead(2, "o200k", 0), None, "the budget does not");
        calibration.learn(&prompt(2, 300, "o200k"), 10);
        assert_eq!(calibration.most(300), 300, "never less than counted");
    }
}
