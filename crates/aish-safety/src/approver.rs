//! The port to whoever is asked.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use aish_types::{BoxFuture, ToolName};
use serde_json::Value;

use crate::analysis::Analysis;
use crate::call::{PreparedCall, Subject};
use crate::command::Surroundings;
use crate::gate::Mode;
use crate::placement::{Approval, ChangesAnswer, ChangesQuestion, Hold};
use crate::verdict::{Judgement, NO_WAY_BACK};

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The tool.
    pub tool: ToolName,
    /// What would run.
    pub subject: Subject,
    /// The arguments, whole.
    pub arguments: Value,
    /// Why it is asked.
    pub judgement: Judgement,
    /// The tool's own confirmation sentence, where it has one.
    pub confirm_message: Option<String>,
    /// The difference to the pinned definition, when that is why it is asked.
    pub drift: Option<String>,
    /// What `always` would keep; none where `always` is not offered.
    pub always: Option<String>,
    /// Whether it can run in a layer first, to be decided on when it is known what it changed.
    pub can_try: bool,
    /// What the person should know beside that, a line each: what can be undone, which sandbox it runs in.
    pub notes: Vec<String>,
    /// What of its changes undo brings back.
    pub way_back: WayBack,
}

/// What of the changes of a call undo brings back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WayBack {
    /// Nothing, or nothing is known to be changed.
    #[default]
    Nothing,
    /// Some of it.
    Partly,
    /// All of it.
    Whole,
}

impl Question {
    /// Returns why it is asked, in words. That the command has no way back is left out where undo is one, for all that it
    /// changes.
    pub fn reason(&self) -> &str {
        let reason = self.judgement.reason.as_str();
        match self.way_back {
            WayBack::Whole => reason.strip_suffix(NO_WAY_BACK).unwrap_or(reason),
            WayBack::Nothing | WayBack::Partly => reason,
        }
    }
}

/// What came back. Everything but a plain yes leaves the call unapproved or sends it back.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Run it, once.
    Yes,
    /// Run it in a layer and ask about what it changed; no where that was not offered.
    Try,
    /// Do not run it.
    No,
    /// Run it now and from now on what matches the given text (as in `Question::always`, perhaps shortened).
    Always(String),
    /// Prepare and judge this instead: a command line for a command, JSON text for a tool.
    Edit(String),
    /// Do not run it, and end the turn or the autonomous run that wanted it. The gate treats it as a no in a turn, which
    /// whoever asks ends.
    Stop,
    /// Nobody is there to be asked.
    Nobody,
}

/// What whoever is asked adds to a call before it is judged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Brief {
    /// Lines for the question: what undo brings back, which sandbox it runs in.
    pub notes: Vec<String>,
    /// What of its changes undo brings back.
    pub way_back: WayBack,
    /// A judgement of the run that the call belongs to: it only makes the call's own stricter, and an autonomous run
    /// leaves the call to a person then.
    pub raised: Option<Judgement>,
    /// What can hold it here.
    pub hold: Hold,
}

/// Whoever is asked about a call: the terminal, an MCP client through elicitation, or nobody.
pub trait Approver: Send + Sync {
    /// Says what becomes of a call that would be asked.
    fn mode(&self) -> Mode {
        Mode::Interactive
    }

    /// Says when a person is asked about a command, where whoever is asked decides that; else the policy does.
    fn level(&self) -> Option<Approval> {
        None
    }

    /// Adds what is known beside the call; asked once, after the call was analysed and before it is decided.
    fn brief<'a>(
        &'a self,
        call: &'a PreparedCall,
        analysis: &'a Analysis,
        surroundings: &'a Surroundings,
    ) -> BoxFuture<'a, Brief> {
        let _ = (call, analysis, surroundings);
        Box::pin(core::future::ready(Brief::default()))
    }

    /// Asks, and returns the answer. The end of the input is `No`, an interrupt `Stop`.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer>;

    /// Asks what becomes of a layer. The end of the input drops it.
    fn changes<'a>(&'a self, question: &'a ChangesQuestion) -> BoxFuture<'a, ChangesAnswer> {
        let _ = question;
        Box::pin(core::future::ready(ChangesAnswer::Nobody))
    }
}

/// The approver where nobody is there: the mode and the policy decide.
#[derive(Debug, Clone, Copy)]
pub struct Nobody(pub Mode);

impl Default for Nobody {
    fn default() -> Self {
        Self(Mode::Headless)
    }
}

impl Approver for Nobody {
    fn mode(&self) -> Mode {
        self.0
    }

    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(core::future::ready(Answer::Nobody))
    }
}
