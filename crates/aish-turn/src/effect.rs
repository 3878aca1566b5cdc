//! What a turn wants done.

use alloc::string::String;
use alloc::vec::Vec;

use aish_safety::Judgement;
use aish_types::{CallId, Message, ToolCall, ToolName, ToolOutcome};

use crate::turn::Outcome;

/// One thing to do. The driver does them in order.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "an effect is performed as soon as it is made; few stand in a list")]
pub enum Effect {
    /// Count what is not counted yet and answer with `Measured`.
    Measure,
    /// Summarise evicted messages with the fast model and answer with `Summarized`.
    Summarize {
        /// The evicted messages, oldest first.
        evicted: Vec<Message>,
        /// The summary so far.
        previous: Option<String>,
    },
    /// Ask the broker and feed its stream back.
    Ask {
        /// The messages, system message first.
        messages: Vec<Message>,
        /// False for the last answer after the cap: no `tools` field.
        offer_tools: bool,
    },
    /// Prepare a call and take it through the gate; answer with `Judged`.
    Judge(ToolCall),
    /// Run calls that were approved, at once if there are several, and answer with `Ran` for each.
    Run(Vec<CallId>),
    /// Show a piece of the answer.
    ShowText(String),
    /// Show that a call's outcome has arrived.
    ShowOutcome {
        /// The full name of the tool.
        tool: ToolName,
        /// The outcome, whole.
        outcome: ToolOutcome,
    },
    /// Show a status line.
    Status(Status),
    /// Write to the session log.
    Keep(Record),
    /// The turn is over.
    Done(Outcome),
}

/// One line of the session log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The entry's id; a later record of the same id replaces the earlier one.
    pub id: u64,
    /// The exchange it belongs to.
    pub exchange: u64,
    /// The message; none takes the entry out.
    pub message: Option<Message>,
}

/// What is worth a status line; the texts are the shell's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Exchanges were evicted.
    Evicted {
        /// How many.
        exchanges: usize,
    },
    /// The system prompt and the question alone are over the budget.
    OverBudget {
        /// Estimated tokens.
        tokens: u64,
        /// The most tokens that a prompt may have.
        budget: u64,
    },
    /// A call was malformed and not run; the model is told.
    Malformed {
        /// The full name of the tool.
        tool: ToolName,
        /// What is wrong.
        reason: String,
    },
    /// A call failed on its way: shown to the person, not to the model.
    Transport {
        /// The full name of the tool.
        tool: ToolName,
        /// The server's message.
        message: String,
    },
    /// The rounds of tools are used up.
    DepthLimit,
    /// The answer was cut by the length limit.
    Cut {
        /// It had calls, which were not run.
        calls: bool,
        /// It had no text: the limit went into reasoning.
        only_reasoned: bool,
    },
    /// The provider withheld the rest of the answer.
    Withheld {
        /// It had calls, which were not run.
        calls: bool,
    },
    /// The answer had neither text nor calls.
    Empty {
        /// The model reasoned.
        reasoned: bool,
    },
    /// The same call failed the same way again and again.
    Looping {
        /// The full name of the tool.
        tool: ToolName,
    },
    /// The template refuses `role:tool`; results go as text from now on.
    ToolRoleOff,
    /// The request failed.
    Failed {
        /// What to tell the person.
        message: String,
    },
    /// Halted at the gate.
    Halted(Judgement),
}
