//! Files that a tool of ours reads or changes, judged as the commands that would do the same to them.

use alloc::format;
use alloc::string::String;

use aish_program_format::Act as Plain;
use serde::{Deserialize, Serialize};

use crate::rules::programs;

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// It is read.
    Read,
    /// It is made, or gets other content.
    Write,
    /// It is taken away.
    Delete,
}

/// One file of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAccess {
    /// Where it is, absolute and without links.
    pub path: String,
    /// What is done to it.
    pub act: Act,
}

impl FileAccess {
    /// Writes it for the audit and for undo: what is done, and to what.
    pub fn words(&self) -> String {
        let verb = match self.act {
            Act::Read => "read",
            Act::Write => "write",
            Act::Delete => "delete",
        };
        format!("{verb} {}", self.path)
    }

    /// Returns the command that does the same.
    pub(crate) fn command(&self) -> String {
        let quoted = format!("'{}'", self.path.replace('\'', r"'\''"));
        match self.act {
            Act::Read => format!("{} {quoted}", programs::stand_in_text(Plain::Show)),
            Act::Write => format!("{} > {quoted}", programs::stand_in_text(Plain::Print)),
            Act::Delete => format!("{} -- {quoted}", programs::stand_in_text(Plain::Remove)),
        }
    }
}
