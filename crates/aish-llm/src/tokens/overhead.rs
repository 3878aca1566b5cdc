//! What a chat template adds to a conversation, learned from the counts that the server reports.

/// Tokens that a model's template adds: a part for each message and a part for the whole.
///
/// Two requests with different numbers of messages are enough, since templates add the same for every message (within
/// a token or two by role). Until then everything is held for the messages' part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TemplateOverhead {
    first: Option<Observation>,
    latest: Option<Observation>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Observation {
    messages: u64,
    added: u64,
}

impl TemplateOverhead {
    /// Learns from a request: its messages, the sum of their own counts (tool schemas included), and the prompt tokens
    /// that the server reported.
    pub fn learn(&mut self, messages: u64, counted: u64, reported: u64) {
        let seen = Observation { messages: messages.max(1), added: reported.saturating_sub(counted) };
        match self.first {
            Some(first) if first.messages != seen.messages => self.latest = Some(seen),
            Some(_) | None => self.first = Some(seen),
        }
    }

    /// Returns the tokens that the template adds to so many messages; 0 until something was learned.
    pub fn tokens(&self, messages: u64) -> u64 {
        let Some(first) = self.first else { return 0 };
        let (each, whole) = match self.latest {
            Some(latest) => {
                let more = latest.messages as f64 - first.messages as f64;
                let each = ((latest.added as f64 - first.added as f64) / more).max(0.0);
                (each, first.added as f64 - each * first.messages as f64)
            }
            None => (first.added as f64 / first.messages as f64, 0.0),
        };
        (each * messages as f64 + whole).round().max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_requests_teach_both_parts() {
        let mut overhead = TemplateOverhead::default();
        assert_eq!(overhead.tokens(10), 0);
        overhead.learn(2, 100, 113);
        assert_eq!(overhead.tokens(2), 13);
        overhead.learn(2, 50, 63);
        overhead.learn(4, 200, 223);
        assert_eq!([overhead.tokens(2), overhead.tokens(4), overhead.tokens(40)], [13, 23, 203]);
    }

    #[test]
    fn odd_reports_do_no_harm() {
        let mut overhead = TemplateOverhead::default();
        overhead.learn(0, 100, 50);
        overhead.learn(5, 10, 12);
        overhead.learn(9, 10, 10);
        assert_eq!(overhead.tokens(1), 0);
        assert!(overhead.tokens(1000) < 1000);
    }
}
