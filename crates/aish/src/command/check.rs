//! `aish check`: what a command does, judged without running it.

use aish_safety::{Judgement, Policy, PolicyRules, Surroundings, Verdict, analyse};
use serde_json::json;

use crate::arguments::CheckFlags;
use crate::exit::ExitCode;
use crate::lines;

/// Judges one command (exit code 0, 1 or 2) or each line of standard input.
///
/// # Errors
/// When standard input or output fails.
pub fn run(
    flags: &CheckFlags,
    surroundings: &Surroundings,
    policy: &Policy,
    print: &mut dyn FnMut(&str),
) -> anyhow::Result<ExitCode> {
    let rules = &policy.rules;
    let judge = |command: &str| match &policy.broken {
        // What a broken policy would raise is not known: nothing is let through.
        Some(why) => judge(command, surroundings, rules).strictest(broken(why)),
        None => judge(command, surroundings, rules),
    };
    let Some(command) = &flags.command else {
        lines::for_each(&flags.lines, |line| shown(line, &as_text(line, judge(line)), flags.lines.json))?;
        return Ok(ExitCode::Ok);
    };
    if flags.explain {
        let broken = policy.broken.as_ref().map(|why| broken(why));
        return explained(command, flags.lines.json, (surroundings, rules, broken), print);
    }
    let judgement = judge(command);
    print(&shown(command, &judgement, flags.lines.json));
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
pub fn broken(why: &str) -> Judgement {
    Judgement::new(Verdict::Ask, "policy.broken", format!("the policy cannot be used: {why}"))
}

/// Shows the tree of a command's parts with the effect of each.
fn explained(
    command: &str,
    as_json: bool,
    (surroundings, rules, broken): (&Surroundings, &PolicyRules, Option<Judgement>),
    print: &mut dyn FnMut(&str),
) -> anyhow::Result<ExitCode> {
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

/// Judges, and turns a panic into the strictest verdict: a checker's error is never a yes.
pub fn judge(command: &str, surroundings: &Surroundings, rules: &PolicyRules) -> Judgement {
    std::panic::catch_unwind(|| analyse(command, surroundings, rules).judgement)
        .unwrap_or_else(|_| Judgement::new(Verdict::Halt, "checker.failed", "the checker failed on this command"))
}

fn shown(command: &str, judgement: &Judgement, as_json: bool) -> String {
    if as_json {
        return json!({
            "verdict": judgement.verdict, "rule": judgement.rule, "reason": judgement.reason, "command": command,
        })
        .to_string();
    }
    format!("{}\t{}\t{}\t{command}", judgement.verdict, judgement.rule, judgement.reason)
}
