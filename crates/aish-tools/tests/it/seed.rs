//! The tests that the seed names, under its names.

use std::sync::Arc;

use aish_tools::builtin::{Builtins, Ports};
use aish_tools::{Executor, Parameter, ParameterKind, Registry, handler, input_schema};
use aish_types::ToolOutcome;
use serde_json::json;

use crate::door::{definition, door, through};

#[tokio::test]
async fn test_register_tool() {
    let registry = Registry::default();
    let run = handler(|_, _| async { ToolOutcome::success("result") });
    registry.register(definition("test", input_schema(&[]), "builtin"), run).unwrap();
    assert!(registry.get(&"test".into()).is_some());
    assert_eq!(registry.list(None).len(), 1);
}

#[tokio::test]
async fn test_duplicate_registration_fails() {
    let registry = Registry::default();
    let run = handler(|_, _| async { ToolOutcome::success("result") });
    registry.register(definition("test", input_schema(&[]), "builtin"), run.clone()).unwrap();
    let error = registry.register(definition("test", input_schema(&[]), "builtin"), run).unwrap_err();
    assert!(error.to_string().contains("already registered"), "{error}");
}

#[tokio::test]
async fn test_execute_tool() {
    let registry = Arc::new(Registry::default());
    let add = handler(|arguments, _| async move {
        let sum = arguments["a"].as_f64().unwrap() + arguments["b"].as_f64().unwrap();
        ToolOutcome { structured: Some(json!(sum)), ..ToolOutcome::success(sum.to_string()) }
    });
    let parameters = [Parameter::required("a", ParameterKind::Number), Parameter::required("b", ParameterKind::Number)];
    registry.register(definition("add", input_schema(&parameters), "builtin"), add).unwrap();
    let outcome = through(&door(Executor::new(registry)), "add", r#"{"a": 2, "b": 3}"#, "me").await;
    assert!(outcome.is_success());
    assert_eq!(outcome.text, "5");
    assert_eq!(outcome.structured, Some(json!(5.0)));
}

#[tokio::test]
async fn test_missing_required_param() {
    let registry = Arc::new(Registry::default());
    let greet = handler(|arguments, _| async move { ToolOutcome::success(format!("Hello, {}", arguments["name"])) });
    let parameters = [Parameter::required("name", ParameterKind::String)];
    registry.register(definition("greet", input_schema(&parameters), "builtin"), greet).unwrap();
    let outcome = through(&door(Executor::new(registry)), "greet", "{}", "me").await;
    assert!(!outcome.is_success());
    assert!(outcome.text.contains("Missing required"), "{}", outcome.text);
}

async fn builtin(name: &str, arguments: serde_json::Value) -> ToolOutcome {
    let registry = Arc::new(Registry::default());
    registry.add(Arc::new(Builtins::all(&Ports::default())));
    through(&door(Executor::new(registry)), name, &arguments.to_string(), "me").await
}

#[tokio::test]
async fn test_calculator_basic() {
    assert_eq!(builtin("calculator", json!({"expression": "2 + 2"})).await.text, "4");
}

#[tokio::test]
async fn test_calculator_functions() {
    assert_eq!(builtin("calculator", json!({"expression": "sqrt(16)"})).await.text, "4");
}

#[tokio::test]
async fn test_calculator_rejects_unsafe() {
    let outcome = builtin("calculator", json!({"expression": "__import__('os').system('ls')"})).await;
    assert!(!outcome.is_success());
}

#[tokio::test]
async fn test_dice_basic() {
    let outcome = builtin("roll_dice", json!({"notation": "1d6"})).await;
    assert!(outcome.text.contains("Rolled 1d6"), "{}", outcome.text);
}

#[tokio::test]
async fn test_dice_keep_highest() {
    let outcome = builtin("roll_dice", json!({"notation": "4d6kh3"})).await;
    assert!(outcome.text.contains("kept"), "{}", outcome.text);
}
