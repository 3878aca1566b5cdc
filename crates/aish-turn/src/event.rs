//! What can happen to a turn.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use aish_safety::Judgement;
use aish_types::{Block, CallId, ProviderState, ToolCall, ToolOutcome, Usage};
use serde_json::Value;

/// One thing that happened.
#[derive(Debug)]
pub enum Event {
    /// The person asked.
    Asked {
        /// The question, with whatever the shell attaches to it.
        text: String,
        /// Images and the like.
        blocks: Vec<Block>,
    },
    /// An exchange goes on whose messages are already in the transcript, as after another worker died.
    Resumed {
        /// The number of the exchange in the transcript.
        exchange: u64,
        /// Calls of it that count against the cap.
        calls: u32,
    },
    /// Every entry, the system prompt and the schemas are counted as well as they can be.
    Measured {
        /// Tokens of the system message.
        system_tokens: u64,
        /// Tokens of the tool schemas.
        schema_tokens: u64,
    },
    /// The summary that was asked for, or none when it failed or did not shrink.
    Summarized(Option<String>),
    /// A piece of the answer.
    Text(String),
    /// The model reasons; what of it is kept comes with the answer.
    Reasoned,
    /// What the model's server wants to see again with the answer; it comes before the stream's end.
    State(Box<ProviderState>),
    /// What came as text so far was reasoning: nothing in it is kept or proposed.
    TextWasReasoning,
    /// A whole call.
    Call(ToolCall),
    /// A call that cannot be run.
    Malformed {
        /// As it arrived.
        call: ToolCall,
        /// What is wrong with it.
        reason: String,
    },
    /// Token counts of this request.
    Usage(Usage),
    /// The stream ended by its own end.
    StreamEnded(Finish),
    /// The stream or the request failed; nothing of it is run.
    StreamFailed {
        /// What to tell the person.
        message: String,
        /// True when the model's template refused the roles: asked again once without `role:tool`.
        template_refused: bool,
    },
    /// The gate has decided about a call.
    Judged {
        /// The id of the call.
        id: CallId,
        /// What the gate decided.
        judged: Judged,
    },
    /// A call has run.
    Ran {
        /// The id of the call.
        id: CallId,
        /// What came of it.
        outcome: ToolOutcome,
    },
    /// The person pressed Ctrl-C.
    Interrupted,
    /// The autonomous run that the turn belongs to may not go on.
    Stopped,
}

/// Why a stream ended by its own end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model was done, or waits for the results of its calls.
    Whole,
    /// The length limit ended it: its calls and commands are not run.
    Length,
    /// The provider withheld the rest: its calls and commands are not run.
    Withheld,
}

/// What the gate, or already `prepare`, decided about a call.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one is made for each call and used at once")]
pub enum Judged {
    /// It may run; the driver keeps it until then.
    Approved {
        /// Its arguments as they were approved: coerced, with defaults, perhaps edited.
        arguments: Value,
    },
    /// It could not be prepared (unknown tool, bad arguments, cooldown): this is its outcome.
    Refused(ToolOutcome),
    /// Somebody or the policy said no.
    Declined {
        /// Why, for the model.
        reason: String,
    },
    /// An autonomous or headless run met what only a person may let through; the turn stops here.
    Halted(Judgement),
}
