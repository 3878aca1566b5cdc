//! The two limits of a context: messages and tokens.

use alloc::vec::Vec;

use aish_types::{Message, head_and_tail};

use crate::transcript::Transcript;

/// The limits, and what of the prompt is not in the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Messages kept at most, the system message apart.
    pub max_turns: usize,
    /// Tokens of a prompt at most.
    pub token_budget: u64,
    /// Tokens of the system message.
    pub system_tokens: u64,
    /// Tokens of the tool schemas.
    pub schema_tokens: u64,
    /// Tokens that the model's template adds to each message, as measured; 0 until known.
    pub tokens_per_message: u64,
}

impl Budget {
    /// Tokens of a prompt when nothing else is known.
    pub const DEFAULT_TOKENS: u64 = 4096;

    /// Works the token budget out: a set one wins; else the known context size less the largest reply; else 4,096.
    pub fn tokens(set: Option<u64>, context_size: Option<u64>, max_reply: u64) -> u64 {
        match (set, context_size) {
            (Some(set), _) => set,
            (None, Some(size)) if size > max_reply => size - max_reply,
            (None, Some(size)) => size / 2,
            (None, None) => Self::DEFAULT_TOKENS,
        }
    }

    /// Estimates the tokens of the next prompt; entries that were never counted are taken at four bytes a token.
    pub fn estimate(&self, transcript: &Transcript) -> u64 {
        let messages: u64 = transcript
            .entries()
            .iter()
            .map(|entry| {
                let tokens = match &entry.counted {
                    Some(counted) => counted.tokens,
                    None => entry.countable().len() as u64 / 4,
                };
                tokens.saturating_add(self.tokens_per_message)
            })
            .sum();
        messages.saturating_add(self.system_tokens).saturating_add(self.schema_tokens)
    }

    /// Evicts the oldest exchanges until both limits hold or nothing is left that may go.
    ///
    /// The running exchange stays; when it alone is over the budget, its largest tool results are cut.
    pub fn enforce(&self, transcript: &mut Transcript, running: Option<u64>) -> Eviction {
        let mut eviction = Eviction::default();
        while transcript.entries().len() > self.max_turns || self.estimate(transcript) > self.token_budget {
            let evicted = transcript.evict_oldest(running);
            if evicted.is_empty() {
                break;
            }
            eviction.exchanges += 1;
            eviction.messages.extend(evicted);
        }
        while self.estimate(transcript) > self.token_budget {
            let Some((id, message)) = shorter_result(transcript) else {
                eviction.still_over = true;
                break;
            };
            transcript.amend(id, Some(message));
        }
        eviction
    }
}

/// What enforcing a budget took out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Eviction {
    /// Exchanges that went.
    pub exchanges: usize,
    /// Their messages, oldest first.
    pub messages: Vec<Message>,
    /// True when even so the prompt is over the budget: the system prompt and the question alone are too long.
    pub still_over: bool,
}

/// Results below this many characters are not cut further.
const SHORTEST_RESULT: usize = 400;

fn shorter_result(transcript: &Transcript) -> Option<(u64, Message)> {
    let (entry, length) = transcript
        .entries()
        .iter()
        .filter(|entry| matches!(entry.message, Message::Tool { .. } | Message::User { .. }))
        .filter(|entry| matches!(entry.message, Message::Tool { .. }) || entry.message.content().starts_with("[exec: "))
        .map(|entry| (entry, entry.message.content().len()))
        .max_by_key(|&(entry, length)| (length, core::cmp::Reverse(entry.id)))?;
    if length <= SHORTEST_RESULT {
        return None;
    }
    let kept = head_and_tail(entry.message.content(), length / 2);
    let mut message = entry.message.clone();
    match &mut message {
        Message::Tool { content, .. } | Message::User { content, .. } => *content = kept.text.into_owned(),
        Message::System { .. } | Message::Assistant { .. } => return None,
    }
    (message.content().len() < length).then_some((entry.id, message))
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec;

    use super::*;

    fn budget(max_turns: usize, token_budget: u64) -> Budget {
        Budget { max_turns, token_budget, system_tokens: 0, schema_tokens: 0, tokens_per_message: 0 }
    }

    fn chat(exchanges: usize, chars: usize) -> Transcript {
        let mut transcript = Transcript::new("");
        for _ in 0..exchanges {
            transcript.load([Message::user("q".repeat(chars)), Message::assistant("a".repeat(chars))]);
        }
        transcript
    }

    #[test]
    fn a_500_char_system_prompt_with_budget_100_and_no_turns_returns() {
        let mut transcript = Transcript::new("s".repeat(500));
        let budget = Budget { system_tokens: 125, ..budget(40, 100) };
        let eviction = budget.enforce(&mut transcript, None);
        assert_eq!((eviction.exchanges, eviction.still_over), (0, true));
    }

    #[test]
    fn eviction_fires_by_tokens_before_max_turns() {
        let mut transcript = chat(10, 100);
        let eviction = budget(100, 100).enforce(&mut transcript, None);
        assert_eq!(eviction.exchanges, 8);
        assert_eq!(transcript.entries().len(), 4);
        assert!(!eviction.still_over);
    }

    #[test]
    fn eviction_fires_by_messages_too() {
        let mut transcript = chat(10, 4);
        assert_eq!(budget(6, 100_000).enforce(&mut transcript, None).exchanges, 7);
    }

    #[test]
    fn the_running_exchange_stays_and_its_results_are_cut() {
        let mut transcript = chat(2, 100);
        let running = transcript.open_exchange();
        transcript.push(running, Message::user("read it"));
        let call = aish_types::ToolCall { id: "1".into(), name: "read".into(), arguments: "{}".into() };
        transcript.push(running, Message::Assistant { content: String::new(), tool_calls: vec![call], state: None });
        let result = "x".repeat(40_000);
        transcript.push(
            running,
            Message::Tool { tool_call_id: "1".into(), name: "read".into(), content: result, blocks: vec![] },
        );
        let budget = budget(40, 500);
        let eviction = budget.enforce(&mut transcript, Some(running));
        assert_eq!(eviction.exchanges, 2);
        assert!(!eviction.still_over);
        assert!(budget.estimate(&transcript) <= 500);
        assert_eq!(transcript.entries().len(), 3);
    }

    #[test]
    fn a_set_budget_wins_over_the_known_context() {
        for (set, size, expected) in
            [(Some(100), Some(8192), 100), (None, Some(8192), 7168), (None, Some(512), 256), (None, None, 4096)]
        {
            assert_eq!(Budget::tokens(set, size, 1024), expected);
        }
    }
}
