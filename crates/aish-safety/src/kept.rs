//! What a person approved for good: `always` at the gate's question, kept for one project.

use alloc::format;
use alloc::string::{String, ToString};

use aish_program_format::Trait;

use crate::call::{PreparedCall, Subject};
use crate::file_access::{Act, FileAccess};
use crate::rules::programs;
use crate::verdict::{Judgement, Verdict};

/// Where approvals for good are kept, for the project of this run.
pub trait KeptApprovals: Send + Sync {
    /// Says whether one of the kept texts satisfies a condition.
    fn any(&self, condition: &dyn Fn(&str) -> bool) -> bool;

    /// Keeps a text.
    ///
    /// # Errors
    /// In words, when it cannot be kept; the call at hand runs all the same.
    fn keep(&self, text: &str) -> Result<(), String>;
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingKept;

impl KeptApprovals for NothingKept {
    fn any(&self, _condition: &dyn Fn(&str) -> bool) -> bool {
        false
    }

    fn keep(&self, _text: &str) -> Result<(), String> {
        Err("approvals are not kept here".into())
    }
}

/// Marks a kept tool; no command begins like this.
const TOOL: &str = "tool ";

/// Marks a folder below which files may be changed.
const EDITS: &str = "edits below ";

/// Returns what `always` would keep for a call; none where it is not offered: a destructive verdict, a shell, an
/// interpreter, a wrapper, git, or anything but one plain command.
pub fn offer(call: &PreparedCall, judgement: &Judgement) -> Option<String> {
    if judgement.verdict == Verdict::Halt {
        return None;
    }
    match &call.subject {
        Subject::Command { text } => {
            let text = text.trim();
            let program = text.split(' ').next()?.rsplit('/').next()?;
            let runs_others = programs::find(program)
                .is_some_and(|known| known.is(Trait::NeverKept) || known.wrappers().next().is_some());
            let safe = is_plain(text) && !runs_others;
            safe.then(|| text.to_string())
        }
        Subject::Files { accesses, concern: None, .. } => edits_text(accesses),
        Subject::Files { .. } => None,
        Subject::Tool => Some(tool_text(call)),
        Subject::Argv { .. } | Subject::Page { .. } => None,
    }
}

/// Says whether a call was approved for good: the very command, one that begins with the kept words, or the tool.
pub fn approves(kept: &dyn KeptApprovals, call: &PreparedCall, judgement: &Judgement) -> bool {
    let Some(offered) = offer(call, judgement) else { return false };
    if let Subject::Files { accesses, .. } = &call.subject {
        return kept.any(&|text| text.strip_prefix(EDITS).is_some_and(|folder| are_edits_below(accesses, folder)));
    }
    kept.any(&|text| covers(text, &offered))
}

/// Says whether a kept text covers what is offered: the very text, its first words, or for edits a folder above.
pub fn covers(kept: &str, offered: &str) -> bool {
    if let Some(folder) = offered.strip_prefix(EDITS) {
        let above = kept.strip_prefix(EDITS).map(|above| above.trim_end_matches('/'));
        return above.is_some_and(|above| {
            !above.is_empty() && folder.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
    }
    let is_marked = kept.starts_with(TOOL) || kept.starts_with(EDITS);
    offered == kept || !is_marked && offered.strip_prefix(kept).is_some_and(|rest| rest.starts_with(' '))
}

/// Returns the words for changes of files below the folder that all of them lie in.
fn edits_text(accesses: &[FileAccess]) -> Option<String> {
    let folder = |access: &FileAccess| access.path.rsplit_once('/').map(|(folder, _)| folder.to_string());
    let mut common = folder(accesses.first()?)?;
    while !are_edits_below(accesses, &common) {
        common.truncate(common.rfind('/')?);
    }
    (!common.is_empty()).then(|| format!("{EDITS}{common}"))
}

/// Says whether all of them write files below a folder.
fn are_edits_below(accesses: &[FileAccess], folder: &str) -> bool {
    let is_below =
        |path: &str| path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
    !folder.is_empty() && accesses.iter().all(|access| access.act == Act::Write && is_below(&access.path))
}

fn tool_text(call: &PreparedCall) -> String {
    let mut text = String::from(TOOL);
    text.push_str(call.definition.name.as_str());
    text
}

/// One command of literal words: nothing that a shell expands, joins or redirects.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || " -_./:=@%+,".contains(c))
}
