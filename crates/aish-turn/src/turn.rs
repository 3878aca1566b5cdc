//! The machine: one question and everything that follows from it.
//!
//! Order of a round: measure, enforce the budget (and summarise what went), ask, stream, then each proposed command and
//! call in the model's order through the gate and the executor, results into the transcript, and again, until the
//! model answers with text alone or the cap is reached.

mod acting;
mod resolve;
mod stream;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use aish_types::{Message, ToolName, Usage};

use crate::budget::Budget;
use crate::effect::{Effect, Record, Status};
use crate::event::Event;
use crate::transcript::{ToolResults, Transcript};
use acting::Acting;
use stream::Streaming;

/// What ends a loop of tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// So many rounds of tools, then stop with a status line (the shell).
    Rounds(u32),
    /// So many calls, then one last answer without tools (the chat service).
    Calls(u32),
}

/// Who is told of malformed calls and of failures on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faults {
    /// The person, by a status line; calls that failed on their way leave the recorded turn, malformed ones are told to
    /// the model too.
    Person,
    /// The model, by the call's result.
    Model,
}

/// One tool that is offered to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The full name of the tool.
    pub name: ToolName,
    /// True when it only reads, by our own word or the user's policy.
    pub read_only: bool,
}

/// The settings of a turn.
#[derive(Debug, Clone)]
pub struct TurnOptions {
    /// What ends the loop.
    pub cap: Cap,
    /// Who is told of faults.
    pub faults: Faults,
    /// How results of tools are sent.
    pub tool_results: ToolResults,
    /// True when `CMD:` lines are proposals.
    pub commands: bool,
    /// Characters of a result that reach the model; longer ones keep head and tail.
    pub max_result_chars: usize,
    /// Rounds with nothing but malformed calls, or equal failures of an equal call, that end the turn.
    pub strikes: u32,
}

impl Default for TurnOptions {
    fn default() -> Self {
        Self {
            cap: Cap::Rounds(8),
            faults: Faults::Person,
            tool_results: ToolResults::Messages,
            commands: true,
            max_result_chars: 16_000,
            strikes: 3,
        }
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// With text, to its end.
    Answered,
    /// With an answer that the length limit cut.
    Cut,
    /// With an answer whose rest the provider withheld.
    Withheld,
    /// With neither text nor calls.
    Empty,
    /// Every proposal was declined.
    Declined,
    /// No call was left that could be answered.
    NothingLeft,
    /// At the cap.
    DepthLimit,
    /// The same failure again and again.
    Looping,
    /// The request failed.
    Failed,
    /// What only a person may let through.
    Halted,
    /// Ctrl-C.
    Interrupted,
    /// At a limit of the autonomous run that it belongs to.
    Stopped,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    Measuring,
    Summarizing,
    Streaming(Streaming),
    Acting(Acting),
}

/// The state machine with the session's transcript.
#[derive(Debug)]
pub struct Turn {
    options: TurnOptions,
    transcript: Transcript,
    budget: Budget,
    read_only: BTreeSet<ToolName>,
    state: State,
    progress: Progress,
}

/// How far the turn has come. It begins anew with each exchange.
#[derive(Debug, Default)]
struct Progress {
    exchange: u64,
    rounds: u32,
    /// Calls that count against [`Cap::Calls`]: refused and malformed ones too.
    counted_calls: u32,
    /// Rounds with nothing but malformed calls, one after the other.
    strikes: u32,
    /// How often a call failed in the same way.
    failures: BTreeMap<(ToolName, String), u32>,
    /// No tools are offered any more.
    last_answer: bool,
    usage: Usage,
}

impl Turn {
    /// Makes a machine over a transcript.
    pub fn new(options: TurnOptions, transcript: Transcript, budget: Budget) -> Self {
        Self {
            options,
            transcript,
            budget,
            read_only: BTreeSet::new(),
            state: State::Idle,
            progress: Progress::default(),
        }
    }

    /// Says which tools are offered from now on.
    pub fn set_offers(&mut self, offers: impl IntoIterator<Item = Offer>) {
        self.read_only = offers.into_iter().filter(|offer| offer.read_only).map(|offer| offer.name).collect();
    }

    /// Returns the transcript.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Returns the transcript to be changed between turns and for counts.
    pub fn transcript_mut(&mut self) -> &mut Transcript {
        &mut self.transcript
    }

