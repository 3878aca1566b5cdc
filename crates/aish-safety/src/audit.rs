//! The port to the audit log: every decision is written before its effect.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use aish_types::{CallContext, ToolName, mask_words};
use serde::{Deserialize, Serialize};

use crate::call::{PreparedCall, Subject};
use crate::file_access::FileAccess;
use crate::gate::call_hash;
use crate::verdict::{Judgement, Verdict};

/// One decision of the gate. The log adds the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Who called, from where.
    pub context: CallContext,
    /// The tool.
    pub tool: ToolName,
    /// Where it runs.
    pub source: String,
    /// The command line or the words of the argument vector; none for other tools, whose arguments are hashed alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// SHA-256 of tool, arguments and definition, in hex.
    pub call_hash: String,
    /// The verdict before anybody was asked.
    pub verdict: Verdict,
    /// The deciding rule.
    pub rule: String,
    /// True when the call may run.
    pub approved: bool,
    /// Who decided.
    pub by: By,
}

impl AuditEntry {
    /// Makes the entry of a decision about a call.
    pub fn of(call: &PreparedCall, judgement: &Judgement, approved: bool, by: By) -> Self {
        let command = match &call.subject {
            Subject::Command { text } => Some(text.clone()),
            Subject::Argv { words } => Some(mask_words(words.iter().map(String::as_str)).join(" ")),
            Subject::Files { accesses, .. } => {
                Some(accesses.iter().map(FileAccess::words).collect::<Vec<_>>().join("; "))
            }
            Subject::Page { address } => Some(address.clone()),
            Subject::Tool => None,
        };
        Self {
            context: call.context.clone(),
            tool: call.definition.name.clone(),
            source: call.definition.source.to_string(),
            command,
            call_hash: call_hash(call).to_string(),
            verdict: judgement.verdict,
            rule: judgement.rule.to_string(),
            approved,
            by,
        }
    }
}

/// Who decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The person who was asked.
    Person,
    /// The policy, or a verdict that needs no question.
    Policy,
    /// An approval for good.
    Kept,
    /// An autonomous run, which does not ask about this.
    Autonomous,
    /// Nobody was there to say yes.
    Nobody,
}

/// Why an entry could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the audit log cannot be written: {0}")]
pub struct AuditError(pub String);

/// Where decisions are written, durably and in order.
pub trait AuditLog: Send + Sync {
    /// Appends one entry; returns only when it is written.
    ///
    /// # Errors
    /// When it could not be written; the gate then asks for what it would have allowed, and an autonomous run stops.
    fn append(&self, entry: &AuditEntry) -> Result<(), AuditError>;
}
