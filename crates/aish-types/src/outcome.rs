//! What came of a call.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::ToolName;
use crate::message::Block;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// It did what it was asked.
    #[default]
    Done,
    /// The tool says that it failed (`isError`, a non-zero exit): its text reaches the model unchanged.
    Reported,
    /// It failed here (validation, a time-out, a built-in tool's own message): the model reads `Error: TEXT`.
    Here,
    /// It failed on its way (a JSON-RPC error, a dead server): a status line for the person and no tool turn for the
    /// model.
    Transport,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// The exit code.
    pub code: i32,
    /// True when the person ended it with Ctrl-C at the terminal.
    pub by_person: bool,
    /// What of it a sandbox may have stopped.
    pub stopped: Option<Stopped>,
}

/// What of a failed command a sandbox may have stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// What, and by which sandbox.
    pub what: String,
    /// The line of its output that says so.
    pub said: String,
    /// Whether a layer from which other hosts can be reached may be all that it lacks.
    pub network: bool,
}

/// Facts about a call for programs; they are no part of the text that the model reads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OutcomeNotes {
    /// Keys of the arguments that the tool's schema does not know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// What is wrong with the arguments, each fault a sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// Names that are near to one that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_names: Vec<ToolName>,
    /// Milliseconds after which the call may be made again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What the tool's own schema has against its structured result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<String>,
    /// A plugin's code for its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The rule by which the call was declined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// What came of a call; a failure is data for the model, not an error of the program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub struct ToolOutcome {
    /// How it ended.
    pub ending: Ending,
    /// The text that the model reads.
    pub text: String,
    /// The structured result, where the tool gave one.
    pub structured: Option<Value>,
    /// Images and other content that is not text.
    pub blocks: Vec<Block>,
    /// Milliseconds from start to end.
    pub duration_ms: u64,
    /// True when output was cut.
    pub truncated: bool,
    /// How the command ended, where the tool ran one in the person's shell; not written to files.
    pub exit: Option<Exit>,
    /// Further facts.
    pub notes: OutcomeNotes,
}

impl ToolOutcome {
    /// Makes a successful outcome of text alone; the executor fills in the duration.
    pub fn success(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Makes a failure of ours, whose text is the message alone.
    pub fn failure(message: impl Into<String>) -> Self {
        Self { ending: Ending::Here, ..Self::success(message) }
    }

    /// Makes a failure that the tool itself reported (`isError`, a non-zero exit): its text stays as it is.
    pub fn reported_failure(text: impl Into<String>) -> Self {
        Self { ending: Ending::Reported, ..Self::success(text) }
    }

    /// Makes a failure of the transport: shown to the person, not to the model.
    pub fn transport(message: impl Into<String>) -> Self {
        Self { ending: Ending::Transport, ..Self::success(message) }
    }

    /// Returns whether the tool did what it was asked.
    pub fn is_success(&self) -> bool {
        self.ending == Ending::Done
    }

    /// Returns the text that the model reads: `Error: TEXT` for a failure of ours, else the text unchanged.
    pub fn model_text(&self) -> String {
        match self.ending {
            Ending::Here | Ending::Transport => format!("Error: {}", self.text),
            Ending::Done | Ending::Reported => self.text.clone(),
        }
    }
}

/// An outcome as it is written for other programs.
#[derive(Serialize, Deserialize)]
struct Written {
    success: bool,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    structured: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<Block>,
    duration_ms: u64,
    truncated: bool,
    #[serde(default)]
    failed_here: bool,
    #[serde(default)]
    transport_error: bool,
    #[serde(default, skip_serializing_if = "has_none")]
    notes: OutcomeNotes,
}

fn has_none(notes: &OutcomeNotes) -> bool {
    *notes == OutcomeNotes::default()
}

impl From<ToolOutcome> for Written {
    fn from(outcome: ToolOutcome) -> Self {
        let ToolOutcome { ending, text, structured, blocks, duration_ms, truncated, exit: _, notes } = outcome;
        Self {
            success: ending == Ending::Done,
            text,
            structured,
            blocks,
            duration_ms,
            truncated,
            failed_here: matches!(ending, Ending::Here | Ending::Transport),
            transport_error: ending == Ending::Transport,
            notes,
        }
    }
}

impl From<Written> for ToolOutcome {
    fn from(written: Written) -> Self {
        let ending = match (written.success, written.transport_error, written.failed_here) {
            (true, _, _) => Ending::Done,
            (false, true, _) => Ending::Transport,
            (false, false, true) => Ending::Here,
            (false, false, false) => Ending::Reported,
        };
        let Written { text, structured, blocks, duration_ms, truncated, notes, .. } = written;
        Self { ending, text, structured, blocks, duration_ms, truncated, exit: None, notes }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_keeps_its_keys() {
        let written = |outcome: &ToolOutcome| serde_json::to_value(outcome).unwrap();
        assert_eq!(
            written(&ToolOutcome::success("a")),
            json!({"success": true, "text": "a", "duration_ms": 0, "truncated": false, "failed_here": false,
                   "transport_error": false})
        );
        let mut failed = ToolOutcome::failure("no");
        failed.notes.retry_after_ms = Some(5);
        assert_eq!(written(&failed)["notes"], json!({"retry_after_ms": 5}));
        for outcome in [failed, ToolOutcome::reported_failure("x"), ToolOutcome::transport("y")] {
            assert_eq!(serde_json::from_value::<ToolOutcome>(written(&outcome)).unwrap(), outcome);
        }
    }

    #[test]
    fn only_failures_of_ours_are_marked_for_the_model() {
        assert_eq!(ToolOutcome::failure("no").model_text(), "Error: no");
        assert_eq!(ToolOutcome::reported_failure("no").model_text(), "no");
        assert_eq!(ToolOutcome::success("Error: x").model_text(), "Error: x");
    }
}
