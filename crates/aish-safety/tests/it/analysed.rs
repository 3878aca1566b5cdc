//! The analysis without a policy's rules, as most tests here want it.

use aish_safety::{Analysis, Judgement, PolicyRules, Surroundings, Verdict, analyse, analyse_argv};

pub(crate) fn explain(command: &str, surroundings: &Surroundings) -> Analysis {
    analyse(command, surroundings, &PolicyRules::default())
}

pub(crate) fn judge_command(command: &str, surroundings: &Surroundings) -> Judgement {
    explain(command, surroundings).judgement
}

pub(crate) fn judge_argv(words: &[String], surroundings: &Surroundings) -> Judgement {
    analyse_argv(words, surroundings, &PolicyRules::default()).judgement
}

#[track_caller]
pub(crate) fn check(command: &str, expected: Verdict) {
    check_in(&Surroundings::default(), command, expected);
}

#[track_caller]
pub(crate) fn check_in(around: &Surroundings, command: &str, expected: Verdict) {
    let judgement = judge_command(command, around);
    assert_eq!(judgement.verdict, expected, "{command}: {} ({})", judgement.reason, judgement.rule);
}
