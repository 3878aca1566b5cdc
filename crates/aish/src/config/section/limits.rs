//! What a request may take: context, token counts, money.

use aish_turn::ToolResults;

use super::super::key::{AMOUNT, Kind, Overlay, SOME};
use super::super::word::one_of;

section! {
    /// `[context]`.
    ContextSection in "context" {
        /// The most messages that are sent with a question; older ones are summarised.
        max_turns: usize = 40, SOME, Overlay::Free;
        /// The most tokens of a request; without it the model's context decides.
        token_budget: Option<u64> = None, SOME, Overlay::Free;
        /// Sends results of tools as messages of their own; false sends them as text, for models whose template refuses them.
        use_tool_role: bool = true, Kind::Bool, Overlay::Free;
        /// Summarises what leaves the context; false drops it.
        summarize: bool = true, Kind::Bool, Overlay::Free;
    }
}

impl ContextSection {
    /// Returns how results of tools are sent.
    pub fn tool_results(&self) -> ToolResults {
        if self.use_tool_role { ToolResults::Messages } else { ToolResults::Text }
    }
}

section! {
    /// `[tokenize]`.
    Tokenize in "tokenize" {
        /// Lets the model's server count tokens (`/tokenize`), where no tokenizer is here.
        use_endpoint: bool = false, Kind::Bool, Overlay::Free;
        /// The milliseconds to wait for such a count.
        timeout_ms: u64 = 2000, SOME, Overlay::Free;
    }
}

one_of! {
    /// What the limits of cost are for.
    CostScope {
        /// One session.
        Session = "session",
        /// A day with all its sessions.
        Day = "day",
    }
}

section! {
    /// `[cost]`.
    Cost in "cost" {
        /// The dollars from which on a line warns, once.
        warn_at_dollars: Option<f64> = None, AMOUNT, Overlay::Lower;
        /// The dollars that no request may pass; one that could is not sent.
        cap_at_dollars: Option<f64> = None, AMOUNT, Overlay::Lower;
        /// What the two limits are for: one session, or a day with all its sessions.
        scope: CostScope = CostScope::Session, CostScope::WORDS, Overlay::Never;
    }
}
