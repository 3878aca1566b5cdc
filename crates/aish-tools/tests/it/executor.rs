//! The executor's order: look-up, arguments, rate, then the run.

use std::sync::Arc;
use std::time::Duration;

use aish_safety::Surroundings;
use aish_tools::{Door, Executor, Passed, Registry, handler, input_schema};
use aish_types::{ToolDefinition, ToolOutcome};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::door::{Still, Yes, call, definition, door, ready, through};
use crate::sources::{Changing, Tells};

const NAMES: [&str; 6] = ["panics", "hangs", "partial", "limited", "sleeps", "fine"];

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition { timeout_ms: Some(1_000), ..definition(name, input_schema(&[]), "mcp:a") }
}

fn executor() -> Door {
    let registry = Registry::default();
    registry.add(Changing::new("mcp:a", NAMES.iter().map(|name| tool(name)).collect(), Tells::Revision));
    door(Executor::new(Arc::new(registry)))
}

#[tokio::test]
async fn an_unknown_tool_gets_near_names() {
    let outcome = through(&executor(), "sleep", "{}", "me").await;
    assert!(outcome.text.starts_with("Unknown tool: sleep. Did you mean: sleeps, "), "{}", outcome.text);
    assert_eq!(outcome.notes.near_names.len(), 5);
    let empty = through(&door(Executor::default()), "sleep", "{}", "me").await;
    assert_eq!(empty.text, "Unknown tool: sleep");
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_an_outcome() {
    let outcome = through(&executor(), "hangs", "", "me").await;
    assert_eq!((outcome.is_success(), outcome.text.as_str()), (false, "Tool 'hangs' timed out after 1s"));
    let outcome = through(&executor(), "partial", "", "me").await;
    assert_eq!(outcome.text, "Tool 'partial' timed out after 1s\nhalf of it");
    // A source that has a limit of its own is late by as much as this process was kept waiting: the same then.
    let outcome = through(&executor(), "limited", "", "me").await;
    assert_eq!((outcome.ending, outcome.text.as_str()), (aish_types::Ending::Transport, "no answer within 1.0 s"));
    let registry = Registry::default();
    let hangs = ToolDefinition { timeout_ms: None, ..tool("hangs") };
    registry.add(Changing::new("mcp:a", vec![hangs], Tells::Revision));
    let outcome = through(&door(Executor::new(Arc::new(registry))), "hangs", "", "me").await;
    assert_eq!(outcome.text, "Tool 'hangs' timed out after 30s");
}

#[tokio::test(start_paused = true)]
async fn a_call_can_be_cancelled() {
    let executor = executor();
    for (name, expected) in
        [("hangs", "Tool 'hangs' was cancelled"), ("partial", "Tool 'partial' was cancelled\nhalf of it")]
    {
        let approved = ready(&executor, name, "{}").await;
        let cancel = CancellationToken::new();
        let soon = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            soon.cancel();
        });
        let outcome = executor.run(approved, cancel).await.outcome;
        assert_eq!((outcome.is_success(), outcome.text.as_str()), (false, expected));
    }
}

#[tokio::test]
async fn a_panic_is_a_failure_of_that_call() {
    let executor = executor();
    let outcome = through(&executor, "panics", "{}", "me").await;
    assert_eq!((outcome.is_success(), outcome.text.as_str()), (false, "Tool 'panics' crashed"));
    assert!(through(&executor, "fine", "{}", "me").await.is_success());
}

#[tokio::test]
async fn a_definition_that_changed_after_approval_is_not_run() {
    let registry = Arc::new(Registry::default());
    let source = Changing::new("mcp:a", vec![tool("fine")], Tells::Revision);
    registry.add(source.clone());
    let executor = door(Executor::new(registry));
    for (now, word) in [
        (vec![ToolDefinition { description: "now it steals".into(), ..tool("fine") }], "has changed"),
        (vec![], "no longer there"),
    ] {
        source.set(vec![tool("fine")]);
        let approved = ready(&executor, "fine", "{}").await;
        source.set(now);
        let outcome = executor.run(approved, CancellationToken::new()).await.outcome;
        assert!(!outcome.is_success() && outcome.text.contains(word), "{}", outcome.text);
    }
}

