//! What a command line does, found in one walk: the judgement, its parts, what they change, what they send and read.
//!
//! The gate, undo, autonomous runs, `:why` and `check --explain` read the same analysis, so that they speak of the same
//! command under the same policy.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::autonomy::sending::Sends;
use crate::autonomy::taint::{self, Taint};
use crate::change::Changes;
use crate::command::{Part, render};
use crate::reads::Reads;
use crate::verdict::Judgement;

/// What a command does, part by part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// The judgement of the whole: that of the strictest part.
    pub judgement: Judgement,
    /// The parts in the order of evaluation.
    pub parts: Vec<Part>,
    /// What it changes, as far as its text names it.
    #[serde(skip)]
    pub changes: Changes,
    /// Which files it opens for their content.
    #[serde(skip)]
    pub reads: Reads,
    /// What it can carry to another machine.
    #[serde(skip)]
    pub sends: Sends,
    /// Where what it shows comes from.
    #[serde(skip)]
    pub taint: Taint,
    /// The ids of the policy's rules that match some part, whatever they say.
    #[serde(skip)]
    pub matched: Vec<String>,
}

impl Analysis {
    /// Makes the analysis of a call that holds no command.
    pub(crate) fn of_tool(judgement: Judgement, taint: Taint) -> Self {
        Self {
            judgement,
            parts: Vec::new(),
            changes: Changes::default(),
            reads: Reads::default(),
            sends: Sends::Nothing,
            taint,
            matched: Vec::new(),
        }
    }

    /// Makes an analysis of what a walk found.
    pub(crate) fn of_parts(judgement: Judgement, parts: Vec<Part>, changes: Changes, matched: Vec<String>) -> Self {
        let (sends, taint) = (Sends::of_parts(&parts), taint::of_parts(&parts));
        Self { judgement, parts, changes, reads: Reads::default(), sends, taint, matched }
    }

    /// Renders the parts as plain text, one line a part and one for the whole, readable without colour.
    pub fn render(&self) -> String {
        render(&self.parts, &self.judgement)
    }
}
