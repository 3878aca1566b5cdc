//! Calls of our own tools for files, judged as the commands that would do the same.

use alloc::vec::Vec;

use super::Gate;
use crate::analysis::Analysis;
use crate::autonomy::Taint;
use crate::call::PreparedCall;
use crate::change::Changes;
use crate::command::{Surroundings, analyse};
use crate::file_access::{Act, FileAccess};
use crate::policy::PolicyRules;
use crate::verdict::{Judgement, Verdict};

/// The rule by which a hidden or guarded place is left to a person.
const FILE_CONCERN: &str = "files.guarded";

/// The most files of one call.
const MOST: usize = 400;

impl Gate {
    /// Judges what a tool of ours does to files. The policy's own word for the tool lets through what would be asked, but
    /// never a place that a person decides about.
    pub(super) fn judge_files(
        &self,
        call: &PreparedCall,
        accesses: &[FileAccess],
        concern: Option<&str>,
        surroundings: &Surroundings,
    ) -> Analysis {
        let mut analysis = analyse_files(accesses, surroundings, &self.policy.rules);
        let verdict = analysis.judgement.verdict;
        match self.policy.auto_approval(&call.definition.name) {
            Some(true) if verdict == Verdict::Ask => {
                analysis.judgement = Judgement::new(Verdict::Allow, "policy.auto-approve", "approved by the policy");
            }
            Some(false) if verdict == Verdict::Allow => {
                analysis.judgement = Judgement::new(Verdict::Ask, "policy.auto-approve", "the policy wants it asked");
            }
            Some(true | false) | None => {}
        }
        if let Some(why) = concern.filter(|_| analysis.judgement.verdict < Verdict::Halt) {
            analysis.judgement = Judgement::new(Verdict::Ask, FILE_CONCERN, why);
            // What a person decides about for reading it is a secret.
            if accesses.iter().any(|access| access.act == Act::Read) {
                analysis.taint = Taint::Foreign;
            }
        }
        analysis
    }
}

/// Analyses what a call does to files: the strictest of them decides.
fn analyse_files(accesses: &[FileAccess], surroundings: &Surroundings, rules: &PolicyRules) -> Analysis {
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
