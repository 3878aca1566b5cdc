//! `aish check`: what a command does, judged without running it.

use std::path::Path;

use aish_safety::{Judgement, Policy, PolicyRules, Shell, Surroundings, Verdict, analyse, hold, is_unasked_in_auto};
use serde_json::json;

use crate::arguments::CheckFlags;
use crate::exit::ExitCode;
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
            let judgement = as_text(line, judged(line, surroundings, policy));
            strictest = strictest.max(judgement.verdict);
            shown(line, &judgement, auto(line))
        })?;
        return Ok(exit_code(strictest));
    };
    if flags.explain {
        let broken = policy.broken.as_ref().map(|why| broken(why));
        return explained(command, flags.lines.json, (surroundings, rules, broken), print);
    }
    let judgement = judged(command, surroundings, policy);
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

/// What a policy that cannot be used says of any command.
fn broken(why: &str) -> Judgement {
    Judgement::new(Verdict::Ask, "policy.broken", format!("the policy cannot be used: {why}"))
}

/// Shows the tree of a command's parts with the effect of each.
fn explained(
    command: &str,
    as_json: bool,
    (surroundings, rules, broken): (&Surroundings, &PolicyRules, Option<Judgement>),
    print: &mut dyn FnMut(&str),
) -> Result<ExitCode, Failure> {
    let Ok(mut analysis) = std::panic::catch_unwind(|| analyse(command, surroundings, rules)) else {
        print("the checker failed on this command, which is taken for the worst");
        return Ok(exit_code(Verdict::Halt));
    };
    if let Some(broken) = broken {
        analysis.judgement = analysis.judgement.strictest(broken);
    }
    if as_json {
        print(&serde_json::to_string(&analysis)?);
    } else {
        let text = analysis.render() + &super::policy::places(&analysis.parts, rules);
        print(&aish_types::visible(text.trim_end()));
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

/// Judges, and turns a panic into the strictest verdict: a checker's error is never a yes. What a broken policy would raise
/// is not known: under it nothing is let through.
pub fn judged(command: &str, surroundings: &Surroundings, policy: &Policy) -> Judgement {
    let judgement = std::panic::catch_unwind(|| analyse(command, surroundings, &policy.rules).judgement)
        .unwrap_or_else(|_| Judgement::new(Verdict::Halt, "checker.failed", "the checker failed on this command"));
    match &policy.broken {
        Some(why) => judgement.strictest(broken(why)),
        None => judgement,
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
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(unasked)).unwrap_or(false)
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