    /// Returns the budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the budget to be changed between turns (another model).
    pub fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }

    /// Returns how results of tools are sent.
    pub fn tool_results(&self) -> ToolResults {
        self.options.tool_results
    }

    /// Sets how results of tools are sent, for another model.
    pub fn set_tool_results(&mut self, results: ToolResults) {
        self.options.tool_results = results;
    }

    /// Returns the calls of this turn that count against [`Cap::Calls`].
    pub fn counted_calls(&self) -> u32 {
        self.progress.counted_calls
    }

    /// Takes an event and returns what is to be done. An event that does not belong to the state changes nothing.
    pub fn handle(&mut self, event: Event) -> Vec<Effect> {
        match (core::mem::take(&mut self.state), event) {
            (State::Idle, Event::Asked { text, blocks }) => {
                let exchange = self.transcript.open_exchange();
                self.begin(exchange);
                let message = Message::User { content: text, blocks };
                let id = self.transcript.push(self.progress.exchange, message.clone());
                self.state = State::Measuring;
                vec![
                    Effect::Keep(Record { id, exchange: self.progress.exchange, message: Some(message) }),
                    Effect::Measure,
                ]
            }
            (State::Idle, Event::Resumed { exchange, calls }) => {
                self.begin(exchange);
                self.progress.counted_calls = calls;
                self.progress.last_answer = self.calls_left() == Some(0);
                self.again()
            }
            (State::Measuring, Event::Measured { system_tokens, schema_tokens }) => {
                self.budget.system_tokens = system_tokens;
                self.budget.schema_tokens = schema_tokens;
                self.enforce()
            }
            (State::Summarizing, Event::Summarized(summary)) => {
                if summary.is_some() {
                    self.transcript.set_summary(summary);
                }
                self.ask()
            }
            (State::Streaming(streaming), event) => self.stream(streaming, event),
            (State::Acting(acting), event) => self.act(acting, event),
            (State::Measuring | State::Summarizing, Event::Interrupted) => self.finish(Outcome::Interrupted),
            (State::Measuring | State::Summarizing, Event::Stopped) => self.finish(Outcome::Stopped),
            (state, _) => {
                self.state = state;
                Vec::new()
            }
        }
    }

    fn begin(&mut self, exchange: u64) {
        self.progress = Progress { exchange, ..Progress::default() };
    }

    /// Returns how many calls may still be made, where calls are counted.
    fn calls_left(&self) -> Option<u32> {
        match self.options.cap {
            Cap::Calls(most) => Some(most.saturating_sub(self.progress.counted_calls)),
            Cap::Rounds(_) => None,
        }
    }

    /// Enforces both limits, and has what went summarised.
    fn enforce(&mut self) -> Vec<Effect> {
        let eviction = self.budget.enforce(&mut self.transcript, Some(self.progress.exchange));
        let mut effects = Vec::new();
        if eviction.exchanges > 0 {
            effects.push(Effect::Status(Status::Evicted { exchanges: eviction.exchanges }));
        }
        if eviction.still_over {
            let tokens = self.budget.estimate(&self.transcript);
            effects.push(Effect::Status(Status::OverBudget { tokens, budget: self.budget.token_budget }));
        }
        if eviction.messages.is_empty() {
            effects.extend(self.ask());
        } else {
            self.state = State::Summarizing;
            let previous = self.transcript.summary().map(String::from);
            effects.push(Effect::Summarize { evicted: eviction.messages, previous });
        }
        effects
    }

    fn ask(&mut self) -> Vec<Effect> {
        self.state = State::Streaming(Streaming::default());
        let messages = self.transcript.render(self.options.tool_results);
        vec![Effect::Ask { messages, offer_tools: !self.progress.last_answer }]
    }

    /// Starts the next round.
    fn again(&mut self) -> Vec<Effect> {
        self.state = State::Measuring;
        vec![Effect::Measure]
    }

    fn finish(&mut self, outcome: Outcome) -> Vec<Effect> {
        self.state = State::Idle;
        vec![Effect::Done(outcome)]
    }

    /// Appends a message to the running exchange and has it written.
    fn keep(&mut self, message: Message) -> (u64, Effect) {
        let id = self.transcript.push(self.progress.exchange, message.clone());
        (id, Effect::Keep(Record { id, exchange: self.progress.exchange, message: Some(message) }))
    }
}

#[cfg(test)]
mod tests;