#[tokio::test]
async fn a_cooldown_counts_from_the_last_success() {
    let registry = Arc::new(Registry::default());
    let fails = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let switch = Arc::clone(&fails);
    let run = handler(move |_, _| {
        let fails = switch.load(std::sync::atomic::Ordering::SeqCst);
        async move { if fails { ToolOutcome::failure("no") } else { ToolOutcome::success("yes") } }
    });
    let slow = ToolDefinition { cooldown_seconds: 5.0, ..definition("slow", input_schema(&[]), "builtin") };
    registry.register(slow, run).unwrap();
    let clock = Arc::new(Still::default());
    let executor = door(Executor::new(registry).with_clock(clock.clone()));
    assert_eq!(through(&executor, "slow", "", "me").await.text, "no");
    fails.store(false, std::sync::atomic::Ordering::SeqCst);
    assert!(through(&executor, "slow", "", "me").await.is_success(), "a failure starts no cooldown");
    clock.advance(1_800);
    let outcome = through(&executor, "slow", "", "me").await;
    assert_eq!((outcome.is_success(), outcome.text.as_str()), (false, "Tool on cooldown. Wait 3.2s"));
    assert_eq!(outcome.notes.retry_after_ms, Some(3_200));
    assert!(through(&executor, "slow", "", "you").await.is_success(), "another user is free");
    clock.advance(3_200);
    assert!(through(&executor, "slow", "", "me").await.is_success());
    // Two prepared before either ran: the second is stopped at the run.
    clock.advance(5_000);
    let both = [call("slow", "", "me").unwrap(), call("slow", "", "me").unwrap()];
    let mut passed = Vec::new();
    for call in both {
        let Passed::Approved(ready) = executor.pass(call, &Surroundings::default(), &Yes).await else { panic!() };
        passed.push(ready);
    }
    let mut outcomes = Vec::new();
    for ready in passed {
        outcomes.push(executor.run(ready, CancellationToken::new()).await.outcome);
    }
    assert!(outcomes[0].is_success());
    assert_eq!(outcomes[1].text, "Tool on cooldown. Wait 5.0s");
}

#[tokio::test]
async fn a_structured_result_is_checked() {
    let registry = Arc::new(Registry::default());
    let run = handler(|arguments, _| async move {
        ToolOutcome { structured: Some(arguments), ..ToolOutcome::success("the text") }
    });
    let echo = ToolDefinition {
        output_schema: Some(
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}).into(),
        ),
        ..definition("echo", json!({"type": "object"}), "builtin")
    };
    registry.register(echo, run).unwrap();
    let executor = door(Executor::new(registry));
    assert!(through(&executor, "echo", r#"{"n": 1}"#, "me").await.is_success());
    let outcome = through(&executor, "echo", r#"{"n": "x"}"#, "me").await;
    assert!(!outcome.is_success() && outcome.structured.is_none());
    assert!(outcome.text.contains("/n") && outcome.text.ends_with("the text"), "{}", outcome.text);
}

#[tokio::test]
async fn ignored_keys_are_named_in_the_notes() {
    let outcome = through(&executor(), "fine", r#"{"zz": 1}"#, "me").await;
    assert_eq!((outcome.text.as_str(), outcome.notes.ignored.join(" ")), ("fine of mcp:a", "zz".to_owned()));
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_loses_that_tool_alone() {
    let registry = Registry::default();
    let bad = ToolDefinition { input_schema: json!({"type": "nonsense"}).into(), ..tool("bad") };
    let remote = ToolDefinition { input_schema: json!({"$ref": "http://127.0.0.1:1/s.json"}).into(), ..tool("remote") };
    registry.add(Changing::new("mcp:a", vec![bad, tool("fine"), remote], Tells::Revision));
    let executor = door(Executor::new(Arc::new(registry)));
    for name in ["bad", "remote"] {
        let outcome = through(&executor, name, "{}", "me").await;
        assert!(outcome.text.starts_with(&format!("Tool '{name}' cannot be called: ")), "{}", outcome.text);
    }
    assert!(through(&executor, "fine", "{}", "me").await.is_success());
}
