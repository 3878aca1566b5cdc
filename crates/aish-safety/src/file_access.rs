//! Files that a tool of ours reads or changes, judged as the commands that would do the same to them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
use crate::change::Changes;
use crate::command::{Surroundings, analyse};
use crate::policy::PolicyRules;
use crate::verdict::{Judgement, Verdict};

/// The most files of one call.
const MOST: usize = 400;

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
    fn command(&self) -> String {
        let quoted = format!("'{}'", self.path.replace('\'', r"'\''"));
        match self.act {
            Act::Read => format!("cat -- {quoted}"),
            Act::Write => format!("echo > {quoted}"),
            Act::Delete => format!("rm -- {quoted}"),
        }
    }
}

/// Analyses what a call does to files: the strictest of them decides.
pub(crate) fn analyse_files(accesses: &[FileAccess], surroundings: &Surroundings, rules: &PolicyRules) -> Analysis {
    if accesses.len() > MOST {
        let judgement = Judgement::new(Verdict::Halt, "bounds.files", "reaches more than 400 files at once");
        return Analysis::of_parts(judgement, Vec::new(), Changes::default(), Vec::new());
    }
    let start = Judgement::new(Verdict::Allow, "file.read", "reads files of the project");
    let mut whole = Analysis::of_parts(start, Vec::new(), Changes::default(), Vec::new());
    let (mut parts, mut changes, mut matched) = (Vec::new(), Changes::default(), Vec::new());
    for access in accesses {
        let one = analyse(&access.command(), surroundings, rules);
        if one.judgement.verdict > whole.judgement.verdict {
            whole.judgement = one.judgement;
        }
        // What writes is asked about, whatever its place.
        if access.act != Act::Read && whole.judgement.verdict == Verdict::Allow {
            whole.judgement = Judgement::new(Verdict::Ask, "file.write", "changes a file");
        }
        parts.extend(one.parts);
        changes.targets.extend(one.changes.targets);
        changes.unnamed.extend(one.changes.unnamed);
        matched.extend(one.matched);
    }
    Analysis::of_parts(whole.judgement, parts, changes, matched)
}
