//! Rules that pick a model by what a request is for and how long its prompt is.

use crate::request::Purpose;

/// One rule; every condition that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouterRule {
    /// What the request is for.
    pub purpose: Option<Purpose>,
    /// The prompt has more tokens than this.
    pub longer_than: Option<u64>,
    /// The prompt has fewer tokens than this.
    pub shorter_than: Option<u64>,
    /// The configured name of the model that is asked then.
    pub model: String,
}

impl RouterRule {
    /// Returns whether a request is meant, by its purpose and the tokens of its prompt.
    pub fn fits(&self, purpose: Purpose, prompt_tokens: u64) -> bool {
        self.purpose.is_none_or(|meant| meant == purpose)
            && self.longer_than.is_none_or(|bound| prompt_tokens > bound)
            && self.shorter_than.is_none_or(|bound| prompt_tokens < bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_must_hold() {
        let rule = RouterRule { purpose: Some(Purpose::Main), longer_than: Some(10), ..RouterRule::default() };
        for (purpose, tokens, expected) in
            [(Purpose::Main, 11, true), (Purpose::Main, 10, false), (Purpose::Norris, 11, false)]
        {
            assert_eq!(rule.fits(purpose, tokens), expected, "{purpose:?} {tokens}");
        }
        let short = RouterRule { shorter_than: Some(10), ..RouterRule::default() };
        assert_eq!([9, 10].map(|tokens| short.fits(Purpose::Summary, tokens)), [true, false]);
        assert!(RouterRule::default().fits(Purpose::Fast, 0), "a rule without conditions is for everything");
    }
}
