//! A run from its first words to each of its ends.

use alloc::format;
use alloc::vec::Vec;

use super::*;

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: "1".into(), name: name.into(), arguments: arguments.into() }
}

fn run() -> Run {
    Run::new("tidy up", Limits { steps: 3, tool_calls: 2, tokens: 100, ..Limits::default() })
}

fn asks(next: &Next) -> &str {
    match next {
        Next::Ask(text) => text,
        Next::End(end) => panic!("{end:?}"),
    }
}

#[test]
fn plan_act_check_report() {
    let mut run = run();
    assert!(run.opening().contains("tidy up"));
    assert!(asks(&run.turn_ended(&Outcome::Answered, "1. look\n2. tidy")).contains("first step"));
    assert_eq!(run.phase, Phase::Acting);
    run.call(&call("shell", r#"{"command":"ls"}"#), 0).unwrap();
    assert!(asks(&run.turn_ended(&Outcome::Answered, "All is tidy.")).contains("Check now"));
    assert_eq!(run.phase, Phase::Checking);
    run.call(&call("shell", r#"{"command":"ls -a"}"#), 0).unwrap();
    assert_eq!(run.turn_ended(&Outcome::Answered, "DONE: tidy"), Next::End(End::Done(Checked::Yes)));
}

#[test]
fn a_call_beside_the_plan_is_acting_already() {
    let mut run = run();
    run.call(&call("shell", "{}"), 0).unwrap();
    assert_eq!(run.phase, Phase::Acting);
    assert!(asks(&run.turn_ended(&Outcome::Answered, "It is tidy.")).contains("Check now"));
}

#[test]
fn the_model_may_give_up_at_any_time() {
    let mut run = run();
    assert_eq!(run.turn_ended(&Outcome::Answered, "NOT DONE: no rights"), Next::End(End::GaveUp));
    run.phase = Phase::Checking;
    assert_eq!(run.turn_ended(&Outcome::Answered, "Looked.\nNOT DONE: a file is left"), Next::End(End::GaveUp));
}

#[test]
fn each_limit_stops_before_what_would_pass_it() {
    let mut steps = run();
    for _ in 0..3 {
        steps.request(0).unwrap();
    }
    assert_eq!(steps.request(0), Err(Limit::Steps));
    assert_eq!(steps.turn_ended(&Outcome::Stopped, ""), Next::End(End::Limit(Limit::Steps)));
    let mut calls = run();
    for at in 0..2 {
        calls.call(&call("a", &format!("{{\"x\":{at}}}")), 0).unwrap();
    }
    calls.request(0).unwrap();
    assert_eq!(calls.call(&call("a", "{}"), 0), Err(Limit::ToolCalls));
    let mut tokens = run();
    tokens.used(99, Money::ZERO);
    tokens.request(0).unwrap();
    tokens.used(100, Money::ZERO);
    assert_eq!(tokens.request(0), Err(Limit::Tokens));
    assert!(tokens.call(&call("a", "{}"), 0).is_ok(), "what was answered may be carried out");
    let mut money = run();
    money.used(1, Money::from_dollars(1.0));
    assert_eq!(money.request(0), Err(Limit::Money));
    let mut time = run();
    assert_eq!(time.request(30 * 60 * 1000), Err(Limit::Time));
    let mut late = run();
    assert_eq!(late.call(&call("a", "{}"), 30 * 60 * 1000), Err(Limit::Time));
    let mut cut = run();
    cut.reached(Limit::Time);
    assert_eq!(cut.turn_ended(&Outcome::Interrupted, ""), Next::End(End::Limit(Limit::Time)));
}

#[test]
fn no_limit_is_no_allowance() {
    let mut none = Run::new("x", Limits { steps: 0, ..Limits::default() });
    assert_eq!(none.request(0), Err(Limit::Steps));
    let mut none = Run::new("x", Limits { tool_calls: 0, ..Limits::default() });
    none.request(0).unwrap();
    assert_eq!(none.call(&call("a", "{}"), 0), Err(Limit::ToolCalls));
}

/// Plays calls; `!` before a name changes something. Returns where it halted, from 1.
fn halts_at(calls: &[&str]) -> Option<usize> {
    let mut run = Run::new("x", Limits::default());
    calls
        .iter()
        .position(|name| {
            let change = name.starts_with('!');
            let wanted = call("shell", &format!("{{\"command\": \"{name}\"}}"));
            let halted = run.call(&wanted, 0).unwrap().is_some();
            if !halted {
                run.approved(&wanted, if change { Verdict::Ask } else { Verdict::Allow });
            }
            halted
        })
        .map(|at| at + 1)
}

#[test]
fn the_third_equal_call_halts_unless_something_changed() {
    assert_eq!(halts_at(&["ls", "ls", "ls"]), Some(3));
    assert_eq!(halts_at(&["!t", "!t", "!t"]), Some(3));
    assert_eq!(halts_at(&["ls", "pwd", "ls", "pwd", "ls"]), Some(5));
    assert_eq!(halts_at(&["!test", "!edit 1", "!test", "!edit 2", "!test", "!edit 3", "!test"]), None);
    let ping_pong: Vec<&str> = ["!a", "!b"].repeat(6);
    assert!(halts_at(&ping_pong).is_some());
    let mut spelt = Run::new("x", Limits::default());
    for arguments in [r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1 }"#] {
        assert_eq!(spelt.call(&call("t", arguments), 0), Ok(None));
    }
    let halted = spelt.call(&call("t", r#"{"a": 1, "b": 2}"#), 0).unwrap().unwrap();
    assert_eq!((halted.verdict, &*halted.rule), (Verdict::Halt, "norris.loop"));
    assert_eq!(spelt.call(&call("t", r#"{"a": 1, "b": 2}"#), 0), Ok(None), "a person let it run: it counts anew");
}

#[test]
fn a_claim_that_cannot_be_checked_stands() {
    let claimed = || {
        let mut run = run();
        run.call(&call("a", "{}"), 0).unwrap();
        asks(&run.turn_ended(&Outcome::Answered, "It is done."));
        run
    };
    assert_eq!(claimed().turn_ended(&Outcome::Failed, ""), Next::End(End::Done(Checked::No)));
    let mut limited = claimed();
    limited.used(100, Money::ZERO);
    assert_eq!(limited.request(0), Err(Limit::Tokens));
    assert_eq!(limited.turn_ended(&Outcome::Stopped, ""), Next::End(End::Done(Checked::No)));
    let mut acting = claimed();
    acting.call(&call("a", r#"{"again":1}"#), 0).unwrap();
    assert_eq!(acting.turn_ended(&Outcome::Failed, ""), Next::End(End::Failed));
    assert_eq!(claimed().turn_ended(&Outcome::Interrupted, ""), Next::End(End::Interrupted));
}

#[test]
fn silence_and_nonsense_end_it() {
    let mut silent = run();
    assert!(asks(&silent.turn_ended(&Outcome::Answered, " ")).contains("Go on"));
    assert_eq!(silent.turn_ended(&Outcome::Answered, ""), Next::End(End::Stuck));
    assert_eq!(run().turn_ended(&Outcome::NothingLeft, ""), Next::End(End::Stuck));
}

#[test]
fn a_halt_says_why() {
    let mut run = run();
    run.halted(Judgement::new(Verdict::Halt, "files.delete", "deletes"));
    let Next::End(End::Halted(judgement)) = run.turn_ended(&Outcome::Halted, "") else { panic!() };
    assert_eq!(judgement.rule, "files.delete");
    assert!(asks(&run.turn_ended(&Outcome::Declined, "")).contains("another way"));
    assert!(asks(&run.turn_ended(&Outcome::DepthLimit, "")).contains("tidy up"));
}
