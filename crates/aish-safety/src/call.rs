//! A call between `prepare` and the gate: looked up, validated, rated, not yet judged.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use aish_types::{CallContext, ToolDefinition, head_and_tail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::file_access::FileAccess;
use crate::pin::Digest;

/// What about a call is judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Subject {
    /// A shell command line: judged by its parsed effect.
    Command {
        /// The line, byte for byte what will run.
        text: String,
    },
    /// The argument vector of a program that a configuration's author wrote: no shell is involved.
    Argv {
        /// Program and arguments.
        words: Vec<String>,
    },
    /// Files that a tool of ours reads or changes: judged as the commands that would do the same.
    Files {
        /// The files.
        accesses: Vec<FileAccess>,
        /// Why a person decides about it in any case: a place that is hidden or guarded.
        concern: Option<String>,
        /// What changes, as a unified difference; empty where nothing does.
        difference: String,
    },
    /// A page of the web that a tool of ours opens: judged as the command that would do the same.
    Page {
        /// The whole address.
        address: String,
    },
    /// A tool of a stranger: judged by name, arguments and policy.
    Tool,
}

/// Characters of a standard input that a question shows.
const SHOWN: usize = 2_000;

/// What a program is given beside its words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Given {
    /// The folder that it runs in, where a call or a configuration names one.
    pub folder: Option<String>,
    /// The text on its standard input; none for nothing.
    pub input: Option<String>,
}

impl Given {
    /// Tells it to whoever is asked, a note each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let folder = self.folder.as_ref().map(|folder| format!("In the folder {folder}"));
        let input = self.input.as_deref().filter(|input| !input.is_empty());
        let input = input.map(|input| format!("It reads this:\n{}", head_and_tail(input, SHOWN).text));
        folder.into_iter().chain(input).collect()
    }

    /// Returns the folder, as seen from the caller's.
    pub(crate) fn folder_from(&self, caller: Option<&str>) -> Option<String> {
        let folder = self.folder.as_deref()?;
        match caller {
            Some(caller) if !folder.starts_with('/') => Some(format!("{}/{folder}", caller.trim_end_matches('/'))),
            Some(_) | None => Some(folder.to_owned()),
        }
    }
}

/// A call that was looked up, validated and rated. Anyone may hold one; only the gate turns it into an approved call.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedCall {
    /// The definition as it was at look-up.
    pub definition: Arc<ToolDefinition>,
    /// Hash of that definition; compared again before the run.
    pub definition_hash: Digest,
    /// The arguments after coercion and defaults, always an object.
    pub arguments: Value,
    /// Keys that the schema does not know; ignored, named in the outcome.
    pub ignored: Vec<String>,
    /// What is judged.
    pub subject: Subject,
    /// What a program is given beside its words, judged with them.
    pub given: Given,
    /// Who calls, from where.
    pub context: CallContext,
}
