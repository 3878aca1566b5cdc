//! `aish check`: what a command does, judged without running it.

use std::path::Path;

use aish_safety::{Judgement, Policy, PolicyRules, Shell, Surroundings, Verdict, analyse, hold, is_unasked_in_auto};
use serde_json::json;

use crate::arguments::CheckFlags;
use crate::caught::unless_it_panics;
use crate::exit::ExitCode;
use crate::explained::{analysed, explanation};
use crate::failure::Failure;
use crate::lines;

/// Judges one command, or each line of standard input. The exit code is 0, 1 or 2, for the strictest verdict of them.
///
/// # Errors
/// When standard input or output fails.
pub fn run(
    flags: &CheckFlags,
    surroundings: &Surroundings,
    policy: &Policy,
    print: &mut dyn FnMut(&str),
) -> Result<ExitCode, Failure> {
    let rules = &policy.rules;
    let Some(command) = &flags.command else {
        let auto = |line: &str| flags.lines.json.then(|| is_unasked(line, surroundings, rules));
        let mut strictest = Verdict::Allow;
        lines::for_each(&flags.lines, |line| {
            let judgement = as_text(line, analysed(line, surroundings, policy).judgement);
            strictest = strictest.max(judgement.verdict);
            shown(line, &judgement, auto(line))
        })?;
        return Ok(exit_code(strictest));
    };
    if flags.explain {
        return explained(command, flags.lines.json, surroundings, policy, print);
    }
    let judgement = analysed(command, surroundings, policy).judgement;
    let auto = flags.lines.json.then(|| is_unasked(command, surroundings, rules));
    print(&shown(command, &judgement, auto));
    Ok(exit_code(judgement.verdict))
}

/// A line with bytes that are no UTF-8 was not judged as it stands: it is asked about at least.
fn as_text(line: &str, judgement: Judgement) -> Judgement {
    if !line.contains(char::REPLACEMENT_CHARACTER) {
        return judgement;
    }
    judgement.strictest(Judgement::new(Verdict::Ask, "bounds.encoding", "holds bytes that are no UTF-8"))
}

/// Shows the tree of a command's parts with the effect of each.
fn explained(
    command: &str,
    as_json: bool,
    surroundings: &Surroundings,
    policy: &Policy,
    print: &mut dyn FnMut(&str),
) -> Result<ExitCode, Failure> {
    let analysis = analysed(command, surroundings, policy);
    if as_json {
        print(&serde_json::to_string(&analysis)?);
    } else {
        print(&aish_types::visible(explanation(&analysis, &policy.rules).trim_end()));
    }
    Ok(exit_code(analysis.judgement.verdict))
}

const fn exit_code(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::Allow => ExitCode::Ok,
        Verdict::Ask => ExitCode::Of(1),
        Verdict::Halt => ExitCode::Of(2),
    }
}

/// Says whether a command runs unasked where layers work and `approval.mode` is `auto`.
fn is_unasked(command: &str, surroundings: &Surroundings, rules: &PolicyRules) -> bool {
    let folder = surroundings.folder.as_deref().and_then(|folder| std::fs::canonicalize(folder).ok());
    let trees = folder.map(|folder| aish_confine::tree(&folder, surroundings.home.as_deref().map(Path::new)));
    let tree = trees.and_then(|trees| trees.into_iter().next()).map(|tree| tree.display().to_string());
    let unasked = || {
        let analysis = analyse(command, surroundings, rules);
        is_unasked_in_auto(hold(command, &analysis, tree.as_deref(), surroundings, Shell::Persons), &analysis)
    };
    unless_it_panics(unasked).unwrap_or(false)
}

/// Shows a judgement; as JSON where it is said whether the command runs unasked in `auto`.
fn shown(command: &str, judgement: &Judgement, unasked_in_auto: Option<bool>) -> String {
    if let Some(unasked) = unasked_in_auto {
        return json!({
            "verdict": judgement.verdict, "rule": judgement.rule, "reason": judgement.reason, "command": command,
            "unasked_in_auto": unasked && judgement.verdict != Verdict::Halt,
        })
        .to_string();
    }
    format!("{}\t{}\t{}\t{command}", judgement.verdict, judgement.rule, judgement.reason)
}
